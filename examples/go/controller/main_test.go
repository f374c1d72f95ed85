package main

// This file runs the example on `stint serve --no-controller`, from its kubeconfig to a Job's end.

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const repository = "../../.."

const job = `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"pi"},"spec":{"completions":3,
	"managedBy":"stint.dev/job-controller","template":{"metadata":{"annotations":{"stint.dev/simulate":
	"{\"runMs\":50}"}},"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"none"}]}}}}`

func TestTheExampleRunsAJob(t *testing.T) {
	kubeconfig := serve(t)
	t.Setenv("KUBECONFIG", kubeconfig)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		main()
	}()

	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	must(t, err)
	client, err := rest.HTTPClientFor(config)
	must(t, err)
	jobs := config.Host + "/apis/batch/v1/namespaces/default/jobs"
	created, err := client.Post(jobs, "application/json", strings.NewReader(job))
	must(t, err)
	created.Body.Close()
	for began := time.Now(); !isComplete(t, client, jobs+"/pi"); time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("the Job is not complete after a minute")
		}
	}
	// Ctrl-C ends it in good order: main returns.
	must(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	<-ended
}

func isComplete(t *testing.T, client *http.Client, url string) bool {
	t.Helper()
	answer, err := client.Get(url)
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	return strings.Contains(string(text), `"type":"Complete"`) && strings.Contains(string(text), `"succeeded":3`)
}

// serve starts an API server that ends with the test, and returns its kubeconfig.
func serve(t *testing.T) string {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	node := filepath.Join(repository, "node_modules", ".bin", "node")
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, node, filepath.Join(repository, "host-node", "cli", "main.ts"),
		"serve", "--no-controller", "--kubeconfig", kubeconfig)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	must(t, err)
	if err := command.Start(); err != nil {
		t.Fatalf("the server cannot start; run `npm start` in the repository first: %v", err)
	}
	t.Cleanup(func() {
		cancel()
		command.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "export KUBECONFIG") {
			go io.Copy(io.Discard, out)
			return kubeconfig
		}
	}
	t.Fatal("the server has ended")
	return ""
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
