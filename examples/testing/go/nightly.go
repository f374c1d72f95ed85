// Package nightly follows backups that are Jobs: when an incremental one has failed for good, it starts a full one. It
// is a controller of controller-runtime.
package nightly

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const fallbackSuffix = "-full"

// Reconciler starts a full backup for each incremental one that has failed.
type Reconciler struct{ client.Client }

// SetUp adds the reconciler to a manager.
func SetUp(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).For(&batchv1.Job{}).Complete(&Reconciler{manager.GetClient()})
}

// Reconcile looks at one Job.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	job := &batchv1.Job{}
	if err := r.Get(ctx, request.NamespacedName, job); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if job.Labels["backup"] != "incremental" || !hasFailed(job) {
		return ctrl.Result{}, nil
	}
	err := r.Create(ctx, Backup(job.Namespace, job.Name+fallbackSuffix, "full"))
	if apierrors.IsAlreadyExists(err) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, err
}

func hasFailed(job *batchv1.Job) bool {
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobFailed && condition.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// Backup is the Job of a backup of this kind, which may be tried three times.
func Backup(namespace, name, kind string) *batchv1.Job {
	retries := int32(2)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"backup": kind}},
		Spec: batchv1.JobSpec{
			BackoffLimit: &retries,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers:    []corev1.Container{{Name: "backup", Image: "example.com/backup:1", Args: []string{kind}}},
			}},
		},
	}
}
