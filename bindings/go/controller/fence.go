package controller

// This file asks whether this process may still write. Invariant: after one no, the answer is no for good.

import "sync"

type fence struct {
	mu     sync.Mutex
	ask    func() bool // Nil: always.
	closed bool
}

func (f *fence) mayWrite() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = f.closed || (f.ask != nil && !f.ask())
	return !f.closed
}
