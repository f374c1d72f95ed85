package controller

// This file has a controller's life: an engine with its loop, and a fresh one when that one traps. Invariants: at most
// one engine polls for requests at a time, and a new one begins only when no request of the one before is under way. A
// trap that repeats ends the controller, because it will not go away.

import (
	"context"
	"errors"
	"fmt"
	"sync"

	stint "github.com/stint-dev/stint/bindings/go"
)

// MaxEngineRestarts is how many traps a controller gets over. Each costs a new list of everything.
const MaxEngineRestarts = 5

var (
	// ErrFenced is why a controller ended whose [Config.Fence] said no. It may be run again once the fence says yes.
	ErrFenced = errors.New("controller: the fence says that this process may not write any more")
	// ErrUnsettled says that requests were still under way when [Config.ShutdownTimeout] was over. They may yet arrive: a
	// leader had better let its lease run out, and not hand it over.
	ErrUnsettled = errors.New("controller: requests under way were given up")
	// ErrTrapped says that the engine trapped more than [MaxEngineRestarts] times. The error has the last trap, a
	// *stint.Error, which is a bug of the engine.
	ErrTrapped = errors.New("controller: the engine stopped too often")
	// ErrNotRunning is what questions get while [Controller.Run] does not run.
	ErrNotRunning = errors.New("controller: it does not run")
)

// Run runs the Jobs of a cluster until the context ends: [New] and [Controller.Run] in one.
func Run(ctx context.Context, config Config) error {
	made, err := New(config)
	if err != nil {
		return err
	}
	return made.Run(ctx)
}

// Controller runs Jobs, and can be asked about them meanwhile. Its methods may be called by several goroutines.
type Controller struct {
	config    Config
	newEngine func(context.Context) (engine, error)

	mu      sync.Mutex
	session *session // Nil: it does not run.
	running bool
}

// New checks a configuration. Nothing happens before [Controller.Run].
func New(config Config) (*Controller, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	newEngine := func(ctx context.Context) (engine, error) { return config.Module.NewEngine(ctx) }
	return &Controller{config: config, newEngine: newEngine}, nil
}

// Run runs Jobs until the context ends, and returns nil then, after the requests under way were settled; [ErrUnsettled]
// if they were not. Whatever an API server may answer, it continues. It ends for [ErrFenced], for [ErrTrapped], and for
// a configuration that the engine refuses. After it has returned, nothing is under way, and it may be called again.
func (c *Controller) Run(ctx context.Context) error {
	if err := c.begin(); err != nil {
		return err
	}
	defer c.end()
	for restarts := 0; ; restarts++ {
		err := c.runEngine(ctx)
		var stopped *engineStopped
		if !errors.As(err, &stopped) {
			return err
		}
		if restarts == MaxEngineRestarts {
			return fmt.Errorf("%w: %d times, the last time: %w", ErrTrapped, restarts+1, err)
		}
		if ctx.Err() != nil {
			return nil
		}
		c.config.Logger.Error("the engine stopped, and a fresh one begins", "error", err, "engine", restarts+2)
	}
}

// HasListed says whether everything was listed once, so that the controller acts on Jobs: what a readiness probe asks.
func (c *Controller) HasListed() bool {
	session := c.current()
	if session == nil {
		return false
	}
	session.mu.Lock()
	defer session.mu.Unlock()
	for _, source := range session.sources {
		if !source.wasListed {
			return false
		}
	}
	return true
}

// Explain says what is known of one Job, and why it does or does not progress. The error is [ErrNotRunning] or of type
// *[stint.Error].
func (c *Controller) Explain(ctx context.Context, namespace, job string) (*stint.Explanation, error) {
	session := c.current()
	return ask(session, func(engine engine) (*stint.Explanation, error) {
		return engine.ExplainAt(ctx, namespace, job, session.nowMs())
	})
}

// MetricFamilies is what the present engine has counted, by upstream's names. The error is [ErrNotRunning] or of type
// *[stint.Error].
func (c *Controller) MetricFamilies(ctx context.Context) ([]stint.MetricFamily, error) {
	return ask(c.current(), func(engine engine) ([]stint.MetricFamily, error) { return engine.MetricFamilies(ctx) })
}

func (c *Controller) runEngine(ctx context.Context) error {
	engine, err := c.newEngine(ctx)
	if errors.Is(err, stint.ErrNotBegun) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("controller: no engine could be made: %w", err)
	}
	session := newSession(ctx, c.config, engine)
	c.set(session)
	defer session.close()
	defer c.set(nil)
	return session.run(ctx)
}

func (c *Controller) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		return errors.New("controller: Run is called while it runs; make another Controller, of other Jobs")
	}
	c.running = true
	return nil
}

func (c *Controller) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = false
}

func (c *Controller) set(session *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = session
}

func (c *Controller) current() *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}
