/**
 * The part of the pods of a question that `verdict` and `account` read: the members that
 * assembly/verdict/read-members.ts names. Most of what a server sends of a pod is something else, and turning that into
 * text takes longer than the answer. test/bindings/js/lean-question.test.ts compares both lists.
 *
 * Invariant: what is left out is never read, and what is not of its type stays as it is, so each answer and each
 * refusal is the same. Every member is read by its own name, because JSON.stringify takes ten times as long with a list
 * of names.
 */

type Members = Readonly<Record<string, any>>;
type Lean = (value: unknown) => unknown;

const object =
  (lean: (members: Members) => Members): Lean =>
  (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? lean(value) : value;

const each =
  (lean: Lean): Lean =>
  (value) =>
    Array.isArray(value) ? value.map(lean) : value;

const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
const FAILURES = "batch.kubernetes.io/job-index-failure-count";
const IGNORED_FAILURES = "batch.kubernetes.io/job-index-ignored-failure-count";

const annotations = object((all) => ({
  [COMPLETION_INDEX]: all[COMPLETION_INDEX],
  [FAILURES]: all[FAILURES],
  [IGNORED_FAILURES]: all[IGNORED_FAILURES],
}));

const owners = each(object(({ uid, controller }) => ({ uid, controller })));

const metadata = object((all) => ({
  name: all.name,
  uid: all.uid,
  annotations: annotations(all.annotations),
  creationTimestamp: all.creationTimestamp,
  deletionTimestamp: all.deletionTimestamp,
  deletionGracePeriodSeconds: all.deletionGracePeriodSeconds,
  finalizers: all.finalizers,
  ownerReferences: owners(all.ownerReferences),
}));

const probe = object(({ failureThreshold, terminationGracePeriodSeconds }) => ({
  failureThreshold,
  terminationGracePeriodSeconds,
}));

const containers = each(
  object(({ name, restartPolicy, restartPolicyRules, resources, livenessProbe, startupProbe }) => ({
    name,
    restartPolicy,
    restartPolicyRules,
    resources,
    livenessProbe: probe(livenessProbe),
    startupProbe: probe(startupProbe),
  })),
);

const spec = object((all) => ({
  nodeName: all.nodeName,
  schedulerName: all.schedulerName,
  schedulingGates: all.schedulingGates,
  schedulingGroup: all.schedulingGroup,
  activeDeadlineSeconds: all.activeDeadlineSeconds,
  terminationGracePeriodSeconds: all.terminationGracePeriodSeconds,
  restartPolicy: all.restartPolicy,
  initContainers: containers(all.initContainers),
  containers: containers(all.containers),
}));

const state = object(({ waiting, running, terminated }) => ({ waiting, running, terminated }));

const statuses = each(
  object((all) => ({
    name: all.name,
    restartCount: all.restartCount,
    state: state(all.state),
    lastState: state(all.lastState),
  })),
);

const conditions = each(
  object(({ type, status, reason, message, lastTransitionTime }) => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime,
  })),
);

const status = object((all) => ({
  phase: all.phase,
  reason: all.reason,
  message: all.message,
  startTime: all.startTime,
  conditions: conditions(all.conditions),
  initContainerStatuses: statuses(all.initContainerStatuses),
  containerStatuses: statuses(all.containerStatuses),
}));

const pods = each(
  object((pod) => ({ metadata: metadata(pod.metadata), spec: spec(pod.spec), status: status(pod.status) })),
);

/** The same question to the engine, with less text. */
export function leanQuestion<T extends { readonly pods?: readonly object[] }>(question: T): T {
  return { ...question, pods: pods(question.pods) };
}
