package admission

// This file answers AdmissionReviews over HTTP. Invariants: a request is answered before the API server stops waiting
// for it; the size of a body, and of all bodies together, is limited; a request that cannot be reviewed gets an error
// status, and the API server does what failurePolicy says. No part of an object goes into the log.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"sync/atomic"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
)

// Phase is one of the two phases of admission. A webhook is registered for each.
type Phase int

const (
	// Validate refuses objects, and warns of what they have. Its answers have no patch: an API server would take the
	// webhook for broken.
	Validate Phase = iota
	// Mutate sets defaults by a patch. It refuses nothing and warns of nothing: that is said once, of the object that
	// will be stored.
	Mutate
)

// maxBodiesBytes limits all bodies that are held at once. A request beyond it is answered 503.
const maxBodiesBytes = 64 << 20

const (
	// longestWait is the most that an API server waits for a webhook.
	longestWait = 30 * time.Second
	// shareOfWait is what a review may use of it. The rest is for the network.
	shareOfWait = 0.9
)

// Handler answers `POST` with an AdmissionReview of admission.k8s.io/v1. An API server only calls a webhook over TLS.
type Handler struct {
	// Pool reviews. Several handlers may share one.
	Pool *Pool
	// Phase is that for which the webhook is registered.
	Phase Phase
	// Judge says more about what the engine's rules allow, in the phase Validate alone. It may ask the engine: lint and
	// verdict need no configuration. Calls are concurrent, each with its own engine, and with a context that ends when the
	// API server has gone, or is about to stop waiting. An error of it is answered with status 500. Nil: there is nothing
	// more to say.
	Judge func(ctx context.Context, engine *stint.Engine, request *Request) (Opinion, error)
	// Logger gets refusals (Info), requests that are no reviews (Warn), and failures of an engine (Error). Nil:
	// [slog.Default].
	Logger *slog.Logger

	bodiesBytes atomic.Int64
}

// Request is what an API server asks about: members of an AdmissionRequest.
type Request struct {
	UID       string `json:"uid"`
	Operation string `json:"operation"` // CREATE, UPDATE, DELETE or CONNECT.
	Namespace string `json:"namespace"`
	Name      string `json:"name"` // Empty where the server makes it.
	Resource  struct {
		Group    string `json:"group"`
		Version  string `json:"version"`
		Resource string `json:"resource"`
	} `json:"resource"`
	SubResource string          `json:"subResource"`
	Object      json.RawMessage `json:"object"`    // As it would be stored; null: it is deleted.
	OldObject   json.RawMessage `json:"oldObject"` // As it is stored; null: it is new.
}

// Opinion is what a [Handler.Judge] says. Its zero value allows.
type Opinion struct {
	// Denial is why the object is refused: a sentence for its author. Empty: it is not.
	Denial string
	// Warnings are shown to its author. An API server wants less than 256 characters in each.
	Warnings []string
}

// refused is a request that was not reviewed.
type refused struct {
	status int
	text   string
}

func (r *refused) Error() string { return r.text }

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := h.answer(w, r)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(answer) // A client that has gone cannot be answered.
}

func (h *Handler) answer(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	wait := waitOf(r)
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	size, err := sizeOf(w, r)
	if err != nil {
		return nil, err
	}
	if h.bodiesBytes.Add(size) > maxBodiesBytes {
		h.bodiesBytes.Add(-size)
		w.Header().Set("Retry-After", "1")
		return nil, &refused{http.StatusServiceUnavailable, fmt.Sprintf(
			"too much is under way: allowed are %d bytes in all requests together", maxBodiesBytes)}
	}
	defer h.bodiesBytes.Add(-size)
	// What cannot set a deadline has another: not every ResponseWriter is a connection's.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(wait))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, stint.MaxReviewBytes))
	if err != nil {
		return nil, unread(err)
	}
	var answer []byte
	err = h.Pool.Use(ctx, func(engine *stint.Engine) error {
		answer, err = h.review(ctx, engine, body)
		return err
	})
	return answer, err
}

// review is the answer of the engine and of the judge, with what belongs to this phase alone.
func (h *Handler) review(ctx context.Context, engine *stint.Engine, body []byte) ([]byte, error) {
	text, err := engine.Review(ctx, body)
	if err != nil {
		return nil, err
	}
	var whole review
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, fmt.Errorf("the engine's answer cannot be read: %w", err)
	}
	given := whole.Response
	if h.Phase == Mutate {
		whole.Response = response{UID: given.UID, Allowed: true}
		if given.Allowed {
			whole.Response.Patch, whole.Response.PatchType = given.Patch, given.PatchType
		}
		return json.Marshal(whole)
	}
	whole.Response.Patch, whole.Response.PatchType = nil, ""
	if given.Allowed && h.Judge != nil {
		if err := h.judge(ctx, engine, body, &whole.Response); err != nil {
			return nil, err
		}
	}
	if !whole.Response.Allowed {
		h.logger().InfoContext(ctx, "a review denies", "uid", given.UID)
	}
	return json.Marshal(whole)
}

func (h *Handler) judge(ctx context.Context, engine *stint.Engine, body []byte, response *response) error {
	var asked struct {
		Request Request `json:"request"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return &refused{http.StatusBadRequest, fmt.Sprintf("the request cannot be read: %v", err)}
	}
	opinion, err := h.Judge(ctx, engine, &asked.Request)
	if err != nil {
		return &notJudged{err}
	}
	response.Warnings = append(response.Warnings, opinion.Warnings...)
	if opinion.Denial == "" {
		return nil
	}
	response.Allowed = false
	response.Status, err = json.Marshal(map[string]any{
		"status": "Failure", "reason": "Forbidden", "code": http.StatusForbidden, "message": opinion.Denial,
	})
	return err
}

// notJudged is an error of a judge, also where that has it from an engine.
type notJudged struct{ cause error }

func (n *notJudged) Error() string { return n.cause.Error() }

func (n *notJudged) Unwrap() error { return n.cause }

// sizeOf is how many bytes the body has at most, for a request that may be a review.
func sizeOf(w http.ResponseWriter, r *http.Request) (int64, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return 0, &refused{http.StatusMethodNotAllowed, fmt.Sprintf(
			"the method is %s; allowed is POST, with an AdmissionReview", r.Method)}
	}
	given := r.Header.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(given); err != nil || kind != "application/json" {
		return 0, &refused{http.StatusUnsupportedMediaType, fmt.Sprintf(
			"the content type is %q; allowed is application/json", given)}
	}
	if r.ContentLength > stint.MaxReviewBytes {
		return 0, tooLarge()
	}
	if r.ContentLength < 0 {
		return stint.MaxReviewBytes, nil
	}
	return r.ContentLength, nil
}

func tooLarge() error {
	return &refused{http.StatusRequestEntityTooLarge, fmt.Sprintf(
		"the request is longer than %d bytes, which is the most that is read", stint.MaxReviewBytes)}
}

func unread(err error) error {
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return tooLarge()
	}
	return &refused{http.StatusRequestTimeout, fmt.Sprintf("the request did not arrive whole: %v", err)}
}

// waitOf is how long this answer may take. Each call of an API server says how long it waits: `?timeout=10s`.
func waitOf(r *http.Request) time.Duration {
	asked, err := time.ParseDuration(r.URL.Query().Get("timeout"))
	if err != nil || asked <= 0 || asked > longestWait {
		asked = longestWait
	}
	return time.Duration(shareOfWait * float64(asked))
}

// review is an answer of the engine.
type review struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Response   response `json:"response"`
}

type response struct {
	UID       string          `json:"uid"`
	Allowed   bool            `json:"allowed"`
	Status    json.RawMessage `json:"status,omitempty"`
	Patch     json.RawMessage `json:"patch,omitempty"`
	PatchType string          `json:"patchType,omitempty"`
	Warnings  []string        `json:"warnings,omitempty"`
}

// refuse answers with a Status, whose message an API server shows to the sender of the object.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, level := http.StatusInternalServerError, slog.LevelError
	var request *refused
	var judged *notJudged
	var engine *stint.Error
	switch {
	case errors.As(err, &request):
		status, level = request.status, slog.LevelWarn
	case errors.As(err, &judged), hasFailed(err):
		err = fmt.Errorf("the request could not be reviewed: %w", err)
	case errors.Is(err, ErrClosed), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		status, level = http.StatusServiceUnavailable, slog.LevelWarn
	case errors.As(err, &engine):
		status, level = http.StatusBadRequest, slog.LevelWarn
	}
	attributes := []any{"status", status}
	if level == slog.LevelError {
		attributes = append(attributes, "error", err) // Other reasons may hold what a user has written.
	}
	h.logger().Log(r.Context(), level, "a request was not reviewed; its answer says why", attributes...)
	text, _ := json.Marshal(map[string]any{ // Strings and numbers: that cannot fail.
		"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": status, "message": err.Error(),
	})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(text)
}

func (h *Handler) logger() *slog.Logger {
	if h.Logger == nil {
		return slog.Default()
	}
	return h.Logger
}
