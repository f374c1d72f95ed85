package vectors

// This file is the API server of the vectors: as much of one as test/vectors/README.md says. Objects by name in one
// namespace, one counter of resource versions, and an answer to each request of the engine. It leaves out validation,
// garbage collection and time: pods go when a step says so.

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/internal/plainjson"
)

const (
	namespace         = "default"
	trackingFinalizer = "batch.kubernetes.io/job-tracking"
	indexKey          = "batch.kubernetes.io/job-completion-index"
	graceMs           = 30_000
	// clockOffsetMs is the wall-clock time of now 0: 2026-01-01T00:00:00Z.
	clockOffsetMs = 1767225600000
	// startMs is the time of what a vector does before its first run.
	startMs = 2000
)

var objectPath = regexp.MustCompile(`/(?:pods|jobs|workloads|podgroups)/([^/?]+)`)

// reply is the answer to a request, as Engine.Settle takes it.
type reply struct {
	status       int
	retryAfterMs int64
	body         string
}

type server struct {
	templates *plainjson.Object
	// objects is in the order in which they came.
	objects       *plainjson.Object
	firstVersions *plainjson.Object
	version       int
	nowMs         int64 // On the clock of the engine.
}

func newServer(templates *plainjson.Object) *server {
	return &server{templates: templates, objects: &plainjson.Object{}, firstVersions: &plainjson.Object{}, nowMs: startMs}
}

// listVersion is the resourceVersion of a list.
func (s *server) listVersion() string { return strconv.Itoa(max(s.version, 1)) }

func (s *server) get(name string) (*plainjson.Object, error) {
	if !s.objects.Has(name) {
		return nil, fmt.Errorf("the vector names %q, which is not there", name)
	}
	return s.objects.Object(name), nil
}

// first is the object as it was when it was new, also when it is gone by now.
func (s *server) first(name string) (*plainjson.Object, error) {
	if !s.firstVersions.Has(name) {
		return nil, fmt.Errorf("the vector names %q, which never was there", name)
	}
	return s.firstVersions.Object(name), nil
}

func ofKind(objects *plainjson.Object, kind string) []any {
	found := []any{}
	for _, object := range objects.All() {
		if object.(*plainjson.Object).Text("kind") == kind {
			found = append(found, object)
		}
	}
	return found
}

func (s *server) add(name string, value any) (*plainjson.Object, error) {
	metadata := plainjson.NewObject("name", name, "namespace", namespace, "uid", "uid-"+name)
	object, err := s.merge(plainjson.NewObject("metadata", metadata), value, name)
	if err != nil {
		return nil, err
	}
	return s.put(name, object), nil
}

func (s *server) change(name string, patch any) (*plainjson.Object, error) {
	current, err := s.get(name)
	if err != nil {
		return nil, err
	}
	object, err := s.merge(current, patch, name)
	if err != nil {
		return nil, err
	}
	return s.put(name, object), nil
}

// delete gives the object as its deletion shows it.
func (s *server) delete(name string) (*plainjson.Object, error) {
	current, err := s.get(name)
	if err != nil {
		return nil, err
	}
	last := s.put(name, current)
	s.objects.Delete(name)
	return last, nil
}

// handle carries a request out. podName: what a pod that is created is called; empty where the body has the name.
func (s *server) handle(request stint.Request, podName string) (reply, error) {
	name := ""
	if match := objectPath.FindStringSubmatch(request.Path); match != nil {
		name = match[1]
	}
	if request.Method == "GET" && name == "" {
		metadata := plainjson.NewObject("resourceVersion", s.listVersion())
		return answer(
			200,
			plainjson.NewObject("kind", "PodList", "apiVersion", "v1", "metadata", metadata, "items", ofKind(s.objects, "Pod")),
		), nil
	}
	body, err := bodyOf(request)
	if err != nil {
		return reply{}, err
	}
	if request.Method == "POST" {
		return s.create(podName, body), nil
	}
	current, err := s.get(name)
	if err != nil {
		return failure(404, "NotFound", fmt.Sprintf("%q not found", name)), nil
	}
	if request.Method == "GET" {
		return answer(200, current), nil
	}
	if request.Method == "DELETE" {
		return answer(200, s.startDeletion(name, current)), nil
	}
	if strings.HasSuffix(request.Path, "/status") {
		return s.patchStatus(name, current, body), nil
	}
	// The API merges none of the lists in these patches, so a JSON merge patch does the same.
	if current.Text("kind") != "Pod" {
		return answer(200, s.patch(name, current, body)), nil
	}
	return s.patchPod(name, current, body), nil
}

func (s *server) create(podName string, body *plainjson.Object) reply {
	name := podName
	if name == "" {
		name = body.Object("metadata").Text("name")
	}
	if s.objects.Has(name) {
		return failure(409, "AlreadyExists", fmt.Sprintf("%q already exists", name))
	}
	metadata := plainjson.NewObject(
		"name", name,
		"namespace", namespace,
		"uid", "uid-"+name,
		"creationTimestamp", timeText(s.nowMs),
	)
	added := plainjson.NewObject("metadata", metadata)
	if podName != "" {
		added.Set("status", plainjson.NewObject("phase", "Pending"))
	}
	return answer(201, s.patch(name, body, added))
}

func (s *server) startDeletion(name string, current *plainjson.Object) *plainjson.Object {
	if current.Object("metadata").Has("deletionTimestamp") {
		return current
	}
	metadata := plainjson.NewObject(
		"deletionTimestamp", timeText(s.nowMs+graceMs),
		"deletionGracePeriodSeconds", float64(graceMs/1000),
	)
	return s.patch(name, current, plainjson.NewObject("metadata", metadata))
}

func (s *server) patchStatus(name string, current, patch *plainjson.Object) reply {
	metadata, given := current.Object("metadata"), patch.Object("metadata")
	if given.Get("uid") != metadata.Get("uid") || given.Get("resourceVersion") != metadata.Get("resourceVersion") {
		return failure(
			409,
			"Conflict",
			"the object has been modified; please apply your changes to the latest version and try again",
		)
	}
	return answer(200, s.patch(name, current, plainjson.NewObject("status", patch.Get("status"))))
}

// patchPod is a strategic merge patch, as far as the engine sends them.
func (s *server) patchPod(name string, current, patch *plainjson.Object) reply {
	metadata, given := current.Object("metadata"), patch.Object("metadata")
	if given.Has("uid") && given.Get("uid") != metadata.Get("uid") {
		return failure(422, "Invalid", fmt.Sprintf("metadata.uid: %s is not the pod's", given.Text("uid")))
	}
	finalizers := slices.DeleteFunc(slices.Clone(metadata.List("finalizers")), func(item any) bool {
		return slices.Contains(given.List("$deleteFromPrimitiveList/finalizers"), item)
	})
	for _, added := range given.List("finalizers") {
		if !slices.Contains(finalizers, added) {
			finalizers = append(finalizers, added)
		}
	}
	owners := slices.Clone(metadata.List("ownerReferences"))
	for _, item := range given.List("ownerReferences") {
		reference := item.(*plainjson.Object)
		owners = slices.DeleteFunc(
			owners,
			func(owner any) bool { return owner.(*plainjson.Object).Text("uid") == reference.Text("uid") },
		)
		if !reference.Has("$patch") {
			owners = append(owners, reference)
		}
	}
	after := plainjson.NewObject("finalizers", listOrNil(finalizers), "ownerReferences", listOrNil(owners))
	before := plainjson.NewObject(
		"finalizers", metadata.Get("finalizers"),
		"ownerReferences", metadata.Get("ownerReferences"),
	)
	if plainjson.Render(after) == plainjson.Render(before) {
		return answer(200, current)
	}
	return answer(200, s.patch(name, current, plainjson.NewObject("metadata", after)))
}

func listOrNil(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

func (s *server) patch(name string, current, patch *plainjson.Object) *plainjson.Object {
	return s.put(name, plainjson.MergePatch(current, patch))
}

func (s *server) put(name string, object any) *plainjson.Object {
	s.version++
	version := plainjson.NewObject("metadata", plainjson.NewObject("resourceVersion", strconv.Itoa(s.version)))
	stored := plainjson.MergePatch(object, version).(*plainjson.Object)
	s.objects.Set(name, stored)
	if !s.firstVersions.Has(name) {
		s.firstVersions.Set(name, stored)
	}
	return stored
}

// timeText is now as the API writes it.
func timeText(nowMs int64) string {
	return time.UnixMilli(nowMs + clockOffsetMs).UTC().Format(time.RFC3339)
}

// failure is an error, as the API server sends it.
func failure(status int, reason, message string) reply {
	return answer(status, plainjson.NewObject(
		"kind", "Status",
		"apiVersion", "v1",
		"status", "Failure",
		"message", message,
		"reason", reason,
		"code", float64(status),
	))
}

func answer(status int, object *plainjson.Object) reply {
	return reply{status: status, retryAfterMs: -1, body: plainjson.Render(object)}
}

func bodyOf(request stint.Request) (*plainjson.Object, error) {
	body := &plainjson.Object{}
	if len(request.Body) == 0 {
		return body, nil
	}
	if err := body.UnmarshalJSON(request.Body); err != nil {
		return nil, fmt.Errorf("the body of %s: %w", describe(request), err)
	}
	return body, nil
}
