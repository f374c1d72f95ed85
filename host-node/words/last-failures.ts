/**
 * Remembers the last failure of each Job of a run: which pod, who or what ended it, and the last lines that it printed;
 * which completion indexes had failures; and the pods that have not ended. Who ended a pod and what holds the others is
 * the engine's to say (bindings/ABI.md, "account").
 *
 * Invariant: memory is limited. A few lines are kept of a limited number of containers, those that printed last, and a
 * few pods and Events of a limited number of Jobs.
 */
import type { Account, Attempt } from "../../bindings/js/engine.ts";
import { BoundedMap } from "../../cluster/values/bounded-map.ts";
import type { Event, Job, Pod } from "../../cluster/values/kinds.ts";
import { accountPod, isTerminal, mayHaveFailed } from "./account-pods.ts";
import type { AskAccount } from "./ask-account.ts";
import type { JobView, LastFailure } from "./job-view.ts";

/** Last lines of a log that are shown. */
export const SHOWN_LOG_LINES = 10;
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

/** What is known of a Job. */
interface Memory {
  job: object;
  /** The pod that failed last. */
  failed: Pod | undefined;
  /** Pods that were deleted for a reason that they show: they were evicted, for example. */
  readonly deleted: BoundedMap<string, Pod>;
  /** Pods that have not ended. */
  readonly active: BoundedMap<string, Pod>;
  /** Pods of which only the Job may show, when it has ended, that its controller deleted them. */
  readonly unexplained: BoundedMap<string, Pod>;
  readonly indexes: Set<number>;
}

/** The last failure of each Job, fed with the Jobs, pods, Events and the output of a run. */
export class LastFailures {
  readonly #ask: AskAccount;
  /** By the UID of the Job. */
  readonly #jobs = new BoundedMap<string, Memory>(MAX_JOBS);
  readonly #seen = new BoundedMap<string, true>(MAX_SEEN);
  /** The last lines, by the attempt of the container that printed them. */
  readonly #lines = new BoundedMap<string, string[]>(MAX_CONTAINERS);
  /** By the UID of the object that they are about. */
  readonly #events = new BoundedMap<string, Event[]>(MAX_OBJECTS);

  constructor(ask: AskAccount) {
    this.#ask = ask;
  }

  line(podUid: string, container: string, attempt: number, line: string): void {
    const key = keyOf(podUid, container, attempt);
    append(this.#lines, key, line, SHOWN_LOG_LINES);
  }

  event(event: Event): void {
    const { uid } = event.involvedObject;
    if (uid !== undefined) append(this.#events, uid, event, MAX_EVENTS);
  }

  /** Stores the present state of a Job. */
  job(job: Job): void {
    this.#memoryOf(job.metadata.uid, job).job = job;
  }

  /** Forgets a Job that is gone: no one can ask about it any more. */
  forget({ metadata: { uid } }: Job): void {
    this.#jobs.delete(uid);
    this.#events.delete(uid);
  }

  /** Stores the present state of a pod. @returns what became of it; undefined: it has not failed, or is no Job's */
  pod(pod: Pod): Attempt | undefined {
    const { uid, ownerReferences, deletionTimestamp } = pod.metadata;
    const owner = ownerReferences?.find(({ controller, kind }) => controller === true && kind === "Job");
    if (owner === undefined) return undefined;
    const { name } = owner;
    const memory = this.#memoryOf(owner.uid, { metadata: { name, uid: owner.uid } });
    if (isTerminal(pod)) memory.active.delete(uid);
    else memory.active.put(uid, pod);
    if (!mayHaveFailed(pod)) return undefined;
    const account = this.#accountOf(memory, [pod]);
    const attempt = account?.attempts[0];
    // It may have succeeded, or its Job's end may explain it by now.
    memory.deleted.delete(uid);
    memory.unexplained.delete(uid);
    if (attempt === undefined || account?.last === null) return attempt;
    if (deletionTimestamp === undefined) this.#noteFailure(memory, pod, attempt);
    else if (attempt.endedBy === "Deleted") memory.unexplained.put(uid, pod);
    else memory.deleted.put(uid, pod);
    return attempt;
  }

  /** Forgets that a pod has not ended, because it is gone. */
  gone({ metadata: { uid, ownerReferences } }: Pod): void {
    for (const owner of ownerReferences ?? []) this.#jobs.get(owner.uid)?.active.delete(uid);
  }

  /** What happened to a Job, and what holds it, by the pods that are known. Undefined: the Job is not known. */
  accountOf({ uid }: Pick<JobView, "uid">): Account | undefined {
    const memory = this.#jobs.get(uid);
    if (memory === undefined) return undefined;
    const { failed, deleted, unexplained, active } = memory;
    const pods = [...(failed === undefined ? [] : [failed]), ...deleted.values(), ...unexplained.values()];
    const byUid = new Map([...active.values(), ...pods].map((pod) => [pod.metadata.uid, pod]));
    return this.#accountOf(memory, [...byUid.values()]);
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

  #memoryOf(uid: string, job: object): Memory {
    const known = this.#jobs.get(uid);
    if (known !== undefined) return known;
    const pods = (most: number): BoundedMap<string, Pod> => new BoundedMap(most);
    const memory = {
      job,
      failed: undefined,
      deleted: pods(MAX_DELETED),
      active: pods(MAX_ACTIVE),
      unexplained: pods(MAX_DELETED),
      indexes: new Set<number>(),
    };
    this.#jobs.put(uid, memory);
    return memory;
  }

  #accountOf({ job }: Memory, pods: readonly Pod[]): Account | undefined {
    const { uid } = (job as Pick<Job, "metadata">).metadata;
    const events = [uid, ...pods.map(({ metadata }) => metadata.uid)].flatMap((each) => this.#events.get(each) ?? []);
    return this.#ask({ job, pods: pods.map(accountPod), events });
  }

  #noteFailure(memory: Memory, pod: Pod, { uid, container, attempt, index }: Attempt): void {
    const key = keyOf(uid, container, attempt ?? 0);
    if (this.#seen.has(key) && memory.failed?.metadata.uid !== uid) return;
    this.#seen.put(key, true);
    memory.failed = pod;
    if (index !== null && memory.indexes.size < MAX_SEEN) memory.indexes.add(index);
  }
}

function append<Item>(lists: BoundedMap<string, Item[]>, key: string, item: Item, limit: number): void {
  const list = lists.get(key) ?? [];
  lists.put(key, list);
  list.push(item);
  if (list.length > limit) list.shift();
}

function keyOf(podUid: string, container: string, attempt: number): string {
  return `${podUid} ${container} ${attempt}`;
}
