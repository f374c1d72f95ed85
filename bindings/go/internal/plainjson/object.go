// Package plainjson is JSON as the vectors mean it, the same bytes in every language: compact, members in their order,
// whole numbers without a point. A value is nil, a bool, a float64, a string, a []any or an *[Object]; values are not
// changed once they are part of another one. It leaves out what JavaScript does to members that are named like numbers:
// no vector has one.
package plainjson

import (
	"iter"
	"slices"
)

// Object is a JSON object whose members keep their order. The zero value is empty.
type Object struct {
	keys    []string
	members map[string]any
}

// NewObject takes a key and a value in turn.
func NewObject(keysAndValues ...any) *Object {
	object := &Object{}
	for pair := range slices.Chunk(keysAndValues, 2) {
		object.Set(pair[0].(string), pair[1])
	}
	return object
}

// Get is nil for a member that is not there.
func (o *Object) Get(key string) any { return o.members[key] }

// Has tells a member that is null from one that is not there.
func (o *Object) Has(key string) bool {
	_, ok := o.members[key]
	return ok
}

// Text is "" for a member that is no string.
func (o *Object) Text(key string) string {
	text, _ := o.members[key].(string)
	return text
}

// Object is an empty one for a member that is none.
func (o *Object) Object(key string) *Object {
	if object, ok := o.members[key].(*Object); ok {
		return object
	}
	return &Object{}
}

// List is nil for a member that is none.
func (o *Object) List(key string) []any {
	list, _ := o.members[key].([]any)
	return list
}

// Set changes a member in its place, or adds it at the end.
func (o *Object) Set(key string, value any) {
	if o.members == nil {
		o.members = map[string]any{}
	}
	if !o.Has(key) {
		o.keys = append(o.keys, key)
	}
	o.members[key] = value
}

// Delete removes a member that may be there.
func (o *Object) Delete(key string) {
	if !o.Has(key) {
		return
	}
	delete(o.members, key)
	o.keys = slices.DeleteFunc(o.keys, func(other string) bool { return other == key })
}

// Clone shares the values of the members.
func (o *Object) Clone() *Object {
	clone := &Object{}
	for key, value := range o.All() {
		clone.Set(key, value)
	}
	return clone
}

// Len counts the members.
func (o *Object) Len() int { return len(o.keys) }

// All yields the members in order.
func (o *Object) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, key := range o.keys {
			if !yield(key, o.members[key]) {
				return
			}
		}
	}
}
