/**
 * Reads from the API server which pod of a Job failed last, who or what ended it, and the end of its log.
 *
 * Invariant: if something may not be read, a sentence says so, and the rest is used.
 */
import type { Attempt } from "../../../bindings/js/engine.ts";
import { answeredObject, PODS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import { keptSentence } from "../../../cluster/kubelet/pod-failure.ts";
import type { Event, Job, Pod } from "../../../cluster/values/kinds.ts";
import { textOf } from "../../../cluster/values/text.ts";
import type { LastFailure } from "../../words/job-view.ts";
import { type AskAccount, containersOf, mayHaveFailed, SHOWN_LOG_LINES } from "../../words/last-failures.ts";
import { type ApiReader, refusalOf } from "./api-reader.ts";
import { aboutPod, readEvents } from "./warnings.ts";

/**
 * If a controller has explained the Job, only one page of pods is read: it matters little which of the failures was the
 * very last.
 */
const PODS_READ = 500;
/** In one question. A pod may have some 100 kB beside the managers of its fields. */
const PODS_ASKED = 50;
const MAX_LOG_BYTES = 16 * 1024;
const CONTROLLER_UID = "batch.kubernetes.io/controller-uid";

export interface ReadFailure {
  /** Undefined: as far as is known, no existing pod has failed. */
  readonly lastFailure: LastFailure | undefined;
  /** Why a pod does not end although its work is over, as a sentence. Undefined: none is known. */
  readonly kept?: string | undefined;
  /** Events about the pod that failed. */
  readonly events?: readonly Event[];
  /** What could not be read, as sentences. */
  readonly unread: readonly string[];
}

/** A Job, and the Events about it that could be read. */
export interface ReadJob {
  /** The rest of it, if it could be read, tells which pods its controller has ended. */
  readonly job: { readonly metadata: Pick<Job["metadata"], "name" | "namespace" | "uid"> };
  readonly events: readonly Event[];
}

/**
 * The pod that failed last, of those that were not deleted by the Job's controller.
 * @param before the one that failed last of earlier pages
 */
export function lastFailed(
  ask: AskAccount,
  { job, events }: ReadJob,
  pods: readonly Pod[],
  before?: Pod,
): Pod | undefined {
  const candidates = pods.filter(mayHaveFailed);
  let found = before;
  for (let i = 0; i < candidates.length; i += PODS_ASKED) {
    const part = [...(found === undefined ? [] : [found]), ...candidates.slice(i, i + PODS_ASKED)];
    const account = ask({ job, pods: part.map(withoutManagers), events });
    const last = account?.attempts[account.last ?? -1];
    found = part.find(({ metadata }) => metadata.uid === last?.uid) ?? found;
  }
  return found;
}

// The managers of its fields are half of a pod, and a question has a limit of 8 MiB.
function withoutManagers({ metadata, ...pod }: Pod): object {
  const { managedFields: _, ...rest } = metadata;
  return { metadata: rest, ...pod };
}

/** The pods of a list, without what no API server has in it. */
export function podsIn(items: unknown): readonly Pod[] {
  const isPod = (item: unknown): item is Pod => typeof (item as Partial<Pod> | null)?.metadata?.uid === "string";
  return Array.isArray(items) ? items.filter(isPod) : [];
}

/** The first sentence about a pod that does not end although its work is over. */
export function firstKept(pods: readonly Pod[]): string | undefined {
  return pods.map(keptSentence).find((sentence) => sentence !== undefined);
}

/**
 * Finds the last failure of a Job by its UID. The search uses a label, which the pods of a Job with a manual selector
 * need not have.
 */
export async function findLastFailure(reader: ApiReader, job: ReadJob["job"], ask: AskAccount): Promise<ReadFailure> {
  const { namespace = "", uid } = job.metadata;
  const query = { labelSelector: `${CONTROLLER_UID}=${uid}`, limit: PODS_READ };
  const [answer, { events }] = await Promise.all([
    reader.get(withQuery(resourcePath(PODS, namespace), query)),
    readEvents(reader, namespace, `involvedObject.uid=${uid}`),
  ]);
  const { kind, items } = answeredObject(answer);
  if (answer.status !== 200 || kind !== "PodList")
    return { lastFailure: undefined, unread: [`its pods could not be read (${refusalOf(answer)})`] };
  const read = { job, events };
  const pods = podsIn(items);
  const failure = await readLastFailure(reader, read, lastFailed(ask, read, pods), ask);
  return { ...failure, kept: firstKept(pods) };
}

/** Reads the Events about the pod, and the end of the log of the failed container. */
export async function readLastFailure(
  reader: ApiReader,
  { job, events: ofJob }: ReadJob,
  pod: Pod | undefined,
  ask: AskAccount,
): Promise<ReadFailure> {
  if (pod === undefined) return { lastFailure: undefined, unread: [] };
  const { name, namespace = "" } = pod.metadata;
  const { events, refusal } = await readEvents(reader, namespace, aboutPod(name));
  const attempt = ask({ job, pods: [pod], events: [...ofJob, ...events] })?.attempts[0];
  if (attempt === undefined) return { lastFailure: undefined, events, unread: [] };
  const unread = refusal === undefined ? [] : [refusal];
  const { cause, endedBy, container } = attempt;
  const failure = { pod: name, failure: cause, endedBy, log: [] };
  if (container === "") return { lastFailure: failure, events, unread };
  const answer = await reader.get(
    withQuery(resourcePath(PODS, namespace, name, "log"), {
      container,
      tailLines: SHOWN_LOG_LINES,
      limitBytes: MAX_LOG_BYTES,
      previous: isPrevious(pod, attempt) || undefined,
    }),
    "text/plain, */*",
  );
  // 204: the pod has no node, so it has printed nothing.
  if (answer.status !== 200 && answer.status !== 204) {
    const sentence = `the log of pod ${name} could not be read (${refusalOf(answer)})`;
    return { lastFailure: failure, events, unread: [...unread, sentence] };
  }
  const log = textOf(answer.body)
    .split("\n")
    .filter((line) => line !== "");
  return { lastFailure: { ...failure, log }, events, unread };
}

/** Whether the container has been started again since. */
function isPrevious({ status = {} }: Pod, { container, attempt }: Attempt): boolean {
  const { restartCount = 0 } = containersOf(status).find(({ name }) => name === container) ?? {};
  return attempt !== null && restartCount > attempt;
}
