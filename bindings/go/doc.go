// Package stint embeds Stint's engine, a Kubernetes Job controller without I/O, in Go programs.
//
// A host feeds the engine what the Kubernetes API says, as bytes, and the time; it sends the requests that
// [Engine.Poll] hands out and settles each with its answer. bindings/ABI.md fixes what each call means, and has the
// host's loop under "What a host does". The package runs engine.wasm on wazero, without CGO, and copies every result
// out of linear memory, so that what a caller holds stays valid. It leaves out all I/O.
//
// One [Module] serves many engines; an [Engine] is for one goroutine at a time. Errors are of type *[Error]: a refusal
// has a [Code], and the end of an engine is [ErrTrap] or [ErrClosed].
package stint
