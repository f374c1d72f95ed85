package controller_test

// This file runs Jobs to their end on `stint serve --no-controller`: an API server with simulated pods, where only the
// controllers under test act on the Jobs. Its seconds are real seconds.

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	stint "github.com/stint-dev/stint/bindings/go"
	"github.com/stint-dev/stint/bindings/go/controller"
)

func TestJobsRunToTheirEnd(t *testing.T) {
	cluster := serve(t)
	var decided decisions
	cluster.control(t, func(c *controller.Config) {
		c.DefaultController = true
		c.OnDecisions = decided.add
		// It counts from the end of a container, of which the API knows the second.
		c.Constants = map[string]int64{stint.ConstantPodBackoffBaseMs: 1500}
	})
	cluster.control(t)

	for _, c := range []struct {
		name, spec, simulate string
		condition, status    string
		decision             string
	}{
		{
			"success", `"completions":3,"parallelism":2`, `{"runMs":50}`,
			"Complete CompletionsReached", `"succeeded":3`, stint.DecisionEnded,
		},
		{
			"retries", `"backoffLimit":4`, `{"runMs":50,"exitCodes":[1,0]}`,
			"Complete CompletionsReached", `"failed":1`, stint.DecisionBackoff,
		},
		{
			"failure", `"backoffLimit":1`, `{"runMs":50,"exitCode":3}`,
			"Failed BackoffLimitExceeded", `"failed":2`, stint.DecisionTooManyFailures,
		},
		{
			"deadline", `"activeDeadlineSeconds":1`, `{"runMs":600000}`,
			"Failed DeadlineExceeded", `"failed":1`, stint.DecisionDeadlinePassed,
		},
		{
			"indexed", `"completionMode":"Indexed","completions":3,"parallelism":3`, `{"runMs":50}`,
			"Complete CompletionsReached", `"completedIndexes":"0-2"`, stint.DecisionCompletionsReached,
		},
		{
			"suspended", `"suspend":true`, `{"runMs":50}`,
			"Suspended JobSuspended", ``, stint.DecisionSuspended,
		},
		{
			"managed", `"managedBy":"stint.dev/job-controller"`, `{"runMs":50}`,
			"Complete CompletionsReached", `"succeeded":1`, stint.DecisionForeign,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster.create(t, c.name, c.spec, c.simulate)
			job := cluster.waitFor(t, c.name, c.condition)
			if !strings.Contains(job, c.status) {
				t.Errorf("the Job does not have %s:\n%s", c.status, job)
			}
			decided.expect(t, c.name, c.decision)
		})
	}
	t.Run("resumed", func(t *testing.T) {
		cluster.must(t, http.MethodPatch, jobsOfDefault+"/suspended", `{"spec":{"suspend":false}}`)
		cluster.waitFor(t, "suspended", "Complete CompletionsReached")
	})
	t.Run("nothing is left on the pods", func(t *testing.T) {
		if pods := cluster.must(t, http.MethodGet, newPods, ""); strings.Contains(pods, "job-tracking") {
			t.Errorf("a pod has its finalizer still:\n%s", pods)
		}
	})
}

const jobsOfDefault = "/apis/batch/v1/namespaces/default/jobs"

// cluster is a `stint serve` of this test.
type cluster struct {
	host   string
	client *http.Client
}

// serve starts one, which ends with the test.
func serve(t *testing.T) *cluster {
	t.Helper()
	root, err := filepath.Abs(repository)
	check(t, err)
	node := filepath.Join(root, "node_modules", ".bin", "node")
	if _, err := os.Stat(node); err != nil {
		t.Fatalf("node_modules/.bin/node is missing: run `npm start` in the repository (%v)", err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(
		ctx, node, filepath.Join(root, "host-node", "cli", "main.ts"), "serve", "--no-controller", "--kubeconfig", kubeconfig,
	)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.StdoutPipe()
	check(t, err)
	check(t, command.Start())
	t.Cleanup(func() {
		cancel()
		command.Wait()
	})
	for lines := bufio.NewScanner(out); ; {
		if !lines.Scan() {
			t.Fatalf("stint serve has ended: %s", &complaints)
		}
		if strings.Contains(lines.Text(), "export KUBECONFIG") {
			break
		}
	}
	go io.Copy(io.Discard, out)
	text, err := os.ReadFile(kubeconfig)
	check(t, err)
	return clusterOf(t, string(text))
}

// clusterOf reads the kubeconfig that stint serve writes, and no other.
func clusterOf(t *testing.T, kubeconfig string) *cluster {
	t.Helper()
	field := func(name string) string {
		found := regexp.MustCompile(`(?m)^ *` + name + `: *(?:>-\s+|"|)([^\s"]+)`).FindStringSubmatch(kubeconfig)
		if found == nil {
			t.Fatalf("the kubeconfig has no %s", name)
		}
		return found[1]
	}
	authority, err := base64.StdEncoding.DecodeString(field("certificate-authority-data"))
	check(t, err)
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		t.Fatal("the kubeconfig has no certificate that can be read")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return &cluster{field("server"), &http.Client{Transport: &bearer{field("token"), transport}}}
}

// bearer puts a token on each request.
type bearer struct {
	token string
	next  http.RoundTripper
}

func (b *bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(request)
}

// control runs a controller until the test ends, in good order.
func (c *cluster) control(t *testing.T, changes ...func(*controller.Config)) {
	t.Helper()
	config := controller.Config{Module: module(t), Host: c.host, Client: c.client}
	for _, change := range changes {
		change(&config)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- controller.Run(ctx, config) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
}

func (c *cluster) create(t *testing.T, name, spec, simulate string) {
	t.Helper()
	c.must(t, http.MethodPost, jobsOfDefault, fmt.Sprintf(
		`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":%q},"spec":{%s,"template":{"metadata":{"annotations":`+
			`{"stint.dev/simulate":%q}},"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"none"}]}}}}`,
		name, spec, simulate,
	))
}

// waitFor waits for a condition, given as its type and reason, and returns the Job then.
func (c *cluster) waitFor(t *testing.T, name, condition string) string {
	t.Helper()
	const limit = time.Minute
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		text := c.must(t, http.MethodGet, jobsOfDefault+"/"+name, "")
		var job struct {
			Status struct {
				Conditions []struct{ Type, Status, Reason string }
			}
		}
		check(t, json.Unmarshal([]byte(text), &job))
		for _, found := range job.Status.Conditions {
			if found.Status == "True" && found.Type+" "+found.Reason == condition {
				return text
			}
		}
		if time.Since(began) > limit {
			t.Fatalf("the Job %s is not %s after %v:\n%s", name, condition, limit, text)
		}
	}
}

func (c *cluster) must(t *testing.T, method, path, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, c.host+path, strings.NewReader(body))
	check(t, err)
	request.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	response, err := c.client.Do(request)
	check(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(t, err)
	if response.StatusCode > 299 {
		t.Fatalf("%s %s was answered %d: %s", method, path, response.StatusCode, text)
	}
	return string(text)
}

// decisions that a controller has taken.
type decisions struct {
	mu  sync.Mutex
	all []stint.Decision
}

func (d *decisions) add(more []stint.Decision) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, more...)
}

func (d *decisions) has(job, code string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.all, func(one stint.Decision) bool { return one.Job == job && one.Code == code })
}

// expect waits for a decision: what the API server shows may be known before its answer has come.
func (d *decisions) expect(t *testing.T, job, code string) {
	t.Helper()
	const limit = 30 * time.Second
	for began := time.Now(); !d.has(job, code); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > limit {
			t.Fatalf("there is no decision %s of the Job %s after %v", code, job, limit)
		}
	}
}
