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

	stint "stint.dev/stint/bindings/go"
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

// Handler answers `POST` with an AdmissionReview of admission.k8s.io/v1. One that stands behind no TLS is of no use to
// an API server.
type Handler struct {
	// Pool reviews. Several handlers may share one.
	Pool *Pool
	// Phase is that for which the webhook is registered.
	Phase Phase
	// Logger gets refusals (Info), requests that are no reviews (Warn), and failures of an engine (Error). Nil:
	// [slog.Default].
	Logger *slog.Logger

	bodiesBytes atomic.Int64
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
	w.Write(answer) // There is nobody to tell that it could not be written.
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
	review, err := h.Pool.Review(ctx, body)
	if err != nil {
		return nil, err
	}
	return h.ofPhase(ctx, review)
}

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

// ofPhase is the engine's answer with what belongs to this phase alone.
func (h *Handler) ofPhase(ctx context.Context, text []byte) ([]byte, error) {
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
	if !given.Allowed {
		h.logger().InfoContext(ctx, "a review denies", "uid", given.UID)
	}
	whole.Response.Patch, whole.Response.PatchType = nil, ""
	return json.Marshal(whole)
}

// refuse answers with a Status, whose message an API server shows to the sender of the object.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, level := http.StatusInternalServerError, slog.LevelError
	var request *refused
	var engine *stint.Error
	switch {
	case errors.As(err, &request):
		status, level = request.status, slog.LevelWarn
	case errors.As(err, &engine) && isRefusal(err):
		status, level = http.StatusBadRequest, slog.LevelWarn
	case errors.As(err, &engine):
		err = fmt.Errorf("the request could not be reviewed: %w", err)
	case errors.Is(err, ErrClosed), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		status, level = http.StatusServiceUnavailable, slog.LevelWarn
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
