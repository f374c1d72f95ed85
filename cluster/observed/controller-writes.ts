/**
 * What a Job controller wrote, derived from the changes of the objects: each change of an object is one write, and most
 * writes of a Job controller cannot come from any other client.
 *
 * Leaves out whether a controller would decide that: reconstruction.ts.
 */
import type { Observed, Seen } from "./story.ts";

export interface ControllerWrite {
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly namespace: string;
  readonly job: string;
  /** Of a pod that was created: the UID of its Job, and its completion index. */
  readonly created?: { readonly owner: string; readonly index: string | undefined };
  /** In words: `created pod pi-x2x7k`. */
  readonly what: string;
  /** False: a user, a garbage collector or a kubelet may have done it. */
  readonly isCertain: boolean;
}

const INDEX = "batch.kubernetes.io/job-completion-index";
/** How the API server itself, the garbage collector and people keep objects. */
const FOREIGN_FINALIZERS = new Set(["foregroundDeletion", "orphan"]);
const COUNTS = ["active", "ready", "terminating", "succeeded", "failed", "completedIndexes", "failedIndexes"];

/** Undefined: no write of a Job controller. */
export function controllerWriteOf(seen: Seen): ControllerWrite | undefined {
  return seen.resource === "jobs" ? writeOfJob(seen) : writeOfPod(seen);
}

function writeOfJob({ type, object, previous }: Seen): ControllerWrite | undefined {
  const { namespace = "", name } = object.metadata;
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`;
  const of = { namespace, job: name };
  if (isDeletion(type, object, previous))
    return { ...of, method: "DELETE", path, what: "deleted the Job", isCertain: false };
  const status = statusChange(previous?.status ?? {}, object.status ?? {});
  return status === "" || type === "DELETED"
    ? undefined
    : { ...of, method: "PATCH", path: `${path}/status`, what: `wrote the status: ${status}`, isCertain: true };
}

function writeOfPod({ type, object, previous }: Seen): ControllerWrite | undefined {
  const { namespace = "", name, annotations } = object.metadata;
  const owner = jobOf(object);
  if (owner === undefined) return undefined;
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const of = { namespace, job: owner.name };
  const index = annotations?.[INDEX];
  const pod = `pod ${name}${index === undefined ? "" : ` of index ${index}`}`;
  if (type === "ADDED") {
    const created = { owner: owner.uid, index };
    return { ...of, method: "POST", path, created, what: `created ${pod}`, isCertain: true };
  }
  const had = trackedBy(previous);
  if (had !== undefined && (type === "DELETED" || trackedBy(object) !== had))
    return { ...of, method: "PATCH", path: `${path}/${name}`, what: `let go of ${pod}`, isCertain: type !== "DELETED" };
  return isDeletion(type, object, previous)
    ? { ...of, method: "DELETE", path: `${path}/${name}`, what: `deleted ${pod}`, isCertain: false }
    : undefined;
}

/** The object began to go, or went at once. The end of a finalizer or a grace period is no new deletion. */
function isDeletion(type: Seen["type"], { metadata }: Observed, previous: Observed | undefined): boolean {
  const began = previous?.metadata.deletionTimestamp === undefined;
  return began && (type === "DELETED" || metadata.deletionTimestamp !== undefined);
}

function jobOf({ metadata }: Observed): { readonly name: string; readonly uid: string } | undefined {
  return metadata.ownerReferences?.find(({ kind, controller }) => kind === "Job" && controller === true);
}

/** The finalizer that keeps the pod until it is counted. */
function trackedBy(pod: Observed | undefined): string | undefined {
  return pod?.metadata.finalizers?.find((name) => name.includes("/") && !FOREIGN_FINALIZERS.has(name));
}

type Status = Readonly<Record<string, any>>;

/** What is new in a status, in words; empty: nothing. */
export function statusChange(before: Status, after: Status): string {
  const counts = COUNTS.filter((name) => (before[name] ?? 0) !== (after[name] ?? 0)).map(
    (name) => `${name} ${after[name] ?? 0}`,
  );
  const had = new Set(conditionTexts(before));
  const conditions = conditionTexts(after).filter((text) => !had.has(text));
  const [waited, waits] = [before, after].map(uncounted) as [number, number];
  const pods = waited === waits ? [] : [`${waits} to be counted`];
  const times = before["startTime"] === after["startTime"] ? [] : ["startTime"];
  const said = [...counts, ...pods, ...conditions, ...times].join(", ");
  return said !== "" || JSON.stringify(before) === JSON.stringify(after) ? said : "other fields";
}

function conditionTexts({ conditions = [] }: Status): string[] {
  return conditions.map(
    ({ type, status, reason = "" }: Status) =>
      `${type}${status === "True" ? "" : `=${status}`}${reason === "" ? "" : ` (${reason})`}`,
  );
}

function uncounted({ uncountedTerminatedPods: pods = {} }: Status): number {
  return (pods.succeeded ?? []).length + (pods.failed ?? []).length;
}
