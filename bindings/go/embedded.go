package stint

// This file has the engine that the module carries: embedded/engine.wasm. Every released version has it; in the
// repository `npm run build` puts it there.

import (
	"context"
	"embed"
	"io/fs"
	"sync"
)

//go:embed embedded
var embedded embed.FS

var compileEmbedded = sync.OnceValues(func() (*Module, error) { return compileFrom(embedded) })

// Embedded is the compiled engine.wasm that this Go module carries. The first call compiles it, which takes a second or
// so; all get the same one, which stays for the life of the process and is not to be closed. Another engine.wasm is for
// [Compile].
func Embedded() (*Module, error) { return compileEmbedded() }

// New makes a fresh engine of the module that [Embedded] has. The context is for this call alone.
func New(ctx context.Context) (*Engine, error) {
	module, err := Embedded()
	if err != nil {
		return nil, err
	}
	return module.NewEngine(ctx)
}

func compileFrom(files fs.FS) (*Module, error) {
	wasm, err := fs.ReadFile(files, "embedded/engine.wasm")
	if err != nil {
		return nil, noCode(err, "this copy of the Go module has no embedded/engine.wasm, as released versions have it: "+
			"run `npm run build` in the repository, or give the bytes of an engine.wasm to Compile")
	}
	return Compile(context.Background(), wasm)
}
