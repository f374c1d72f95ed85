package controller_test

// This file starts controllers against a server that a test plays, and keeps what they log and decide.

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/controller"
)

// repository is its root, seen from this folder.
const repository = "../../.."

var compiled = sync.OnceValues(func() (*stint.Module, error) {
	wasm, err := os.ReadFile(repository + "/build/engine.wasm") // `npm run build` makes it.
	if err != nil {
		return nil, err
	}
	return stint.Compile(context.Background(), wasm)
})

func module(t testing.TB) *stint.Module {
	t.Helper()
	module, err := compiled()
	check(t, err)
	return module
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// inVirtualTime runs a test where time moves only while everything waits.
func inVirtualTime(t *testing.T, test func(*testing.T)) {
	t.Helper()
	module(t) // Compiled out of virtual time, for all tests.
	synctest.Test(t, test)
}

// run is a controller that runs.
type run struct {
	*controller.Controller
	cancel context.CancelFunc
	ended  chan error
	log    *logged
}

// start runs a controller against the server until the test ends it.
func start(t *testing.T, server *server, changes ...func(*controller.Config)) *run {
	t.Helper()
	log := &logged{}
	config := configOf(server, log)
	for _, change := range changes {
		change(&config)
	}
	made, err := controller.New(config)
	check(t, err)
	return startMade(t, made, log)
}

func configOf(server *server, log *logged) controller.Config {
	module, _ := compiled() // inVirtualTime has looked at the error.
	return controller.Config{
		Module: module,
		Host:   "http://api.test",
		Client: server.client,
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
}

func startMade(t *testing.T, made *controller.Controller, log *logged) *run {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	started := &run{Controller: made, cancel: cancel, ended: make(chan error, 1), log: log}
	go func() { started.ended <- made.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		synctest.Wait()
		if t.Failed() {
			t.Log(log)
		}
	})
	return started
}

// stop ends it, and checks that it ended in good order.
func (r *run) stop(t *testing.T) {
	t.Helper()
	r.cancel()
	if err := <-r.ended; err != nil {
		t.Errorf("Run returned %v, expected nil", err)
	}
}

// isRunning: Run has not returned.
func (r *run) isRunning() bool {
	synctest.Wait()
	return len(r.ended) == 0
}

// logged is a log as text.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) expect(t *testing.T, part string) {
	t.Helper()
	if !strings.Contains(l.String(), part) {
		t.Errorf("the log does not say %q:\n%s", part, l)
	}
}

// expectBetween checks the time from one request to another.
func expectBetween(t *testing.T, what string, first, second seen, least, most time.Duration) {
	t.Helper()
	if gap := second.at - first.at; gap < least || gap > most {
		t.Errorf("%s after %v, expected between %v and %v", what, gap, least, most)
	}
}

func expectCount[T any](t *testing.T, what string, found []T, wanted int) {
	t.Helper()
	if len(found) != wanted {
		t.Fatalf("there are %d %s, expected %d: %v", len(found), what, wanted, found)
	}
}

func expectContains(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q does not have %q", text, part)
	}
}
