package controller

// This file keeps the engine's view of one collection current: a list in pages, then a watch from its version, over and
// over. Invariants: only whole lines reach the engine; a stream that broke continues where it was, or is listed again
// where the engine asks for that; nothing is tried again without a wait. It leaves out what is in the objects.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
)

const (
	// minWatch: a watch that ends sooner than this, without any progress, is a fault, even if it ended cleanly.
	minWatch = time.Second
	// maxLineBytes: a longer line cannot be an object that the API server stores.
	maxLineBytes = 16 << 20
	// watchSeconds is the shortest time that the server is asked to end a watch after; it is drawn up to twice that, as
	// client-go does, so that watches move to servers that have come back.
	watchSeconds = 300
	// keptBufferBytes: a larger buffer is given up once its long line was read.
	keptBufferBytes = 1 << 20
	readBytes       = 32 << 10
)

// errListAgain is why a watch was closed: the engine has asked for another list.
var errListAgain = errors.New("the collection has to be listed again")

// source lists and watches one collection.
type source struct {
	collection
	session *session
	backoff backoff

	// The session's lock guards these.
	closeWatch context.CancelCauseFunc // Nil: no watch is open.
	wasListed  bool                    // A list was complete at least once.
}

// run ends with its context.
func (s *source) run(ctx context.Context) {
	unpaged := false
	for {
		err := s.listUnlessWatchable(ctx, unpaged)
		unpaged = !unpaged && isExpiredPage(err)
		if err == nil {
			err = s.watch(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			continue
		}
		delay := s.backoff.next(retryAfterIn(err))
		level := slog.LevelWarn
		if errors.Is(err, errListAgain) {
			level = slog.LevelInfo // It comes with time that a server forgets old versions.
		}
		s.session.log.Log(ctx, level, "a list or watch is tried again", "path", s.path, "error", err, "delay", delay)
		select {
		case <-ctx.Done():
			return
		case <-time.After(delay):
		}
	}
}

// listUnlessWatchable lists the collection if the engine has no version to watch it from.
func (s *source) listUnlessWatchable(ctx context.Context, unpaged bool) error {
	version, err := s.session.watchVersion(s)
	if err != nil || version >= 0 {
		return err
	}
	err = s.list(ctx, unpaged)
	if err != nil && ctx.Err() == nil {
		err = errors.Join(err, s.session.ingest(s, stint.StreamLost, nil))
	}
	return err
}

func (s *source) list(ctx context.Context, unpaged bool) error {
	if err := s.session.ingest(s, stint.ListBegin, nil); err != nil {
		return err
	}
	query := fmt.Sprintf("limit=%d", s.session.config.PageLimit)
	if unpaged {
		query = "limit=0"
	}
	for page := query; ; {
		request := s.get(page)
		answer, err := s.session.api.send(ctx, request)
		if err != nil {
			return fmt.Errorf("the list got no answer: %w", err)
		}
		if answer.status != http.StatusOK {
			return &refusal{method: request.Method, target: request.Path, answer: answer}
		}
		if err := s.session.ingest(s, stint.Page, answer.body); err != nil {
			return err
		}
		token, err := s.session.listContinue(s)
		if err != nil {
			return err
		}
		if token == "" {
			return s.session.ingest(s, stint.ListEnd, nil)
		}
		page = query + "&continue=" + url.QueryEscape(token)
	}
}

// watch follows the collection from the version that the engine has reached. Nil: the watch ended as it should, and the
// next one may begin at once.
func (s *source) watch(parent context.Context) error {
	ctx, closeWatch := context.WithCancelCause(parent)
	defer closeWatch(nil)
	version, err := s.session.beginWatch(s, closeWatch)
	if err == nil && version < 0 {
		err = errListAgain
	}
	if err != nil {
		return err
	}
	defer s.session.endWatch(s)
	began := time.Now()
	err = s.follow(ctx, closeWatch, version)
	reached, versionErr := s.session.watchVersion(s)
	if versionErr != nil {
		return versionErr
	}
	wasSound := time.Since(began) >= minWatch || reached > version
	if wasSound {
		s.backoff.reset()
	}
	switch {
	case err != nil:
		return err
	case reached < 0:
		return errListAgain
	case !wasSound:
		return errors.New("the watch ended at once")
	}
	return nil
}

// follow reads a watch to its end.
func (s *source) follow(ctx context.Context, closeWatch context.CancelCauseFunc, version int64) error {
	timeouts := &s.session.config
	silence := time.AfterFunc(timeouts.RequestTimeout, func() { closeWatch(errNoAnswer) })
	defer silence.Stop()
	request := s.get(fmt.Sprintf("watch=true&allowWatchBookmarks=true&resourceVersion=%d&timeoutSeconds=%d",
		version, watchSeconds+rand.N(watchSeconds)))
	response, err := s.session.api.open(ctx, request)
	if err != nil {
		return fmt.Errorf("the watch could not begin: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return s.refused(ctx, request, response)
	}
	err = s.readLines(response.Body, func() { silence.Reset(timeouts.IdleTimeout) })
	if err == nil || isRefusalOfEngine(err) {
		return err
	}
	if lost := s.session.ingest(s, stint.StreamLost, nil); lost != nil {
		return lost
	}
	return fmt.Errorf("the watch broke: %w", causeOf(ctx, err))
}

// refused makes an error of an answer that is no stream.
func (s *source) refused(ctx context.Context, request *stint.Request, response *http.Response) error {
	answer, err := readAnswer(ctx, response, maxRefusalBytes)
	if err != nil {
		return fmt.Errorf("the watch was answered %d: %w", response.StatusCode, err)
	}
	if answer.status == http.StatusGone {
		// 410 as the status, and not as an event in the stream. The engine has not seen it, and would continue from the
		// expired version: a list that is begun and given up asks for another one.
		err = errors.Join(s.session.ingest(s, stint.ListBegin, nil), s.session.ingest(s, stint.StreamLost, nil))
	}
	return errors.Join(&refusal{method: request.Method, target: request.Path, isWatch: true, answer: answer}, err)
}

// readLines feeds the engine whole lines as they arrive. A line that the end of the stream cuts off is dropped: the
// watch continues from the version before it.
func (s *source) readLines(stream io.Reader, heard func()) error {
	heard()
	buffer := make([]byte, 0, readBytes)
	for {
		if cap(buffer)-len(buffer) < readBytes {
			buffer = append(make([]byte, 0, 2*cap(buffer)), buffer...)
		}
		n, err := stream.Read(buffer[len(buffer):cap(buffer)])
		whole := len(buffer) + bytes.LastIndexByte(buffer[len(buffer):len(buffer)+n], '\n') + 1
		if whole == len(buffer) {
			whole = 0 // There is none in what has come.
		}
		buffer = buffer[:len(buffer)+n]
		if n > 0 {
			heard()
		}
		if whole > 0 {
			if err := s.session.ingest(s, stint.WatchLines, buffer[:whole]); err != nil {
				return err
			}
			buffer = keepRest(buffer, whole)
		}
		if len(buffer) > maxLineBytes {
			return fmt.Errorf("a line is longer than %d bytes", maxLineBytes)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// keepRest is the buffer without its first bytes. One that has grown large is not kept.
func keepRest(buffer []byte, taken int) []byte {
	rest := buffer[taken:]
	if cap(buffer) > keptBufferBytes && len(rest) < readBytes {
		return append(make([]byte, 0, 2*readBytes), rest...)
	}
	return buffer[:copy(buffer, rest)]
}

func (s *source) get(query string) *stint.Request {
	return &stint.Request{Method: http.MethodGet, Path: s.target(query), Accept: "application/json"}
}

// isExpiredPage: the snapshot of the first page is gone, because the pages were too slow for this server.
func isExpiredPage(err error) bool {
	var refused *refusal
	return errors.As(err, &refused) && !refused.isWatch && refused.answer.status == http.StatusGone
}

func isRefusalOfEngine(err error) bool {
	var refused *stint.Error
	return errors.As(err, &refused)
}

func retryAfterIn(err error) time.Duration {
	var refused *refusal
	if errors.As(err, &refused) {
		return refused.answer.retryAfter
	}
	return 0
}
