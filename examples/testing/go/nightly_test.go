package nightly

import (
	"context"
	"testing"
	"time"

	"github.com/stint-dev/stint/bindings/go/stinttest"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// start gives a test its own cluster, with the reconciler running on it.
func start(t *testing.T) (*stinttest.Cluster, client.Client) {
	t.Helper()
	cluster := stinttest.Start(t)
	severalOfOneName := true // Each test has its own manager.
	manager, err := ctrl.NewManager(cluster.Config, ctrl.Options{
		Metrics:    server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: &severalOfOneName},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := SetUp(manager); err != nil {
		t.Fatal(err)
	}
	jobs, err := client.New(cluster.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(t.Context()) }()
	t.Cleanup(func() { <-ended })
	return cluster, jobs
}

func create(t *testing.T, jobs client.Client, job *batchv1.Job) {
	t.Helper()
	if err := jobs.Create(t.Context(), job); err != nil {
		t.Fatal(err)
	}
}

// eventually waits, in real time, until the reconciler has seen what has happened.
func eventually(t *testing.T, jobs client.Client, name string) {
	t.Helper()
	key := client.ObjectKey{Namespace: "default", Name: name}
	isThere := func(ctx context.Context) (bool, error) { return jobs.Get(ctx, key, &batchv1.Job{}) == nil, nil }
	if err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 10*time.Second, true, isThere); err != nil {
		t.Fatalf("there is no Job %s: %v", name, err)
	}
}

func TestFullBackupFollowsAFailedOne(t *testing.T) {
	cluster, jobs := start(t)
	cluster.Outcomes("job/monday", stinttest.Outcome{"exitCode": 3})
	create(t, jobs, Backup("default", "monday", "incremental"))
	cluster.Until("monday", "Failed") // Two retries, 30 s of back-off: at once.
	eventually(t, jobs, "monday-full")
	cluster.Until("monday-full", "Complete")
}

func TestRetriedBackupNeedsNoFullOne(t *testing.T) {
	cluster, jobs := start(t)
	create(t, jobs, Backup("default", "monday", "incremental"))
	cluster.FailPods("job/monday", stinttest.ExitCode(3))
	cluster.Until("monday", "Complete")
	create(t, jobs, Backup("default", "tuesday", "incremental"))
	cluster.Outcomes("job/wednesday", stinttest.Outcome{"exitCode": 3})
	create(t, jobs, Backup("default", "wednesday", "incremental"))
	cluster.UntilIdle()
	eventually(t, jobs, "wednesday-full") // So the reconciler has seen the others, too.
	for _, name := range []string{"monday-full", "tuesday-full"} {
		if err := jobs.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: name}, &batchv1.Job{}); err == nil {
			t.Errorf("there is a Job %s", name)
		}
	}
}
