package vectors

// This file has the words that objects of a vector have beside their own members: `from`, `index`, `$name` and `$now`.
// Invariant: what comes out is plain JSON.

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stint-dev/stint/bindings/go/internal/plainjson"
)

// expand gives a value of the vector with every `from` in it merged in, and with the time in the place of `$now`.
func (s *server) expand(value any) (any, error) {
	switch value := value.(type) {
	case string:
		if value == "$now" {
			return timeText(s.nowMs), nil
		}
	case []any:
		expanded := make([]any, len(value))
		for i, item := range value {
			var err error
			if expanded[i], err = s.expand(item); err != nil {
				return nil, err
			}
		}
		return expanded, nil
	case *plainjson.Object:
		if value.Has("from") {
			return s.merge(&plainjson.Object{}, value, "")
		}
		return s.expandMembers(value)
	}
	return value, nil
}

func (s *server) expandMembers(object *plainjson.Object) (*plainjson.Object, error) {
	expanded := &plainjson.Object{}
	for key, member := range object.All() {
		value, err := s.expand(member)
		if err != nil {
			return nil, err
		}
		expanded.Set(key, value)
	}
	return expanded, nil
}

// merge patches the target with an object of the vector, called name.
func (s *server) merge(target, value any, name string) (any, error) {
	object, ok := value.(*plainjson.Object)
	if !ok {
		return nil, fmt.Errorf("the vector has %s where an object must be", plainjson.Render(value))
	}
	layers, err := s.layersOf(object)
	if err != nil {
		return nil, err
	}
	for _, layer := range layers {
		expanded, err := s.expandMembers(layer)
		if err != nil {
			return nil, err
		}
		target = plainjson.MergePatch(target, substituteName(expanded, name))
	}
	return target, nil
}

// layersOf gives the patches that an object of the vector consists of, its `from` and `index` included.
func (s *server) layersOf(object *plainjson.Object) ([]*plainjson.Object, error) {
	var layers []*plainjson.Object
	if object.Has("from") {
		name := object.Text("from")
		if !s.templates.Has(name) {
			return nil, fmt.Errorf("the vector starts an object from %q, which is not defined", name)
		}
		var err error
		if layers, err = s.layersOf(s.templates.Object(name)); err != nil {
			return nil, err
		}
	}
	if index, ok := object.Get("index").(float64); ok {
		mark := plainjson.NewObject(indexKey, strconv.Itoa(int(index)))
		layers = append(layers, plainjson.NewObject("metadata", plainjson.NewObject("annotations", mark, "labels", mark)))
	}
	own := object.Clone()
	own.Delete("from")
	own.Delete("index")
	return append(layers, own), nil
}

func substituteName(value any, name string) any {
	switch value := value.(type) {
	case string:
		return strings.ReplaceAll(value, "$name", name)
	case []any:
		replaced := make([]any, len(value))
		for i, item := range value {
			replaced[i] = substituteName(item, name)
		}
		return replaced
	case *plainjson.Object:
		replaced := &plainjson.Object{}
		for key, member := range value.All() {
			replaced.Set(strings.ReplaceAll(key, "$name", name), substituteName(member, name))
		}
		return replaced
	}
	return value
}
