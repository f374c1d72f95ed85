// Package operator runs a Job for each Import, one pod for each of its files, and says in the status how it went.
package operator

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Reconciler brings the Job and the status of an Import about.
type Reconciler struct{ client.Client }

// SetUp adds the reconciler to a manager.
func SetUp(manager ctrl.Manager) error {
	imports := ctrl.NewControllerManagedBy(manager).For(&Import{}).Owns(&batchv1.Job{})
	return imports.Complete(&Reconciler{manager.GetClient()})
}

// Reconcile looks at one Import.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	wanted := &Import{}
	if err := r.Get(ctx, request.NamespacedName, wanted); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: wanted.Namespace, Name: wanted.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, job, func() error {
		if job.ResourceVersion == "" {
			job.Spec = specOf(wanted)
		}
		return controllerutil.SetControllerReference(wanted, job, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	before := wanted.DeepCopyObject().(*Import)
	wanted.Status = statusOf(job)
	if wanted.Status == before.Status {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Status().Patch(ctx, wanted, client.MergeFrom(before))
}

// specOf gives each file one pod, and one more when that has failed. One bad file does not stop the others.
func specOf(wanted *Import) batchv1.JobSpec {
	mode, retries := batchv1.IndexedCompletion, int32(1)
	return batchv1.JobSpec{
		CompletionMode:       &mode,
		Completions:          &wanted.Spec.Files,
		Parallelism:          &wanted.Spec.Files,
		BackoffLimitPerIndex: &retries,
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "import", Image: "example.com/import:1"}},
		}},
	}
}

func statusOf(job *batchv1.Job) ImportStatus {
	status := ImportStatus{Phase: "Running"}
	if job.Status.FailedIndexes != nil {
		status.FailedFiles = *job.Status.FailedIndexes
	}
	for _, condition := range job.Status.Conditions {
		if condition.Status != corev1.ConditionTrue {
			continue
		}
		switch condition.Type {
		case batchv1.JobComplete:
			status.Phase = "Done"
		case batchv1.JobFailed:
			status.Phase = "Failed"
		}
	}
	return status
}
