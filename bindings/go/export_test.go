package stint

// This file opens to the tests what nobody else may call.

// CompileFrom compiles the engine that the files have as the module would carry it.
var CompileFrom = compileFrom

// Reserve is the export of that name: tests make it trap, which the methods of an engine do not let happen.
func (e *Engine) Reserve(size uint32) error {
	_, err := e.call("reserve", uint64(size))
	return err
}
