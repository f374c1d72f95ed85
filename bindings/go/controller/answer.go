package controller

// This file sends one request and reads its answer. Invariants: a request is sent once; an answer that did not arrive
// whole, in time and within its limit is none. It leaves out what an answer means.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
)

const (
	// maxAnswerBytes is the most that the engine takes at once.
	maxAnswerBytes = stint.MaxInputBytes
	// maxRefusalBytes limits the answer to a watch that is no stream.
	maxRefusalBytes = 1 << 20
	// maxRetryAfter: a server may ask us to wait. We wait at most five minutes, because nothing makes the next try come
	// earlier.
	maxRetryAfter = 5 * time.Minute
	// noRetryAfter is the value of an answer without Retry-After.
	noRetryAfter = -1 * time.Millisecond
)

// api is the way to the API server.
type api struct {
	client    *http.Client
	host      string
	userAgent string
	timeout   time.Duration
}

func newAPI(config *Config) *api {
	client := *config.Client
	client.Timeout = 0 // A watch has no end; what has one gets a context.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &api{client: &client, host: config.Host, userAgent: config.UserAgent, timeout: config.RequestTimeout}
}

// answer is what a server has answered.
type answer struct {
	status     int
	retryAfter time.Duration // noRetryAfter: none was named.
	body       []byte
}

// errNoAnswer is why a request, or the beginning of a watch, was given up.
var errNoAnswer = errors.New("there was no answer in time")

// send sends one request of the engine, and reads the whole answer.
func (a *api) send(ctx context.Context, request *stint.Request) (*answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, a.timeout, fmt.Errorf("%w: RequestTimeout is %v", errNoAnswer, a.timeout))
	defer cancel()
	response, err := a.open(ctx, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return readAnswer(ctx, response, maxAnswerBytes)
}

// open sends a request; the body of the answer is the caller's to read and to close.
func (a *api) open(ctx context.Context, request *stint.Request) (*http.Response, error) {
	sent, err := http.NewRequestWithContext(ctx, request.Method, a.host+request.Path, bytes.NewReader(request.Body))
	if err != nil {
		return nil, err
	}
	sent.Header.Set("Accept", request.Accept)
	sent.Header.Set("User-Agent", a.userAgent)
	if request.ContentType != "" {
		sent.Header.Set("Content-Type", request.ContentType)
	}
	response, err := a.client.Do(sent)
	if err != nil {
		return nil, causeOf(ctx, err)
	}
	return response, nil
}

func readAnswer(ctx context.Context, response *http.Response, limit int64) (*answer, error) {
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("the answer broke off: %w", causeOf(ctx, err))
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("the answer is longer than %d bytes", limit)
	}
	return &answer{status: response.StatusCode, retryAfter: retryAfterOf(response.Header), body: body}, nil
}

// causeOf says why a request failed: net/http knows no more than that its context has ended, and adds the address,
// which the log has beside it.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var sent *url.Error
	if errors.As(err, &sent) {
		return sent.Err
	}
	return err
}

var wholeSeconds = regexp.MustCompile(`^[0-9]{1,6}$`)

func retryAfterOf(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if !wholeSeconds.MatchString(text) {
		return noRetryAfter
	}
	seconds, _ := strconv.Atoi(text)
	return min(time.Duration(seconds)*time.Second, maxRetryAfter)
}
