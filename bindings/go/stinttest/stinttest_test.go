package stinttest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stint-dev/stint/bindings/go/stinttest"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// The command of this repository.
func TestMain(m *testing.M) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		panic(err)
	}
	if os.Getenv("STINT_COMMAND") == "" {
		os.Setenv("STINT_COMMAND", root+"/node_modules/.bin/node "+root+"/dist/stint.mjs")
	}
	os.Exit(m.Run())
}

func job(name string, change func(*batchv1.JobSpec)) *batchv1.Job {
	spec := batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers:    []corev1.Container{{Name: "main", Image: "example.com/none:1"}},
	}}}
	if change != nil {
		change(&spec)
	}
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
}

func create(t *testing.T, cluster *stinttest.Cluster, job *batchv1.Job) {
	t.Helper()
	_, err := client(cluster).Create(t.Context(), job, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

func statusOf(t *testing.T, cluster *stinttest.Cluster, name string) batchv1.JobStatus {
	t.Helper()
	job, err := client(cluster).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return job.Status
}

func client(cluster *stinttest.Cluster) interface {
	Create(context.Context, *batchv1.Job, metav1.CreateOptions) (*batchv1.Job, error)
	Get(context.Context, string, metav1.GetOptions) (*batchv1.Job, error)
} {
	return kubernetes.NewForConfigOrDie(cluster.Config).BatchV1().Jobs("default")
}

func pointer[T any](value T) *T { return &value }

func TestCluster(t *testing.T) {
	shared := stinttest.Start(t)

	t.Run("time moves when the test moves it", func(t *testing.T) {
		cluster := shared.For(t)
		create(t, cluster, job("time", nil))
		if pods := cluster.Pods("job/time"); len(pods) != 1 || pods[0].Phase != "Running" || pods[0].Node != "stint" {
			t.Fatalf("the pods are %+v", pods)
		}
		before := cluster.Now()
		if moved := cluster.Advance(90 * time.Second).Sub(before); moved != 90*time.Second {
			t.Errorf("time has moved by %v", moved)
		}
		if status := statusOf(t, cluster, "time"); status.Succeeded != 1 {
			t.Errorf("the status is %+v", status)
		}
	})

	t.Run("pods end as the test says", func(t *testing.T) {
		cluster := shared.For(t)
		create(t, cluster, job("indexed", func(spec *batchv1.JobSpec) {
			spec.CompletionMode = pointer(batchv1.IndexedCompletion)
			spec.Completions, spec.Parallelism = pointer[int32](3), pointer[int32](3)
			spec.BackoffLimitPerIndex = pointer[int32](0)
		}))
		failed := cluster.FailPods("job/indexed", stinttest.Index(2), stinttest.ExitCode(3), stinttest.Reason("OOMKilled"))
		if len(failed) != 1 || failed[0].Index == nil || *failed[0].Index != 2 {
			t.Errorf("the pods that fail are %+v", failed)
		}
		cluster.SucceedPods("job/indexed", stinttest.Index(0), stinttest.Container("main"))
		if waiting := cluster.UntilIdle(); len(waiting) != 0 {
			t.Errorf("%+v still wait", waiting)
		}
		status := statusOf(t, cluster, "indexed")
		if status.CompletedIndexes != "0,1" || *status.FailedIndexes != "2" {
			t.Errorf("the status is %+v", status)
		}
		if why := cluster.Why("job/indexed"); !strings.Contains(why, "exit code 3, OOMKilled") {
			t.Error(why)
		}
	})

	t.Run("outcomes hold for later pods", func(t *testing.T) {
		cluster := shared.For(t)
		cluster.Outcomes("job/later", stinttest.Outcome{"exitCodes": []int{1, 0}, "runMs": 1000})
		create(t, cluster, job("later", nil))
		before := cluster.Now()
		if took := cluster.Until("later", "Complete").Sub(before); took < 10*time.Second {
			t.Errorf("it took %v", took)
		}
		cluster.Outcomes("job/later", nil)
	})

	t.Run("a wait for what can no longer come ends at once", func(t *testing.T) {
		cluster := shared.For(t)
		cluster.Outcomes("job/unlucky", stinttest.Outcome{"exitCode": 3})
		create(t, cluster, job("unlucky", func(spec *batchv1.JobSpec) { spec.BackoffLimit = pointer[int32](0) }))
		cluster.Until("unlucky", "Failed")
		cluster.Outcomes("job/unlucky", nil)
		before := cluster.Now()
		said := saysBeforeItEnds(t, func(fake testing.TB) { shared.For(fake).Until("unlucky", "Complete") })
		for _, part := range []string{"is Failed (BackoffLimitExceeded), so Complete cannot come", "exit code 3"} {
			if !strings.Contains(said, part) {
				t.Errorf("%q does not say %q", said, part)
			}
		}
		if now := cluster.Now(); !now.Equal(before) {
			t.Errorf("the time went from %v to %v", before, now)
		}
		said = saysBeforeItEnds(t, func(fake testing.TB) { shared.For(fake).Until("unlucky", "Succeeded") })
		if !strings.Contains(said, "allowed are those of a Job: Complete, Failed, Suspended") {
			t.Errorf("the refusal of an unknown condition is %q", said)
		}
	})

	t.Run("what breaks is overcome", func(t *testing.T) {
		cluster := shared.For(t)
		create(t, cluster, job("faults", func(spec *batchv1.JobSpec) { spec.BackoffLimit = pointer[int32](100) }))
		cluster.HangPods("job/faults")
		if waiting := cluster.UntilIdle(); len(waiting) != 1 || waiting[0].Job != "faults" {
			t.Errorf("%+v wait", waiting)
		}
		drained := cluster.Drain("stint")
		if !slices.ContainsFunc(drained.Evicted, func(pod string) bool { return strings.HasPrefix(pod, "faults-") }) {
			t.Errorf("drained are %+v", drained)
		}
		cluster.Uncordon("stint")
		cluster.Cordon("stint")
		cluster.Uncordon("stint")
		cluster.Crash("controller")
		cluster.Advance(15 * time.Minute)
		if status := statusOf(t, cluster, "faults"); status.Succeeded != 1 || status.Failed != 1 {
			t.Errorf("the status is %+v", status)
		}
	})

	t.Run("the recording can be replayed", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "recording.jsonl")
		if err := os.WriteFile(path, shared.For(t).Recording(), 0o600); err != nil {
			t.Fatal(err)
		}
		words := append(strings.Fields(os.Getenv("STINT_COMMAND")), "replay", path)
		if said, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
	})
}

// fakeTest is a test that has failed, or that something ends.
type fakeTest struct {
	testing.TB
	cleanups []func()
	failed   bool
	log      []string
}

func (f *fakeTest) Cleanup(cleanup func()) { f.cleanups = append(f.cleanups, cleanup) }
func (f *fakeTest) Failed() bool           { return f.failed }
func (f *fakeTest) Name() string           { return "TestImport/of a file" }

func (f *fakeTest) Logf(format string, values ...any) {
	f.log = append(f.log, strings.TrimSpace(fmt.Sprintf(format, values...)))
}

func (f *fakeTest) Fatal(values ...any) {
	f.failed = true
	f.log = append(f.log, fmt.Sprint(values...))
	panic(f)
}

func (f *fakeTest) end() {
	for _, cleanup := range slices.Backward(f.cleanups) {
		cleanup()
	}
}

func TestFailedTestSaysWhy(t *testing.T) {
	fake := &fakeTest{TB: t}
	folder := t.TempDir()
	t.Setenv("STINT_RECORDINGS", folder)
	t.Setenv("STINT_PLAYGROUND", "http://localhost:8000")
	cluster := stinttest.Start(fake)
	create(t, cluster, job("import", func(spec *batchv1.JobSpec) { spec.BackoffLimit = pointer[int32](0) }))
	cluster.FailPods("job/import")
	cluster.UntilIdle()
	fake.failed = true
	fake.end()
	log := strings.Join(fake.log, "\n")
	path := filepath.Join(folder, "TestImport-of-a-file.stint.jsonl")
	replay := "stint replay --explain " + path
	account := " has failed: container main exited (exit code 1, Error)"
	link := "http://localhost:8000#r1/"
	for _, part := range []string{"job import  Failed", "BackoffLimitExceeded", account, replay, link} {
		if !strings.Contains(log, part) {
			t.Errorf("the log does not say %q:\n%s", part, log)
		}
	}
	if written, err := os.ReadFile(path); err != nil || len(written) == 0 {
		t.Errorf("there is no recording: %v", err)
	}
}

func TestNodesAndSeed(t *testing.T) {
	start := func(seed int) (names, nodes []string) {
		cluster := stinttest.Start(t, stinttest.WithNodes(2), stinttest.WithSeed(seed))
		create(t, cluster, job("drawn", func(spec *batchv1.JobSpec) {
			spec.Completions, spec.Parallelism = pointer(int32(2)), pointer(int32(2))
		}))
		for _, pod := range cluster.Pods("job/drawn") {
			names, nodes = append(names, pod.Name), append(nodes, pod.Node)
		}
		slices.Sort(nodes)
		return names, nodes
	}
	names, nodes := start(7)
	if again, _ := start(7); !slices.Equal(again, names) {
		t.Errorf("the same seed gave %v, and then %v", names, again)
	}
	if other, _ := start(8); slices.Equal(other, names) {
		t.Errorf("another seed gave the same names: %v", names)
	}
	if !slices.Equal(nodes, []string{"node-1", "node-2"}) {
		t.Errorf("the pods are on %v", nodes)
	}
}

func TestRealClock(t *testing.T) {
	cluster := stinttest.Start(t, stinttest.WithRealClock())
	cluster.Outcomes("job/short", stinttest.Outcome{"runMs": 1})
	create(t, cluster, job("short", nil))
	deadline := time.Now().Add(30 * time.Second)
	for statusOf(t, cluster, "short").CompletionTime == nil {
		if time.Now().After(deadline) {
			t.Fatalf("the Job is not complete: %s", cluster.Why("short"))
		}
		time.Sleep(10 * time.Millisecond)
	}
	said := saysBeforeItEnds(t, func(fake testing.TB) { cluster.For(fake).Advance(time.Minute) })
	if !strings.Contains(said, "this cluster runs on real time") {
		t.Error(said)
	}
}

func TestTestThatPassesLeavesNothing(t *testing.T) {
	fake := &fakeTest{TB: t}
	folder := filepath.Join(t.TempDir(), "recordings")
	cluster := stinttest.Start(fake, stinttest.WithRecordings(folder))
	fake.end()
	if _, err := os.Stat(cluster.Kubeconfig); !os.IsNotExist(err) {
		t.Errorf("the kubeconfig is still there: %v", err)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) || len(fake.log) != 0 {
		t.Errorf("it left %v, and said %v", err, fake.log)
	}
}

// saysBeforeItEnds gives what a test says that something ends.
func saysBeforeItEnds(t *testing.T, run func(testing.TB)) string {
	t.Helper()
	fake := &fakeTest{TB: t}
	defer fake.end()
	func() {
		defer func() {
			if ended := recover(); ended != nil && ended != any(fake) {
				panic(ended)
			}
		}()
		run(fake)
		t.Error("nothing has ended the test")
	}()
	fake.failed = false
	return strings.Join(fake.log, "\n")
}

func TestRefusalsSayWhatIsAllowed(t *testing.T) {
	said := saysBeforeItEnds(t, func(fake testing.TB) { stinttest.Start(fake).Why("missing") })
	if !strings.Contains(said, "there is no Job missing in namespace default") {
		t.Error(said)
	}
	said = saysBeforeItEnds(t, func(fake testing.TB) {
		stinttest.Start(fake, stinttest.WithServeOptions("--no-such-option"))
	})
	if !strings.Contains(said, "stint: unknown option '--no-such-option'") {
		t.Error(said)
	}
	said = saysBeforeItEnds(t, func(fake testing.TB) {
		stinttest.Start(fake, stinttest.WithCommand("no-such-command"))
	})
	if !strings.Contains(said, "no-such-command cannot be started") {
		t.Error(said)
	}
}

func TestCommandIsFound(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("STINT_COMMAND", "")
	t.Setenv("PATH", "")
	t.Chdir(folder)
	said := saysBeforeItEnds(t, func(fake testing.TB) { stinttest.Start(fake) })
	if !strings.Contains(said, "npm install --save-dev @stint-dev/stint") {
		t.Error(said)
	}
	inside := filepath.Join(folder, "node_modules", ".bin")
	if err := os.MkdirAll(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inside, "stint"), []byte("#!/bin/sh\necho found\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	said = saysBeforeItEnds(t, func(fake testing.TB) { stinttest.Start(fake) })
	if !strings.Contains(said, "node_modules/.bin/stint serve") ||
		!strings.Contains(said, " ended with exit status 0 before it served; it said: found") {
		t.Error(said)
	}
}
