// Command go-types tells what the types of Kubernetes say about themselves, for the test beside it.
//
//	go-types facts APIVERSION#KIND…        the fields of all structs that the kinds reach, as JSON
//	go-types objects COUNT APIVERSION#KIND…  objects with random values, a line each: as JSON, as protobuf, and as JSON
//	                                       after they were protobuf, which does not know an empty list from none
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math/rand"
	"os"
	"reflect"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	runtimeserializer "k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

// seed makes every run the same.
const seed = 20260

func main() {
	log.SetFlags(0)
	for _, add := range []func(*runtime.Scheme) error{apiextensionsv1.AddToScheme, metav1.AddMetaToScheme} {
		if err := add(scheme.Scheme); err != nil {
			log.Fatal(err)
		}
	}
	if len(os.Args) < 3 {
		log.Fatal("usage: go-types facts APIVERSION#KIND… | go-types objects COUNT APIVERSION#KIND…")
	}
	switch command, args := os.Args[1], os.Args[2:]; command {
	case "facts":
		var types []reflect.Type
		for _, name := range args {
			object, _ := newObject(name)
			types = append(types, reflect.TypeOf(object).Elem())
		}
		print(factsOf(types))
	case "objects":
		count, err := strconv.Atoi(args[0])
		if err != nil {
			log.Fatal(err)
		}
		printObjects(count, args[1:])
	default:
		log.Fatalf("%q is no command; allowed are facts and objects", command)
	}
}

func newObject(name string) (runtime.Object, schema.GroupVersionKind) {
	version, kind, _ := strings.Cut(name, "#")
	group, err := schema.ParseGroupVersion(version)
	if err != nil {
		log.Fatal(err)
	}
	object, err := scheme.Scheme.New(group.WithKind(kind))
	if err != nil {
		log.Fatal(err)
	}
	return object, group.WithKind(kind)
}

// printObjects fills objects as the tests of Kubernetes do.
func printObjects(count int, names []string) {
	codecs := runtimeserializer.NewCodecFactory(scheme.Scheme)
	filler := fuzzer.FuzzerFor(
		fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, ownFuncs), rand.NewSource(seed), codecs,
	).NilChance(0.2).MaxDepth(12)
	serializer := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	for _, name := range names {
		for range count {
			object, kind := newObject(name)
			filler.Fill(object)
			object.GetObjectKind().SetGroupVersionKind(kind)
			text, err := json.Marshal(object)
			if err != nil {
				log.Fatal(name, ": ", err)
			}
			// The object that JSON can tell: some types have values that it does not know.
			again, _ := newObject(name)
			if err := json.Unmarshal(text, again); err != nil {
				log.Fatal(name, ": ", err)
			}
			var bytes strings.Builder
			if err := serializer.Encode(again, &bytes); err != nil {
				log.Fatal(name, ": ", err)
			}
			read, _ := newObject(name)
			if _, _, err := serializer.Decode([]byte(bytes.String()), nil, read); err != nil {
				log.Fatal(name, ": ", err)
			}
			print(map[string]any{
				"name": name, "json": json.RawMessage(text), "protobuf": []byte(bytes.String()), "read": read,
			})
		}
	}
}

// ownFuncs fill the types that have a JSON form of their own and that Kubernetes fills only in its internal form.
func ownFuncs(runtimeserializer.CodecFactory) []any {
	return []any{
		// JavaScript has whole numbers to 2^53.
		func(number *int64, c randfill.Continue) { *number = (c.Int63() >> 10) - 1<<52 },
		func(raw *apiextensionsv1.JSON, _ randfill.Continue) { raw.Raw = []byte(`{"a":[1,"b",null]}`) },
		func(raw *runtime.RawExtension, _ randfill.Continue) { raw.Raw = []byte(`{"spec":{"x":1}}`) },
		func(props *apiextensionsv1.JSONSchemaPropsOrArray, c randfill.Continue) {
			if c.Bool() {
				props.Schema = &apiextensionsv1.JSONSchemaProps{Type: "string"}
			} else {
				props.JSONSchemas = []apiextensionsv1.JSONSchemaProps{{Type: "string"}, {Format: "date"}}
			}
		},
		func(props *apiextensionsv1.JSONSchemaPropsOrBool, c randfill.Continue) {
			props.Allows = c.Bool()
			if props.Allows && c.Bool() {
				props.Schema = &apiextensionsv1.JSONSchemaProps{Type: "string"}
			}
		},
		func(props *apiextensionsv1.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Bool() {
				props.Schema = &apiextensionsv1.JSONSchemaProps{Type: "string"}
			} else {
				props.Property = []string{"a", "b"}
			}
		},
	}
}

func print(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}
