// Package job is upstream's integration tests of the Job controller, with `stint controller` in place of upstream's
// controller. ../binaries.ts adds upstream's files to the package when it builds it. There it renames four functions,
// which this file has in their place: two start the controller, and two read its metrics.
//
// The controller is a process. It reaches the API server through a proxy in this process, which sends the requests with
// the transport of the test's configuration. So the proxy has the credentials, and a test can hold requests up.
package job

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	restclient "k8s.io/client-go/rest"
	basemetrics "k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"
	"k8s.io/klog/v2/ktesting"
	jobcontroller "k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/job/metrics"
	"k8s.io/kubernetes/pkg/features"

	// Upstream's own files need these. `go mod tidy` does not see those files.
	_ "github.com/google/go-cmp/cmp"
	_ "k8s.io/api/batch/v1"
	_ "k8s.io/kubernetes/cmd/kube-apiserver/app/testing"
	_ "k8s.io/kubernetes/test/integration/framework"
	_ "k8s.io/kubernetes/test/integration/util"
	_ "k8s.io/utils/ptr"
)

// commandVariable names the environment variable that has the command `stint`, as a list in JSON.
const commandVariable = "STINT_COMMAND"

// readyTimeout is for a machine that is busy.
const readyTimeout = time.Minute

// logLines is what a failed test tells of the log.
const logLines = 60

// eventDelay is how long the one test that transforms what its informers get holds up each Job.
const eventDelay = 2 * fastSyncJobBatchPeriod

// stintController has the methods of upstream's controller that tests call.
type stintController struct {
	tb      testing.TB
	flags   []string
	proxy   *http.Server
	log     string
	started chan struct{}
	stop    chan struct{}
	ended   chan struct{}

	// Set before started is closed.
	process *exec.Cmd
	url     string
}

func startJobControllerAndWaitForCaches(
	tb testing.TB, restConfig *restclient.Config, options ...informers.SharedInformerOption,
) (context.Context, context.CancelFunc) {
	tb.Helper()
	// The only option that a test gives is the transform that delays Jobs.
	var delay time.Duration
	if len(options) > 0 {
		delay = eventDelay
	}
	controller, ctx, cancel := newStintController(tb, restConfig, delay)
	go controller.Run(ctx, 1)
	controller.waitUntilReady(ctx)
	return ctx, cancel
}

// createJobControllerWithSharedInformers also asks for the informers that upstream's controller asks for, because tests
// read from them what the server has told.
func createJobControllerWithSharedInformers(
	tb testing.TB, restConfig *restclient.Config, informerSet informers.SharedInformerFactory,
) (*stintController, context.Context, context.CancelFunc) {
	tb.Helper()
	informerSet.Core().V1().Pods().Informer()
	informerSet.Batch().V1().Jobs().Informer()
	return newStintController(tb, restConfig, 0)
}

// newStintController makes a controller that [stintController.Run] starts. Its settings are what upstream's variables
// are now. The function that it returns kills the controller, as a crash would.
func newStintController(
	tb testing.TB, restConfig *restclient.Config, delay time.Duration,
) (*stintController, context.Context, context.CancelFunc) {
	tb.Helper()
	folder, err := os.MkdirTemp("", "stint-controller-")
	if err != nil {
		tb.Fatal(err)
	}
	proxy, address, err := startProxy(restclient.CopyConfig(restConfig), delay)
	if err != nil {
		tb.Fatalf("Error starting the proxy of the Job controller: %v", err)
	}
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if err := os.WriteFile(kubeconfig, []byte(kubeconfigOf(address)), 0o600); err != nil {
		tb.Fatal(err)
	}
	controller := &stintController{
		tb:      tb,
		flags:   flagsOf(kubeconfig, restConfig),
		proxy:   proxy,
		log:     filepath.Join(folder, "log"),
		started: make(chan struct{}),
		stop:    make(chan struct{}),
		ended:   make(chan struct{}),
	}
	_, ctx := ktesting.NewTestContext(tb)
	ctx, cancel := context.WithCancel(ctx)
	tb.Cleanup(func() { controller.tellLog() })
	return controller, ctx, sync.OnceFunc(func() {
		controller.end()
		cancel()
	})
}

func flagsOf(kubeconfig string, restConfig *restclient.Config) []string {
	flags := []string{
		"controller", "--default-controller", "--ttl-after-finished=false", "--leader-elect=false",
		"--log-level=debug", "--listen=127.0.0.1:0", "--kubeconfig=" + kubeconfig,
		fmt.Sprintf("--kube-api-qps=%d", int(restConfig.QPS)),
		fmt.Sprintf("--kube-api-burst=%d", restConfig.Burst),
		fmt.Sprintf("--sync-batch-period=%dms", jobcontroller.SyncJobBatchPeriod.Milliseconds()),
		fmt.Sprintf("--pod-backoff-base=%dms", jobcontroller.DefaultJobPodFailureBackOff.Milliseconds()),
		fmt.Sprintf("--pod-backoff-max=%dms", jobcontroller.MaxJobPodFailureBackOff.Milliseconds()),
		fmt.Sprintf("--max-uncounted-pods=%d", jobcontroller.MaxUncountedPods),
		fmt.Sprintf("--max-pods-per-sync=%d", jobcontroller.MaxPodCreateDeletePerSync),
	}
	if feature.DefaultFeatureGate.Enabled(features.WorkloadWithJob) {
		flags = append(flags, "--feature-gates=WorkloadWithJob=true")
	}
	return flags
}

// kubeconfigOf is JSON, which is YAML.
func kubeconfigOf(address string) string {
	return fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "test",
 "clusters": [{"name": "test", "cluster": {"server": "http://%s", "insecure-skip-tls-verify": true}}],
 "users": [{"name": "test", "user": {}}],
 "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}]}`, address)
}

// Run starts the controller, and returns when it has ended or the context has.
func (controller *stintController) Run(ctx context.Context, _ int) {
	var command []string
	if err := json.Unmarshal([]byte(os.Getenv(commandVariable)), &command); err != nil || len(command) == 0 {
		panic(fmt.Sprintf("%s is %q, and no list of words in JSON", commandVariable, os.Getenv(commandVariable)))
	}
	defer close(controller.ended)
	select {
	case <-controller.stop:
		return
	default:
	}
	process := exec.Command(command[0], append(command[1:], controller.flags...)...)
	if err := controller.follow(process); err != nil {
		controller.tb.Errorf("Error running the Job controller: %v", err)
	}
}

// follow runs the process to its end. Whoever started the tests kills what has a file with its process ID.
func (controller *stintController) follow(process *exec.Cmd) error {
	log, err := os.Create(controller.log)
	if err != nil {
		return err
	}
	defer log.Close()
	output, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	process.Stderr = log
	if err := process.Start(); err != nil {
		return err
	}
	pidFile := filepath.Join(os.TempDir(), fmt.Sprintf("stint-controller-%d.pid", process.Process.Pid))
	defer os.Remove(pidFile)
	if err := os.WriteFile(pidFile, fmt.Append(nil, process.Process.Pid), 0o600); err != nil {
		return errors.Join(err, process.Process.Kill(), process.Wait())
	}
	go func() {
		<-controller.stop
		_ = process.Process.Kill()
	}()
	lines := bufio.NewReader(io.TeeReader(output, log))
	first, _ := lines.ReadBytes('\n')
	var said struct{ URL string }
	if json.Unmarshal(first, &said) == nil && said.URL != "" {
		controller.process, controller.url = process, said.URL
		counters.add(controller)
		close(controller.started)
	}
	_, _ = io.Copy(io.Discard, lines)
	err = process.Wait()
	select {
	case <-controller.stop:
		return nil
	default:
		return fmt.Errorf("it ended by itself: %w", err)
	}
}

// waitUntilReady returns when the controller has listed everything.
func (controller *stintController) waitUntilReady(ctx context.Context) {
	controller.tb.Helper()
	select {
	case <-controller.started:
	case <-controller.ended:
		controller.tb.Fatal("The Job controller ended before it was ready")
	case <-time.After(readyTimeout):
		controller.tb.Fatal("Timed out waiting for the Job controller to start")
	}
	err := wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, readyTimeout, true, func(context.Context) (bool, error) {
		_, err := get(controller.url + "/readyz")
		return err == nil, nil
	})
	if err != nil {
		controller.tb.Fatalf("Error waiting for the Job controller to be ready: %v", err)
	}
}

// end kills the controller, and keeps what it has counted.
func (controller *stintController) end() {
	counters.remove(controller)
	close(controller.stop)
	<-controller.ended
	_ = controller.proxy.Close()
}

func (controller *stintController) tellLog() {
	if !controller.tb.Failed() {
		return
	}
	text, err := os.ReadFile(controller.log)
	if err != nil {
		controller.tb.Logf("The Job controller has no log: %v", err)
		return
	}
	lines := strings.SplitAfter(string(text), "\n")
	controller.tb.Logf("The Job controller:\n%s", strings.Join(lines[max(0, len(lines)-logLines):], ""))
}

// startProxy serves the API server of a configuration on loopback, without encryption or credentials.
func startProxy(config *restclient.Config, delay time.Duration) (*http.Server, string, error) {
	transport, err := restclient.TransportFor(config)
	if err != nil {
		return nil, "", err
	}
	target, _, err := restclient.DefaultServerUrlFor(config)
	if err != nil {
		return nil, "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	server := &http.Server{Handler: &httputil.ReverseProxy{
		Transport: transport,
		// An event of a watch goes on at once.
		FlushInterval: -1,
		Rewrite:       func(request *httputil.ProxyRequest) { request.SetURL(target) },
		ModifyResponse: func(response *http.Response) error {
			if delay > 0 && response.Request.URL.Path == "/apis/batch/v1/jobs" {
				response.Body = &delayedBody{ReadCloser: response.Body, delay: delay}
			}
			return nil
		},
	}}
	go func() { _ = server.Serve(listener) }()
	return server, listener.Addr().String(), nil
}

// delayedBody is a body whose every part comes late.
type delayedBody struct {
	io.ReadCloser
	delay time.Duration
}

func (body *delayedBody) Read(bytes []byte) (int, error) {
	count, err := body.ReadCloser.Read(bytes)
	time.Sleep(body.delay)
	return count, err
}

// counters are the metrics of all controllers since the last reset. Upstream's are variables of the process, so they
// outlive a controller.
var counters = &counterSums{running: map[*stintController]struct{}{}, ended: map[string]float64{}}

type counterSums struct {
	lock    sync.Mutex
	running map[*stintController]struct{}
	// By the names of series, as seriesOf makes them.
	ended map[string]float64
	base  map[string]float64
}

func (sums *counterSums) add(controller *stintController) {
	sums.lock.Lock()
	defer sums.lock.Unlock()
	sums.running[controller] = struct{}{}
}

func (sums *counterSums) remove(controller *stintController) {
	sums.lock.Lock()
	defer sums.lock.Unlock()
	if _, isRunning := sums.running[controller]; !isRunning {
		return
	}
	delete(sums.running, controller)
	addCounters(sums.ended, controller)
}

func (sums *counterSums) reset() {
	sums.lock.Lock()
	defer sums.lock.Unlock()
	sums.base = sums.sum()
}

func (sums *counterSums) value(series string) float64 {
	sums.lock.Lock()
	defer sums.lock.Unlock()
	return sums.sum()[series] - sums.base[series]
}

func (sums *counterSums) sum() map[string]float64 {
	sum := maps.Clone(sums.ended)
	for controller := range sums.running {
		addCounters(sum, controller)
	}
	return sum
}

// addCounters asks the controller for its metrics. One that does not answer has ended, and its test fails for that.
func addCounters(sum map[string]float64, controller *stintController) {
	text, err := get(controller.url + "/metrics")
	if err != nil {
		return
	}
	parsed := testutil.NewMetrics()
	if err := testutil.ParseMetrics(text, &parsed); err != nil {
		controller.tb.Errorf("Error parsing the metrics of the Job controller: %v", err)
	}
	for name, samples := range parsed {
		for _, sample := range samples {
			labels := map[string]string{}
			for label, value := range sample.Metric {
				if label != testutil.MetricNameLabel {
					labels[string(label)] = string(value)
				}
			}
			sum[seriesOf(name, labels)] += float64(sample.Value)
		}
	}
}

// seriesOf is the same for the same labels: fmt prints maps in the order of their keys.
func seriesOf(name string, labels map[string]string) string {
	return fmt.Sprintf("%s %q", name, labels)
}

func resetMetrics() {
	counters.reset()
}

func validateCounterMetric(
	ctx context.Context, t *testing.T, counterVec *basemetrics.CounterVec, wantMetric metricLabelsWithValue,
) {
	t.Helper()
	series := upstreamSeries(t, counterVec, wantMetric.Labels)
	var got float64
	err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, 10*time.Second, true,
		func(context.Context) (bool, error) {
			got = counters.value(series)
			return int(got) == wantMetric.Value, nil
		})
	if err != nil {
		t.Errorf("The metric %s is %v, want %d: %v", series, got, wantMetric.Value, err)
	}
}

// upstreamSeries is the series that upstream's own counter with these labels would be.
func upstreamSeries(t *testing.T, counterVec *basemetrics.CounterVec, values []string) string {
	t.Helper()
	// Before that a counter has no labels.
	metrics.Register()
	var written dto.Metric
	if err := counterVec.WithLabelValues(values...).(basemetrics.Metric).Write(&written); err != nil {
		t.Fatalf("Error asking upstream's metric for its labels: %v", err)
	}
	labels := map[string]string{}
	for _, pair := range written.GetLabel() {
		labels[pair.GetName()] = pair.GetValue()
	}
	name := basemetrics.BuildFQName(counterVec.Namespace, counterVec.Subsystem, counterVec.Name)
	return seriesOf(name, labels)
}

// get returns the body of a page that is there.
func get(url string) (string, error) {
	response, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s was answered %s", url, response.Status)
	}
	return string(body), err
}
