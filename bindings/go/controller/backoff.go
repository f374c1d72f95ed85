package controller

// This file has the delays between attempts at the same thing: they grow, and jitter keeps those that failed together
// from coming back together. The numbers are those of client-go's reflector.

import (
	"math/rand/v2"
	"time"
)

const (
	backoffInitial = 800 * time.Millisecond
	backoffMax     = 30 * time.Second
)

// backoff has the delays of one retried action. Its zero value is ready.
type backoff struct{ base time.Duration }

// next is drawn between the base, which doubles each time, and twice that. It is never shorter than what the server
// asked for.
func (b *backoff) next(atLeast time.Duration) time.Duration {
	base := max(b.base, backoffInitial)
	b.base = min(2*base, backoffMax)
	return max(min(base+rand.N(base), backoffMax), atLeast)
}

// reset is for after a success.
func (b *backoff) reset() { b.base = 0 }
