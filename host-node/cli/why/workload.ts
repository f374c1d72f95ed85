/** Reads from Kueue what is known of a Job that waits in one of its queues: its Workload, and its places. */
import { answeredObject } from "../../../cluster/client/client.ts";
import type { ReadJob } from "../../../cluster/observed/account-pods.ts";
import { type ApiReader, refusalOf } from "./api-reader.ts";

const QUEUE_LABEL = "kueue.x-k8s.io/queue-name";
const JOB_UID_LABEL = "kueue.x-k8s.io/job-uid";
/** Newest first, of both groups. A server has one of them. */
const VERSIONS = ["v1beta2", "v1beta1"];

type Reader = Pick<ApiReader, "get">;
type Answer = Awaited<ReturnType<Reader["get"]>>;

export interface ReadWorkload {
  readonly workload?: object | undefined;
  /** Its entry among the pending Workloads of its queue. */
  readonly pending?: object | undefined;
  /** Why the Workload could not be read, as a sentence. */
  readonly refusal?: string | undefined;
}

interface QueuedJob {
  readonly metadata?: { readonly uid: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly spec?: { readonly suspend?: boolean };
}

/** Asks for nothing unless the Job has the label of Kueue and is suspended. */
export async function readWorkload(reader: Reader, job: ReadJob["job"]): Promise<ReadWorkload> {
  const { metadata, spec } = job as QueuedJob;
  const queue = metadata?.labels?.[QUEUE_LABEL];
  if (metadata === undefined || typeof queue !== "string" || spec?.suspend !== true) return {};
  const selector = encodeURIComponent(`${JOB_UID_LABEL}=${metadata.uid}`);
  const [workloads, queued] = await Promise.all([
    inAnyVersion(
      reader,
      (version) =>
        `/apis/kueue.x-k8s.io/${version}/namespaces/${metadata.namespace}/workloads?labelSelector=${selector}`,
    ),
    inAnyVersion(
      reader,
      (version) =>
        `/apis/visibility.kueue.x-k8s.io/${version}/namespaces/${metadata.namespace}/localqueues/` +
        `${encodeURIComponent(queue)}/pendingworkloads`,
    ),
  ]);
  if (workloads.status !== 200) return { refusal: `the Workload of Kueue could not be read (${refusalOf(workloads)})` };
  const workload = itemsOf(workloads)[0];
  // A cluster need not serve the visibility API, which lists the first 1,000 of a queue. Without it, no place is named.
  const pending =
    workload === undefined ? undefined : itemsOf(queued).find((item) => nameOf(item) === nameOf(workload));
  return { workload, pending: hasPlaces(pending) ? pending : undefined };
}

async function inAnyVersion(reader: Reader, pathOf: (version: string) => string): Promise<Answer> {
  let answer = await reader.get(pathOf(VERSIONS[0]!));
  for (const version of VERSIONS.slice(1)) if (answer.status === 404) answer = await reader.get(pathOf(version));
  return answer;
}

function itemsOf(answer: Answer): readonly object[] {
  const { items } = answeredObject(answer) as { items?: unknown };
  return answer.status === 200 && Array.isArray(items)
    ? items.filter((item): item is object => typeof item === "object" && item !== null)
    : [];
}

function nameOf(object: object): unknown {
  return (object as { metadata?: { name?: unknown } }).metadata?.name;
}

function hasPlaces(item: object | undefined): boolean {
  const { positionInLocalQueue, positionInClusterQueue } = (item ?? {}) as Record<string, unknown>;
  return Number.isSafeInteger(positionInLocalQueue) && Number.isSafeInteger(positionInClusterQueue);
}
