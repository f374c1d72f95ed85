/**
 * Reads from the API server what happened to a Job: its pods, the Events about them, and the end of the log of the
 * container that failed last. The engine says the rest (bindings/ABI.md, "account").
 *
 * Invariant: if something may not be read, a sentence says so, and the rest is used.
 */
import type { Account, Attempt } from "../../../bindings/js/engine.ts";
import { answeredObject, PODS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import type { Event, Pod } from "../../../cluster/values/kinds.ts";
import { textOf } from "../../../cluster/values/text.ts";
import { AccountPods, containersOf, type ReadJob } from "../../../cluster/observed/account-pods.ts";
import type { AskAccount } from "../../../cluster/observed/ask-account.ts";
import type { LastFailure } from "../../words/job-view.ts";
import { SHOWN_LOG_LINES } from "../../words/last-failures.ts";
import { type ApiReader, refusalOf } from "./api-reader.ts";
import { aboutPod, readEvents } from "./warnings.ts";
import { readWorkload } from "./workload.ts";

/**
 * If a controller has explained the Job, only one page of pods is read: it matters little which of the failures was the
 * very last.
 */
const PODS_READ = 500;
const MAX_LOG_BYTES = 16 * 1024;
const CONTROLLER_UID = "batch.kubernetes.io/controller-uid";

/** The functions of the API client that are used. */
export type Reader = Pick<ApiReader, "get">;

export interface ReadAccount {
  /** Undefined: the pods could not be read, or the engine cannot read them. */
  readonly account: Account | undefined;
  /** Undefined: as far as is known, no existing pod has failed. */
  readonly lastFailure: LastFailure | undefined;
  /** Events about the pod that failed, or about one that does not start. */
  readonly events: readonly Event[];
  /** What could not be read, as sentences. */
  readonly unread: readonly string[];
}

export const NOTHING_READ: ReadAccount = { account: undefined, lastFailure: undefined, events: [], unread: [] };

/** The pods of a list, without what no API server has in it. */
export function podsIn(items: unknown): readonly Pod[] {
  const isPod = (item: unknown): item is Pod => typeof (item as Partial<Pod> | null)?.metadata?.uid === "string";
  return Array.isArray(items) ? items.filter(isPod) : [];
}

/** The pods of a Job, and the Events about it. */
interface ReadPods {
  readonly read: ReadJob;
  readonly pods: AccountPods;
  /** Why the pods could not be read, as a sentence; undefined: they were read. */
  readonly refusal: string | undefined;
}

/** Reads what `readPodsOf` finds, and what happened to it. */
export async function findAccount(reader: Reader, job: ReadJob["job"], ask: AskAccount): Promise<ReadAccount> {
  const { read, pods, refusal } = await readPodsOf(reader, job, ask);
  return refusal === undefined ? readAccount(reader, read, pods, ask) : { ...NOTHING_READ, unread: [refusal] };
}

/**
 * Finds the pods of a Job by its UID, and the Events about it. The search uses a label, which the pods of a Job with a
 * manual selector need not have.
 */
export async function readPodsOf(reader: Reader, job: ReadJob["job"], ask: AskAccount): Promise<ReadPods> {
  const { namespace = "", uid } = job.metadata;
  const query = { labelSelector: `${CONTROLLER_UID}=${uid}`, limit: PODS_READ };
  const [answer, { events }] = await Promise.all([
    reader.get(withQuery(resourcePath(PODS, namespace), query)),
    readEvents(reader, namespace, `involvedObject.uid=${uid}`),
  ]);
  const { kind, items } = answeredObject(answer);
  const read = { job, events };
  const pods = new AccountPods(ask, read);
  if (answer.status !== 200 || kind !== "PodList")
    return { read, pods, refusal: `its pods could not be read (${refusalOf(answer)})` };
  pods.add(podsIn(items));
  return { read, pods, refusal: undefined };
}

/** Reads the Events about the pods that need them, the end of a log, and what of other controllers holds the Job. */
export async function readAccount(
  reader: Reader,
  { job, events }: ReadJob,
  pods: AccountPods,
  ask: AskAccount,
): Promise<ReadAccount> {
  const { namespace = "" } = job.metadata;
  const { failed, starting } = pods;
  const attempt = failed && ask({ job, pods: [failed], events })?.attempts[0];
  const asked = [failed, starting].filter((pod) => pod !== undefined);
  const [log, queued, ...ofPods] = await Promise.all([
    failed && attempt ? readLog(reader, failed, attempt) : NO_LOG,
    readWorkload(reader, job),
    ...asked.map(({ metadata: { name } }) => readEvents(reader, namespace, aboutPod(name))),
  ]);
  const podEvents = ofPods.flatMap((read) => read.events);
  const { workload, pending } = queued;
  const around = { ...(workload && { workload }), ...(pending && { pending }) };
  const account = ask({ job, pods: pods.all, events: [...events, ...podEvents], around });
  const last = account?.attempts[account.last ?? -1];
  const refusals = [...ofPods, queued, log].map(({ refusal }) => refusal);
  return {
    account,
    lastFailure: last && { pod: last.pod, failure: last.cause, endedBy: last.endedBy, log: log.lines },
    events: podEvents,
    unread: [...new Set(refusals.filter((sentence) => sentence !== undefined))],
  };
}

export interface ReadLog {
  readonly lines: readonly string[];
  /** Why it could not be read, as a sentence. */
  readonly refusal?: string;
}

export const NO_LOG: ReadLog = { lines: [] };

/** The end of the log of the container that failed. */
export async function readLog(reader: Reader, pod: Pod, attempt: Attempt): Promise<ReadLog> {
  const { name, namespace = "" } = pod.metadata;
  if (attempt.container === "") return NO_LOG;
  const answer = await reader.get(
    withQuery(resourcePath(PODS, namespace, name, "log"), {
      container: attempt.container,
      tailLines: SHOWN_LOG_LINES,
      limitBytes: MAX_LOG_BYTES,
      previous: isPrevious(pod, attempt) || undefined,
    }),
    "text/plain, */*",
  );
  // 204: the pod has no node, so it has printed nothing.
  if (answer.status !== 200 && answer.status !== 204)
    return { lines: [], refusal: `the log of pod ${name} could not be read (${refusalOf(answer)})` };
  return {
    lines: textOf(answer.body)
      .split("\n")
      .filter((line) => line !== ""),
  };
}

/** Whether the container has been started again since. */
function isPrevious({ status = {} }: Pod, { container, attempt }: Attempt): boolean {
  const { restartCount = 0 } = containersOf(status).find(({ name }) => name === container) ?? {};
  return attempt !== null && restartCount > attempt;
}
