package controller_test

// This file has the life of a controller: requests under way, the fence, traps, the end, and settings.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/controller"
)

const newPods = "/api/v1/namespaces/default/pods"

func TestRequestsUnderWayHaveALimit(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = pages("JobList", job("a", 1, 40))
		var underWay, most atomic.Int64
		server.writes = func(w http.ResponseWriter, r *http.Request) {
			now := underWay.Add(1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			time.Sleep(time.Second)
			underWay.Add(-1)
			createPods(w, r)
		}
		run := start(t, server, func(c *controller.Config) { c.MaxInFlight = 4 })
		time.Sleep(time.Minute)
		expectCount(t, "new pods", server.got(http.MethodPost, newPods), 40)
		if most.Load() != 4 {
			t.Errorf("%d requests were under way at once, expected 4", most.Load())
		}
		run.stop(t)
	})
}

func TestRequestsGoOutAsTheEngineSaid(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = pages("JobList", job("a", 1, 1))
		server.writes = createPods
		var told []stint.Decision
		run := start(t, server, func(c *controller.Config) {
			c.UserAgent = "mine/1.0"
			c.OnDecisions = func(decisions []stint.Decision) { told = append(told, decisions...) }
		})
		time.Sleep(time.Second)
		created := server.got(http.MethodPost, newPods)
		expectCount(t, "new pods", created, 1)
		expectContains(t, created[0].body, `"finalizers":["stint.dev/job-tracking"]`)
		for name, wanted := range map[string]string{
			"User-Agent": "mine/1.0", "Content-Type": "application/json", "Accept": "application/json",
		} {
			if value := created[0].header.Get(name); value != wanted {
				t.Errorf("the header %s is %q, expected %q", name, value, wanted)
			}
		}
		run.stop(t)
		if len(told) == 0 || told[0].Code != stint.DecisionCreating {
			t.Errorf("the decisions are %v, expected one to create a pod first", told)
		}
	})
}

func TestAnAnswerThatIsLostIsUnknown(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = pages("JobList", job("a", 1, 1))
		var posts atomic.Int64
		server.writes = func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodGet:
				pages("PodList", "")(w, r)
			case r.URL.Path == newPods && posts.Add(1) == 1:
				w.Header().Set("Content-Length", "1000")
				w.WriteHeader(http.StatusCreated)
				fmt.Fprint(w, `{"kind":"Pod"`)
				panic(http.ErrAbortHandler)
			default:
				createPods(w, r)
			}
		}
		run := start(t, server)
		time.Sleep(2 * time.Minute)
		expectCount(t, "lists of the pods of the Job", server.got(http.MethodGet, newPods), 1)
		expectCount(t, "new pods", server.got(http.MethodPost, newPods), 2)
		run.log.expect(t, "a request got no answer")
		run.stop(t)
	})
}

// A write that the server takes for 3 s is under way, and the fence closes meanwhile.
func TestNothingIsWrittenAfterTheFenceSaidNo(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = pages("JobList", job("a", 1, 20))
		var settled atomic.Int64
		server.writes = func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(3 * time.Second)
			settled.Add(1)
			createPods(w, r)
		}
		var isLeader atomic.Bool
		isLeader.Store(true)
		run := start(t, server, func(c *controller.Config) { c.Fence = isLeader.Load })
		time.Sleep(4 * time.Second) // The first pod is there, and the next two are under way.
		before := len(server.got(http.MethodPost, ""))
		isLeader.Store(false)
		server.send(t, jobsPath, line("ADDED", job("b", 300, 1)))
		isLeader.Store(true) // It is too late for that.
		if !run.isRunning() {
			t.Error("Run has returned though requests are under way")
		}
		if err := <-run.ended; !errors.Is(err, controller.ErrFenced) {
			t.Errorf("Run returned %v, expected ErrFenced", err)
		}
		if after := len(server.got(http.MethodPost, "")); before < 2 || after != before || int(settled.Load()) != before {
			t.Errorf("%d writes before and %d after the fence closed, %d settled", before, after, settled.Load())
		}
	})
}

func TestAFenceSaysNoForGood(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = pages("JobList", job("a", 1, 20))
		server.writes = createPods
		calls := 0 // They come one at a time.
		run := start(t, server, func(c *controller.Config) {
			c.Fence = func() bool {
				calls++
				return calls != 2
			}
		})
		if err := <-run.ended; !errors.Is(err, controller.ErrFenced) {
			t.Errorf("Run returned %v, expected ErrFenced", err)
		}
		expectCount(t, "writes", server.got(http.MethodPost, ""), 1)
		if calls != 2 {
			t.Errorf("the fence was asked %d times, expected 2", calls)
		}
	})
}

func TestAJobWithASelectorOfItsOwnNeedsAllPods(t *testing.T) {
	for sees, wanted := range map[bool]string{false: "Refused", true: "Waiting"} {
		inVirtualTime(t, func(t *testing.T) {
			server := newServer(t)
			own := strings.Replace(job("own", 1, 0), `"spec":{`, `"spec":{"manualSelector":true,`, 1)
			server.lists[jobsPath] = pages("JobList", strings.ReplaceAll(own, "batch.kubernetes.io/controller-uid", "app"))
			run := start(t, server, func(c *controller.Config) { c.ManualSelectors = sees })
			synctest.Wait()
			if explanation, err := run.Explain(t.Context(), "default", "own"); err != nil || explanation.State != wanted {
				t.Errorf("with ManualSelectors %t the state is %+v, %v, expected %s", sees, explanation, err, wanted)
			}
			run.stop(t)
		})
	}
}

func TestTheEndOfTheContextLetsRequestsUnderWayEnd(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = pages("JobList", job("a", 1, 20))
		server.writes = func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(3 * time.Second)
			createPods(w, r)
		}
		run := start(t, server)
		time.Sleep(time.Second)
		run.cancel()
		if !run.isRunning() {
			t.Error("Run has returned though a request is under way")
		}
		for _, path := range []string{jobsPath, podsPath} {
			if server.watchOf(t, path).isOpen() {
				t.Errorf("the watch of %s is open", path)
			}
		}
		if err := <-run.ended; err != nil {
			t.Errorf("Run returned %v, expected nil", err)
		}
		expectCount(t, "new pods", server.got(http.MethodPost, newPods), 1)
		if _, err := run.Explain(t.Context(), "default", "a"); !errors.Is(err, controller.ErrNotRunning) {
			t.Errorf("Explain returned %v, expected ErrNotRunning", err)
		}
	})
}

func TestAContextThatHasEndedBeginsNothing(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		check(t, controller.Run(ended, configOf(server, &logged{})))
		if lists, watches := server.reads(jobsPath); len(lists)+len(watches) > 0 {
			t.Errorf("there are %d lists and %d watches", len(lists), len(watches))
		}
	})
}

func TestAQuestionWhoseContextHasEndedGetsNoAnswer(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		run := start(t, server)
		synctest.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, explainErr := run.Explain(ended, "default", "a")
		_, metricsErr := run.MetricFamilies(ended)
		for _, err := range []error{explainErr, metricsErr} {
			if !errors.Is(err, stint.ErrNotBegun) || !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
		}
		if _, err := run.MetricFamilies(t.Context()); err != nil {
			t.Errorf("the next question: %v", err)
		}
		run.stop(t)
	})
}

// settling keeps what became of answers.
type settling struct {
	controller.Engine
	errs []error
}

func (e *settling) Settle(
	ctx context.Context,
	id int64,
	status int,
	retryAfterMs int64,
	body []byte,
	nowMs int64,
) error {
	err := e.Engine.Settle(ctx, id, status, retryAfterMs, body, nowMs)
	e.errs = append(e.errs, err)
	return err
}

// One answer comes after the end of the context, another not even within ShutdownTimeout.
func TestTheEngineIsToldWhatBecameOfRequestsAfterTheEnd(t *testing.T) {
	for wait, wanted := range map[time.Duration]error{3 * time.Second: nil, time.Minute: controller.ErrUnsettled} {
		inVirtualTime(t, func(t *testing.T) {
			server := newServer(t)
			server.lists[jobsPath] = pages("JobList", job("a", 1, 1))
			server.writes = func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-time.After(wait):
					createPods(w, r)
				case <-r.Context().Done():
				}
			}
			log := &logged{}
			config := configOf(server, log)
			config.ShutdownTimeout = 5 * time.Second
			made, err := controller.New(config)
			check(t, err)
			told := &settling{}
			made.WrapEngines(func(engine controller.Engine) controller.Engine {
				told.Engine = engine
				return told
			})
			run := startMade(t, made, log)
			time.Sleep(time.Second)
			run.cancel()
			if err := <-run.ended; !errors.Is(err, wanted) {
				t.Errorf("Run returned %v, expected %v", err, wanted)
			}
			if len(told.errs) != 1 || told.errs[0] != nil {
				t.Errorf("the engine got %d answers, and returned %v", len(told.errs), told.errs)
			}
		})
	}
}

func TestRequestsUnderWayAreGivenUpAtALimit(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = pages("JobList", job("a", 1, 1))
		server.writes = func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		run := start(t, server, func(c *controller.Config) { c.ShutdownTimeout = 2 * time.Second })
		time.Sleep(time.Second)
		run.cancel()
		time.Sleep(time.Second)
		if !run.isRunning() {
			t.Error("Run has returned before its limit")
		}
		time.Sleep(time.Second)
		if run.isRunning() {
			t.Error("Run has not returned at its limit")
		}
		if err := <-run.ended; !errors.Is(err, controller.ErrUnsettled) {
			t.Errorf("Run returned %v, expected ErrUnsettled", err)
		}
	})
}

// trapping is an engine that stops at a poll.
type trapping struct {
	controller.Engine
	polls   *atomic.Int64 // Until it stops.
	trapped bool
}

var errTrap = &stint.Error{
	Code:  stint.CodeNone,
	Text:  "the engine stopped: a test did it",
	Cause: errors.New("unreachable"),
}

func (e *trapping) Poll(ctx context.Context, nowMs int64, maxRequests int) (*stint.PollResult, error) {
	if e.polls.Add(-1) < 0 {
		e.trapped = true
		return nil, errTrap
	}
	return e.Engine.Poll(ctx, nowMs, maxRequests)
}

// Settle and others return the trap, as a binding's do.
func (e *trapping) Settle(
	ctx context.Context,
	id int64,
	status int,
	retryAfterMs int64,
	body []byte,
	nowMs int64,
) error {
	if e.trapped {
		return errTrap
	}
	return e.Engine.Settle(ctx, id, status, retryAfterMs, body, nowMs)
}

func (e *trapping) Ingest(ctx context.Context, source int32, kind stint.IngestKind, input []byte, nowMs int64) error {
	if e.trapped {
		return errTrap
	}
	return e.Engine.Ingest(ctx, source, kind, input, nowMs)
}

func TestAnEngineThatTrapsIsReplacedWhenNothingIsUnderWay(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = pages("JobList", job("a", 1, 1))
		server.writes = func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(3 * time.Second)
			createPods(w, r)
		}
		log := &logged{}
		made, err := controller.New(configOf(server, log))
		check(t, err)
		var engines, polls atomic.Int64
		polls.Store(1000)
		made.WrapEngines(func(engine controller.Engine) controller.Engine {
			if engines.Add(1) == 1 {
				return &trapping{Engine: engine, polls: &polls}
			}
			return engine
		})
		run := startMade(t, made, log)
		time.Sleep(time.Second) // The pod is under way.
		polls.Store(0)
		server.send(t, jobsPath, line("ADDED", job("b", 300, 0)))
		if lists, _ := server.reads(jobsPath); engines.Load() != 1 || len(lists) != 1 {
			t.Errorf("%d engines and %d lists while a request is under way", engines.Load(), len(lists))
		}
		time.Sleep(3 * time.Second)
		if lists, _ := server.reads(jobsPath); engines.Load() != 2 || len(lists) != 2 {
			t.Errorf("%d engines and %d lists after the trap, expected 2 and 2", engines.Load(), len(lists))
		}
		run.log.expect(t, "the engine stopped, and a fresh one begins")
		if explanation, err := run.Explain(t.Context(), "default", "a"); err != nil || !explanation.Found {
			t.Errorf("the fresh engine does not know the Job: %v", err)
		}
		run.stop(t)
	})
}

func TestATrapThatRepeatsEndsTheController(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		log := &logged{}
		made, err := controller.New(configOf(server, log))
		check(t, err)
		engines := 0
		made.WrapEngines(func(engine controller.Engine) controller.Engine {
			engines++
			return &trapping{Engine: engine, polls: new(atomic.Int64)}
		})
		run := startMade(t, made, log)
		err = <-run.ended
		var trap *stint.Error
		if !errors.Is(err, controller.ErrTrapped) || !errors.As(err, &trap) || trap != errTrap {
			t.Errorf("Run returned %v, expected ErrTrapped with the trap in it", err)
		}
		if engines != 1+controller.MaxEngineRestarts {
			t.Errorf("there were %d engines, expected %d", engines, 1+controller.MaxEngineRestarts)
		}
	})
}

func TestAnInstanceThatIsGoneIsReplaced(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		log := &logged{}
		made, err := controller.New(configOf(server, log))
		check(t, err)
		var engines []*closing
		made.WrapEngines(func(engine controller.Engine) controller.Engine {
			engines = append(engines, &closing{Engine: engine})
			return engines[len(engines)-1]
		})
		run := startMade(t, made, log)
		synctest.Wait()
		// wazero refuses every call of an instance that is closed, as it does after a trap.
		check(t, engines[0].Engine.Close())
		server.send(t, jobsPath, line("ADDED", job("b", 300, 0)))
		time.Sleep(time.Second)
		if len(engines) != 2 || !engines[0].closed || !run.HasListed() {
			t.Errorf("there are %d engines, HasListed is %v", len(engines), run.HasListed())
		}
		run.stop(t)
		if !engines[1].closed {
			t.Error("the last engine was not closed")
		}
	})
}

type closing struct {
	controller.Engine
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return c.Engine.Close()
}

func TestAControllerRunsAgainButNotTwiceAtOnce(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		run := start(t, server)
		synctest.Wait()
		if err := run.Run(t.Context()); err == nil {
			t.Error("Run may be called while it runs")
		}
		run.stop(t)
		if run.HasListed() {
			t.Error("HasListed is true though nothing runs")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		check(t, run.Run(ctx))
		lists, _ := server.reads(jobsPath)
		expectCount(t, "lists", lists, 2)
	})
}

func TestQuestionsMayComeAtAnyTime(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		run := start(t, server)
		var asking sync.WaitGroup
		for range 4 {
			asking.Go(func() {
				for range 50 {
					if _, err := run.MetricFamilies(t.Context()); err != nil && !errors.Is(err, controller.ErrNotRunning) {
						t.Error(err)
					}
					time.Sleep(time.Millisecond)
				}
			})
		}
		time.Sleep(20 * time.Millisecond)
		run.stop(t)
		asking.Wait()
	})
}

func TestNamespacesHaveSourcesOfTheirOwn(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		const base = "/k8s/clusters/c-1"
		for _, namespace := range []string{"a", "b"} {
			server.lists[base+"/apis/batch/v1/namespaces/"+namespace+"/jobs"] = pages("JobList", "")
			server.lists[base+"/api/v1/namespaces/"+namespace+"/pods"] = pages("PodList", "")
		}
		run := start(t, server, func(c *controller.Config) {
			c.Host += base + "/"
			c.Namespaces = []string{"b", "a", "b"}
			c.ManualSelectors = true
		})
		synctest.Wait()
		if !run.HasListed() {
			t.Error("not everything was listed")
		}
		lists, _ := server.reads(base + "/api/v1/namespaces/b/pods")
		expectCount(t, "lists of pods", lists, 1)
		expectContains(t, lists[0].target, "/pods?limit=500")
		run.stop(t)
	})
}

func TestARedirectIsNotFollowed(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.test/", http.StatusTemporaryRedirect)
		}
		run := start(t, server)
		synctest.Wait()
		run.log.expect(t, "was answered 307")
		expectCount(t, "requests elsewhere", server.got(http.MethodGet, "/"), 0)
		run.stop(t)
	})
}

func TestAConfigurationThatCannotWorkIsRefused(t *testing.T) {
	for text, change := range map[string]func(*controller.Config){
		`Host is ""`:                 func(c *controller.Config) { c.Host = "" },
		`Host is "10.0.0.1:6443"`:    func(c *controller.Config) { c.Host = "10.0.0.1:6443" },
		`Host is "https://h/?a=b"`:   func(c *controller.Config) { c.Host = "https://h/?a=b" },
		`Host is "https://u:p@h"`:    func(c *controller.Config) { c.Host = "https://u:p@h" },
		`Namespaces has "No"`:        func(c *controller.Config) { c.Namespaces = []string{"No"} },
		"Namespaces names 17":        func(c *controller.Config) { c.Namespaces = namespaces(17) },
		"together with ManagedBy":    func(c *controller.Config) { c.DefaultController, c.ManagedBy = true, "a.b/c" },
		"RequestTimeout is negative": func(c *controller.Config) { c.RequestTimeout = -1 },
	} {
		config := controller.Config{Module: module(t), Host: "https://h"}
		change(&config)
		if _, err := controller.New(config); err == nil {
			t.Errorf("a configuration is taken, though %s", text)
		} else {
			expectContains(t, err.Error(), text)
		}
	}
}

func TestWhatTheEngineRefusesEndsRun(t *testing.T) {
	config := controller.Config{Module: module(t), Host: "https://h", ManagedBy: "no slash"}
	err := controller.Run(t.Context(), config)
	var refused *stint.Error
	if !errors.As(err, &refused) || refused.Code != stint.CodeBadConfiguration {
		t.Errorf("Run returned %v, expected the engine's refusal", err)
	}
}

func namespaces(count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprint("ns-", i)
	}
	return names
}
