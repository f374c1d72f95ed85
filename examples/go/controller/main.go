// A Job controller in Go: it runs the Jobs with `managedBy: stint.dev/job-controller` until it is interrupted, in the
// cluster that $KUBECONFIG names, else in the one that its own pod is in. Its argument is the engine, a file.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	stint "stint.dev/stint/bindings/go"
	"stint.dev/stint/bindings/go/controller"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	wasm, err := os.ReadFile(os.Args[1])
	check(err)
	module, err := stint.Compile(ctx, wasm)
	check(err)
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	client, err := rest.HTTPClientFor(config)
	check(err)
	check(controller.Run(ctx, controller.Config{Module: module, Host: config.Host, Client: client}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
