/**
 * The pod of a Job that failed last, and the end of what it printed, asked of the API server.
 *
 * Invariant: what may not be read is said in a sentence, and the rest is used.
 */
import { PODS, resourcePath, withQuery } from "../../../cluster/client.ts";
import { textOf } from "../../../cluster/apiserver/text.ts";
import type { KubeObject } from "../../../cluster/types.ts";
import { SHOWN_LOG_LINES } from "../last-failures.ts";
import { type LastFailure, lastFailureOf } from "../output/job-view.ts";
import { type ApiReader, objectIn, refusalOf } from "./api-reader.ts";

/** Of a Job that its controller has explained: one page, for which of its failures is the very last matters little. */
const PODS_READ = 500;
const MAX_LOG_BYTES = 16 * 1024;
const CONTROLLER_UID = "batch.kubernetes.io/controller-uid";

export interface ReadFailure {
  /** Undefined: no pod that is there has failed, as far as it is known. */
  readonly lastFailure: LastFailure | undefined;
  /** What could not be read, as sentences. */
  readonly unread: readonly string[];
}

/** The one of two pods that failed later; a pod that is being deleted was told to end. */
export function laterFailure(a: KubeObject | undefined, b: KubeObject): KubeObject | undefined {
  if (b.metadata.deletionTimestamp !== undefined || lastFailureOf(b) === undefined) return a;
  return a === undefined || endOf(b) >= endOf(a) ? b : a;
}

/**
 * Of a Job of which only the UID is known. Pods of a selector of its own need not have the label that it is looked for
 * by.
 */
export async function findLastFailure(reader: ApiReader, namespace: string, uid: string): Promise<ReadFailure> {
  const answer = await reader.get(
    withQuery(resourcePath(PODS, namespace), { labelSelector: `${CONTROLLER_UID}=${uid}`, limit: PODS_READ }),
  );
  const { kind, items } = objectIn(answer) as { kind?: string; items?: KubeObject[] | null };
  if (answer.status !== 200 || kind !== "PodList")
    return { lastFailure: undefined, unread: [`its pods could not be read (${refusalOf(answer)})`] };
  return readLastFailure(reader, namespace, (items ?? []).reduce<KubeObject | undefined>(laterFailure, undefined));
}

/** With the end of the log of its container. */
export async function readLastFailure(
  reader: ApiReader,
  namespace: string,
  pod: KubeObject | undefined,
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
  // 204: a pod that has no node, and so nothing that it printed.
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

/** When its last container ended; else when it was made. RFC 3339 in UTC and whole seconds, which sorts by time. */
function endOf(pod: KubeObject): string {
  const statuses = [
    ...(pod["status"]?.initContainerStatuses ?? []),
    ...(pod["status"]?.containerStatuses ?? []),
  ] as Record<string, any>[];
  const ends = statuses
    .flatMap(
      ({ state, lastState }) =>
        [state?.terminated?.finishedAt, lastState?.terminated?.finishedAt] as (string | undefined)[],
    )
    .filter((time) => time !== undefined);
  return ends.toSorted().at(-1) ?? pod.metadata.creationTimestamp;
}
