/**
 * Upstream's specs of Jobs, of their deletion and of CronJobs by name: all that the program has. jobs.test.ts compares
 * the list with the program's own.
 */

export interface Spec {
  /** With what it is about, and with its labels, as the program says it. */
  readonly name: string;
  /** It asks for all that a node has, so nothing else runs there meanwhile. */
  readonly isSerial?: boolean;
  /** The server and the controllers are started with the feature gate of gang scheduling. */
  readonly isGang?: boolean;
}

const MUTABLE_RESOURCES = "[FeatureGate:MutablePodResourcesForSuspendedJobs] [Beta]";
const RESTART_RULES = "[FeatureGate:ContainerRestartRules] [Beta] [NodeConformance]";
const GATES = "[FeatureGate:WorkloadWithJob] [Alpha] [Beta] [Feature:OffByDefault]";

/** The conformance tests of Jobs. */
const CONFORMANCE = [
  "should allow to use the pod failure policy on exit code to fail the job early",
  "should allow to use a pod failure policy to ignore failure matching on DisruptionTarget condition",
  "should create pods for an Indexed job with completion indexes and specified hostname",
  "with successPolicy should succeeded when all indexes succeeded",
  "with successPolicy succeededIndexes rule should succeeded even when some indexes remain pending",
  "with successPolicy succeededCount rule should succeeded even when some indexes remain pending",
  "should execute all indexes despite some failing when using backoffLimitPerIndex",
  "should terminate job execution when the number of failed indexes exceeds maxFailedIndexes",
  "should mark indexes as failed when the FailIndex action is matched in podFailurePolicy",
  "should run a job to completion when tasks sometimes fail and are locally restarted",
  "should delete a job",
  "should adopt matching orphans and release non-matching pods",
  "should apply changes to a job status",
  "should manage the lifecycle of a job",
].map((name) => `${name} [Conformance]`);

const OTHERS = [
  "should run a job to completion when tasks succeed",
  "should allow to use a pod failure policy to ignore failure matching on exit code",
  "should not create pods when created in suspend state",
  "should delete pods when suspended",
  "should recreate pods only after they have failed if pod replacement policy is set to Failed",
  "should create pods with completion indexes for an Indexed Job",
  "should record the failure-count in the Pod annotation when using backoffLimitPerIndex",
  "should remove pods when job is deleted",
  "should run a job to completion when tasks sometimes fail and are not locally restarted",
  "should fail when exceeds active deadline",
  "should fail to exceed backoffLimit",
  "should update the status ready field",
  "should allow to delegate reconciliation to external controller",
  `containers restarted by container restart policy should not trigger PodFailurePolicy ${RESTART_RULES}`,
  `should allow updating pod resources for a suspended job ${MUTABLE_RESOURCES}`,
  `should allow updating pod resources for a job that started and then was suspended ${MUTABLE_RESOURCES}`,
];

const CRON_JOBS = [
  "should not schedule jobs when suspended [Conformance] [Slow]",
  "should schedule multiple jobs concurrently [Conformance]",
  "should not schedule new jobs when ForbidConcurrent [Conformance] [Slow]",
  "should replace jobs when ReplaceConcurrent [Conformance]",
  "should support CronJob API operations [Conformance]",
  "should be able to schedule after more than 100 missed schedule",
  "should not emit unexpected warnings",
  "should remove from active list jobs that have been deleted",
  "should delete successful finished jobs with limit of one successful job",
  "should delete failed finished jobs with limit of one job",
  "should support timezone",
  "should set the cronjob-scheduled-timestamp annotation on a job",
];

const GANGS = [
  `compile a Workload and PodGroup for a gang-scheduled Job and wire its pods to the PodGroup ${GATES} [FeatureGate:GenericWorkload]`,
  `create Workload and PodGroup for gang-eligible Job [FeatureGate:GenericWorkload] ${GATES}`,
  `propagate an elastic gang minCount change to the Workload and PodGroup ${GATES} [FeatureGate:GenericWorkload]`,
];

/** Those that wait longest come first. */
export const SPECS: readonly Spec[] = [
  ...CRON_JOBS.map((name) => ({ name: `CronJob ${name}` })),
  ...[...CONFORMANCE, ...OTHERS].map((name) => ({ name: `Job ${name}` })),
  { name: "TTLAfterFinished job should be deleted once it finishes after TTL seconds" },
  { name: "Job should run a job to completion with CPU requests [Serial]", isSerial: true },
  ...GANGS.map((name) => ({ name: `Job should ${name}`, isGang: true })),
];
