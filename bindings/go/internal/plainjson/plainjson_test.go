package plainjson

// This file holds the package to JSON.stringify and to the two RFCs of patches.

import "testing"

func parse(t *testing.T, text string) any {
	t.Helper()
	value, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// What is expected is what JSON.stringify(JSON.parse(text)) gives.
func TestRenderWritesWhatJavaScriptWrites(t *testing.T) {
	cases := map[string]string{
		` { "b" : 1.0 , "a" : [ null, true, -2e3, 1.5, 1e21, 1e-7 ] } `: `{"b":1,"a":[null,true,-2000,1.5,1e+21,1e-7]}`,
		`"<&>\u2028\u00fc\ud83d\ude00\/"`:                               "\"<&>\u2028ü😀/\"",
		`"\b\f\n\r\t\u0000\u001f\"\\"`:                                  `"\b\f\n\r\t\u0000\u001f\"\\"`,
		`{"a":1,"b":2,"a":3}`:                                           `{"a":3,"b":2}`,
		`[[],{}]`:                                                       `[[],{}]`,
	}
	for text, wanted := range cases {
		if rendered := Render(parse(t, text)); rendered != wanted {
			t.Errorf("%s becomes %s, expected %s", text, rendered, wanted)
		}
	}
}

func TestParseRefusesWhatIsNotOneValue(t *testing.T) {
	for _, text := range []string{"", "[1", `{"a":}`, "1 2", "[] x"} {
		if value, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, value)
		}
	}
}

// The examples of RFC 7386, appendix A.
func TestMergePatch(t *testing.T) {
	cases := []struct{ target, patch, wanted string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	}
	for _, merge := range cases {
		target := parse(t, merge.target)
		if merged := Render(MergePatch(target, parse(t, merge.patch))); merged != merge.wanted {
			t.Errorf("%s with %s becomes %s, expected %s", merge.target, merge.patch, merged, merge.wanted)
		}
		if Render(target) != merge.target {
			t.Errorf("%s has changed", merge.target)
		}
	}
}

func TestApplyJSONPatch(t *testing.T) {
	const target = `{"a":{"b/c":[1,2]},"d":null}`
	cases := []struct{ operation, wanted string }{
		{`{"op":"add","path":"/e","value":1}`, `{"a":{"b/c":[1,2]},"d":null,"e":1}`},
		{`{"op":"add","path":"/d","value":1}`, `{"a":{"b/c":[1,2]},"d":1}`},
		{`{"op":"add","path":"/a/b~1c/-","value":3}`, `{"a":{"b/c":[1,2,3]},"d":null}`},
		{`{"op":"add","path":"/a/b~1c/0","value":0}`, `{"a":{"b/c":[0,1,2]},"d":null}`},
		{`{"op":"replace","path":"/a/b~1c/1","value":{}}`, `{"a":{"b/c":[1,{}]},"d":null}`},
		{`{"op":"replace","path":"","value":7}`, `7`},
	}
	for _, patch := range cases {
		value := parse(t, target)
		patched, err := ApplyJSONPatch(value, []any{parse(t, patch.operation)})
		if err != nil || Render(patched) != patch.wanted {
			t.Errorf("%s gives %s, %v; expected %s", patch.operation, Render(patched), err, patch.wanted)
		}
		if Render(value) != target {
			t.Errorf("%s has changed the target", patch.operation)
		}
	}
	for _, operation := range []string{
		`{"op":"replace","path":"/e","value":1}`,
		`{"op":"add","path":"/e/f","value":1}`,
		`{"op":"replace","path":"/a/b~1c/2","value":1}`,
		`{"op":"add","path":"/d/x","value":1}`, `{"op":"remove","path":"/d"}`, `[]`,
	} {
		if patched, err := ApplyJSONPatch(parse(t, target), []any{parse(t, operation)}); err == nil {
			t.Errorf("%s gives %s, expected an error", operation, Render(patched))
		}
	}
}
