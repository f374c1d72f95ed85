package vectors

// This file compares JSON as the vectors do: the order of members is free, and `<any>` matches any value that is
// present.

import (
	"slices"
	"strings"

	"github.com/stint-dev/stint/bindings/go/internal/plainjson"
)

const anyValue = "<any>"

// Match compares what is there with what a vector expects.
func Match(actual, expected any) bool { return match(actual, expected, false) }

// match with asSets: the order of lists of strings is free as well.
func match(actual, expected any, asSets bool) bool {
	switch expected := expected.(type) {
	case *plainjson.Object:
		object, ok := actual.(*plainjson.Object)
		return ok && matchMembers(object, expected, asSets)
	case []any:
		list, ok := actual.([]any)
		if !ok {
			return false
		}
		if asSets {
			list, expected = sortedTexts(list), sortedTexts(expected)
		}
		return slices.EqualFunc(list, expected, func(actual, expected any) bool { return match(actual, expected, asSets) })
	case string:
		if expected == anyValue {
			return true
		}
	}
	// Lists cannot be compared with ==, and what is expected is none here.
	_, isList := actual.([]any)
	return !isList && actual == expected
}

func matchMembers(actual, expected *plainjson.Object, asSets bool) bool {
	if actual.Len() != expected.Len() {
		return false
	}
	for key, value := range expected.All() {
		if !actual.Has(key) || !match(actual.Get(key), value, asSets) {
			return false
		}
	}
	return true
}

// sortedTexts is a sorted copy of a list of strings, and any other list as it is.
func sortedTexts(list []any) []any {
	if slices.ContainsFunc(list, func(item any) bool { _, ok := item.(string); return !ok }) {
		return list
	}
	return slices.SortedFunc(slices.Values(list), func(left, right any) int {
		return strings.Compare(left.(string), right.(string))
	})
}
