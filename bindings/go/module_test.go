package stint_test

// This file has the engine under test: build/engine.wasm of the repository, compiled once for all tests. Building it is
// left to `npm run build`.

import (
	"context"
	"os"
	"sync"
	"testing"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/internal/vectors"
)

var compiled = sync.OnceValues(func() (*stint.Module, error) {
	wasm, err := vectors.Built("engine.wasm", "npm run build")
	if err != nil {
		return nil, err
	}
	return stint.Compile(context.Background(), wasm)
})

func module(t *testing.T) *stint.Module {
	t.Helper()
	module, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// newEngine is a fresh engine that is closed with the test.
func newEngine(t *testing.T) *stint.Engine {
	t.Helper()
	engine, err := module(t).NewEngine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeEngine(t, engine) })
	return engine
}

func closeEngine(t *testing.T, engine *stint.Engine) {
	t.Helper()
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
}

func TestTheModuleCarriesTheEngineThatWasBuilt(t *testing.T) {
	carried, err := stint.CompileFrom(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	defer carried.Close()
	if built := module(t); carried.SHA256() != built.SHA256() {
		t.Errorf("embedded/engine.wasm is %s, build/engine.wasm %s: run `npm run build`", carried.SHA256(), built.SHA256())
	}
}

func TestCodesHaveNames(t *testing.T) {
	names := map[stint.Code]string{stint.CodeBadJSON: "badJson", 0: "ok", 99: "99", stint.CodeNone: "-1"}
	for code, wanted := range names {
		if name := code.String(); name != wanted {
			t.Errorf("the name of code %d is %q, expected %q", int32(code), name, wanted)
		}
	}
}
