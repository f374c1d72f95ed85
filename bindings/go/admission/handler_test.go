package admission_test

// This file sends reviews to handlers: the vectors of test/vectors/admission/ through both phases, many at once, and
// requests that are no reviews.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/admission"
	"github.com/stint-dev/stint/bindings/go/internal/pipes"
	"github.com/stint-dev/stint/bindings/go/internal/vectors"
)

var compiled = sync.OnceValues(func() (*stint.Module, error) {
	wasm, err := vectors.Built("engine.wasm", "npm run build")
	if err != nil {
		return nil, err
	}
	return stint.Compile(context.Background(), wasm)
})

func newPool(t *testing.T, engines int) *admission.Pool {
	t.Helper()
	module, err := compiled()
	check(t, err)
	pool := admission.NewPool(module, engines)
	t.Cleanup(func() { check(t, pool.Close()) })
	return pool
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var quiet = slog.New(slog.DiscardHandler)

// phases is one answer made of those of both phases. Each may say its own part alone.
type phases struct{ validate, mutate *admission.Handler }

func newPhases(pool *admission.Pool) *phases {
	return &phases{
		&admission.Handler{Pool: pool, Logger: quiet},
		&admission.Handler{Pool: pool, Phase: admission.Mutate, Logger: quiet},
	}
}

func (p *phases) Review(_ context.Context, text []byte) ([]byte, error) {
	validated, err := responseOf(p.validate, text)
	if err != nil {
		return nil, err
	}
	mutated, err := responseOf(p.mutate, text)
	if err != nil {
		return nil, err
	}
	if validated["patch"] != nil || validated["patchType"] != nil {
		return nil, fmt.Errorf("the validating answer has a patch: %v", validated)
	}
	if mutated["allowed"] != true || mutated["status"] != nil || mutated["warnings"] != nil {
		return nil, fmt.Errorf("the mutating answer refuses or warns: %v", mutated)
	}
	if mutated["uid"] != validated["uid"] {
		return nil, fmt.Errorf("the uids are %v and %v", mutated["uid"], validated["uid"])
	}
	if mutated["patch"] != nil {
		validated["patch"], validated["patchType"] = mutated["patch"], mutated["patchType"]
	}
	return json.Marshal(map[string]any{"response": validated})
}

func responseOf(handler http.Handler, review []byte) (map[string]any, error) {
	answer := post(handler, "application/json", bytes.NewReader(review))
	var whole struct {
		APIVersion, Kind string
		Response         map[string]any
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &whole); err != nil {
		return nil, err
	}
	if answer.Code != http.StatusOK || whole.APIVersion != "admission.k8s.io/v1" || whole.Kind != "AdmissionReview" {
		return nil, fmt.Errorf("the answer is %d: %s", answer.Code, answer.Body)
	}
	return whole.Response, nil
}

func post(handler http.Handler, contentType string, body io.Reader) *httptest.ResponseRecorder {
	return postTo(handler, "/", contentType, body)
}

func postTo(handler http.Handler, path, contentType string, body io.Reader) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, path+"?timeout=10s", body)
	request.Header.Set("Content-Type", contentType)
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer
}

func TestBothPhasesSayTogetherWhatTheEngineSays(t *testing.T) {
	cases, err := vectors.LoadAdmission()
	check(t, err)
	if len(cases) < 100 {
		t.Fatalf("test/vectors/admission has %d cases", len(cases))
	}
	handlers := newPhases(newPool(t, 1))
	for _, vector := range cases {
		t.Run(vector.ID(), func(t *testing.T) {
			asked := handlers
			if vector.Configuration != nil {
				pool := newPool(t, 1)
				pool.Configuration = vector.Configuration
				asked = newPhases(pool)
			}
			if err := vector.Play(t.Context(), asked); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestManyReviewAtOnce(t *testing.T) {
	cases, err := vectors.LoadAdmission()
	check(t, err)
	cases = slices.DeleteFunc(cases, func(vector vectors.AdmissionCase) bool { return vector.Configuration != nil })
	handlers := newPhases(newPool(t, 4))
	var clients sync.WaitGroup
	for client := range 16 {
		clients.Go(func() {
			for i := client; i < len(cases); i += 4 {
				if err := cases[i].Play(t.Context(), handlers); err != nil {
					t.Errorf("%s: %v", cases[i].ID(), err)
				}
			}
		})
	}
	clients.Wait()
}

const review = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"r",` +
	`"operation":"CREATE","namespace":"ns","kind":{"group":"batch","version":"v1","kind":"Job"},` +
	`"resource":{"group":"batch","version":"v1","resource":"jobs"},` +
	`"object":{"kind":"Job","metadata":{"name":"j","uid":"u"},"spec":{"parallelism":-1}}}}`

func TestWhatIsNoReviewIsRefused(t *testing.T) {
	handler := newPhases(newPool(t, 1)).validate
	endless := io.LimitReader(zeros{}, stint.MaxReviewBytes+1)
	for _, c := range []struct {
		what, contentType string
		body              io.Reader
		status            int
		message           string
	}{
		{"text", "text/plain", strings.NewReader(review), 415, `the content type is \"text/plain\"`},
		{"no type", "", strings.NewReader(review), 415, "allowed is application/json"},
		{"no JSON", "application/json", strings.NewReader("{"), 400, "at byte"},
		{"no review", "application/json", strings.NewReader("{}"), 400, ""},
		{"a long body", "application/json", bytes.NewReader(make([]byte, stint.MaxReviewBytes+1)), 413, "is longer than"},
		{"a long body of no given length", "application/json", endless, 413, "is longer than 8388608 bytes"},
		{"half a body", "application/json", io.MultiReader(strings.NewReader(review[:9]), broken{}), 408, "arrive whole"},
		{"a review", "application/json; charset=utf-8", strings.NewReader(review), 200, `"allowed":false`},
	} {
		answer := post(handler, c.contentType, c.body)
		if answer.Code != c.status || !strings.Contains(answer.Body.String(), c.message) {
			t.Errorf("%s is answered %d %s, expected %d with %s", c.what, answer.Code, answer.Body, c.status, c.message)
		}
		if c.status != 200 && !strings.Contains(answer.Body.String(), fmt.Sprintf(`"code":%d`, c.status)) {
			t.Errorf("%s is answered with no Status: %s", c.what, answer.Body)
		}
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	if answer.Code != http.StatusMethodNotAllowed || answer.Header().Get("Allow") != "POST" {
		t.Errorf("GET is answered %d %v", answer.Code, answer.Header())
	}
}

type zeros struct{}

func (zeros) Read(buffer []byte) (int, error) {
	clear(buffer)
	return len(buffer), nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the connection broke") }

func TestAnEngineThatFailsIsReplaced(t *testing.T) {
	pool := newPool(t, 1)
	handler := newPhases(pool).validate
	if answer := post(handler, "application/json", strings.NewReader(review)); answer.Code != 200 {
		t.Fatalf("the first review is answered %d", answer.Code)
	}
	pool.BreakEngine(t)
	answer := post(handler, "application/json", strings.NewReader(review))
	if answer.Code != 500 || !strings.Contains(answer.Body.String(), "could not be reviewed: this engine is closed") {
		t.Errorf("a review by an engine that fails is answered %d: %s", answer.Code, answer.Body)
	}
	if answer := post(handler, "application/json", strings.NewReader(review)); answer.Code != 200 {
		t.Errorf("the next review is answered %d: %s", answer.Code, answer.Body)
	}
}

func TestWhoWaitsForAnEngineWaitsNoLongerThanTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t, 1) // Its channels are of this test's time.
		free := pool.Occupy()
		defer free()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		_, err := pool.Review(ctx, []byte(review))
		if took := time.Since(began); took != time.Second || !errors.Is(err, context.Canceled) {
			t.Errorf("a review ends after %v with %v", took, err)
		}
	})
}

func TestAContextThatHasEndedLendsNothing(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	pool := newPool(t, 1)
	for range 20 { // An engine is free as well: who looks at both must not choose by chance.
		err := pool.Use(ended, func(*stint.Engine) error {
			t.Error("an engine was lent")
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestAnEngineStaysWhoseCallDidNotBegin(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	pool := newPool(t, 1)
	var lent [2]*stint.Engine
	err := pool.Use(t.Context(), func(engine *stint.Engine) error {
		lent[0] = engine
		_, err := engine.Review(ended, []byte(review))
		return err
	})
	if !errors.Is(err, stint.ErrNotBegun) {
		t.Errorf("the error is %v", err)
	}
	check(t, pool.Use(t.Context(), func(engine *stint.Engine) error {
		lent[1] = engine
		_, err := engine.Review(t.Context(), []byte(review))
		return err
	}))
	if lent[0] != lent[1] {
		t.Error("the engine was replaced")
	}
}

func TestAJudgeSaysMore(t *testing.T) {
	handler := newPhases(newPool(t, 1)).validate
	var asked *admission.Request
	var opinion admission.Opinion
	var judgeErr error
	handler.Judge = func(
		ctx context.Context,
		engine *stint.Engine,
		request *admission.Request,
	) (admission.Opinion, error) {
		asked = request
		if _, hasDeadline := ctx.Deadline(); !hasDeadline {
			t.Error("the judge may take for ever")
		}
		if _, err := engine.Verdict(ctx, fmt.Appendf(nil, `{"job":%s}`, request.Object), 0); err != nil {
			t.Errorf("the engine does not answer: %v", err)
		}
		return opinion, judgeErr
	}
	ask := func(parallelism string) *httptest.ResponseRecorder {
		t.Helper()
		asked = nil
		spec := `"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}},"parallelism":`
		text := strings.Replace(review, `"spec":{"parallelism":-1`, spec+parallelism, 1)
		return post(handler, "application/json", strings.NewReader(text))
	}
	expect := func(answer *httptest.ResponseRecorder, code int, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if answer.Code != code || !strings.Contains(answer.Body.String(), part) {
				t.Errorf("the answer is %d %s, expected %d with %s", answer.Code, answer.Body, code, part)
			}
		}
	}
	expect(ask("-1"), 200, `"allowed":false`, "spec.parallelism")
	if asked != nil {
		t.Error("the judge was asked about what the engine denies")
	}
	expect(ask("1"), 200, `"allowed":true`)
	if asked == nil || asked.Operation != "CREATE" || asked.Namespace != "ns" || asked.Resource.Resource != "jobs" {
		t.Errorf("the judge was asked %+v", asked)
	}
	opinion = admission.Opinion{Denial: "not on a Friday", Warnings: []string{"it is late"}}
	expect(ask("1"), 200, `"allowed":false`, `"message":"not on a Friday"`, `"code":403`, `"warnings":["it is late"]`)
	judgeErr = errors.New("no calendar")
	expect(ask("1"), 500, "could not be reviewed: no calendar")
	judgeErr = &stint.Error{Code: stint.CodeBadJSON, Text: "its question is none"}
	expect(ask("1"), 500, "could not be reviewed: its question is none")
}

func TestAClosedPoolRefuses(t *testing.T) {
	pool := newPool(t, 2)
	check(t, pool.Close())
	check(t, pool.Close())
	if _, err := pool.Review(t.Context(), []byte(review)); !errors.Is(err, admission.ErrClosed) {
		t.Errorf("the error is %v, expected ErrClosed", err)
	}
	answer := post(newPhases(pool).validate, "application/json", strings.NewReader(review))
	if answer.Code != http.StatusServiceUnavailable {
		t.Errorf("a review is answered %d, expected 503", answer.Code)
	}
}

// The API server waits 10 s, and a review may take 9 of them.
func TestARequestIsAnsweredInTime(t *testing.T) {
	if _, err := compiled(); err != nil {
		t.Fatal(err)
	}
	bodies := map[string]func(*admission.Pool) io.ReadCloser{
		"no engine is free": func(pool *admission.Pool) io.ReadCloser {
			pool.Occupy()
			return io.NopCloser(strings.NewReader(review))
		},
		"the body does not come": func(*admission.Pool) io.ReadCloser {
			reader, _ := io.Pipe()
			return reader
		},
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				module, _ := compiled()
				pool := admission.NewPool(module, 1)
				handler := newPhases(pool).validate
				listener := pipes.Listen()
				server := &http.Server{Handler: handler}
				go server.Serve(listener)
				defer server.Close()
				transport := &http.Transport{DialContext: listener.Dial}
				defer transport.CloseIdleConnections()
				client := &http.Client{Transport: transport}
				began := time.Now()
				sent := body(pool)
				defer sent.Close()
				answer, err := client.Post("http://webhook.test/?timeout=10s", "application/json", sent)
				if err == nil {
					defer answer.Body.Close()
				}
				if err != nil || answer.StatusCode < 400 {
					t.Errorf("the answer is %v, %v", answer, err)
				}
				if took := time.Since(began); took != 9*time.Second {
					t.Errorf("the answer came after %v, expected 9 s", took)
				}
			})
		})
	}
}

func TestAllBodiesTogetherHaveALimit(t *testing.T) {
	pool := newPool(t, 1)
	handler := newPhases(pool).validate
	free := pool.Occupy()
	var waiting sync.WaitGroup
	large := review + strings.Repeat(" ", stint.MaxReviewBytes-len(review))
	counts := make(chan int, 10)
	for range cap(counts) {
		waiting.Go(func() {
			counts <- post(handler, "application/json", strings.NewReader(large)).Code
		})
	}
	// Eight bodies fill the room; two find none.
	for range 2 {
		if code := <-counts; code != http.StatusServiceUnavailable {
			t.Errorf("a body too many is answered %d", code)
		}
	}
	free()
	waiting.Wait()
	for range 8 {
		if code := <-counts; code != 200 {
			t.Errorf("a body that has room is answered %d", code)
		}
	}
	if code := post(handler, "application/json", strings.NewReader(large)).Code; code != 200 {
		t.Errorf("a body is answered %d after all others have gone", code)
	}
}
