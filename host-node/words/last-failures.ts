/**
 * Remembers of each Job what its API server forgets: pods that failed or were deleted, with who or what ended them; the
 * last lines that they printed; which completion indexes had failures; and, where the caller feeds them, the pods that
 * have not ended. Who ended a pod and what holds the others is the engine's to say (bindings/ABI.md, "account").
 *
 * Invariant: memory is limited, in entries and in bytes, whatever Jobs, pods, Events and programs say. Beyond a limit
 * goes what was not added to for the longest time. Jobs and active pods are those that the caller has anyway: they are
 * held by reference, and count little.
 */
import type { Account, Attempt } from "../../bindings/js/engine.ts";
import { BoundedMap } from "../../cluster/values/bounded-map.ts";
import type { Event, Job, Pod } from "../../cluster/values/kinds.ts";
import { SizedMap } from "../../cluster/values/sized-map.ts";
import { accountPod, containersOf, isTerminal, mayHaveFailed } from "../../cluster/observed/account-pods.ts";
import type { AskAccount } from "../../cluster/observed/ask-account.ts";
import type { JobView, LastFailure } from "./job-view.ts";

/** Last lines of a log that are shown. */
export const SHOWN_LOG_LINES = 10;
/** Of a line that is longer, its beginning is kept. */
const MAX_LINE = 4096;
const MAX_CONTAINERS = 1000;
const MAX_JOBS = 10_000;
/** Objects with Events, and the Events of each. */
const MAX_OBJECTS = 1000;
const MAX_EVENTS = 100;
/** How many failures are remembered, so that a later change of the same pod does not count as another one. */
const MAX_SEEN = 10_000;
/** Deleted pods of a Job, of each kind. */
const MAX_DELETED = 10;
/** Pods of a Job that have not ended. */
const MAX_ACTIVE = 200;

/** Bytes of Jobs with their pods, of Events, and of lines. */
export interface MemoryLimits {
  readonly jobs: number;
  readonly events: number;
  readonly lines: number;
}

export const DEFAULT_LIMITS: MemoryLimits = { jobs: 32 * 1024 ** 2, events: 8 * 1024 ** 2, lines: 8 * 1024 ** 2 };

// What each takes beside its text, measured in V8 and rounded up.
const JOB_BYTES = 500;
const POD_BYTES = 200;
const ACTIVE_BYTES = 150;
const INDEX_BYTES = 40;
const EVENT_BYTES = 1000;
const LINE_BYTES = 100;

/** A pod in its last known state, as JSON, which takes a third of what the object does. */
interface KeptPod {
  readonly uid: string;
  readonly text: string;
}

/** What is known of a Job. */
interface Memory {
  /** The Job, or its JSON. */
  job: object | string;
  /** The pod that failed last. */
  failed: KeptPod | undefined;
  /** Pods that were deleted for a reason that they show: they were evicted, for example. The oldest first. */
  deleted: readonly KeptPod[];
  /** Pods of which only the Job may show, when it has ended, that its controller deleted them. */
  unexplained: readonly KeptPod[];
  /** Pods that have not ended. */
  active: BoundedMap<string, Pod> | undefined;
  indexes: Set<number> | undefined;
}

export interface LastFailuresOptions {
  readonly limits?: MemoryLimits;
  /** Only pods that are gone are fed, and not every Job: other pods, and the Job, are not known. Off unless given. */
  readonly seesGoneAlone?: boolean;
}

/** The last failure of each Job, fed with the Jobs, pods, Events and the output of a run. */
export class LastFailures {
  readonly #ask: AskAccount;
  readonly #seesGoneAlone: boolean;
  /** By the UID of the Job. */
  readonly #jobs: SizedMap<string, Memory>;
  readonly #seen = new BoundedMap<string, true>(MAX_SEEN);
  /** The last lines, by the attempt of the container that printed them. */
  readonly #lines: SizedMap<string, string[]>;
  /** By the UID of the object that they are about. */
  readonly #events: SizedMap<string, Event[]>;

  constructor(ask: AskAccount, { limits = DEFAULT_LIMITS, seesGoneAlone = false }: LastFailuresOptions = {}) {
    this.#ask = ask;
    this.#seesGoneAlone = seesGoneAlone;
    this.#jobs = new SizedMap(MAX_JOBS, limits.jobs);
    this.#lines = new SizedMap(MAX_CONTAINERS, limits.lines);
    this.#events = new SizedMap(MAX_OBJECTS, limits.events);
  }

  /** The bytes that it takes at most for what it remembers, as it counts them. */
  get bytes(): number {
    return this.#jobs.size + this.#lines.size + this.#events.size;
  }

  line(podUid: string, container: string, attempt: number, line: string): void {
    const key = keyOf(podUid, container, attempt);
    const lines = appended(this.#lines.get(key), cut(line), SHOWN_LOG_LINES);
    this.#lines.put(
      key,
      lines,
      sum(lines, (each) => LINE_BYTES + bytesOf(each)),
    );
  }

  event(event: Event): void {
    const { uid } = event.involvedObject;
    if (uid === undefined) return;
    const events = appended(this.#events.get(uid), event, MAX_EVENTS);
    this.#events.put(
      uid,
      events,
      sum(events, ({ message }) => EVENT_BYTES + bytesOf(message ?? "")),
    );
  }

  /** Stores the present state of a Job. @param job its JSON, if the caller does not keep the object itself */
  job(job: Job | string, uid = (job as Job).metadata.uid): void {
    const known = this.#jobs.get(uid);
    const memory = known ?? newMemory(job);
    memory.job = job;
    if (known === undefined || typeof job === "string") this.#put(uid, memory);
  }

  /** Whether something is remembered of a Job. */
  knows(jobUid: string): boolean {
    return this.#jobs.has(jobUid);
  }

  /** Forgets a Job that is gone: no one can ask about it any more. */
  forget({ metadata: { uid } }: { readonly metadata: Pick<Job["metadata"], "uid"> }): void {
    this.#jobs.delete(uid);
    this.#events.delete(uid);
  }

  /** Stores the present state of a pod. @returns what became of it; undefined: it has not failed, or is no Job's */
  pod(pod: Pod): Attempt | undefined {
    const { uid, deletionTimestamp } = pod.metadata;
    const owner = ownerOf(pod);
    if (owner === undefined) return undefined;
    const memory = this.#memoryOf(owner);
    if (isTerminal(pod)) memory.active?.delete(uid);
    else (memory.active ??= new BoundedMap(MAX_ACTIVE)).put(uid, pod);
    let attempt: Attempt | undefined;
    if (mayHaveFailed(pod)) {
      const account = this.#accountOf(memory, [accountPod(pod)]);
      attempt = account?.attempts[0];
      // It may have succeeded, or its Job's end may explain it by now.
      memory.deleted = without(memory.deleted, uid);
      memory.unexplained = without(memory.unexplained, uid);
      if (attempt !== undefined && account?.last !== null) {
        if (deletionTimestamp === undefined) this.#noteFailure(memory, pod, attempt);
        else this.#noteDeletion(memory, pod, attempt.endedBy !== "Deleted");
      }
    }
    this.#put(owner.uid, memory);
    return attempt;
  }

  /** Forgets that a pod has not ended, because it is gone. */
  gone({ metadata: { uid, ownerReferences } }: Pod): void {
    for (const owner of ownerReferences ?? []) this.#jobs.get(owner.uid)?.active?.delete(uid);
  }

  /** Remembers the last state of a pod that is gone. What became of it is found out with the next question. */
  lost(pod: Pod): void {
    const owner = ownerOf(pod);
    if (owner === undefined || !mayHaveFailed(pod)) return;
    const memory = this.#memoryOf(owner);
    this.#noteDeletion(memory, pod, hasReason(pod));
    this.#put(owner.uid, memory);
  }

  /** What happened to a Job, and what holds it, by the pods that are known. Undefined: the Job is not known. */
  accountOf({ uid }: Pick<JobView, "uid">): Account | undefined {
    const memory = this.#jobs.get(uid);
    if (memory === undefined) return undefined;
    const { failed, deleted, unexplained, active } = memory;
    // Whether the controller has deleted them is not known without the Job.
    const isUnknown = this.#seesGoneAlone && typeof memory.job !== "string";
    const kept = [...(failed === undefined ? [] : [failed]), ...deleted, ...(isUnknown ? [] : unexplained)];
    const pods = new Map([...(active?.values() ?? [])].map((pod) => [pod.metadata.uid, accountPod(pod)]));
    for (const { uid: pod, text } of kept) pods.set(pod, JSON.parse(text) as Pod);
    return this.#accountOf(memory, [...pods.values()]);
  }

  /** What became of the remembered pods of a Job. @param account that of the Job */
  keptOf({ uid }: Pick<JobView, "uid">, account: Account): readonly Attempt[] {
    const { failed, deleted = [], unexplained = [] } = this.#jobs.get(uid) ?? {};
    const kept = new Set([failed, ...deleted, ...unexplained].map((pod) => pod?.uid));
    return account.attempts.filter((attempt) => kept.has(attempt.uid));
  }

  /** Whether all that an account of the Job needs is fed, so that it says right what holds the Job. */
  seesAllOf({ uid }: Pick<JobView, "uid">, hasEnded: boolean): boolean {
    return !this.#seesGoneAlone || (hasEnded && typeof this.#jobs.get(uid)?.job === "string");
  }

  /** Undefined: no pod of the Job has failed. @param account that of the Job, where it is known already */
  of(job: Pick<JobView, "uid">, account = this.accountOf(job)): LastFailure | undefined {
    const last = account?.attempts[account.last ?? -1];
    if (last === undefined) return undefined;
    const { pod, cause, endedBy, container, attempt } = last;
    const log = this.#lines.get(keyOf(last.uid, container, attempt ?? 0)) ?? [];
    return { pod, failure: cause, endedBy, log };
  }

  /** The completion indexes with a failed pod, up to a limit. */
  indexesOf({ uid }: JobView): ReadonlySet<number> | undefined {
    return this.#jobs.get(uid)?.indexes;
  }

  #memoryOf({ uid, name }: Owner): Memory {
    return this.#jobs.get(uid) ?? newMemory({ metadata: { name, uid } });
  }

  /** Adds it, or makes it the newest, with its present size. */
  #put(uid: string, memory: Memory): void {
    const { job, failed, deleted, unexplained, active, indexes } = memory;
    const kept = [...(failed === undefined ? [] : [failed]), ...deleted, ...unexplained];
    const size =
      JOB_BYTES +
      (typeof job === "string" ? bytesOf(job) : 0) +
      sum(kept, ({ text }) => POD_BYTES + bytesOf(text)) +
      (active?.size ?? 0) * ACTIVE_BYTES +
      (indexes?.size ?? 0) * INDEX_BYTES;
    this.#jobs.put(uid, memory, size);
  }

  #accountOf({ job: known }: Memory, pods: readonly Pod[]): Account | undefined {
    const job = (typeof known === "string" ? JSON.parse(known) : known) as Pick<Job, "metadata">;
    const uids = [job.metadata.uid, ...pods.map(({ metadata }) => metadata.uid)];
    return this.#ask({ job, pods, events: uids.flatMap((uid) => this.#events.get(uid) ?? []) });
  }

  #noteFailure(memory: Memory, pod: Pod, { uid, container, attempt, index }: Attempt): void {
    const key = keyOf(uid, container, attempt ?? 0);
    if (this.#seen.has(key) && memory.failed?.uid !== uid) return;
    this.#seen.put(key, true);
    memory.failed = keptPod(pod);
    if (index === null) return;
    memory.indexes ??= new Set();
    if (memory.indexes.size < MAX_SEEN) memory.indexes.add(index);
  }

  #noteDeletion(memory: Memory, pod: Pod, isExplained: boolean): void {
    const list = isExplained ? "deleted" : "unexplained";
    memory[list] = [...without(memory[list], pod.metadata.uid), keptPod(pod)].slice(-MAX_DELETED);
  }
}

type Owner = NonNullable<Pod["metadata"]["ownerReferences"]>[number];

function ownerOf({ metadata: { ownerReferences } }: Pod): Owner | undefined {
  return ownerReferences?.find(({ controller, kind }) => controller === true && kind === "Job");
}

function newMemory(job: object | string): Memory {
  return { job, failed: undefined, deleted: [], unexplained: [], active: undefined, indexes: undefined };
}

function keptPod(pod: Pod): KeptPod {
  return { uid: pod.metadata.uid, text: JSON.stringify(accountPod(pod)) };
}

/** Whether the pod itself shows why it ended or was deleted. */
function hasReason({ metadata, status = {} }: Pod): boolean {
  return (
    metadata.deletionTimestamp === undefined ||
    status.reason !== undefined ||
    status.conditions?.some(({ type, status }) => type === "DisruptionTarget" && status === "True") === true ||
    containersOf(status).some(
      ({ state, lastState }) => hasFailed(state?.terminated) || hasFailed(lastState?.terminated),
    )
  );
}

function hasFailed(end: { readonly exitCode?: number } | undefined): boolean {
  return (end?.exitCode ?? 0) !== 0;
}

function without(pods: readonly KeptPod[], uid: string): readonly KeptPod[] {
  return pods.some((pod) => pod.uid === uid) ? pods.filter((pod) => pod.uid !== uid) : pods;
}

function appended<Item>(list: Item[] = [], item: Item, limit: number): Item[] {
  list.push(item);
  if (list.length > limit) list.shift();
  return list;
}

/** A copy: a slice would keep the whole line alive. */
function cut(line: string): string {
  return line.length <= MAX_LINE ? line : `${Buffer.from(line.slice(0, MAX_LINE)).toString()}…`;
}

function sum<Item>(items: readonly Item[], sizeOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + sizeOf(item), 0);
}

/** What V8 takes for a text: a byte a character, or two where one of them is beyond Latin-1. */
function bytesOf(text: string): number {
  return /[^\0-\xff]/.test(text) ? text.length * 2 : text.length;
}

function keyOf(podUid: string, container: string, attempt: number): string {
  return `${podUid} ${container} ${attempt}`;
}
