package plainjson

// This file applies the two kinds of patches that the engine writes. Invariant: the target stays as it was. Of a JSON
// Patch it knows the operations that admission uses: add and replace.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MergePatch applies a JSON merge patch (RFC 7386) to a copy of the target.
func MergePatch(target, patch any) any {
	changes, ok := patch.(*Object)
	if !ok {
		return patch
	}
	merged := &Object{}
	if object, ok := target.(*Object); ok {
		merged = object.Clone()
	}
	for key, value := range changes.All() {
		if value == nil {
			merged.Delete(key)
		} else {
			merged.Set(key, MergePatch(merged.Get(key), value))
		}
	}
	return merged
}

// ApplyJSONPatch applies the operations of a JSON Patch (RFC 6902), one after the other, to a copy of the target.
func ApplyJSONPatch(target any, operations []any) (any, error) {
	for _, operation := range operations {
		operation, ok := operation.(*Object)
		if !ok {
			return nil, fmt.Errorf("a JSON Patch has an operation that is no object")
		}
		if op := operation.Text("op"); op != "add" && op != "replace" {
			return nil, fmt.Errorf("a JSON Patch has the operation %q; add and replace are known", op)
		}
		tokens := strings.Split(operation.Text("path"), "/")[1:]
		var err error
		if target, err = put(target, tokens, operation); err != nil {
			return nil, fmt.Errorf("path %s: %w", operation.Text("path"), err)
		}
	}
	return target, nil
}

var unescapeToken = strings.NewReplacer("~1", "/", "~0", "~")

func put(target any, tokens []string, operation *Object) (any, error) {
	if len(tokens) == 0 {
		return operation.Get("value"), nil
	}
	switch target := target.(type) {
	case *Object:
		key := unescapeToken.Replace(tokens[0])
		if !target.Has(key) && !isAddition(tokens, operation) {
			return nil, fmt.Errorf("there is no member %q", key)
		}
		value, err := put(target.Get(key), tokens[1:], operation)
		changed := target.Clone()
		changed.Set(key, value)
		return changed, err
	case []any:
		return putItem(target, tokens, operation)
	}
	return nil, fmt.Errorf("%q points into what is no object and no list", tokens[0])
}

func putItem(target []any, tokens []string, operation *Object) (any, error) {
	isAddition := isAddition(tokens, operation)
	if isAddition && tokens[0] == "-" {
		return append(slices.Clip(target), operation.Get("value")), nil
	}
	index, err := strconv.Atoi(tokens[0])
	if err != nil || index < 0 || index > len(target) || index == len(target) && !isAddition {
		return nil, fmt.Errorf("there is no item %q", tokens[0])
	}
	changed := slices.Clone(target)
	if isAddition {
		return slices.Insert(changed, index, operation.Get("value")), nil
	}
	changed[index], err = put(target[index], tokens[1:], operation)
	return changed, err
}

func isAddition(tokens []string, operation *Object) bool {
	return len(tokens) == 1 && operation.Text("op") == "add"
}
