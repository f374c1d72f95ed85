package stint_test

// This file tests what the context of a call does: one that has ended keeps the call from beginning, and nothing else.

import (
	"context"
	"errors"
	"reflect"
	"regexp"
	"testing"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/internal/vectors"
)

// callEach calls every method of an engine but Close, so that methods of the future are among them. Of each type there
// is an argument with which the call would change the engine, if it were made.
func callEach(t *testing.T, engine *stint.Engine, arguments []any, see func(name string, err error)) {
	t.Helper()
	known := map[reflect.Type]reflect.Value{}
	for _, argument := range arguments {
		known[reflect.TypeOf(argument)] = reflect.ValueOf(argument)
	}
	ofType := reflect.TypeOf(engine)
	for i := range ofType.NumMethod() {
		method := ofType.Method(i)
		if method.Name == "Close" {
			continue
		}
		if method.Type.NumIn() < 2 || method.Type.In(1) != reflect.TypeFor[context.Context]() {
			t.Errorf("the first parameter of %s is no context", method.Name)
			continue
		}
		given := []reflect.Value{reflect.ValueOf(engine), known[reflect.TypeOf(arguments[0])]}
		for parameter := 2; parameter < method.Type.NumIn(); parameter++ {
			value, ok := known[method.Type.In(parameter)]
			if !ok {
				value = reflect.Zero(method.Type.In(parameter))
			}
			given = append(given, value)
		}
		results := method.Func.Call(given)
		err, _ := results[len(results)-1].Interface().(error)
		see(method.Name, err)
	}
}

func TestACallWhoseContextHasEndedChangesNothing(t *testing.T) {
	engine := synced(t, job("a", 50))
	before, err := engine.Save(t.Context())
	check(t, err)
	other := synced(t)
	saved, err := other.Save(t.Context())
	check(t, err)
	data, err := other.SaveBytes(t.Context(), stint.HostState{})
	check(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	arguments := []any{ended, int32(jobs), stint.ListBegin, data, int64(nowMs), 10, uint32(1 << 20), "lint", saved}
	calls := 0
	callEach(t, engine, arguments, func(name string, err error) {
		calls++
		if !errors.Is(err, stint.ErrNotBegun) || !errors.Is(err, context.Canceled) || errors.Is(err, stint.ErrTrap) {
			t.Errorf("%s returns %v", name, err)
		}
		text := "^[a-z_ ]+ was not begun, for its context has ended: context canceled; nothing has changed$"
		expectError(t, err, stint.CodeNone, text)
	})
	if calls < 20 {
		t.Errorf("there are %d methods", calls)
	}
	after, err := engine.Save(t.Context())
	check(t, err)
	if !reflect.DeepEqual(after, before) {
		t.Error("a call whose context had ended has changed the engine")
	}
	if requests := poll(t, engine, nowMs, 10).Requests; len(requests) != 1 {
		t.Errorf("the next call gives %d requests, expected 1", len(requests))
	}
}

func TestAnErrorSaysWhyTheContextHasEnded(t *testing.T) {
	reason := errors.New("the day is over")
	deadline, cancel := context.WithDeadlineCause(t.Context(), time.Unix(0, 0), reason)
	defer cancel()
	_, err := newEngine(t).Metrics(deadline)
	for _, wanted := range []error{stint.ErrNotBegun, context.DeadlineExceeded, reason} {
		if !errors.Is(err, wanted) {
			t.Errorf("the error %v is no %v", err, wanted)
		}
	}
	expectError(t, err, stint.CodeNone, regexp.QuoteMeta("context deadline exceeded: the day is over"))
}

func TestTheEndOfAnEngineComesBeforeThatOfAContext(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	engine, trapped := synced(t), newEngine(t)
	saved, err := engine.Save(t.Context())
	check(t, err)
	trap := trapped.Reserve(t.Context(), stint.MaxInputBytes+1)
	if _, err := trapped.Metrics(ended); err != trap {
		t.Errorf("after a trap: %v", err)
	}
	check(t, engine.Close())
	if err := engine.Restore(ended, saved); !errors.Is(err, stint.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestNothingIsMadeAfterTheEndOfTheContext(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	wasm, err := vectors.Built("engine.wasm", "npm run build")
	check(t, err)
	_, compileErr := stint.Compile(ended, wasm)
	_, engineErr := module(t).NewEngine(ended)
	_, newErr := stint.New(ended)
	for name, err := range map[string]error{"Compile": compileErr, "NewEngine": engineErr, "New": newErr} {
		if !errors.Is(err, stint.ErrNotBegun) {
			t.Errorf("%s returns %v", name, err)
		}
	}
}

// The context that made an engine, or that a call had, may end: the engine keeps working.
func TestAContextThatEndsLaterEndsNothing(t *testing.T) {
	making, cancel := context.WithCancel(t.Context())
	engine, err := module(t).NewEngine(making)
	check(t, err)
	defer closeEngine(t, engine)
	check(t, engine.Configure(making, configuration()))
	cancel()
	check(t, engine.Ingest(t.Context(), jobs, stint.ListBegin, nil, nowMs))
}
