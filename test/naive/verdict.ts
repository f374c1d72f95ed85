/**
 * The verdict of a Job the naive way, from bindings/ABI.md, "verdict", and docs/spec/controller.md: sorted lists and
 * plain objects. The vectors that are made from recordings and from other vectors get their answers from here, so
 * nothing in this file may be copied from the engine. Leaves out sentences and messages.
 */
import type { JsonObject } from "../../cluster/values/types.ts";

/** What a vector says of a verdict. */
export interface NaiveVerdict {
  readonly verdict: string;
  readonly isFinished: boolean;
  readonly decided: string | null;
  readonly reason: string;
  readonly sinceMs: number | null;
  readonly nextMs: number | null;
  readonly isNextBound: boolean;
}

type Loose = Record<string, any>;

const LATE_MS = 60_000;
const BACKOFF_MS = [10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000];
const RESTART_MS = [10_000, 20_000, 40_000, 80_000, 160_000, 300_000];
const UPSTREAM = "kubernetes.io/job-controller";
const INDEX = "batch.kubernetes.io/job-completion-index";

/** @param pods undefined: they are not known */
export function naiveVerdict(job: JsonObject, pods: readonly JsonObject[] | undefined, nowMs: number): NaiveVerdict {
  const { metadata = {}, spec = {} } = job as Loose;
  const status: Loose = (job["status"] as Loose | null | undefined) ?? {};
  const conditions: Loose[] = status.conditions ?? [];
  const isTrue = (type: string): Loose | undefined =>
    conditions.find((condition) => condition["type"] === type)?.["status"] === "True"
      ? conditions.find((condition) => condition["type"] === type)
      : undefined;
  const end = conditions.find(({ type, status: value }) => ["Complete", "Failed"].includes(type) && value === "True");
  if (end !== undefined) return ofEnd(end, metadata, spec, status, nowMs);

  const success = isTrue("SuccessCriteriaMet");
  const failure = isTrue("FailureTarget");
  const decided = success ? "Succeeded" : failure ? "Failed" : null;
  const open = { isFinished: false, decided, sinceMs: null, nextMs: null, isNextBound: false };
  if (metadata.deletionTimestamp) {
    const askedMs = Date.parse(metadata.deletionTimestamp) - 1000 * (metadata.deletionGracePeriodSeconds ?? 0);
    return { ...open, verdict: "Deleting", reason: "DeletionRequested", sinceMs: askedMs };
  }

  const own = pods?.map((pod) => pod as Loose).filter((pod) => isOwn(pod, metadata.uid));
  const replacesOnlyFailed = (spec.podReplacementPolicy ?? (spec.podFailurePolicy ? "Failed" : "")) === "Failed";
  const isOver = ({ status }: Loose): boolean => ["Succeeded", "Failed"].includes(status?.phase);
  const active = own?.filter((pod) => !isOver(pod) && !pod["metadata"]?.deletionTimestamp);
  const leaving = own?.filter((pod) => !isOver(pod) && pod["metadata"]?.deletionTimestamp);
  const failedPods = own?.filter(
    (pod) => pod["status"]?.phase === "Failed" || (!replacesOnlyFailed && leaving!.includes(pod)),
  );
  const failed = Math.max(status["failed"] ?? 0, failedPods?.length ?? 0);
  const activeCount = active?.length ?? status.active ?? 0;
  const leavingCount = leaving?.length ?? status.terminating ?? 0;
  const overdue = leaving?.findLast((pod) => Date.parse(pod["metadata"].deletionTimestamp) + LATE_MS < nowMs);
  const heldBy = overdue && {
    ...open,
    verdict: "Stuck",
    reason: "PodsTerminating",
    sinceMs: Date.parse(overdue["metadata"].deletionTimestamp),
  };

  const target = success ?? failure;
  if (target !== undefined)
    return heldBy ?? { ...open, verdict: "Running", reason: target["reason"] ?? "", sinceMs: timeOf(target) };

  if (spec.suspend === true) {
    const condition = isTrue("Suspended");
    const reason = condition === undefined ? "SuspendRequested" : (condition["reason"] ?? "");
    return { ...open, verdict: "Suspended", reason, sinceMs: condition === undefined ? null : timeOf(condition) };
  }

  const startMs = parsed(status.startTime);
  const createdMs = parsed(metadata.creationTimestamp);
  const succeeded = status.succeeded ?? 0;
  if (startMs === null && conditions.length === 0 && activeCount + failed + succeeded === 0) {
    const isLate = createdMs !== null && nowMs - createdMs >= LATE_MS;
    return {
      ...open,
      verdict: isLate ? "Stuck" : "Running",
      reason: isLate ? "NoController" : "NotStarted",
      sinceMs: createdMs,
    };
  }

  const completions: number | null = spec.completions ?? (spec.parallelism === undefined ? 1 : null);
  const limit = spec.backoffLimit ?? (spec.backoffLimitPerIndex === undefined ? 6 : Infinity);
  const hasAll = completions === null ? succeeded > 0 && activeCount === 0 : succeeded >= completions;
  const hasFailed = spec.backoffLimitPerIndex === undefined && failed > limit;
  const deadlineMs =
    spec.activeDeadlineSeconds === undefined || startMs === null ? null : startMs + 1000 * spec.activeDeadlineSeconds;
  const running = { ...open, sinceMs: startMs, verdict: "Running" };
  if (hasAll || hasFailed || (deadlineMs !== null && deadlineMs <= nowMs))
    return { ...running, reason: "NotConfirmed" };
  const untilDeadline = (answer: NaiveVerdict): NaiveVerdict =>
    deadlineMs !== null && (answer.nextMs === null || answer.nextMs >= deadlineMs)
      ? { ...answer, nextMs: deadlineMs, isNextBound: false }
      : answer;

  if (activeCount > 0) return untilDeadline(ofActive(active, running, nowMs));
  if (spec.parallelism === 0) return { ...open, sinceMs: startMs, verdict: "Suspended", reason: "ParallelismIsZero" };
  if (leavingCount > 0 && (failed === 0 || replacesOnlyFailed))
    return untilDeadline(heldBy ?? { ...running, reason: "PodsTerminating" });
  if (failed > 0) {
    const retrying = { ...running, verdict: "Retrying", reason: "Backoff" };
    if (spec.managedBy !== undefined && spec.managedBy !== UPSTREAM) return untilDeadline(retrying);
    const { atMs, sinceMs } = nextTry(spec, status, own, failed);
    if (atMs === null) {
      const failures = Math.max(
        1,
        spec.podFailurePolicy ? 7 : Math.min(failed, spec.backoffLimitPerIndex ?? failed, 7),
      );
      return untilDeadline({ ...retrying, nextMs: nowMs + BACKOFF_MS[failures - 1]!, isNextBound: true });
    }
    const late = { ...running, verdict: "Stuck", reason: "NoPods", sinceMs: atMs, nextMs: null };
    return untilDeadline(
      nowMs - atMs >= LATE_MS ? late : { ...retrying, sinceMs, nextMs: Math.max(atMs, nowMs), isNextBound: false },
    );
  }
  const changesMs = [startMs, createdMs, ...conditions.map(timeOf)].filter((time) => time !== null);
  const lastMs = changesMs.length === 0 ? null : Math.max(...changesMs);
  return untilDeadline(
    lastMs !== null && nowMs - lastMs >= LATE_MS
      ? { ...running, verdict: "Stuck", reason: "NoPods", sinceMs: lastMs }
      : { ...running, reason: "NoPods" },
  );
}

function ofEnd(end: Loose, metadata: Loose, spec: Loose, status: Loose, nowMs: number): NaiveVerdict {
  const verdict = end["type"] === "Complete" ? "Succeeded" : "Failed";
  const sinceMs = timeOf(end) ?? parsed(status["completionTime"]);
  const ttlMs = metadata["deletionTimestamp"] ? undefined : spec["ttlSecondsAfterFinished"];
  const nextMs = ttlMs === undefined || sinceMs === null ? null : Math.max(nowMs, sinceMs + 1000 * ttlMs);
  return {
    verdict,
    isFinished: true,
    decided: verdict,
    reason: end["reason"] ?? "",
    sinceMs,
    nextMs,
    isNextBound: false,
  };
}

function ofActive(
  active: readonly Loose[] | undefined,
  running: Omit<NaiveVerdict, "reason">,
  nowMs: number,
): NaiveVerdict {
  const waits = active?.map((pod) => ({ pod, ...waitOf(pod) })) ?? [];
  if (active === undefined || waits.some(({ reason }) => reason === undefined))
    return { ...running, reason: "PodsActive" };
  const crashes = waits.filter(({ reason }) => reason === "CrashLoopBackOff");
  if (crashes.length === 0) {
    const [oldest] = waits.toSorted((a, b) => createdOf(a.pod) - createdOf(b.pod));
    const sinceMs = parsed(oldest!.pod["metadata"]?.creationTimestamp);
    return { ...running, verdict: "Stuck", reason: oldest!.reason!, sinceMs };
  }
  const starts = crashes.map(({ startMs }) => startMs).filter((time) => time !== undefined);
  const nextMs = starts.length === 0 ? null : Math.max(nowMs, Math.min(...starts));
  return { ...running, verdict: "Retrying", reason: "CrashLoopBackOff", nextMs, isNextBound: nextMs !== null };
}

function waitOf({ status = {} }: Loose): { readonly reason?: string; readonly startMs?: number | undefined } {
  const scheduled = (status.conditions ?? []).find(({ type }: Loose) => type === "PodScheduled");
  if (scheduled?.status === "False" && scheduled.reason !== undefined) return { reason: scheduled.reason };
  const waiting = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].filter(
    ({ state }) => !["", "ContainerCreating", "PodInitializing"].includes(state?.waiting?.reason ?? ""),
  );
  const stuck = waiting.find(({ state }) => state.waiting.reason !== "CrashLoopBackOff") ?? waiting[0];
  if (stuck === undefined) return {};
  const endedMs = parsed(stuck.lastState?.terminated?.finishedAt);
  const step = Math.min(Math.max((stuck.restartCount ?? 0) - 1, 0), RESTART_MS.length - 1);
  return {
    reason: stuck.state.waiting.reason,
    startMs: endedMs === null ? undefined : endedMs + RESTART_MS[step]!,
  };
}

interface Try {
  readonly atMs: number | null;
  readonly sinceMs: number | null;
}

/** Null: the pods that are there do not say. */
function nextTry(spec: Loose, status: Loose, pods: readonly Loose[] | undefined, failed: number): Try {
  const isFailed = (pod: Loose): boolean => pod["status"]?.phase !== "Succeeded";
  const none = { atMs: null, sinceMs: null };
  if (pods === undefined) return none;
  const failures = pods.filter(isFailed);
  if (spec["backoffLimitPerIndex"] !== undefined) {
    const over = new Set([
      ...pods.filter((pod) => !isFailed(pod)).map((pod) => Number(indexOf(pod))),
      ...expand(status["completedIndexes"]),
      ...expand(status["failedIndexes"]),
    ]);
    const indexes = new Set(failures.map(indexOf).filter((index) => !over.has(Number(index))));
    const tries = [...indexes].map((index) => {
      const last = failures
        .filter((pod) => indexOf(pod) === index)
        .toSorted((a, b) => countOf(a) - countOf(b))
        .at(-1)!;
      return { atMs: finish(last) + BACKOFF_MS[Math.min(countOf(last), 6)]!, sinceMs: finish(last) };
    });
    return tries.toSorted((a, b) => a.atMs - b.atMs)[0] ?? none;
  }
  if (failures.length < failed) return none;
  const lastSuccess = Math.max(-Infinity, ...pods.filter((pod) => !isFailed(pod)).map(finish));
  const inARow = failures.map(finish).filter((time) => time > lastSuccess);
  if (inARow.length === 0) return none;
  const sinceMs = Math.max(...inARow);
  return { atMs: sinceMs + BACKOFF_MS[Math.min(inARow.length, 7) - 1]!, sinceMs };
}

function finish({ metadata = {}, spec = {}, status = {} }: Loose): number {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }: Loose) => restartPolicy === "Always");
  const names = sidecars.map(({ name }: Loose) => name);
  const ended = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []).filter(({ name }: Loose) => names.includes(name)),
  ].map(({ state }) => parsed(state?.terminated?.finishedAt));
  if (ended.length > 0 && ended.every((time) => time !== null)) return Math.max(...ended);
  const ready = (status.conditions ?? []).find(({ type }: Loose) => type === "Ready");
  if (ready?.status === "False" && ready.lastTransitionTime) return Date.parse(ready.lastTransitionTime);
  if (metadata.deletionTimestamp)
    return Date.parse(metadata.deletionTimestamp) - 1000 * (metadata.deletionGracePeriodSeconds ?? 0);
  return Date.parse(metadata.creationTimestamp);
}

function countOf({ metadata }: Loose): number {
  return ["index-failure-count", "index-ignored-failure-count"]
    .map((name) => Number(metadata?.annotations?.[`batch.kubernetes.io/job-${name}`] ?? 0) || 0)
    .reduce((sum, count) => sum + count);
}

function indexOf({ metadata }: Loose): string {
  return metadata?.annotations?.[INDEX] ?? "";
}

/** The indexes of a text like `1,3-5`. */
function expand(text: string | undefined): number[] {
  return (text ?? "")
    .split(",")
    .filter((part) => part !== "")
    .flatMap((part) => {
      const [first, last = first] = part.split("-").map(Number) as [number, number?];
      return Array.from({ length: last! - first + 1 }, (_, i) => first + i);
    });
}

function isOwn({ metadata }: Loose, uid: string | undefined): boolean {
  const controller = (metadata?.ownerReferences ?? []).find((owner: Loose) => owner["controller"] === true);
  return controller === undefined || uid === undefined || controller.uid === uid;
}

function createdOf({ metadata }: Loose): number {
  return Date.parse(metadata?.creationTimestamp);
}

function timeOf(condition: Loose): number | null {
  return parsed(condition["lastTransitionTime"]);
}

function parsed(time: string | null | undefined): number | null {
  return time === undefined || time === null ? null : Date.parse(time);
}
