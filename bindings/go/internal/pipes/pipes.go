// Package pipes has a listener whose connections are in memory, for tests of HTTP where time is not real. It leaves out
// addresses: whatever is dialled, the one listener answers.
package pipes

import (
	"context"
	"errors"
	"net"
	"sync"
)

// Listener is a [net.Listener].
type Listener struct {
	connections chan net.Conn
	closed      chan struct{}
	once        sync.Once
}

// Listen makes one.
func Listen() *Listener {
	return &Listener{connections: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial is for the DialContext of an [net/http.Transport].
func (l *Listener) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.connections <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, errors.New("the server is gone")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for a connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case connection := <-l.connections:
		return connection, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends it. Connections stay.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr is a name and no address.
func (l *Listener) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "pipe"} }
