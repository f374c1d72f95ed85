package operator

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stint-dev/stint/bindings/go/stinttest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// serveUnlessGiven starts `stint serve` and names it to envtest, unless the environment names a cluster already.
func serveUnlessGiven(t *testing.T) {
	t.Helper()
	if os.Getenv("USE_EXISTING_CLUSTER") == "true" {
		return
	}
	cluster := stinttest.Start(t, stinttest.WithRealClock())
	t.Setenv("USE_EXISTING_CLUSTER", "true")
	t.Setenv("KUBECONFIG", cluster.Kubeconfig)
}

// startSuite is that of any suite with envtest: it installs the kind and the webhook, and runs a manager with both. The
// namespace is a new one, as the cluster may have had a suite before.
func startSuite(t *testing.T) (api client.Client, namespace string) {
	t.Helper()
	environment := &envtest.Environment{
		CRDDirectoryPaths:     []string{"crd.yaml"},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{"webhook.yaml"}},
	}
	restConfig, err := environment.Start()
	must(t, err)
	t.Cleanup(func() { must(t, environment.Stop()) })
	scheme := runtime.NewScheme()
	AddToScheme(scheme)
	must(t, clientgoscheme.AddToScheme(scheme))
	serving := environment.WebhookInstallOptions
	severalOfOneName := true // Each test has its own manager.
	manager, err := ctrl.NewManager(restConfig, ctrl.Options{
		Scheme:     scheme,
		Metrics:    server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: &severalOfOneName},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: serving.LocalServingHost, Port: serving.LocalServingPort, CertDir: serving.LocalServingCertDir,
		}),
	})
	must(t, err)
	must(t, SetUp(manager))
	must(t, SetUpWebhook(manager))
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(t.Context()) }()
	t.Cleanup(func() { must(t, <-ended) })
	isServing := manager.GetWebhookServer().StartedChecker()
	eventually(t, "the webhook", func(context.Context) bool { return isServing(nil) == nil })

	api, err = client.New(restConfig, client.Options{Scheme: scheme})
	must(t, err)
	own := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "imports-"}}
	must(t, api.Create(t.Context(), own))
	return api, own.Name
}

func TestImportInEnvtest(t *testing.T) {
	serveUnlessGiven(t)
	api, namespace := startSuite(t)
	wanted := &Import{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "customers"}, Spec: ImportSpec{Files: 3}}
	must(t, api.Create(t.Context(), wanted))

	t.Run("is done when the pods of its Job have succeeded", func(t *testing.T) {
		eventually(t, "the phase Done", func(ctx context.Context) bool {
			return api.Get(ctx, client.ObjectKeyFromObject(wanted), wanted) == nil && wanted.Status.Phase == "Done"
		})
	})
	t.Run("keeps its number of files", func(t *testing.T) {
		changed := &Import{}
		must(t, api.Get(t.Context(), client.ObjectKeyFromObject(wanted), changed))
		changed.Spec.Files = 4
		err := api.Update(t.Context(), changed)
		if err == nil || !strings.Contains(err.Error(), `admission webhook "imports.example.com" denied the request`) ||
			!strings.Contains(err.Error(), "spec.files is 3 and cannot become 4") {
			t.Fatalf("the update of spec.files is answered with %v, not with the refusal of the webhook", err)
		}
	})
}
