package plainjson

// This file reads and writes values. Invariant: Render gives the bytes of JavaScript's JSON.stringify.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// UnmarshalJSON lets an Object be a field of a struct.
func (o *Object) UnmarshalJSON(text []byte) error {
	value, err := Parse(text)
	if err != nil {
		return err
	}
	object, ok := value.(*Object)
	if !ok {
		return fmt.Errorf("%.40s is no JSON object", text)
	}
	*o = *object
	return nil
}

// Parse reads one value.
func Parse(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	value, err := parseValue(decoder)
	if err == nil && decoder.InputOffset() != int64(len(bytes.TrimRight(text, " \t\r\n"))) {
		err = fmt.Errorf("more follows the JSON value that ends at byte %d", decoder.InputOffset())
	}
	return value, err
}

func parseValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		return parseList(decoder)
	case json.Delim('{'):
		return parseObject(decoder)
	}
	return token, nil
}

func parseList(decoder *json.Decoder) (any, error) {
	list := []any{}
	for decoder.More() {
		item, err := parseValue(decoder)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	_, err := decoder.Token()
	return list, err
}

func parseObject(decoder *json.Decoder) (any, error) {
	object := &Object{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		value, err := parseValue(decoder)
		if err != nil {
			return nil, err
		}
		object.Set(key.(string), value)
	}
	_, err := decoder.Token()
	return object, err
}

// Render writes a value as JSON.stringify does. It panics for what is none.
func Render(value any) string {
	var text strings.Builder
	render(&text, value)
	return text.String()
}

func render(text *strings.Builder, value any) {
	switch value := value.(type) {
	case nil:
		text.WriteString("null")
	case bool:
		text.WriteString(strconv.FormatBool(value))
	case float64:
		// encoding/json writes numbers as ECMAScript does, but text otherwise.
		number, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		text.Write(number)
	case string:
		renderText(text, value)
	case []any:
		text.WriteByte('[')
		for i, item := range value {
			separate(text, i)
			render(text, item)
		}
		text.WriteByte(']')
	case *Object:
		text.WriteByte('{')
		for i, key := range value.keys {
			separate(text, i)
			renderText(text, key)
			text.WriteByte(':')
			render(text, value.members[key])
		}
		text.WriteByte('}')
	default:
		panic(fmt.Sprintf("%T is no JSON value", value))
	}
}

func separate(text *strings.Builder, position int) {
	if position > 0 {
		text.WriteByte(',')
	}
}

var shortEscapes = map[byte]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func renderText(text *strings.Builder, value string) {
	text.WriteByte('"')
	for i := range len(value) {
		if escape, ok := shortEscapes[value[i]]; ok {
			text.WriteString(escape)
		} else if value[i] < 0x20 {
			fmt.Fprintf(text, `\u%04x`, value[i])
		} else {
			text.WriteByte(value[i])
		}
	}
	text.WriteByte('"')
}
