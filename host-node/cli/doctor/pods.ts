/**
 * What is wrong with pods of Jobs: finalizers that no controller will remove, lost labels, pods that do not end, and
 * ended pods that are not counted.
 *
 * Invariant: a pod has at most one finding, the one to fix first.
 */
import type { Pod, PodStatus } from "../../../cluster/values/kinds.ts";
import type { TypedObject } from "../../../cluster/values/types.ts";
import { SETTINGS } from "../../controller/settings.ts";
import { ageText } from "../../../cluster/values/time-span.ts";
import { accountPod } from "../../../cluster/observed/account-pods.ts";
import type { AskAccount } from "../../../cluster/observed/ask-account.ts";
import { counted } from "../../words/counted.ts";
import type { Commands } from "./commands.ts";
import type { LifeSign } from "./controllers.ts";
import type { Finding } from "./finding.ts";
import { signText } from "./jobs.ts";
import type { JobRecord } from "./job-record.ts";

/** Of the built-in controller. */
const BUILT_IN_FINALIZER = "batch.kubernetes.io/job-tracking";
const TRACKING: ReadonlySet<string> = new Set([BUILT_IN_FINALIZER, SETTINGS.finalizer.initial]);
/** The garbage collector sets and removes these. */
const OF_DELETION = new Set(["foregroundDeletion", "orphan"]);

export interface PodContext {
  readonly nowMs: number;
  readonly olderThanMs: number;
  readonly commands: Commands;
  readonly jobs: ReadonlyMap<string, JobRecord>;
  readonly ask: AskAccount;
}

/** An ended pod that its Job has not counted. */
export interface Uncounted {
  readonly job: JobRecord;
  readonly pod: string;
  readonly finalizerIndex: number;
  readonly finalizer: string;
  readonly endedMs: number;
}

/** A pod, or its metadata alone. */
export type JudgedPod = TypedObject & Partial<Pick<Pod, "spec" | "status">>;

/** A finding, or a pod that has to be counted; undefined: the pod is all right. */
export function judgePod(pod: JudgedPod, context: PodContext): Finding | Uncounted | undefined {
  const { nowMs, olderThanMs } = context;
  const { metadata, status } = pod;
  const { creationTimestamp, deletionTimestamp, finalizers = [] } = metadata;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const finalizer = finalizers.find((name) => TRACKING.has(name));
  if (finalizer === undefined && owner?.kind !== "Job") return undefined;
  const sinceMs = Date.parse(deletionTimestamp ?? creationTimestamp);
  if (nowMs - sinceMs < olderThanMs) return undefined;
  const job = context.jobs.get(owner?.uid ?? "");
  return (
    (finalizer === undefined ? undefined : finalizerFinding(pod, finalizer, job, context)) ??
    (deletionTimestamp === undefined ? undefined : deletionFinding(pod, context)) ??
    (finalizer === undefined || job === undefined ? undefined : uncountedOf(pod, status, finalizer, job, context))
  );
}

function finalizerFinding(
  pod: JudgedPod,
  finalizer: string,
  job: JobRecord | undefined,
  { commands }: PodContext,
): Finding | undefined {
  const { namespace, name, labels = {}, ownerReferences = [], deletionTimestamp } = pod.metadata;
  const about = { kind: "pod", namespace, name };
  if (job === undefined) {
    // The garbage collector deletes a pod whose owner has gone, first of all.
    if (ownerReferences.length > 0 && deletionTimestamp === undefined) return undefined;
    const owner = ownerReferences.length === 0 ? "it has no owner" : `its Job ${ownerReferences[0]!.name} is gone`;
    return {
      ...about,
      id: "FinalizerLeft",
      sentence: `it has the finalizer ${finalizer}, and ${owner}`,
      fix: commands.removeFinalizer(pod, finalizer),
    };
  }
  const lost = Object.entries(job.matchLabels).filter(([key, value]) => labels[key] !== value);
  if (lost.length > 0)
    return {
      ...about,
      id: "LabelLost",
      sentence: `it lacks the label ${lost.map(([key]) => key).join(", ")} by which its Job ${job.name} selects it`,
      fix: commands.kubectl(
        namespace,
        ...["label", "pod", name, "--overwrite", ...lost.map(([key, value]) => `${key}=${value}`)],
      ),
    };
  // The finalizers of other controllers are unknown here.
  const isForeign = (job.manager === undefined) !== (finalizer === BUILT_IN_FINALIZER);
  if (!isForeign || (job.manager !== undefined && job.manager !== SETTINGS.managedBy.initial)) return undefined;
  return {
    ...about,
    id: "ForeignFinalizer",
    sentence: `it has the finalizer ${finalizer}, which the controller of its Job ${job.name} does not remove`,
    fix: commands.removeFinalizer(pod, finalizer),
  };
}

function deletionFinding(pod: JudgedPod, { ask, commands }: PodContext): Finding | undefined {
  const { namespace, name, finalizers = [] } = pod.metadata;
  const other = finalizers.find((finalizer) => !TRACKING.has(finalizer) && !OF_DELETION.has(finalizer));
  // Without a status the state of its node is unknown.
  if (other === undefined && (pod.status === undefined || isEnded(pod))) return undefined;
  const about = { kind: "pod", namespace, name, sentence: endingSentence(pod, other, ask) };
  return other === undefined
    ? {
        ...about,
        id: "PodNotEnding",
        fix: commands.kubectl(namespace, "delete", "pod", name, "--force", "--grace-period", "0"),
      }
    : { ...about, id: "KeptByOthers", fix: commands.removeFinalizer(pod, other) };
}

/** What account says of a Job that has this pod alone. */
function endingSentence(pod: JudgedPod, finalizer: string | undefined, ask: AskAccount): string {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
  const finalizers = finalizer === undefined ? [] : [finalizer];
  const ending = accountPod({ ...pod, metadata: { ...pod.metadata, finalizers } } as Pod);
  const account = ask({ job: { metadata: { name: owner?.name, uid: owner?.uid } }, pods: [ending] });
  // An ended pod holds no Job.
  const kept = `it is deleted, and ${finalizer === undefined ? "does not end" : `the finalizer ${finalizer} keeps it`}`;
  return account?.holds.find(({ code }) => code === "Terminating")?.sentence ?? kept;
}

function uncountedOf(
  pod: JudgedPod,
  status: PodStatus | undefined,
  finalizer: string,
  job: JobRecord,
  { nowMs, olderThanMs }: PodContext,
): Uncounted | undefined {
  if (!isEnded(pod)) return undefined;
  const ends = [...(status!.containerStatuses ?? []), ...(status!.initContainerStatuses ?? [])]
    .map(({ state }) => Date.parse(state?.terminated?.finishedAt as string))
    .filter((endMs) => !Number.isNaN(endMs));
  const endedMs = ends.length === 0 ? Date.parse(pod.metadata.creationTimestamp) : Math.max(...ends);
  if (nowMs - endedMs < olderThanMs) return undefined;
  const finalizerIndex = pod.metadata.finalizers!.indexOf(finalizer);
  return { job, pod: pod.metadata.name, finalizer, finalizerIndex, endedMs };
}

function isEnded({ status }: JudgedPod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** One finding a Job. */
export function notCounted(
  uncounted: readonly Uncounted[],
  { nowMs, commands }: Pick<PodContext, "nowMs" | "commands">,
  signOf: (manager: string | undefined) => LifeSign | undefined,
): Finding[] {
  const byJob = Map.groupBy(uncounted, ({ job }) => job);
  return [...byJob].map(([{ namespace, name, manager }, pods]) => {
    const sinceMs = nowMs - Math.min(...pods.map(({ endedMs }) => endedMs));
    const who = manager === undefined ? "the built-in controller" : manager;
    const have = pods.length === 1 ? "has" : "have";
    return {
      id: "NotCounted",
      kind: "job",
      namespace,
      name,
      sentence: `${counted(pods.length, "pod")} ${have} ended up to ${ageText(sinceMs)} ago, and ${who} does not count them${signText(signOf(manager))}`,
      fix: commands.startController(manager),
    };
  });
}
