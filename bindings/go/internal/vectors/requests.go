package vectors

// This file has the requests that a step of a vector expects, and tells how a request differs from one of them.

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/internal/plainjson"
)

const (
	podsPath = "/api/v1/namespaces/" + namespace + "/pods"
	jobsPath = "/apis/batch/v1/namespaces/" + namespace + "/jobs"
	gangPath = "/apis/" + gangAPI + "/namespaces/" + namespace

	strategicPatch = "application/strategic-merge-patch+json"
)

var removeOptions = plainjson.NewObject("kind", "DeleteOptions", "apiVersion", "v1",
	"preconditions", plainjson.NewObject("uid", "<any>"), "propagationPolicy", "Foreground")

var contentTypes = map[string]string{
	"create":  "application/json",
	"strip":   strategicPatch,
	"adopt":   strategicPatch,
	"release": strategicPatch,
	"status":  "application/merge-patch+json",
	"delete":  "",
	"list":    "",
	"read":    "",
	"remove":  "application/json",

	"createWorkload": "application/json",
	"createPodGroup": "application/json",
	"readWorkload":   "",
	"readPodGroup":   "",
	"patchWorkload":  strategicPatch,
	"patchPodGroup":  strategicPatch,
}

// expectedRequest is an entry of a step's `requests`. verb is the member that says what is expected.
type expectedRequest struct {
	verb      string
	members   *plainjson.Object
	finalizer string
}

func newExpectedRequest(value any, finalizer string) (expectedRequest, error) {
	members, ok := value.(*plainjson.Object)
	if ok {
		for verb := range contentTypes {
			if members.Has(verb) {
				return expectedRequest{verb, members, finalizer}, nil
			}
		}
	}
	return expectedRequest{}, fmt.Errorf(
		"an expected request is none of %v: %s",
		slices.Sorted(maps.Keys(contentTypes)),
		plainjson.Render(value),
	)
}

func (e expectedRequest) job() string {
	if e.members.Has("job") {
		return e.members.Text("job")
	}
	return "j"
}

// podName is what a pod that is created is called.
func (e expectedRequest) podName() string { return e.members.Text("create") }

// key is what a `settle` step calls this request.
func (e expectedRequest) key() string {
	if e.verb == "status" {
		return "status " + e.job()
	}
	return e.verb + " " + e.members.Text(e.verb)
}

// expectedRequests are those of one step, in order; each group may come in any order.
type expectedRequests struct {
	groups [][]expectedRequest
}

func (s *server) expectedRequests(text json.RawMessage, finalizer string) (*expectedRequests, error) {
	expected := &expectedRequests{}
	if text == nil {
		return expected, nil
	}
	parsed, err := plainjson.Parse(text)
	if err != nil {
		return nil, err
	}
	expanded, err := s.expand(parsed)
	if err != nil {
		return nil, err
	}
	entries, ok := expanded.([]any)
	if !ok {
		return nil, errors.New("`requests` is no list")
	}
	for _, entry := range entries {
		items, ok := entry.([]any)
		if !ok {
			items = []any{entry}
		}
		group := make([]expectedRequest, len(items))
		for i, item := range items {
			if group[i], err = newExpectedRequest(item, finalizer); err != nil {
				return nil, err
			}
		}
		expected.groups = append(expected.groups, group)
	}
	return expected, nil
}

// take finds the expected request that this one is, among those that may come now.
func (e *expectedRequests) take(request stint.Request) (expectedRequest, error) {
	if len(e.groups) == 0 {
		return expectedRequest{}, fmt.Errorf("one request too many: %s", describe(request))
	}
	group := e.groups[0]
	differences := make([]string, len(group))
	for i, expected := range group {
		err := expected.compare(request)
		if err == nil {
			e.groups[0] = slices.Delete(group, i, i+1)
			if len(e.groups[0]) == 0 {
				e.groups = e.groups[1:]
			}
			return expected, nil
		}
		differences[i] = "\n  " + err.Error()
	}
	return expectedRequest{}, fmt.Errorf("the request is %s%s", describe(request), strings.Join(differences, ""))
}

// end refuses requests that have not come.
func (e *expectedRequests) end() error {
	if len(e.groups) == 0 {
		return nil
	}
	var missing []string
	for _, expected := range slices.Concat(e.groups...) {
		missing = append(missing, plainjson.Render(expected.members))
	}
	return fmt.Errorf("missing: %s", strings.Join(missing, ", "))
}

// compare gives an error that says what is different.
func (e expectedRequest) compare(request stint.Request) error {
	if line := e.line(); request.Method+" "+request.Path != line {
		return fmt.Errorf("expected %s", line)
	}
	if wanted := contentTypes[e.verb]; request.ContentType != wanted {
		return fmt.Errorf("content type %q, expected %q", request.ContentType, wanted)
	}
	if request.Accept != "application/json" {
		return fmt.Errorf("accept %q, expected application/json", request.Accept)
	}
	body, err := bodyOf(request)
	if err != nil {
		return err
	}
	switch e.verb {
	case "create":
		return e.compareCreate(body)
	case "strip", "adopt", "release":
		if patch := e.podPatch(); !Match(body, patch) {
			return fmt.Errorf("expected %s", plainjson.Render(patch))
		}
	case "status":
		return e.compareStatus(body)
	case "remove":
		if !Match(body, removeOptions) {
			return fmt.Errorf("expected %s", plainjson.Render(removeOptions))
		}
	case "createWorkload", "createPodGroup":
		return e.compareNamed(body)
	case "patchWorkload", "patchPodGroup":
		if expected := e.members.Get("body"); !Match(body, expected) {
			return fmt.Errorf("expected %s", plainjson.Render(expected))
		}
	default:
		if len(request.Body) > 0 {
			return errors.New("expected no body")
		}
	}
	return nil
}

// podPatch is the patch of a pod, as controller.md 4.7 and 2.7 spell it out.
func (e expectedRequest) podPatch() *plainjson.Object {
	jobUID, podUID := "uid-"+e.job(), "uid-"+e.members.Text(e.verb)
	if e.members.Has("uid") {
		jobUID = e.members.Text("uid")
	}
	finalizers := []any{e.finalizer}
	metadata := plainjson.NewObject("$deleteFromPrimitiveList/finalizers", finalizers)
	switch e.verb {
	case "adopt":
		owner := plainjson.NewObject(
			"apiVersion", "batch/v1",
			"kind", "Job",
			"name", e.job(),
			"uid", jobUID,
			"controller", true,
			"blockOwnerDeletion", true,
		)
		metadata = plainjson.NewObject(
			"ownerReferences", []any{owner},
			"uid", podUID,
			"resourceVersion", "<any>",
			"finalizers", finalizers,
		)
	case "release":
		metadata.Set("uid", podUID)
		metadata.Set("ownerReferences", []any{plainjson.NewObject("$patch", "delete", "uid", jobUID)})
	}
	return plainjson.NewObject("metadata", metadata)
}

func (e expectedRequest) line() string {
	name := e.members.Text(e.verb)
	switch e.verb {
	case "create":
		return "POST " + podsPath
	case "strip", "adopt", "release":
		return "PATCH " + podsPath + "/" + name
	case "delete":
		return "DELETE " + podsPath + "/" + name
	case "status":
		return "PATCH " + jobsPath + "/" + e.job() + "/status"
	case "read":
		return "GET " + jobsPath + "/" + name
	case "remove":
		return "DELETE " + jobsPath + "/" + name
	case "createWorkload":
		return "POST " + gangPath + "/workloads"
	case "createPodGroup":
		return "POST " + gangPath + "/podgroups"
	case "readWorkload":
		return "GET " + gangPath + "/workloads/" + name
	case "readPodGroup":
		return "GET " + gangPath + "/podgroups/" + name
	case "patchWorkload":
		return "PATCH " + gangPath + "/workloads/" + name
	case "patchPodGroup":
		return "PATCH " + gangPath + "/podgroups/" + name
	}
	line := "GET " + podsPath + "?labelSelector=batch.kubernetes.io%2Fcontroller-uid%3Duid-" + name + "&limit=500"
	if token := e.members.Text("continue"); token != "" {
		line += "&continue=" + url.QueryEscape(token)
	}
	return line
}

func (e expectedRequest) compareStatus(body *plainjson.Object) error {
	metadata := body.Object("metadata")
	if metadata.Len() != 2 || !metadata.Has("uid") || !metadata.Has("resourceVersion") {
		return errors.New("expected metadata with uid and resourceVersion alone")
	}
	if expected := e.members.Get("status"); !match(body.Get("status"), expected, true) {
		return fmt.Errorf("expected status %s", plainjson.Render(expected))
	}
	return nil
}

func (e expectedRequest) compareCreate(body *plainjson.Object) error {
	if expected := e.members.Get("body"); expected != nil && !Match(body, expected) {
		return fmt.Errorf("expected %s", plainjson.Render(expected))
	}
	metadata := body.Object("metadata")
	owners := metadata.List("ownerReferences")
	if len(owners) == 0 || owners[0].(*plainjson.Object).Text("name") != e.job() {
		return fmt.Errorf("expected a pod of %s", e.job())
	}
	if e.members.Has("body") {
		return nil
	}
	var wanted any
	if index, ok := e.members.Get("index").(float64); ok {
		wanted = strconv.Itoa(int(index))
	}
	for _, marks := range []string{"annotations", "labels"} {
		if metadata.Object(marks).Get(indexKey) != wanted {
			return fmt.Errorf("expected the completion index %s in %s", plainjson.Render(wanted), marks)
		}
	}
	return nil
}

func (e expectedRequest) compareNamed(body *plainjson.Object) error {
	if expected := e.members.Get("body"); expected != nil && !Match(body, expected) {
		return fmt.Errorf("expected %s", plainjson.Render(expected))
	}
	if wanted := e.members.Text(e.verb); body.Object("metadata").Text("name") != wanted {
		return fmt.Errorf("expected the name %s", wanted)
	}
	return nil
}

func describe(request stint.Request) string {
	return fmt.Sprintf("%s %s %s", request.Method, request.Path, request.Body)
}
