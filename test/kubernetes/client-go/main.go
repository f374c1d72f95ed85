// Command client-go does what programs that run Jobs do, with client-go at its default settings, which speak protobuf,
// and once more with a client that takes nothing but protobuf. It prints `ok STEP` for each step, and ends with status
// 1 at the first that fails. KUBECONFIG names the cluster, in which a Job's pods run.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	batchapply "k8s.io/client-go/applyconfigurations/batch/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const (
	protobuf  = "application/vnd.kubernetes.protobuf"
	namespace = "default"
	patience  = 60 * time.Second
)

func main() {
	log.SetFlags(0)
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		log.Fatal(err)
	}
	strict := rest.CopyConfig(config)
	strict.ContentType, strict.AcceptContentTypes = protobuf, protobuf
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for name, config := range map[string]*rest.Config{"default": config, "protobuf": strict} {
		try(ctx, name, config)
	}
}

func try(ctx context.Context, name string, config *rest.Config) {
	clients := kubernetes.NewForConfigOrDie(config)
	jobs := clients.BatchV1().Jobs(namespace)
	done := func(step string, err error) {
		if err != nil {
			log.Fatalf("%s: %s: %v", name, step, err)
		}
		fmt.Printf("ok %s: %s\n", name, step)
	}

	watch, err := jobs.Watch(ctx, metav1.ListOptions{})
	done("watch", err)
	defer watch.Stop()
	job, err := jobs.Create(ctx, newJob(), metav1.CreateOptions{})
	done("create", err)
	done("see the Job succeed in the watch", func() error {
		for event := range watch.ResultChan() {
			if seen, ok := event.Object.(*batchv1.Job); ok && seen.Name == job.Name && seen.Status.Succeeded == 1 {
				return nil
			}
		}
		return errors.New("the watch ended")
	}())
	_, err = jobs.Create(ctx, &batchv1.Job{}, metav1.CreateOptions{})
	done("read a refusal", expect(apierrors.IsInvalid, err))
	_, err = jobs.Get(ctx, "none", metav1.GetOptions{})
	done("read that there is none", expect(apierrors.IsNotFound, err))

	job, err = jobs.Get(ctx, job.Name, metav1.GetOptions{})
	done("get", err)
	old := job.DeepCopy()
	job.Labels["a"] = "b"
	_, err = jobs.Update(ctx, job, metav1.UpdateOptions{})
	done("update", err)
	_, err = jobs.Update(ctx, old, metav1.UpdateOptions{})
	done("read a conflict", expect(apierrors.IsConflict, err))
	patch := []byte(`{"metadata":{"labels":{"x":"y"}}}`)
	job, err = jobs.Patch(ctx, job.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	done("patch", err)
	done("see both labels", equal(job.Labels["a"]+job.Labels["x"], "by"))

	options := metav1.ApplyOptions{FieldManager: "one"}
	job, err = jobs.Apply(ctx, batchapply.Job(job.Name, namespace).WithLabels(map[string]string{"x": "z"}), options)
	done("read a conflict of managers", expect(apierrors.IsConflict, err))
	options.Force = true
	job, err = jobs.Apply(ctx, batchapply.Job(old.Name, namespace).WithLabels(map[string]string{"x": "z"}), options)
	done("apply by force", err)
	mine, err := batchapply.ExtractJob(job, "one")
	done("extract what was applied", err)
	done("own the label alone", equal(fmt.Sprint(mine.Labels), "map[x:z]"))

	pods, err := clients.CoreV1().Pods("").List(ctx, metav1.ListOptions{LabelSelector: "job-name=" + job.Name})
	done("list", err)
	done("find the pod", equal(fmt.Sprint(len(pods.Items)), "1"))
	factory := informers.NewSharedInformerFactory(clients, 0)
	informer := factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done())
	for _, synced := range factory.WaitForCacheSync(ctx.Done()) {
		done("fill an informer", equal(fmt.Sprint(synced, len(informer.GetStore().List()) > 0), "true true"))
	}
	heads, err := metadata.NewForConfigOrDie(config).Resource(corev1.SchemeGroupVersion.WithResource("pods")).
		Namespace(namespace).List(ctx, metav1.ListOptions{})
	done("list metadata alone", err)
	done("find its names", equal(fmt.Sprint(len(heads.Items) > 0 && heads.Items[0].Name != ""), "true"))
	_, err = clients.Discovery().ServerPreferredResources()
	done("discover", err)

	background := metav1.DeletePropagationBackground
	done("delete", jobs.Delete(ctx, job.Name, metav1.DeleteOptions{PropagationPolicy: &background}))
	done("lead", lead(ctx, clients, name))
}

func newJob() *batchv1.Job {
	container := corev1.Container{Name: "main", Image: "example.com/work:1"}
	pod := corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{container}}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "by-client-go-", Labels: map[string]string{"app": "a"}},
		Spec:       batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: pod}},
	}
}

// lead is elected over a Lease, leads, and gives it up.
func lead(ctx context.Context, clients kubernetes.Interface, identity string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "client-go"},
		Client:     clients.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
	led := false
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { led = true; cancel() },
			OnStoppedLeading: func() {},
		},
	})
	if !led {
		return errors.New("it was not elected")
	}
	return nil
}

func expect(is func(error) bool, err error) error {
	if is(err) {
		return nil
	}
	return fmt.Errorf("another error was expected than: %v", err)
}

func equal(found, expected string) error {
	if found == expected {
		return nil
	}
	return fmt.Errorf("it is %s, expected %s", found, expected)
}
