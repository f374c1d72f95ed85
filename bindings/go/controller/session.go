package controller

// This file has the loop round one engine, from its first list to its last answer. Invariants: one call of the engine
// at a time; every request that it hands out is settled exactly once, with status 0 if the answer was lost; when run
// returns, nothing is under way. It leaves out what happens after a trap.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
)

// wallTimeInterval is how often the engine learns the difference between wall time and its clock.
const wallTimeInterval = time.Minute

// engine is what a session needs of a [stint.Engine].
type engine interface {
	Configure(ctx context.Context, configuration stint.Configuration) error
	Ingest(ctx context.Context, source int32, kind stint.IngestKind, input []byte, nowMs int64) error
	WatchVersion(ctx context.Context, source int32) (int64, error)
	ListContinue(ctx context.Context, source int32) (string, error)
	Poll(ctx context.Context, nowMs int64, maxRequests int) (*stint.PollResult, error)
	Settle(ctx context.Context, id int64, status int, retryAfterMs int64, body []byte, nowMs int64) error
	SetClockOffset(ctx context.Context, offsetMs int64) error
	ExplainAt(ctx context.Context, namespace, job string, nowMs int64) (*stint.Explanation, error)
	MetricFamilies(ctx context.Context) ([]stint.MetricFamily, error)
	Close() error
}

type session struct {
	config Config
	// calls is the context of Run without its cancellation, for calls of the engine: the engine gets what has arrived,
	// even after the context has ended.
	calls   context.Context
	log     *slog.Logger
	api     *api
	fence   *fence
	sources []*source
	// The engine's clock: milliseconds since 1970 when the session began, and from there on a clock that no one sets.
	began   time.Time
	beganMs int64

	mu       sync.Mutex
	engine   engine
	inFlight int
	closed   bool  // The engine is freed.
	failure  error // What ended the session; nil: nothing did, or its context.

	changed  chan struct{} // Has room for one: there may be something to poll for.
	requests sync.WaitGroup
	stop     context.CancelFunc
}

// engineStopped is the end of a session whose engine cannot continue: it has trapped.
type engineStopped struct{ cause error }

func (e *engineStopped) Error() string { return e.cause.Error() }

func (e *engineStopped) Unwrap() error { return e.cause }

func newSession(ctx context.Context, config Config, engine engine) *session {
	began := time.Now()
	made := &session{
		config:  config,
		calls:   context.WithoutCancel(ctx),
		log:     config.Logger,
		api:     newAPI(&config),
		fence:   &fence{ask: config.Fence},
		engine:  engine,
		began:   began,
		beganMs: began.UnixMilli(),
		changed: make(chan struct{}, 1),
	}
	for _, collection := range config.collections() {
		made.sources = append(made.sources, &source{collection: collection, session: made})
	}
	return made
}

// run ends with its context, or with what ended it before. Requests under way are settled, within a limit where the
// context has ended.
func (s *session) run(ctx context.Context) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	s.stop = stop
	if err := s.configure(); err != nil {
		return fmt.Errorf("controller: the engine refuses this configuration: %w", err)
	}
	sending, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	var sources sync.WaitGroup
	for _, source := range s.sources {
		sources.Go(func() { source.run(working) })
	}
	s.pumpUntilEnd(working, sending)
	sources.Wait()
	unsettled := s.waitForAnswers(ctx, giveUp)
	if errors.Is(s.failure, ErrFenced) {
		return ErrFenced
	}
	if s.failure != nil {
		return &engineStopped{s.failure}
	}
	if unsettled > 0 {
		return fmt.Errorf("%w: %d after %v; they may yet arrive", ErrUnsettled, unsettled, s.config.ShutdownTimeout)
	}
	return nil
}

func (s *session) configure() error {
	s.mu.Lock() // A question may come already.
	defer s.mu.Unlock()
	return s.engine.Configure(s.calls, s.config.engineConfiguration(s.config.collections()))
}

func (s *session) pumpUntilEnd(working, sending context.Context) {
	wakeUp := time.NewTimer(0)
	defer wakeUp.Stop()
	var offsetSetAt time.Time
	for {
		select {
		case <-working.Done():
			return
		case <-s.changed:
		case <-wakeUp.C:
		}
		if working.Err() != nil {
			return // Both were ready.
		}
		if time.Since(offsetSetAt) >= wallTimeInterval {
			offsetSetAt = time.Now()
			s.followWallTime()
		}
		wakeUp.Reset(s.pump(sending))
	}
}

// pump asks the engine what to do, and starts it. It returns after how long the engine wants to be asked again.
func (s *session) pump(sending context.Context) time.Duration {
	s.mu.Lock()
	if s.failure != nil {
		s.mu.Unlock()
		return wallTimeInterval
	}
	result, err := s.engine.Poll(s.calls, s.nowMs(), s.config.MaxInFlight-s.inFlight)
	if err == nil {
		s.inFlight += len(result.Requests)
		err = s.closeWatchesToListAgain()
	}
	s.mu.Unlock()
	if err != nil {
		s.fail(err)
		return wallTimeInterval
	}
	s.tell(result.Decisions)
	for i := range result.Requests {
		s.requests.Go(func() { s.carryOut(sending, &result.Requests[i]) })
	}
	// Compared before it becomes a duration, for Never is longer than any.
	delayMs := min(max(result.NextWakeUpMs-s.nowMs(), 0), wallTimeInterval.Milliseconds())
	return time.Duration(delayMs) * time.Millisecond
}

// closeWatchesToListAgain: an engine may ask for another list even while the watch works. The lock is held.
func (s *session) closeWatchesToListAgain() error {
	for _, source := range s.sources {
		if source.closeWatch == nil {
			continue
		}
		version, err := s.engine.WatchVersion(s.calls, source.source.ID)
		if err != nil {
			return err
		}
		if version < 0 {
			source.closeWatch(errListAgain)
			source.closeWatch = nil
		}
	}
	return nil
}

func (s *session) tell(decisions []stint.Decision) {
	for _, decision := range decisions {
		level := slog.LevelDebug
		switch decision.Code {
		case stint.DecisionEnded:
			level = slog.LevelInfo
		case stint.DecisionRefused:
			level = slog.LevelWarn
		}
		s.log.Log(context.Background(), level, decision.Message,
			"namespace", decision.Namespace, "job", decision.Job, "uid", decision.UID, "code", decision.Code)
	}
	if len(decisions) > 0 && s.config.OnDecisions != nil {
		s.config.OnDecisions(decisions)
	}
}

// carryOut sends a request and settles it.
func (s *session) carryOut(ctx context.Context, request *stint.Request) {
	outcome := &answer{retryAfter: noRetryAfter} // Status 0: unknown.
	if request.Method != http.MethodGet && !s.fence.mayWrite() {
		s.fail(ErrFenced)
	} else if got, err := s.api.send(ctx, request); err != nil {
		s.log.Warn("a request got no answer", "method", request.Method, "path", request.Path, "error", err)
	} else {
		outcome = got
		s.warnOfMissingPermission(request, got)
	}
	s.settle(request.ID, outcome)
}

// warnOfMissingPermission: other refusals are in the engine's decisions.
func (s *session) warnOfMissingPermission(request *stint.Request, got *answer) {
	refused := &refusal{method: request.Method, target: request.Path, answer: got}
	if refused.advice() != "" {
		s.log.Warn("the server does not allow a request", "error", refused)
	}
}

func (s *session) settle(id int64, outcome *answer) {
	s.mu.Lock()
	s.inFlight--
	err := s.engine.Settle(s.calls, id, outcome.status, outcome.retryAfter.Milliseconds(), outcome.body, s.nowMs())
	s.mu.Unlock()
	s.signal()
	if codeOf(err) == stint.CodeUnreadableObject {
		s.log.Warn("an answer cannot be read, and its outcome counts as unknown", "error", err)
	} else if err != nil {
		s.fail(err)
	}
}

// ingest feeds the engine. An object that it cannot read stops its own Job alone; every other error is returned.
func (s *session) ingest(from *source, kind stint.IngestKind, input []byte) error {
	s.mu.Lock()
	err := s.engine.Ingest(s.calls, from.source.ID, kind, input, s.nowMs())
	if kind == stint.ListEnd && err == nil {
		from.wasListed = true
	}
	s.mu.Unlock()
	s.signal()
	if codeOf(err) == stint.CodeUnreadableObject {
		s.log.Warn("an object cannot be read, and its Job is blocked", "path", from.path, "error", err)
		return nil
	}
	return s.failIfTrapped(err)
}

func (s *session) watchVersion(of *source) (int64, error) {
	s.mu.Lock()
	version, err := s.engine.WatchVersion(s.calls, of.source.ID)
	s.mu.Unlock()
	return version, s.failIfTrapped(err)
}

func (s *session) listContinue(of *source) (string, error) {
	s.mu.Lock()
	token, err := s.engine.ListContinue(s.calls, of.source.ID)
	s.mu.Unlock()
	return token, s.failIfTrapped(err)
}

// beginWatch registers what closes a watch, in one step with the version that it begins at.
func (s *session) beginWatch(of *source, closeWatch context.CancelCauseFunc) (int64, error) {
	s.mu.Lock()
	version, err := s.engine.WatchVersion(s.calls, of.source.ID)
	if err == nil && version >= 0 {
		of.closeWatch = closeWatch
	}
	s.mu.Unlock()
	return version, s.failIfTrapped(err)
}

func (s *session) endWatch(of *source) {
	s.mu.Lock()
	of.closeWatch = nil
	s.mu.Unlock()
}

// followWallTime tells the engine the offset between its clock and wall time, which an administrator may set.
func (s *session) followWallTime() {
	s.mu.Lock()
	err := s.engine.SetClockOffset(s.calls, time.Now().UnixMilli()-s.nowMs())
	s.mu.Unlock()
	if err != nil {
		s.fail(err)
	}
}

// ask calls the engine on behalf of another goroutine.
func ask[T any](s *session, question func(engine) (T, error)) (T, error) {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	if s == nil || s.closed {
		var none T
		return none, ErrNotRunning
	}
	return question(s.engine)
}

func (s *session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.engine.Close()
}

// nowMs is on the engine's clock, which never steps back.
func (s *session) nowMs() int64 { return s.beganMs + time.Since(s.began).Milliseconds() }

func (s *session) signal() {
	select {
	case s.changed <- struct{}{}:
	default: // One is enough.
	}
}

// fail ends the session. The first failure counts.
func (s *session) fail(err error) {
	s.mu.Lock()
	if s.failure == nil {
		s.failure = err
	}
	s.mu.Unlock()
	s.stop()
}

func (s *session) failIfTrapped(err error) error {
	if codeOf(err) == stint.CodeNone {
		s.fail(err)
	}
	return err
}

// waitForAnswers waits for the requests under way. After the context has ended it gives them up at a limit, and returns
// how many those were.
func (s *session) waitForAnswers(ctx context.Context, giveUp func()) int {
	settled := make(chan struct{})
	go func() {
		s.requests.Wait()
		close(settled)
	}()
	select {
	case <-settled: // Each has its own time-out.
		return 0
	case <-ctx.Done():
	}
	limit := time.NewTimer(s.config.ShutdownTimeout)
	defer limit.Stop()
	select {
	case <-settled:
		return 0
	case <-limit.C:
	}
	s.mu.Lock()
	unsettled := s.inFlight
	s.mu.Unlock()
	giveUp()
	<-settled
	return unsettled
}

// codeOf is 0 for no error, and CodeNone for a trap and for errors that are not the engine's.
func codeOf(err error) stint.Code {
	if err == nil {
		return 0
	}
	var refused *stint.Error
	if errors.As(err, &refused) {
		return refused.Code
	}
	return stint.CodeNone
}
