// Package stinttest gives a Go test a Kubernetes cluster in virtual time, for code that uses Jobs.
//
//	func TestCleansUpAfterAFailure(t *testing.T) {
//		cluster := stinttest.Start(t)
//		startWorkflow(t, kubernetes.NewForConfigOrDie(cluster.Config))
//		cluster.FailPods("job/import", stinttest.ExitCode(3))
//		cluster.UntilIdle()
//		// look at what the code has made of it
//	}
//
// [Start] starts the command `stint serve --clock virtual --control` and ends it with the test. Time in the cluster
// stands still until the test moves it: a back-off of minutes takes no time. What is due at the present instant happens
// without a call, so a Job that is created has its pods at once; [WithRealClock] gives it the time of the machine
// instead. When the test has failed, the log explains the state of each Job that is not complete, and names a
// recording of what its controller received.
//
// It is a separate module because a program that runs the engine does not need client-go.
package stinttest
