/**
 * Reads from the API server which pod of a Job failed last, and the end of its log.
 *
 * Invariant: if something may not be read, a sentence says so, and the rest is used.
 */
import { answeredObject, PODS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import { textOf } from "../../../cluster/values/text.ts";
import { keptSentence } from "../../../cluster/kubelet/pod-failure.ts";
import { SHOWN_LOG_LINES } from "../../words/last-failures.ts";
import { type LastFailure, lastFailureOf } from "../../words/job-view.ts";
import { type ApiReader, refusalOf } from "./api-reader.ts";
import type { Pod } from "../../../cluster/values/kinds.ts";

/**
 * If a controller has explained the Job, only one page of pods is read: it matters little which of the failures was the
 * very last.
 */
const PODS_READ = 500;
const MAX_LOG_BYTES = 16 * 1024;
const CONTROLLER_UID = "batch.kubernetes.io/controller-uid";

export interface ReadFailure {
  /** Undefined: as far as is known, no existing pod has failed. */
  readonly lastFailure: LastFailure | undefined;
  /** Why a pod does not end although its work is over, as a sentence. Undefined: none is known. */
  readonly kept?: string | undefined;
  /** What could not be read, as sentences. */
  readonly unread: readonly string[];
}

/** The pod that failed later. A pod that is being deleted has not failed. */
export function laterFailure(a: Pod | undefined, b: Pod): Pod | undefined {
  if (b.metadata.deletionTimestamp !== undefined || lastFailureOf(b) === undefined) return a;
  return a === undefined || endOf(b) >= endOf(a) ? b : a;
}

/** The first sentence about a pod that does not end although its work is over. */
export function firstKept(pods: readonly Pod[]): string | undefined {
  return pods.map(keptSentence).find((sentence) => sentence !== undefined);
}

/**
 * Finds the last failure of a Job by its UID. The search uses a label, which the pods of a Job with a manual selector
 * need not have.
 */
export async function findLastFailure(reader: ApiReader, namespace: string, uid: string): Promise<ReadFailure> {
  const answer = await reader.get(
    withQuery(resourcePath(PODS, namespace), { labelSelector: `${CONTROLLER_UID}=${uid}`, limit: PODS_READ }),
  );
  const { kind, items } = answeredObject(answer) as { kind?: string; items?: Pod[] | null };
  if (answer.status !== 200 || kind !== "PodList")
    return { lastFailure: undefined, unread: [`its pods could not be read (${refusalOf(answer)})`] };
  const pods = items ?? [];
  const failure = await readLastFailure(reader, namespace, pods.reduce<Pod | undefined>(laterFailure, undefined));
  return { ...failure, kept: firstKept(pods) };
}

/** Reads the end of the log of the failed container too. */
export async function readLastFailure(
  reader: ApiReader,
  namespace: string,
  pod: Pod | undefined,
): Promise<ReadFailure> {
  const failure = pod === undefined ? undefined : lastFailureOf(pod);
  if (pod === undefined || failure === undefined) return { lastFailure: undefined, unread: [] };
  const { name } = pod.metadata;
  const { container, isPrevious, text } = failure;
  const told = { pod: name, failure: text, log: [] };
  if (container === "") return { lastFailure: told, unread: [] };
  const answer = await reader.get(
    withQuery(resourcePath(PODS, namespace, name, "log"), {
      container,
      tailLines: SHOWN_LOG_LINES,
      limitBytes: MAX_LOG_BYTES,
      previous: isPrevious || undefined,
    }),
    "text/plain, */*",
  );
  // 204: the pod has no node, so it has printed nothing.
  if (answer.status !== 200 && answer.status !== 204)
    return { lastFailure: told, unread: [`the log of pod ${name} could not be read (${refusalOf(answer)})`] };
  return {
    lastFailure: {
      ...told,
      log: textOf(answer.body)
        .split("\n")
        .filter((line) => line !== ""),
    },
    unread: [],
  };
}

/**
 * When the last container of the pod ended, or else when the pod was created. RFC 3339 in UTC with whole seconds, which
 * sorts by time.
 */
function endOf(pod: Pod): string {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])] as Record<
    string,
    any
  >[];
  const ends = statuses
    .flatMap(
      ({ state, lastState }) =>
        [state?.terminated?.finishedAt, lastState?.terminated?.finishedAt] as (string | undefined)[],
    )
    .filter((time) => time !== undefined);
  return ends.toSorted().at(-1) ?? pod.metadata.creationTimestamp;
}
