/** Reads the Workload of Kueue for a Job that waits in one of its queues. */
import { answeredObject } from "../../../cluster/client/client.ts";
import type { ReadJob } from "../../words/account-pods.ts";
import { type ApiReader, refusalOf } from "./api-reader.ts";

const QUEUE_LABEL = "kueue.x-k8s.io/queue-name";
const JOB_UID_LABEL = "kueue.x-k8s.io/job-uid";
/** Newest first. A server has one of them. */
const VERSIONS = ["v1beta2", "v1beta1"];

type Reader = Pick<ApiReader, "get">;

export interface ReadWorkload {
  readonly object?: object | undefined;
  /** Why it could not be read, as a sentence. */
  readonly refusal?: string | undefined;
}

/** Asks for nothing unless the Job has the label of Kueue and is suspended. */
export async function readWorkload(reader: Reader, job: ReadJob["job"]): Promise<ReadWorkload> {
  const { metadata, spec } = job as Partial<{ metadata: { labels?: object; uid: string; namespace?: string } }> & {
    spec?: { suspend?: boolean };
  };
  const isQueued = Object.hasOwn(metadata?.labels ?? {}, QUEUE_LABEL) && spec?.suspend === true;
  if (!isQueued) return {};
  const selector = encodeURIComponent(`${JOB_UID_LABEL}=${metadata!.uid}`);
  let refusal: string | undefined;
  for (const version of VERSIONS) {
    const path = `/apis/kueue.x-k8s.io/${version}/namespaces/${metadata!.namespace}/workloads?labelSelector=${selector}`;
    const answer = await reader.get(path);
    if (answer.status === 200) {
      const { items } = answeredObject(answer) as { items?: unknown };
      return { object: Array.isArray(items) ? (items[0] as object | undefined) : undefined };
    }
    refusal = `the Workload of Kueue could not be read (${refusalOf(answer)})`;
    if (answer.status !== 404) break;
  }
  return { refusal };
}
