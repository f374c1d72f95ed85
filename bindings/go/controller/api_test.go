package controller_test

// This file has an API server that a test plays: it answers lists from pages, keeps watches open, and gives everything
// else to the test. It speaks HTTP over pipes in memory, so that it works where time is not real. Storing anything is
// left out.

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stint-dev/stint/bindings/go/internal/pipes"
)

const (
	jobsPath = "/apis/batch/v1/jobs"
	podsPath = "/api/v1/pods"
)

// seen is a request that has reached the server.
type seen struct {
	at     time.Duration // Since the server was made.
	method string
	target string
	header http.Header
	body   string
}

type server struct {
	began  time.Time
	client *http.Client

	mu       sync.Mutex
	requests []seen
	watches  map[string][]*watch
	lists    map[string]http.HandlerFunc
	onWatch  map[string]http.HandlerFunc
	writes   http.HandlerFunc
}

// watch is one that the controller has opened.
type watch struct {
	target string
	lines  chan string
	end    chan error // nil: it ends as it should; else the connection breaks.
	closed chan struct{}
}

func (w *watch) isOpen() bool {
	select {
	case <-w.closed:
		return false
	default:
		return true
	}
}

// newServer has no objects at version 100. It ends with the test.
func newServer(t *testing.T) *server {
	t.Helper()
	made := &server{
		began:   time.Now(),
		watches: map[string][]*watch{},
		lists:   map[string]http.HandlerFunc{jobsPath: pages("JobList", ""), podsPath: pages("PodList", "")},
		onWatch: map[string]http.HandlerFunc{},
		writes: func(w http.ResponseWriter, r *http.Request) {
			refuse(w, http.StatusInternalServerError, "this test expects no write")
		},
	}
	listener := pipes.Listen()
	httpServer := httptest.NewUnstartedServer(made)
	httpServer.Listener.Close()
	httpServer.Listener = listener
	httpServer.Start()
	transport := &http.Transport{DialContext: listener.Dial}
	made.client = &http.Client{Transport: transport}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		httpServer.CloseClientConnections()
		httpServer.Close()
	})
	return made
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	s.mu.Lock()
	s.requests = append(s.requests, seen{time.Since(s.began), r.Method, r.URL.RequestURI(), r.Header, string(body)})
	list, onWatch, writes := s.lists[r.URL.Path], s.onWatch[r.URL.Path], s.writes
	s.mu.Unlock()
	switch {
	case r.Method != http.MethodGet || list == nil:
		writes(w, r)
	case r.URL.Query().Get("watch") != "true":
		list(w, r)
	case onWatch != nil:
		onWatch(w, r)
	default:
		s.keepOpen(w, r)
	}
}

func (s *server) keepOpen(w http.ResponseWriter, r *http.Request) {
	opened := &watch{r.URL.RequestURI(), make(chan string), make(chan error), make(chan struct{})}
	s.mu.Lock()
	s.watches[r.URL.Path] = append(s.watches[r.URL.Path], opened)
	s.mu.Unlock()
	defer close(opened.closed)
	w.WriteHeader(http.StatusOK)
	flush(w)
	for {
		select {
		case text := <-opened.lines:
			io.WriteString(w, text)
			flush(w)
		case err := <-opened.end:
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			return
		case <-r.Context().Done():
			return
		}
	}
}

func flush(w http.ResponseWriter) { w.(http.Flusher).Flush() }

// watchOf is the latest watch of a collection.
func (s *server) watchOf(t *testing.T, path string) *watch {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.watches[path]
	if len(all) == 0 {
		t.Fatalf("there is no watch of %s", path)
	}
	return all[len(all)-1]
}

// send writes text to the latest watch of a collection, and waits until it was worked on.
func (s *server) send(t *testing.T, path, text string) {
	t.Helper()
	opened := s.watchOf(t, path)
	if !opened.isOpen() {
		t.Fatalf("the watch of %s is closed", path)
	}
	opened.lines <- text
	synctest.Wait()
}

// set replaces a handler while the server runs.
func set[K comparable](s *server, handlers map[K]http.HandlerFunc, key K, handler http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	handlers[key] = handler
}

// got is what has reached the server so far with this method; path is that without query, or empty for all.
func (s *server) got(method, path string) []seen {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []seen
	for _, request := range s.requests {
		requested, _, _ := strings.Cut(request.target, "?")
		if request.method == method && (path == "" || requested == path) {
			found = append(found, request)
		}
	}
	return found
}

// lists and watches of a collection.
func (s *server) reads(path string) (lists, watches []seen) {
	for _, request := range s.got(http.MethodGet, path) {
		if strings.Contains(request.target, "watch=true") {
			watches = append(watches, request)
		} else {
			lists = append(lists, request)
		}
	}
	return lists, watches
}

// pages answers a list whose pages have these items, at version 100.
func pages(kind string, items ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page, next := 0, ""
		fmt.Sscanf(r.URL.Query().Get("continue"), "page %d/=", &page)
		if page+1 < len(items) {
			next = fmt.Sprintf("page %d/=", page+1)
		}
		fmt.Fprintf(w, `{"kind":%q,"metadata":{"resourceVersion":"100","continue":%q},"items":[%s]}`,
			kind, next, items[page])
	}
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"message":%q}`, status, message)
}

// createPods takes every new pod, and gives each version from 200 on. Events are taken, too.
func createPods(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method != http.MethodPost {
		refuse(w, http.StatusConflict, "this server takes new pods alone")
		return
	}
	w.WriteHeader(http.StatusCreated)
	if !strings.HasSuffix(r.URL.Path, "/pods") {
		w.Write(body)
		return
	}
	podsMade.Lock()
	podsMade.count++
	number := podsMade.count
	podsMade.Unlock()
	io.WriteString(w, strings.Replace(string(body), `"metadata":{`, fmt.Sprintf(
		`"metadata":{"name":"pod-%d","namespace":"default","uid":"pod-uid-%[1]d","resourceVersion":"%d",`,
		number, 200+number), 1))
}

// podsMade gives pods their names. Tests do not run at the same time.
var podsMade struct {
	sync.Mutex
	count int
}

func job(name string, version, parallelism int) string {
	return fmt.Sprintf(
		`{"kind":"Job","metadata":{"name":"%[1]s","namespace":"default","uid":"uid-%[1]s","resourceVersion":"%[2]d",`+
			`"generation":1},"spec":{"parallelism":%[3]d,"completions":%[4]d,"backoffLimit":6,"selector":{"matchLabels":`+
			`{"batch.kubernetes.io/controller-uid":"uid-%[1]s"}},"managedBy":"stint.dev/job-controller","template":{"metadata":`+
			`{"labels":{"batch.kubernetes.io/controller-uid":"uid-%[1]s"}},"spec":{"containers":[{"name":"c",`+
			`"image":"busybox"}],"restartPolicy":"Never"}}},"status":{}}`,
		name, version, parallelism, max(parallelism, 1),
	)
}

func line(eventType, object string) string {
	return fmt.Sprintf("{\"type\":%q,\"object\":%s}\n", eventType, object)
}

func bookmark(kind string, version int) string {
	return line("BOOKMARK", fmt.Sprintf(`{"kind":%q,"metadata":{"resourceVersion":"%d"}}`, kind, version))
}

const gone = `{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired",` +
	`"message":"too old resource version"}}` + "\n"
