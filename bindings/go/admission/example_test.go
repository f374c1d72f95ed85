package admission_test

// This file has the example of README.md as a function that is compiled and run: the README has the lines of
// reviewHandlers, which a test here sees to.

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/admission"
)

func reviewHandlers() (http.Handler, error) {
	module, err := stint.Embedded()
	if err != nil {
		return nil, err
	}
	pool := admission.NewPool(module, 0) // As many engines as processors.
	handlers := http.NewServeMux()
	handlers.Handle("/mutate", &admission.Handler{Pool: pool, Phase: admission.Mutate})
	handlers.Handle("/validate", &admission.Handler{Pool: pool})
	return handlers, nil
}

func ExampleHandler() {
	handlers, err := reviewHandlers()
	if err != nil {
		fmt.Println(err)
		return
	}
	const job = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"r","operation":"CREATE",
		"kind":{"group":"batch","version":"v1","kind":"Job"},"object":{"kind":"Job","metadata":{"name":"pi",
		"namespace":"ci","uid":"u"},"spec":{"parallelism":-1,"template":{"spec":{"restartPolicy":"Never",
		"containers":[{"name":"c","image":"perl"}]}}}}}}`
	answer := postTo(handlers, "/validate", "application/json", strings.NewReader(job))
	var review struct {
		Response struct {
			Allowed bool
			Status  struct {
				Details struct {
					Causes []struct{ Field, Message string }
				}
			}
		}
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &review); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(review.Response.Allowed)
	for _, cause := range review.Response.Status.Details.Causes {
		fmt.Println(cause.Field, cause.Message)
	}
	// Output:
	// false
	// spec.parallelism Invalid value: -1: must be greater than or equal to 0
}

func TestTheREADMEHasTheExample(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	check(t, err)
	source, err := os.ReadFile("example_test.go")
	check(t, err)
	_, code, isThere := strings.Cut(string(readme), "```go\nfunc reviewHandlers")
	code, _, isClosed := strings.Cut(code, "```")
	if !isThere || !isClosed || !strings.Contains(string(source), "\nfunc reviewHandlers"+code) {
		t.Errorf("example_test.go does not have the code of README.md:\nfunc reviewHandlers%s", code)
	}
}
