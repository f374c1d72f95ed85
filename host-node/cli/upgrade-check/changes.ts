/**
 * What an upgrade of Kubernetes changes for Jobs, from 1.32 on, as `stint upgrade-check` says it. It has changes of
 * the Job controller, and of what the API server accepts and keeps of a Job, with the default feature gates.
 *
 * Invariant: a parity scenario shows each change on the servers of two versions (test/parity/scenarios/), but for those
 * of a version that is not released and one that no scenario can time, and docs/upgrade-check.md has a section for it.
 * Leaves out what nodes and schedulers do with a pod.
 */
import { type Loose, objectIn } from "../../manifests/job-in.ts";
import { type Field, fieldsAt } from "./fields.ts";
import { type ChangeId, isAhead } from "../../../cluster/values/kubernetes-changes.ts";
import type { KubernetesVersion } from "../../../cluster/values/kubernetes-versions.ts";

export interface Change {
  /** Also the anchor in docs/upgrade-check.md. */
  readonly id: ChangeId;
  readonly before: string;
  readonly after: string;
  /** Fields of a Job by which the change concerns it; none: it does not. */
  readonly concerns: (job: Loose) => readonly Field[];
}

const POD = "spec.template.spec";
const CONTAINERS = [`${POD}.containers[*]`, `${POD}.initContainers[*]`];
/** The label that queues put on the Jobs that they suspend and resume. */
const QUEUE_LABEL = "kueue.x-k8s.io/queue-name";

/** With both, a Job is one of several that share a Workload. */
const GANG_ANNOTATIONS = ["scheduling.k8s.io/workload-name", "scheduling.k8s.io/group-template-name"];
/** Hooks that are deleted and made again under their name, unless their policy says otherwise. */
const HOOKS = [
  { hook: "helm.sh/hook", policy: "helm.sh/hook-delete-policy", again: "before-hook-creation" },
  { hook: "argocd.argoproj.io/hook", policy: "argocd.argoproj.io/hook-delete-policy", again: "BeforeHookCreation" },
];
const FILE_SOURCES = ["secret", "configMap", "downwardAPI"];
const FILE_VOLUMES = [...FILE_SOURCES, "projected"];
const TOKEN_SOURCES = ["serviceAccountToken", "clusterTrustBundle", "podCertificate"];

const fields =
  (...patterns: readonly string[]) =>
  (job: Loose): Field[] =>
    patterns.flatMap((pattern) => fieldsAt(job, pattern));
const ofContainers = (field: string): ((job: Loose) => Field[]) =>
  fields(...CONTAINERS.map((container) => `${container}.${field}`));

const ofSuspended =
  (pattern: string) =>
  (job: Loose): Field[] =>
    maySuspend(job) ? fieldsAt(job, pattern) : [];

const COUNTED_RESTARTS =
  "backoffLimit counts these restarts if the pod's restartPolicy is OnFailure, and none of them if it is Never";

const MARKED_FIRST = "; 1.36.0 and 1.36.1 want it marked as suspended first";

export const CHANGES = [
  {
    id: "user-namespaces",
    before: "hostUsers is dropped: root in the pod is root of the node",
    after: "hostUsers is kept: with false the pod gets its own user namespace",
    concerns: (job) => fieldsAt(job, `${POD}.hostUsers`).filter(({ value }) => value !== true),
  },
  {
    id: "supplemental-groups-policy",
    before: "supplementalGroupsPolicy is dropped: the groups of the image are merged in",
    after: "supplementalGroupsPolicy is kept: with Strict the process has only the groups that the pod names",
    concerns: (job) =>
      fieldsAt(job, `${POD}.securityContext.supplementalGroupsPolicy`).filter(({ value }) => value !== "Merge"),
  },
  {
    id: "sleep-of-zero-seconds",
    before: "a Job with a sleep of 0 seconds in a lifecycle hook is refused",
    after: "it is taken",
    concerns: (job) =>
      ["preStop", "postStart"]
        .flatMap((hook) => ofContainers(`lifecycle.${hook}.sleep.seconds`)(job))
        .filter(({ value }) => value === 0),
  },
  {
    id: "relaxed-dns-searches",
    before: "a Job whose pods have a search domain with an underscore, or a single dot, is refused",
    after: "it is taken",
    concerns: (job) =>
      fieldsAt(job, `${POD}.dnsConfig.searches[*]`).filter(({ value }) => /_|^\.$/.test(String(value))),
  },
  {
    id: "resources-of-a-whole-pod",
    before: "resources of the pod are dropped: nothing is reserved for it, or limits it, but those of its containers",
    after: "resources of the pod are kept: they count for its node and for quotas, and limit its containers together",
    concerns: fields(`${POD}.resources`),
  },
  {
    id: "resource-claims",
    before: "resourceClaims are dropped: the pods run without the devices",
    after: "resourceClaims are kept: the pods wait for their devices",
    concerns: fields(`${POD}.resourceClaims`),
  },
  {
    id: "hostname-override",
    before: "hostnameOverride is dropped: the pod has the name that the Job gives it",
    after: "hostnameOverride is kept: all pods of the Job have this name",
    concerns: fields(`${POD}.hostnameOverride`),
  },
  {
    id: "restart-rules-of-containers",
    before:
      "restartPolicy and restartPolicyRules of a container that is no sidecar are dropped; until 1.33 the Job is refused",
    after: `they are kept, and a container is restarted by its own rules; ${COUNTED_RESTARTS}`,
    concerns: fields(
      `${POD}.containers[*].restartPolicy`,
      ...CONTAINERS.map((container) => `${container}.restartPolicyRules`),
    ),
  },
  {
    id: "variables-from-files",
    before: "a Job with a variable from a file (fileKeyRef) is refused",
    after: "it is taken",
    concerns: ofContainers("env[*].valueFrom.fileKeyRef"),
  },
  {
    id: "image-volumes",
    before: "a volume from an image is dropped with its mounts: containers run without its files",
    after: "it is kept and mounted",
    concerns: fields(`${POD}.volumes[*].image`),
  },
  {
    id: "deadline-of-a-suspended-job",
    before:
      "a suspended Job keeps its start time, and fails as it is resumed if activeDeadlineSeconds have passed since",
    after: "suspending takes the start time away, and the deadline begins again as the Job is resumed",
    concerns: ofSuspended("spec.activeDeadlineSeconds"),
  },
  {
    id: "active-while-a-retry-waits",
    before:
      "while a failed pod waits for its retry and others run, the status is not written: failures show late, and failed pods keep their finalizer",
    after: "the status is written at once",
    concerns: (job) => (retriesBesideOthers(job) ? fieldsAt(job, "spec.parallelism") : []),
  },
  {
    id: "resources-of-suspended-jobs",
    before: "the resources of a suspended Job cannot be changed",
    after: `a user who may update the Job can change the resources of its containers while it is suspended${MARKED_FIRST}`,
    concerns: ofSuspended(POD),
  },
  {
    id: "placement-of-suspended-jobs",
    before: "node selector, affinity, tolerations and so on can be changed only before the first start of a Job",
    after: `they can be changed whenever the Job is suspended and has no pods${MARKED_FIRST}`,
    concerns: ofSuspended(POD),
  },
  {
    id: "made-again-under-its-name",
    before:
      "a Job that is made again while pods of its deleted namesake are being created is left alone for up to five minutes",
    after: "it gets its pods at once, in 1.37.2 and later",
    concerns: (job) => {
      const annotations = objectIn(objectIn(job["metadata"])["annotations"]);
      const isMadeAgain = HOOKS.some(
        ({ hook, policy, again }) => hook in annotations && String(annotations[policy] ?? again).includes(again),
      );
      return isMadeAgain ? [{ path: "metadata.annotations", value: annotations }] : [];
    },
  },
  {
    id: "labels-taken-off-while-suspended",
    before: "an update that takes controller-uid or job-name off the pod labels of a suspended Job is refused",
    after: "it is taken: pods that are created later lack the label, and what selects them by job-name loses them",
    concerns: ofSuspended(POD),
  },
  {
    id: "image-volumes-without-reference",
    before: "a Job with an image volume that names no image is taken, and each of its pods is refused",
    after: "the Job is refused",
    concerns: (job) => fieldsAt(job, `${POD}.volumes[*].image`).filter(({ value }) => !objectIn(value)["reference"]),
  },
  {
    id: "defaults-of-whole-pods",
    before: "requests of the pod are filled in alone: a pod whose containers all have limits can be Burstable",
    after:
      "limits of the pod are filled in too, as the sum of its containers' limits: such a pod is Guaranteed, and a quota counts its limits",
    concerns: fields(`${POD}.resources`),
  },
  {
    id: "certificates-of-pods",
    before: "podCertificate and clusterTrustBundle of projected volumes are dropped: their files are missing",
    after: "they are kept: the pods start once their certificates are there",
    concerns: fields(
      `${POD}.volumes[*].projected.sources[*].podCertificate`,
      `${POD}.volumes[*].projected.sources[*].clusterTrustBundle`,
    ),
  },
  {
    id: "selinux-mounts",
    before: "a Job with the seLinuxChangePolicy MountOption is refused",
    after: "it is taken",
    concerns: (job) =>
      fieldsAt(job, `${POD}.securityContext.seLinuxChangePolicy`).filter(({ value }) => value === "MountOption"),
  },
  {
    id: "annotations-of-a-gang",
    before: `a Job is taken whatever its annotations ${GANG_ANNOTATIONS.join(" and ")} say`,
    after: "a Job that has one of them is refused unless both are there and not empty",
    concerns: (job) => {
      const annotations = objectIn(objectIn(job["metadata"])["annotations"]);
      const isWrong =
        GANG_ANNOTATIONS.some((key) => key in annotations) && !GANG_ANNOTATIONS.every((key) => annotations[key]);
      return isWrong ? [{ path: "metadata.annotations", value: annotations }] : [];
    },
  },
  {
    id: "owners-of-files-in-volumes",
    before: "user and defaultUser of the files in a volume are dropped",
    after: "they are kept: the files belong to that user",
    concerns: fields(
      ...FILE_VOLUMES.map((volume) => `${POD}.volumes[*].${volume}.defaultUser`),
      ...FILE_SOURCES.flatMap((source) => [
        `${POD}.volumes[*].${source}.items[*].user`,
        `${POD}.volumes[*].projected.sources[*].${source}.items[*].user`,
      ]),
      ...TOKEN_SOURCES.map((source) => `${POD}.volumes[*].projected.sources[*].${source}.user`),
    ),
  },
] as const satisfies readonly Change[];

/** Those that concern what Jobs do. The others are about what an API server answers. */
export type JobChangeId = (typeof CHANGES)[number]["id"];

/** What changes between two versions. */
export function changesBetween(from: KubernetesVersion, to: KubernetesVersion): readonly Change[] {
  return CHANGES.filter(({ id }) => isAhead(id, from) && !isAhead(id, to));
}

/** Any Job may be suspended. These are, or were, or belong to a queue. */
function maySuspend(job: Loose): boolean {
  const { suspend } = objectIn(job["spec"]);
  const isQueued = QUEUE_LABEL in objectIn(objectIn(job["metadata"])["labels"]);
  const hasBeen = fieldsAt(job, "status.conditions[*].type").some(({ value }) => value === "Suspended");
  return suspend === true || isQueued || hasBeen;
}

/** Pods may fail while others are running, and one failure is not the end. */
function retriesBesideOthers(job: Loose): boolean {
  const { parallelism, completions, backoffLimit, template } = objectIn(job["spec"]);
  const { restartPolicy } = objectIn(objectIn(template)["spec"]);
  return Number(parallelism) > 1 && completions !== 1 && backoffLimit !== 0 && restartPolicy === "Never";
}
