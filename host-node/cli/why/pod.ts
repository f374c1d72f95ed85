/**
 * Reads a pod, its Job and the Events about both: what became of it, what holds it, and how its Job stands. A pod of no
 * Job is not explained: the answer says whose it is.
 *
 * Invariant: if something may not be read, a sentence says so, and the rest is used.
 */
import type { Account, Attempt, Hold, Remedy } from "../../../bindings/js/engine.ts";
import { answeredObject, JOBS, PODS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import type { Event, Job, Pod } from "../../../cluster/values/kinds.ts";
import { UsageError } from "../../usage-error.ts";
import { accountPod, type ReadJob } from "../../../cluster/observed/account-pods.ts";
import type { AskAccount } from "../../../cluster/observed/ask-account.ts";
import type { JobName } from "../../words/similar-names.ts";
import type { Asked } from "../doctor/cluster-reader.ts";
import { type Document, head } from "../json/document.ts";
import type { WarningEvent } from "../output/warning-events.ts";
import { NO_LOG, podsIn, type Reader, readLog, type ReadLog, readPodsOf } from "./account.ts";
import { refusalOf } from "./api-reader.ts";
import { aboutPod, readEvents, warningsOf } from "./warnings.ts";

const SHOWN_WARNINGS = 5;
const LOG_COMMAND = "kubectl logs ";

/** How the Job of a pod stands. */
export interface JobOfPod {
  readonly name: string;
  /** The verdict of bindings/ABI.md, and its sentence. Undefined: it could not be read. */
  readonly verdict?: string | undefined;
  readonly sentence?: string | undefined;
  /** How many pods the holds of the pod hold, by their codes. */
  readonly held: Readonly<Record<string, number>>;
}

/** What `--output json` prints of a pod; docs/why.md has the meaning of each member. */
export interface PodAccount extends Document<"PodAccount"> {
  readonly namespace: string;
  readonly name: string;
  readonly found: true;
  /** The phase, or `Terminating`. */
  readonly state: string;
  readonly sentence: string;
  readonly nextMs: null;
  /** Null: it belongs to no Job. */
  readonly ofJob: JobOfPod | null;
  readonly attempt?: Attempt | undefined;
  readonly holds: readonly Hold[];
  /** The last lines of the container that failed. */
  readonly log: readonly string[];
  readonly remedies: readonly Remedy[];
  readonly remarks: readonly string[];
  readonly events: readonly WarningEvent[];
}

/** Undefined: there is no such pod. @throws UsageError when pods may not be listed */
export async function findPod(reader: Asked, place: JobName, ask: AskAccount): Promise<PodAccount | undefined> {
  const { namespace, name } = place;
  // A list of one, because a Job is explained with the right to list pods, too.
  const query = { fieldSelector: `metadata.name=${name}` };
  const answer = await reader.get(withQuery(resourcePath(PODS, namespace), query));
  if (answer.status === 403)
    throw new UsageError(
      `the pods in namespace ${namespace} may not be read with these credentials (${refusalOf(answer)}).\nAsk for list on pods and events, and get on jobs, in that namespace: the role \`view\` has them.`,
    );
  const { kind, items } = answeredObject(answer);
  if (answer.status !== 200 || kind !== "PodList")
    throw new UsageError(
      `${reader.origin} does not serve pods; it answered ${refusalOf(answer)}.\nIs it a Kubernetes API server, and healthy?`,
    );
  const pod = podsIn(items).find(({ metadata }) => metadata.name === name);
  if (pod === undefined) return undefined;
  const { events, refusal } = await readEvents(reader, namespace, aboutPod(name));
  const own = events.filter(({ involvedObject }) => (involvedObject?.uid ?? pod.metadata.uid) === pod.metadata.uid);
  const common = { ...place, events: warningsOf(own, SHOWN_WARNINGS) };
  const unread = refusal === undefined ? [] : [refusal];
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.kind !== "Job") return ofNoJob(pod, owner, { ...common, remarks: unread });
  const read = await readJob(reader, namespace, owner, ask);
  return ofJob(reader, pod, { ...read, events: own }, { ...common, remarks: [...read.unread, ...unread] }, ask);
}

type Common = Pick<PodAccount, "namespace" | "name" | "events" | "remarks">;
type Owner = NonNullable<Pod["metadata"]["ownerReferences"]>[number];

function stateOf({ metadata, status }: Pod): string {
  return metadata.deletionTimestamp === undefined ? (status?.phase ?? "Pending") : "Terminating";
}

function ofNoJob(pod: Pod, owner: Owner | undefined, { namespace, name, ...common }: Common): PodAccount {
  const whose = owner === undefined ? "no controller owns it" : `${owner.kind} ${owner.name} controls it`;
  return {
    ...head("PodAccount"),
    namespace,
    name,
    found: true,
    state: stateOf(pod),
    sentence: `it is a pod of no Job: ${whose}`,
    nextMs: null,
    ofJob: null,
    holds: [],
    log: [],
    remedies: [],
    ...common,
  };
}

interface ReadOwner {
  readonly job: ReadJob["job"];
  /** Events about the Job. */
  readonly jobEvents: readonly Event[];
  /** Of all pods of the Job. Undefined: not all of that could be read. */
  readonly account: Account | undefined;
  readonly unread: readonly string[];
}

/** The Job that the pod names. Without it the name and the UID alone are known. */
async function readJob(reader: Reader, namespace: string, { name, uid }: Owner, ask: AskAccount): Promise<ReadOwner> {
  const answer = await reader.get(resourcePath(JOBS, namespace, name));
  const object = answeredObject(answer) as Partial<Job>;
  const stub = { metadata: { name, namespace, uid } };
  const unknown = (sentence: string): ReadOwner => ({
    job: stub,
    jobEvents: [],
    account: undefined,
    unread: [sentence],
  });
  if (answer.status === 404) return unknown(`its Job ${name} is gone`);
  if (answer.status !== 200) return unknown(`its Job ${name} could not be read (${refusalOf(answer)})`);
  if (object.metadata?.uid !== uid) return unknown(`its Job ${name} is gone, and another one has that name`);
  const job = object as Job;
  const { read, pods, refusal } = await readPodsOf(reader, job, ask);
  if (refusal !== undefined) return { job, jobEvents: [], account: undefined, unread: [refusal] };
  const { events } = read;
  return { job, jobEvents: events, account: ask({ job, pods: pods.all, events }), unread: [] };
}

async function ofJob(
  reader: Reader,
  pod: Pod,
  { job, jobEvents, account, events }: ReadOwner & { readonly events: readonly Event[] },
  { namespace, name, remarks, events: warnings }: Common,
  ask: AskAccount,
): Promise<PodAccount> {
  const alone = ask({ job, pods: [accountPod(pod)], events: [...jobEvents, ...events] });
  const attempt = alone?.attempts[0];
  const log: ReadLog = attempt === undefined ? NO_LOG : await readLog(reader, pod, attempt);
  // The others are about the Job, which has more pods than this one.
  const holds = (alone?.holds ?? []).filter(({ count }) => count > 0);
  const codes = new Set<string | null | undefined>([...holds.map(({ code }) => code), attempt?.endedBy]);
  const remedies = (alone?.remedies ?? []).filter(
    ({ code, command }) => codes.has(code) && !(log.lines.length > 0 && command.startsWith(LOG_COMMAND)),
  );
  const others = holds.map(({ code, by }) => {
    const whole = account?.holds.find((hold) => hold.code === code && hold.by === by);
    return [code, Math.max(1, whole?.count ?? 1)] as const;
  });
  return {
    ...head("PodAccount"),
    namespace,
    name,
    found: true,
    state: stateOf(pod),
    sentence: attempt?.sentence ?? `it is a pod of Job ${job.metadata.name}, and cannot be read`,
    nextMs: null,
    ofJob: {
      name: job.metadata.name,
      verdict: account?.verdict.verdict,
      sentence: account?.verdict.sentence,
      held: Object.fromEntries(others),
    },
    attempt,
    holds,
    log: log.lines,
    remedies,
    remarks: [...remarks, ...(log.refusal === undefined ? [] : [log.refusal])],
    events: warnings,
  };
}
