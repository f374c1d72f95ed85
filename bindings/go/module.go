package stint

// This file makes running instances of engine.wasm: compiling, checking that it is an engine of this ABI, finding its
// exports. Invariant: an instance that is handed out has all of them. What they mean is engine.go's business.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Module is a compiled engine.wasm: compile once, make many engines. It may be used by several goroutines.
type Module struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	sha256   string
}

// Compile compiles the bytes of engine.wasm, which takes a second or so. The context is for compiling alone.
func Compile(ctx context.Context, wasm []byte) (*Module, error) {
	if err := notEnded(ctx, "compile"); err != nil {
		return nil, err
	}
	// Not WithCloseOnContextDone: it would end an engine for good with the first context that ends during a call.
	runtime := wazero.NewRuntime(ctx)
	compiled, err := runtime.CompileModule(ctx, wasm)
	if err != nil {
		runtime.Close(ctx)
		return nil, noCode(err, "these %d bytes are no Wasm module: %v", len(wasm), err)
	}
	hash := sha256.Sum256(wasm)
	return &Module{runtime: runtime, compiled: compiled, sha256: hex.EncodeToString(hash[:])}, nil
}

// SHA256 is that of the bytes that were compiled, in lower-case hexadecimal.
func (m *Module) SHA256() string { return m.sha256 }

// Close frees the module, and ends every engine made from it.
func (m *Module) Close() error { return m.runtime.Close(context.Background()) }

var functionNames = []string{
	"reserve", "configure", "ingest", "poll", "settle", "clock", "watch_version", "list_continue",
	"review", "explain", "explain_at", "metrics", "last_error", "trap_message",
}

// questionNames are those that an engine may lack, because it is older or was built without them.
var questionNames = []string{"verdict", "account", "lint", "forecast"}

type instance struct {
	module    api.Module
	memory    api.Memory
	functions map[string]api.Function
	globals   []api.MutableGlobal
}

func (m *Module) instantiate(ctx context.Context) (*instance, error) {
	if err := notEnded(ctx, "a new engine"); err != nil {
		return nil, err
	}
	// Without a name, so that a runtime has room for many.
	module, err := m.runtime.InstantiateModule(ctx, m.compiled, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, noCode(err, "the module cannot be instantiated: %v", err)
	}
	made := &instance{module: module, memory: module.ExportedMemory("memory"), functions: map[string]api.Function{}}
	if err := made.bind(); err != nil {
		module.Close(ctx)
		return nil, err
	}
	return made, nil
}

// bind checks the version first: what else is exported depends on it.
func (i *instance) bind() error {
	major, minor := i.module.ExportedGlobal("abi_version"), i.module.ExportedGlobal("abi_minor_version")
	if major == nil || minor == nil {
		return noCode(nil, "the module exports no abi_version and abi_minor_version: it is no Stint engine")
	}
	if version := api.DecodeI32(major.Get()); version != ABIVersion {
		return noCode(
			nil,
			"this engine speaks ABI %d.%d, this binding speaks ABI %d: use a binding and an engine of one major version",
			version,
			api.DecodeI32(minor.Get()),
			ABIVersion,
		)
	}
	for _, name := range functionNames {
		function := i.module.ExportedFunction(name)
		if function == nil {
			return noCode(nil, "the module exports no function %s: it is no engine of ABI %d", name, ABIVersion)
		}
		i.functions[name] = function
	}
	for _, name := range questionNames {
		if function := i.module.ExportedFunction(name); function != nil {
			i.functions[name] = function
		}
	}
	if i.memory == nil {
		return noCode(nil, "the module exports no memory: it is no engine of ABI %d", ABIVersion)
	}
	for {
		global, ok := i.module.ExportedGlobal(fmt.Sprintf("global:%d", len(i.globals))).(api.MutableGlobal)
		if !ok {
			return nil
		}
		i.globals = append(i.globals, global)
	}
}
