// Command controller-runtime is an operator as many are: a manager of controller-runtime with its default settings and
// leader election, and a controller that runs a Job for each shard of a Sweep, writes its status, and cleans up behind
// a finalizer. It runs until SIGTERM. KUBECONFIG names the cluster, and NODE the node of the pods where no
// scheduler finds one.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "tests.stint.dev/cleanup"

func main() {
	ctrl.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		log.Fatal(err)
	}
	addToScheme(scheme)
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                  scheme,
		Metrics:                 server.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "sweeps.tests.stint.dev",
		LeaderElectionNamespace: "default",
	})
	if err != nil {
		log.Fatal(err)
	}
	sweeps := ctrl.NewControllerManagedBy(manager).For(&Sweep{}).Owns(&batchv1.Job{})
	err = sweeps.Complete(&reconciler{manager.GetClient()})
	if err != nil {
		log.Fatal(err)
	}
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		log.Fatal(err)
	}
}

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	sweep := &Sweep{}
	if err := r.Get(ctx, request.NamespacedName, sweep); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !sweep.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.cleanUp(ctx, sweep)
	}
	if controllerutil.AddFinalizer(sweep, finalizer) {
		return ctrl.Result{}, r.Update(ctx, sweep)
	}
	for shard := range sweep.Spec.Shards {
		if err := r.run(ctx, sweep, shard); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, r.report(ctx, sweep)
}

func (r *reconciler) run(ctx context.Context, sweep *Sweep, shard int32) error {
	name := fmt.Sprintf("%s-%d", sweep.Name, shard)
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: sweep.Namespace, Name: name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, job, func() error {
		if job.ResourceVersion == "" {
			job.Spec.Template.Spec = corev1.PodSpec{
				NodeName:      os.Getenv("NODE"),
				RestartPolicy: corev1.RestartPolicyNever,
				Containers:    []corev1.Container{{Name: "shard", Image: sweep.Spec.Image}},
			}
		}
		return controllerutil.SetControllerReference(sweep, job, r.Scheme())
	})
	return err
}

func (r *reconciler) report(ctx context.Context, sweep *Sweep) error {
	jobs := &batchv1.JobList{}
	if err := r.List(ctx, jobs, client.InNamespace(sweep.Namespace)); err != nil {
		return err
	}
	before := sweep.DeepCopyObject().(*Sweep)
	sweep.Status.Succeeded = 0
	for _, job := range jobs.Items {
		if metav1.IsControlledBy(&job, sweep) {
			sweep.Status.Succeeded += job.Status.Succeeded
		}
	}
	done := metav1.Condition{Type: "Done", Status: metav1.ConditionFalse, Reason: "Running"}
	done.ObservedGeneration = sweep.Generation
	if sweep.Status.Succeeded == sweep.Spec.Shards {
		done.Status, done.Reason = metav1.ConditionTrue, "AllShards"
	}
	meta.SetStatusCondition(&sweep.Status.Conditions, done)
	return r.Status().Patch(ctx, sweep, client.MergeFrom(before))
}

// cleanUp leaves a ConfigMap behind, which shows that the finalizer was honoured.
func (r *reconciler) cleanUp(ctx context.Context, sweep *Sweep) error {
	if !controllerutil.ContainsFinalizer(sweep, finalizer) {
		return nil
	}
	trace := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: sweep.Namespace, Name: sweep.Name + "-cleaned"}}
	if err := client.IgnoreAlreadyExists(r.Create(ctx, trace)); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(sweep, finalizer)
	return r.Update(ctx, sweep)
}
