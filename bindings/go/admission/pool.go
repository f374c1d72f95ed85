package admission

// This file has engines that review at the same time. Invariants: an engine reviews one object at a time; one that
// trapped never reviews again, and only that one review fails, because no review depends on an earlier one.

import (
	"context"
	"errors"
	"runtime"
	"sync"

	stint "github.com/stint-dev/stint/bindings/go"
)

// ErrClosed is what a review gets from a pool that is closed.
var ErrClosed = errors.New("admission: the pool is closed")

// Pool has engines for reviews. It may be used by several goroutines.
type Pool struct {
	// Configuration is that of the engines, such as the version of Kubernetes as which they review. It is set before
	// the first review; nil: they are not configured.
	Configuration *stint.Configuration

	module *stint.Module
	// free has an entry for each engine that does not review; nil: it is yet to be made.
	free    chan *stint.Engine
	closed  chan struct{}
	closing sync.Once
}

// NewPool has room for this many engines; 0: as many as Go uses processors. They are made when they are needed. The
// module stays the caller's to close, after the pool.
func NewPool(module *stint.Module, engines int) *Pool {
	if engines <= 0 {
		engines = runtime.GOMAXPROCS(0)
	}
	made := &Pool{module: module, free: make(chan *stint.Engine, engines), closed: make(chan struct{})}
	for range engines {
		made.free <- nil
	}
	return made
}

// Review answers an AdmissionReview, JSON in and out, as [stint.Engine.Review] does, with an engine of [Pool.Use].
func (p *Pool) Review(ctx context.Context, admissionReview []byte) (answer []byte, err error) {
	err = p.Use(ctx, func(engine *stint.Engine) error {
		answer, err = engine.Review(ctx, admissionReview)
		return err
	})
	return answer, err
}

// Use lends an engine, with the configuration of the pool, until the function returns. It waits for one as long as the
// context allows. The error is that of the context, [ErrClosed], or the function's. Where that is a *[stint.Error] with
// CodeNone, and not [stint.ErrNotBegun], the engine has failed, and who comes next has a fresh one.
func (p *Pool) Use(ctx context.Context, use func(*stint.Engine) error) error {
	engine, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer func() { p.free <- engine }()
	if engine == nil {
		if engine, err = p.newEngine(ctx); err != nil {
			return err
		}
	}
	err = use(engine)
	if hasFailed(err) {
		engine.Close() // It has trapped; what closing says adds nothing.
		engine = nil
	}
	return err
}

func (p *Pool) newEngine(ctx context.Context) (*stint.Engine, error) {
	engine, err := p.module.NewEngine(ctx)
	if err != nil || p.Configuration == nil {
		return engine, err
	}
	if err := engine.Configure(ctx, *p.Configuration); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return engine, nil
}

func (p *Pool) take(ctx context.Context) (*stint.Engine, error) {
	select {
	case <-p.closed:
		return nil, ErrClosed
	case <-ctx.Done(): // Also where an engine is free.
		return nil, context.Cause(ctx)
	default:
	}
	select {
	case engine := <-p.free:
		return engine, nil
	case <-p.closed:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Close waits for the reviews under way, and frees the engines. Later reviews get [ErrClosed].
func (p *Pool) Close() error {
	var errs []error
	p.closing.Do(func() {
		close(p.closed)
		for range cap(p.free) {
			if engine := <-p.free; engine != nil {
				errs = append(errs, engine.Close())
			}
		}
	})
	return errors.Join(errs...)
}

// hasFailed: an engine has trapped. After a refusal, and after a call that has not begun, it is as it was.
func hasFailed(err error) bool {
	var failed *stint.Error
	return errors.As(err, &failed) && failed.Code == stint.CodeNone && !errors.Is(err, stint.ErrNotBegun)
}
