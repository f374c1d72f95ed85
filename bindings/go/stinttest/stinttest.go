package stinttest

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Cluster is a cluster of a test, whose time stands still until the test moves it, unless it has [WithRealClock]. A
// selector names a Job, `job/x` or `team/job/x` in the namespace team; or a pod, `pod/x-0-abcde`; or pods by their
// labels, `app=web`.
//
// What the cluster refuses ends the test, as [testing.T.Fatal] does.
type Cluster struct {
	// Config is for clients of this process. It has no limit of requests per second.
	Config *rest.Config
	// Kubeconfig is the path of a file for other processes.
	Kubeconfig string

	t       testing.TB
	control *control
}

// Of a link to the playground, in characters. A longer one would fill the terminal.
const maxLinkLength = 100_000

// Option says how a cluster is started.
type Option func(*settings)

type settings struct {
	command    []string
	options    []string
	clock      string
	recordings string
}

// WithCommand names the command instead of $STINT_COMMAND, the PATH and npm's folders: "node", "dist/stint.mjs".
func WithCommand(words ...string) Option {
	return func(s *settings) { s.command = words }
}

// WithServeOptions adds options of `stint serve`: "--authorization", "rbac".
func WithServeOptions(words ...string) Option {
	return func(s *settings) { s.options = append(s.options, words...) }
}

// WithNodes gives the cluster so many nodes: node-1, node-2 and so on. There is one, stint, unless given.
func WithNodes(count int) Option {
	return WithServeOptions("--nodes", strconv.Itoa(count))
}

// WithRealClock gives the cluster the time of the machine, for a test that waits for what happens: suites of envtest.
// Advance, UntilIdle and Until end such a test.
func WithRealClock() Option {
	return func(s *settings) { s.clock = "real" }
}

// WithSeed draws names and run times: the same seed and the same requests give the same.
func WithSeed(seed int) Option {
	return WithServeOptions("--seed", strconv.Itoa(seed))
}

// WithRecordings names the folder in which a failed test leaves its recording, instead of $STINT_RECORDINGS and
// stint-recordings. An empty name: it leaves none.
func WithRecordings(folder string) Option {
	return func(s *settings) { s.recordings = folder }
}

// Start starts a cluster, and ends it when the test and its subtests have ended.
func Start(t testing.TB, options ...Option) *Cluster {
	t.Helper()
	chosen := settings{clock: "virtual", recordings: "stint-recordings"}
	if folder, isSet := os.LookupEnv("STINT_RECORDINGS"); isSet {
		chosen.recordings = folder
	}
	for _, option := range options {
		option(&chosen)
	}
	if chosen.command == nil {
		folder, err := os.Getwd()
		must(t, err)
		chosen.command, err = findCommand(folder)
		must(t, err)
	}
	running, err := startServer(chosen.command, append([]string{"--clock", chosen.clock}, chosen.options...))
	must(t, err)
	t.Cleanup(running.stop)
	config, err := clientcmd.BuildConfigFromFlags("", running.kubeconfig)
	must(t, err)
	config.QPS = -1
	control, err := newControl(config)
	must(t, err)
	cluster := &Cluster{Config: config, Kubeconfig: running.kubeconfig, t: t, control: control}
	// The last clean-up runs first, so the server still answers.
	t.Cleanup(func() {
		if t.Failed() {
			cluster.report(chosen.recordings)
		}
	})
	return cluster
}

// For gives the same cluster to a subtest, which ends when the cluster refuses what it asks for.
func (c *Cluster) For(t testing.TB) *Cluster {
	other := *c
	other.t = t
	return &other
}

// Now is the cluster's time.
func (c *Cluster) Now() time.Time {
	c.t.Helper()
	return c.time(http.MethodGet, "now", nil)
}

// Advance lets time pass, and everything happen that is due meanwhile. It returns the new time.
func (c *Cluster) Advance(duration time.Duration) time.Time {
	c.t.Helper()
	return c.time(http.MethodPost, "advance", map[string]string{"duration": duration.String()})
}

// UntilIdle advances time until every Job has ended, is suspended, or can only continue after an action of a user or
// another controller; it returns those. It fails the test if that takes more than a day.
func (c *Cluster) UntilIdle() []JobReason {
	c.t.Helper()
	var answer struct{ Waiting []JobReason }
	c.ask(http.MethodPost, "until-idle", nil, &answer)
	return answer.Waiting
}

// JobReason is a Job, and an explanation of its state. Its name is `namespace/name`, but for the namespace default.
type JobReason struct{ Job, Why string }

// Until lets time pass until a condition of the Job is True: "Complete", "Failed", "Suspended", "FailureTarget" or
// "SuccessCriteriaMet". It returns the new time. The test ends when that does not come within a day; and at once, with
// the reason, when it can no longer come: the Job has ended otherwise, or was deleted.
func (c *Cluster) Until(job, condition string) time.Time {
	c.t.Helper()
	return c.time(http.MethodPost, "until", map[string]string{"job": job, "condition": condition})
}

func (c *Cluster) time(method, what string, body any) time.Time {
	c.t.Helper()
	var answer struct{ Now time.Time }
	c.ask(method, what, body, &answer)
	return answer.Now
}

// PodState is a pod in short.
type PodState struct {
	Namespace, Name, Phase string
	// Index is the completion index; nil when there is none.
	Index *int
	// Node is empty where the pod has none yet.
	Node        string
	Terminating bool
}

// PodOption says which pods of a selector are meant, or how they end.
type PodOption func(body map[string]any)

// Index chooses the pod of this completion index.
func Index(index int) PodOption { return func(body map[string]any) { body["index"] = index } }

// Container chooses one container; all main ones unless given.
func Container(name string) PodOption { return func(body map[string]any) { body["container"] = name } }

// ExitCode is that of containers that fail; 1 unless given.
func ExitCode(code int) PodOption { return func(body map[string]any) { body["exitCode"] = code } }

// Reason is shown of containers that fail, OOMKilled for example; Error unless given.
func Reason(reason string) PodOption { return func(body map[string]any) { body["reason"] = reason } }

// Pods gives the pods that are there.
func (c *Cluster) Pods(selector string) []PodState {
	c.t.Helper()
	var answer struct{ Pods []PodState }
	c.ask(http.MethodGet, "pods?selector="+url.QueryEscape(selector), nil, &answer)
	return answer.Pods
}

// FailPods ends the containers of these pods with an exit code: at once, or as soon as they start.
func (c *Cluster) FailPods(selector string, options ...PodOption) []PodState {
	c.t.Helper()
	return c.toPods("fail", selector, options)
}

// SucceedPods ends the containers of these pods with 0: at once, or as soon as they start.
func (c *Cluster) SucceedPods(selector string, options ...PodOption) []PodState {
	c.t.Helper()
	return c.toPods("succeed", selector, options)
}

// HangPods keeps the containers of these pods from ending by themselves.
func (c *Cluster) HangPods(selector string, options ...PodOption) []PodState {
	c.t.Helper()
	return c.toPods("hang", selector, options)
}

// EvictPods asks the API to evict these pods.
func (c *Cluster) EvictPods(selector string, options ...PodOption) []PodState {
	c.t.Helper()
	return c.toPods("evict", selector, options)
}

// DeletePods deletes these pods, with their grace periods.
func (c *Cluster) DeletePods(selector string, options ...PodOption) []PodState {
	c.t.Helper()
	return c.toPods("delete", selector, options)
}

func (c *Cluster) toPods(what, selector string, options []PodOption) []PodState {
	c.t.Helper()
	body := map[string]any{"selector": selector}
	for _, option := range options {
		option(body)
	}
	var answer struct{ Pods []PodState }
	c.ask(http.MethodPost, "pods/"+what, body, &answer)
	return answer.Pods
}

// Outcome says how containers end, in the words of the annotation stint.dev/simulate:
// Outcome{"exitCodes": []int{1, 1, 0}, "runMs": 5000}.
type Outcome map[string]any

// Outcomes says how containers of these pods end that start from now on; nil takes back what was said of the selector.
func (c *Cluster) Outcomes(selector string, outcome Outcome) {
	c.t.Helper()
	c.ask(http.MethodPost, "outcomes", map[string]any{"selector": selector, "outcome": outcome}, &struct{}{})
}

// Cordon keeps new pods from the node.
func (c *Cluster) Cordon(node string) {
	c.t.Helper()
	c.toNode("cordon", node, &struct{}{})
}

// Uncordon lets new pods on the node again.
func (c *Cluster) Uncordon(node string) {
	c.t.Helper()
	c.toNode("uncordon", node, &struct{}{})
}

// Drained is what became of the pods of a drained node. A name is `namespace/name`, but for the namespace default.
type Drained struct {
	Evicted []string
	// Refused are those that a PodDisruptionBudget protects.
	Refused []struct{ Pod, Message string }
}

// Drain keeps new pods from the node, and evicts those that are there, once.
func (c *Cluster) Drain(node string) Drained {
	c.t.Helper()
	var drained Drained
	c.toNode("drain", node, &drained)
	return drained
}

// LoseNode takes the machine away without a word: the cluster has to find out.
func (c *Cluster) LoseNode(node string) {
	c.t.Helper()
	c.toNode("lose", node, &struct{}{})
}

func (c *Cluster) toNode(what, node string, answer any) {
	c.t.Helper()
	c.ask(http.MethodPost, "nodes/"+what, map[string]string{"node": node}, answer)
}

// Crash ends a component, "controller" or "scheduler", and begins a new one, which knows nothing.
func (c *Cluster) Crash(component string) {
	c.t.Helper()
	c.ask(http.MethodPost, "crash", map[string]string{"component": component}, &struct{}{})
}

// Why explains the state of a Job: "job/x", "team/job/x".
func (c *Cluster) Why(job string) string {
	c.t.Helper()
	var answer struct{ Why string }
	c.ask(http.MethodGet, "why?job="+url.QueryEscape(job), nil, &answer)
	return answer.Why
}

// Recording is what the controller has received so far: a file for stint replay --explain.
func (c *Cluster) Recording() []byte {
	c.t.Helper()
	recording, err := c.control.bytes(context.Background(), http.MethodGet, "recording", nil)
	must(c.t, err)
	return recording
}

func (c *Cluster) ask(method, what string, body, answer any) {
	c.t.Helper()
	must(c.t, c.control.ask(context.Background(), method, what, body, answer))
}

// report logs what the cluster knows of a test that has failed. It does not fail: the cluster may be why.
func (c *Cluster) report(folder string) {
	c.t.Helper()
	ctx := context.Background()
	var unsuccessful struct{ Jobs []JobReason }
	if err := c.control.ask(ctx, http.MethodGet, "unsuccessful", nil, &unsuccessful); err != nil {
		c.t.Logf("the cluster says nothing any more: %v", err)
		return
	}
	for _, job := range unsuccessful.Jobs {
		c.t.Logf("%s", strings.TrimSpace(job.Why))
	}
	if folder == "" {
		return
	}
	recording, err := c.control.bytes(ctx, http.MethodGet, "recording", nil)
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	path := filepath.Join(folder, unsafeInNames.ReplaceAllString(c.t.Name(), "-")+".stint.jsonl")
	if err == nil {
		err = os.WriteFile(path, recording, 0o600)
	}
	if err != nil {
		c.t.Logf("there is no recording: %v", err)
		return
	}
	c.t.Logf("what the controller received: stint replay --explain %s", path)
	if playground := os.Getenv("STINT_PLAYGROUND"); playground != "" {
		c.t.Logf("%s", inPlayground(playground, recording))
	}
}

// inPlayground is a link that contains the recording, so no server has to store it.
func inPlayground(playground string, recording []byte) string {
	var deflated bytes.Buffer
	// The level is one that there is, and a buffer takes everything.
	writer, _ := flate.NewWriter(&deflated, flate.BestCompression)
	_, _ = writer.Write(recording)
	_ = writer.Close()
	link := playground + "#r1/" + base64.RawURLEncoding.EncodeToString(deflated.Bytes())
	if len(link) > maxLinkLength {
		return "or open that file in the playground: " + playground
	}
	return link
}

var unsafeInNames = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
