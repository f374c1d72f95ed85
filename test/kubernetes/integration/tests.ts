/**
 * Upstream's integration tests of the Job controller by name: all that the program has. job-controller.test.ts compares
 * the list with the program's own.
 */

export interface Test {
  readonly name: string;
  /** Settings of `stint controller` as variables of its environment, where the test counts on what upstream does. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Upstream's controller waits a second before it replaces a pod. The test cleans up in that second: it removes the
 * finalizers of the pods, deletes pods until there are none, and only then deletes the Job. A pod that was made
 * meanwhile has a finalizer from the template of the Job, so it never goes, and the test never ends.
 */
const AFTER_A_SECOND = { STINT_SYNC_BURST: "0" };

/** Those that take longest come first. */
export const TESTS: readonly Test[] = [
  { name: "TestJobGangScheduling" },
  { name: "TestBackoffLimitPerIndex" },
  { name: "TestJobPodReplacementPolicy", env: AFTER_A_SECOND },
  { name: "TestOrphanPodsFinalizersClearedWithGC" },
  { name: "TestJobPodFailurePolicyWithFailedPodDeletedDuringControllerRestart" },
  { name: "TestJobPodFailurePolicy" },
  { name: "TestSuspendJob" },
  { name: "TestBackoffLimitPerIndex_JobPodsCreatedWithExponentialBackoff" },
  { name: "TestUpdateJobPodResources" },
  { name: "TestSuccessPolicy" },
  { name: "TestDelayTerminalPhaseCondition" },
  { name: "TestElasticIndexedJob" },
  { name: "TestParallelJobWithCompletions" },
  { name: "TestParallelJob" },
  { name: "TestIndexedJob" },
  { name: "TestJobPodsCreatedWithExponentialBackoff" },
  { name: "TestImmediateJobRecreation" },
  { name: "TestNonParallelJob" },
  { name: "TestManagedBy" },
  { name: "TestParallelJobChangingParallelism" },
  { name: "TestJobRecreationClearsPodExpectations" },
  { name: "TestJobGangSchedulingSuspendResume" },
  { name: "TestDelayedJobUpdateEvent" },
  { name: "TestManagedBy_UsingReservedJobFinalizers" },
  { name: "TestStartTimeUpdateOnResume" },
  { name: "TestMutableSchedulingDirectivesForSuspendedJobs" },
  { name: "TestBackoffLimitPerIndex_DelayedPodDeletion" },
  { name: "TestMutablePodResourcesWithPodReplacementPolicyFailed" },
  { name: "TestManagedBy_RecreatedJob" },
  { name: "TestNodeSelectorUpdate" },
  { name: "TestJobFailedWithInterrupts" },
  { name: "TestOrphanPodsFinalizersClearedOnRestart" },
  { name: "TestJobGangSchedulingElasticScaling" },
  { name: "TestFinalizersClearedWhenBackoffLimitExceeded" },
  { name: "TestSuspendJobControllerRestart" },
  { name: "TestSuspendJobWithZeroCompletions" },
  { name: "TestJobDelegatedPodGroup" },
  { name: "TestMutableSchedulingDirectivesForSuspendedJobsNotYetStarted" },
  { name: "TestMutablePodResourcesForSuspendedJobsNotYetStarted" },
];

const BENCHMARK = "a benchmark: it judges nothing. `npm run bench:cluster` compares the two controllers.";

/** Not run, with the reason. */
export const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  [
    "TestManagedBy_Reenabling",
    "a controller with the feature gate JobManagedBy off, which 1.35 has locked on: Stint has no such gate.",
  ],
  ["BenchmarkLargeFailureHandling", BENCHMARK],
  ["BenchmarkLargeIndexedJob", BENCHMARK],
]);
