package stint

// Reserve is the export of that name: tests make it trap, which the methods of an engine do not let happen.
func (e *Engine) Reserve(size uint32) error {
	_, err := e.call("reserve", uint64(size))
	return err
}
