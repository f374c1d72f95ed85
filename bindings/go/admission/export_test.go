package admission

// This file lets tests break an engine of a pool.

import "testing"

// BreakEngine closes the instance of the engine that reviews next, which then fails as after a trap.
func (p *Pool) BreakEngine(t *testing.T) {
	t.Helper()
	engine := <-p.free
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	p.free <- engine
}

// Occupy takes an engine until the function that it returns is called.
func (p *Pool) Occupy() func() {
	engine := <-p.free
	return func() { p.free <- engine }
}
