package main

import (
	"encoding/json"
	"reflect"
	"strings"
)

// field is what the declaration of a field says.
type field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Pointer  bool   `json:"pointer,omitempty"`
	Number   string `json:"number"`
	MergeKey string `json:"mergeKey,omitempty"`
	Strategy string `json:"strategy,omitempty"`
	List     bool   `json:"list,omitempty"`
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// factsOf has the fields of each struct that the types reach, by the path of its package and its name.
func factsOf(types []reflect.Type) map[string][]field {
	structs := map[string][]field{}
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(t.Elem())
		case reflect.Struct:
			name := t.PkgPath() + "." + t.Name()
			if _, known := structs[name]; known || hasOwnForm(t) {
				return
			}
			structs[name] = []field{}
			structs[name] = fieldsOf(t, "", visit)
		}
	}
	for _, t := range types {
		visit(t)
	}
	return structs
}

// hasOwnForm says whether a type writes itself in JSON, as a Time does. JSONSchemaProps only drops a field so.
func hasOwnForm(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(marshaler) && t.Name() != "JSONSchemaProps"
}

// fieldsOf has the fields of a struct. Those of an embedded one have its number before theirs.
func fieldsOf(t reflect.Type, prefix string, visit func(reflect.Type)) []field {
	fields := []field{}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		number := ""
		if proto := strings.Split(f.Tag.Get("protobuf"), ","); len(proto) > 1 && prefix != "-" {
			number = prefix + proto[1]
		}
		if f.Anonymous && name == "" {
			inner := number + "."
			if number == "" {
				inner = "-"
			}
			fields = append(fields, fieldsOf(f.Type, inner, visit)...)
			continue
		}
		visit(f.Type)
		fields = append(fields, field{
			Name: name, Type: typeText(f.Type), Pointer: f.Type.Kind() == reflect.Pointer, Number: number,
			MergeKey: f.Tag.Get("patchMergeKey"), Strategy: f.Tag.Get("patchStrategy"),
			List: f.Type.Kind() == reflect.Slice,
		})
	}
	return fields
}

// rawTypes hold JSON as it came.
var rawTypes = map[string]bool{"FieldsV1": true, "JSON": true, "RawExtension": true}

// typeText has the type as the schema writes it.
func typeText(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeText(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + typeText(t.Elem())
	case reflect.Map:
		return "map[string]" + typeText(t.Elem())
	case reflect.Struct:
		if rawTypes[t.Name()] {
			return "any"
		}
		return t.Name()
	default:
		return t.Kind().String()
	}
}
