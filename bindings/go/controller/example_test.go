package controller_test

// This file has the example of README.md as a function that is compiled and run: the README has the lines of runJobs,
// which a test here sees to.

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/controller"
)

func runJobs(ctx context.Context, host string, client *http.Client) error {
	return controller.Run(ctx, controller.Config{
		Host:   host,   // As client-go has them: the Host of a rest.Config,
		Client: client, // and what rest.HTTPClientFor makes of it.
		OnDecisions: func(decisions []stint.Decision) {
			for _, decision := range decisions {
				fmt.Printf("%s: %s\n", decision.Job, decision.Message)
			}
		},
	})
}

func ExampleRun() {
	ctx, cancel := context.WithCancel(context.Background())
	// An API server with one Job. It wants a controller for as long as it takes to ask for a pod.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			cancel()
		case r.URL.Query().Has("watch"):
			<-r.Context().Done()
		case r.URL.Path == jobsPath:
			pages("JobList", job("pi", 1, 2))(w, r)
		default:
			pages("PodList", "")(w, r)
		}
	}))
	defer server.Close()
	if err := runJobs(ctx, server.URL, server.Client()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// pi: creating 2 pods: 0 of 2 wanted active, 0 succeeded
}

func TestTheREADMEHasTheExample(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	check(t, err)
	source, err := os.ReadFile("example_test.go")
	check(t, err)
	_, code, isThere := strings.Cut(string(readme), "```go\nfunc runJobs")
	code, _, isClosed := strings.Cut(code, "```")
	if !isThere || !isClosed || !strings.Contains(string(source), "\nfunc runJobs"+code) {
		t.Errorf("example_test.go does not have the code of README.md:\nfunc runJobs%s", code)
	}
}
