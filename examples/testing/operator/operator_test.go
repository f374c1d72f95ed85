package operator

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stint-dev/stint/bindings/go/stinttest"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"
)

// start gives a test its own cluster, which has the kind Import, with the operator running on it.
func start(t *testing.T) (*stinttest.Cluster, client.Client) {
	t.Helper()
	cluster := stinttest.Start(t)
	scheme := runtime.NewScheme()
	AddToScheme(scheme)
	must(t, clientgoscheme.AddToScheme(scheme))
	define(t, cluster)
	api, err := client.New(cluster.Config, client.Options{Scheme: scheme})
	must(t, err)
	severalOfOneName := true // Each test has its own manager.
	manager, err := ctrl.NewManager(cluster.Config, ctrl.Options{
		Scheme:     scheme,
		Metrics:    server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: &severalOfOneName},
	})
	must(t, err)
	must(t, SetUp(manager))
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(t.Context()) }()
	t.Cleanup(func() { <-ended })
	return cluster, api
}

// define stores crd.yaml. The kind is served at once.
func define(t *testing.T, cluster *stinttest.Cluster) {
	t.Helper()
	text, err := os.ReadFile("crd.yaml")
	must(t, err)
	definition := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal(text, &definition.Object))
	api, err := client.New(cluster.Config, client.Options{})
	must(t, err)
	must(t, api.Create(t.Context(), definition))
}

func create(t *testing.T, api client.Client, name string, files int32) {
	t.Helper()
	wanted := &Import{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: ImportSpec{Files: files}}
	must(t, api.Create(t.Context(), wanted))
	eventually(t, "the Job", func(ctx context.Context) bool { return api.Get(ctx, key(name), &batchv1.Job{}) == nil })
}

func key(name string) client.ObjectKey { return client.ObjectKey{Namespace: "default", Name: name} }

// becomes waits, in real time, until the operator has seen what has happened.
func becomes(t *testing.T, api client.Client, name string, status ImportStatus) {
	t.Helper()
	found := &Import{}
	defer func() {
		if t.Failed() {
			t.Logf("the status of the import is %+v", found.Status)
		}
	}()
	eventually(t, "the status", func(ctx context.Context) bool {
		return api.Get(ctx, key(name), found) == nil && found.Status == status
	})
}

func eventually(t *testing.T, what string, isSo func(context.Context) bool) {
	t.Helper()
	test := func(ctx context.Context) (bool, error) { return isSo(ctx), nil }
	if err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 10*time.Second, true, test); err != nil {
		t.Fatalf("%s has not come: %v", what, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestImportIsDone(t *testing.T) {
	cluster, api := start(t)
	create(t, api, "customers", 3)
	becomes(t, api, "customers", ImportStatus{Phase: "Running"})
	cluster.FailPods("job/customers", stinttest.Index(1)) // It is tried again.
	cluster.Until("customers", "Complete")
	becomes(t, api, "customers", ImportStatus{Phase: "Done"})
}

func TestImportWithABadFileHasFailed(t *testing.T) {
	cluster, api := start(t)
	cluster.Outcomes("job/customers", stinttest.Outcome{"byIndex": map[string]any{"1": map[string]any{"exitCode": 3}}})
	create(t, api, "customers", 3)
	cluster.Until("customers", "Failed")
	becomes(t, api, "customers", ImportStatus{Phase: "Failed", FailedFiles: "1"})
}
