package stint_test

// This file has the example of README.md as a function that is compiled and run: the README has the lines of
// firstRequests, and what they print, which a test here sees to.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	stint "github.com/stint-dev/stint/bindings/go"
)

func firstRequests(ctx context.Context, nowMs int64) error {
	engine, err := stint.New(ctx)
	if err != nil {
		return err
	}
	defer engine.Close()
	sources := []stint.Source{{ID: 0, Resource: "jobs"}, {ID: 1, Resource: "pods"}}
	err = engine.Configure(ctx, stint.Configuration{Sources: sources})
	const job = `{"metadata": {"name": "pi", "namespace": "default", "uid": "u1", "resourceVersion": "7"}, "status": {},
		"spec": {"parallelism": 2, "completions": 2, "backoffLimit": 6, "template": {"metadata": {"labels": {"app": "pi"}},
			"spec": {"containers": [{"name": "pi", "image": "perl"}], "restartPolicy": "Never"}}}}`
	for source, list := range []string{`"JobList", "items": [` + job + `]`, `"PodList", "items": []`} {
		page := fmt.Appendf(nil, `{"metadata": {"resourceVersion": "9"}, "kind": %s}`, list)
		err = errors.Join(err, engine.Ingest(ctx, int32(source), stint.ListBegin, nil, nowMs),
			engine.Ingest(ctx, int32(source), stint.Page, page, nowMs),
			engine.Ingest(ctx, int32(source), stint.ListEnd, nil, nowMs))
	}
	result, pollErr := engine.Poll(ctx, nowMs, 10)
	if err = errors.Join(err, pollErr); err != nil {
		return err
	}
	for _, request := range result.Requests {
		fmt.Println(request.Method, request.Path) // Send it, then: engine.Settle(ctx, request.ID, status, -1, answer, nowMs)
	}
	fmt.Println(result.Decisions[0].Message)
	return nil
}

func Example() {
	if err := firstRequests(context.Background(), 1767225600000); err != nil {
		fmt.Println(err)
	}
	// Output:
	// POST /api/v1/namespaces/default/pods
	// creating 2 pods: 0 of 2 wanted active, 0 succeeded
}

func TestTheREADMEHasTheExample(t *testing.T) {
	readme, source := readText(t, "README.md"), readText(t, "example_test.go")
	code := between(t, readme, "```go\n", "```")
	if !strings.Contains(source, "\n"+code) || !strings.HasPrefix(code, "func firstRequests") {
		t.Errorf("example_test.go does not have the code of README.md:\n%s", code)
	}
	output := strings.ReplaceAll("\n"+strings.TrimSpace(between(t, readme, "```text\n", "```")), "\n", "\n\t// ")
	if !strings.Contains(source, "// Output:"+output+"\n}") {
		t.Errorf("the example does not print what README.md says:%s", output)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	check(t, err)
	return string(text)
}

// between is the text between the first begin and the next end.
func between(t *testing.T, text, begin, end string) string {
	t.Helper()
	_, rest, isThere := strings.Cut(text, begin)
	part, _, isClosed := strings.Cut(rest, end)
	if !isThere || !isClosed {
		t.Fatalf("there is nothing between %q and %q", begin, end)
	}
	return part
}
