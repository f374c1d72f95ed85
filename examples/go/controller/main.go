// A Job controller in Go: it runs the Jobs with `managedBy: stint.dev/job-controller` until it is interrupted, in the
// cluster that $KUBECONFIG names, else in the one that its own pod is in.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stint-dev/stint/bindings/go/controller"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	client, err := rest.HTTPClientFor(config)
	check(err)
	check(controller.Run(ctx, controller.Config{Host: config.Host, Client: client}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
