/**
 * What one controller has been shown, and nothing else: the versions in the watch lines, list pages and answers that
 * were delivered to it. A controller may act on nothing newer, and has no excuse for acting on anything older.
 * Invariant: per UID only a newer version replaces what is known, and what was shown as gone stays gone. Of a pod that
 * a request did not find a later version may still come.
 */
import { isFailed, isSelected, type JobFacts, type PodFacts } from "./facts.ts";
import type { Ledger } from "./ledger.ts";

export type Resource = "jobs" | "pods" | "workloads" | "podgroups";

// In every object of this API server uid and resourceVersion are adjacent.
const IDENTITY = /"uid":"([^"]+)","resourceVersion":"(\d+)"/g;
const LIST_VERSION = /"metadata":\{"resourceVersion":"(\d+)"/;
const VERSION = /"resourceVersion":"(\d+)"/;
const INITIAL_EVENTS_END = '"k8s.io/initial-events-end":"true"';

/** resourceVersion of a list; 0: the text is none. */
export function versionOfList(body: string): number {
  return Number(LIST_VERSION.exec(body)?.[1] ?? 0);
}

/** No page of the list follows. */
export function isLastPage(body: string): boolean {
  return !/"continue":"[^"]/.test(body.slice(0, body.indexOf('"items"')));
}

/** Of Workloads and PodGroups a view keeps nothing. */
const NONE = new Map<string, never>();

interface Listing {
  readonly shown: Set<string>;
  version: number;
}

/** The end of a pod, as it was first shown. */
interface End {
  readonly uid: string;
  readonly jobUid: string;
  /** Ends that were shown before. */
  readonly order: number;
  /** The earliest that any version shown gave. */
  finishMs: number;
}

export class View {
  readonly pods = new Map<string, PodFacts>();
  readonly jobs = new Map<string, JobFacts>();
  readonly #ledger: Ledger;
  readonly #gone = new Set<string>();
  /** Versions of the pods that a request did not find, or released for good. */
  readonly #missed = new Map<string, number>();
  readonly #listings = new Map<Resource, Listing>();
  #ends = 0;
  /** By Job and pod. */
  readonly #failures = new Map<string, End>();
  readonly #successes = new Map<string, End>();
  /** How far the watch and the lists of each resource have come. */
  readonly #reached: Record<Resource, number> = { jobs: 0, pods: 0, workloads: 0, podgroups: 0 };

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** A snapshot, for a later comparison; takes no more events. */
  copy(): View {
    const copy = new View(this.#ledger);
    for (const [uid, pod] of this.pods) copy.pods.set(uid, pod);
    for (const [uid, job] of this.jobs) copy.jobs.set(uid, job);
    for (const [key, end] of this.#failures) copy.#failures.set(key, end);
    for (const [key, end] of this.#successes) copy.#successes.set(key, end);
    Object.assign(copy.#reached, this.#reached);
    return copy;
  }

  reached(resource: Resource): number {
    return this.#reached[resource];
  }

  /** Pods that the Job controls and selects: others it does not count. */
  podsOf(jobUid: string): PodFacts[] {
    const job = this.jobs.get(jobUid);
    return [...this.pods.values()].filter(
      (pod) => pod.jobUid === jobUid && (job === undefined || isSelected(job, pod)),
    );
  }

  /** All that were shown, also of pods that are gone. */
  endsOf(jobUid: string): { readonly failures: readonly End[]; readonly successes: readonly End[] } {
    const ofJob = (ends: Map<string, End>): End[] => [...ends.values()].filter((end) => end.jobUid === jobUid);
    return { failures: ofJob(this.#failures), successes: ofJob(this.#successes) };
  }

  /** A watch was opened. @param isList it begins with the state of that moment, up to a bookmark that says so */
  streamBegan(resource: Resource, isList: boolean): void {
    if (isList) this.#listings.set(resource, { shown: new Set(), version: 0 });
    else this.#listings.delete(resource);
  }

  /** One whole watch line was delivered. */
  takeLine(resource: Resource, line: string): void {
    if (line.startsWith('{"type":"ERROR"')) return;
    const version = Number(VERSION.exec(line)?.[1] ?? 0);
    const listing = this.#listings.get(resource);
    if (!line.startsWith('{"type":"BOOKMARK"')) {
      const [uid] = this.#takeObjects(resource, line);
      if (uid !== undefined && line.startsWith('{"type":"DELETED"')) this.vanished(uid);
      if (uid !== undefined) listing?.shown.add(uid);
    } else if (listing !== undefined && line.includes(INITIAL_EVENTS_END)) {
      this.#listings.delete(resource);
      this.#sweep(resource, listing.shown, version);
    }
    // Objects of a list come in no order.
    if (!this.#listings.has(resource)) this.#reached[resource] = Math.max(this.#reached[resource], version);
  }

  /** A page of a list of the whole resource was delivered. */
  takePage(resource: Resource, body: string, isFirst: boolean): void {
    const version = versionOfList(body);
    // Older than what was seen: it would bring back what is gone, and is not believed.
    if (version < this.#reached[resource]) return;
    const listing: Listing = isFirst ? { shown: new Set(), version } : this.#listings.get(resource)!;
    this.#listings.set(resource, listing);
    listing.version = version;
    for (const uid of this.#takeObjects(resource, body)) listing.shown.add(uid);
    if (!isLastPage(body)) return;
    this.#listings.delete(resource);
    this.#reached[resource] = version;
    this.#sweep(resource, listing.shown, version);
  }

  // What a whole list does not show is gone.
  #sweep(resource: Resource, shown: ReadonlySet<string>, version: number): void {
    for (const [uid, facts] of this.#known(resource))
      if (!shown.has(uid) && facts.version <= version) this.vanished(uid);
  }

  /** The answer to a request was delivered; `body` holds one object or a list of them. */
  takeAnswer(resource: Resource, body: string): void {
    this.#takeObjects(resource, body);
  }

  /** An answer said so of a pod that may be gone with it: then no version of the pod that was stored ever shows it. */
  learnt(uid: string, facts: Partial<Pick<PodFacts, "holdsFinalizer" | "isDeleting">>): void {
    const pod = this.pods.get(uid);
    if (pod !== undefined) this.pods.set(uid, { ...pod, ...facts });
  }

  /**
   * A request did not find it, or it is gone with its release: it is no pod any more, unless a watch that is late shows
   * a later version.
   * @param version of the answer; it says nothing new of a pod that was shown in this version or a later one
   */
  missed(uid: string, version: number): void {
    const pod = this.pods.get(uid);
    if (pod === undefined || pod.version >= version) return;
    this.#missed.set(uid, pod.version);
    this.pods.delete(uid);
  }

  /** It was shown as gone. */
  vanished(uid: string): void {
    this.#gone.add(uid);
    this.pods.delete(uid);
    this.jobs.delete(uid);
  }

  #known(resource: Resource): Map<string, PodFacts | JobFacts> {
    return resource === "pods" ? this.pods : resource === "jobs" ? this.jobs : NONE;
  }

  #noteEnd(pod: PodFacts): void {
    const { uid, jobUid, finishMs, phase } = pod;
    if (jobUid === undefined) return;
    // Of a Job that was not shown yet it is unknown when its pods count as failed: as early as possible.
    const job = this.jobs.get(jobUid) ?? { onlyReplaceFailed: false };
    const ends = phase === "Succeeded" ? this.#successes : isFailed(pod, job) ? this.#failures : undefined;
    const known = ends?.get(`${jobUid} ${uid}`);
    if (known !== undefined) known.finishMs = Math.min(known.finishMs, finishMs);
    else ends?.set(`${jobUid} ${uid}`, { uid, jobUid, order: this.#ends++, finishMs });
  }

  #takeObjects(resource: Resource, text: string): string[] {
    const uids: string[] = [];
    for (const [, uid = "", digits] of text.matchAll(IDENTITY)) {
      uids.push(uid);
      const version = Number(digits);
      if (this.#gone.has(uid) || version <= (this.#known(resource).get(uid)?.version ?? this.#missed.get(uid) ?? 0))
        continue;
      const pod = resource === "pods" ? this.#ledger.podVersions.get(version) : undefined;
      const isDeleting = this.pods.get(uid)?.isDeleting ?? false;
      const job = resource === "jobs" ? this.#ledger.jobVersions.get(version) : undefined;
      // No client undoes a deletion.
      if (pod !== undefined) {
        // Who becomes a Job's ends for that Job now; who was another's has ended for that.
        if (this.pods.get(uid)?.jobUid !== pod.jobUid)
          for (const ends of [this.#failures, this.#successes]) ends.delete(`${pod.jobUid} ${uid}`);
        this.pods.set(uid, isDeleting ? { ...pod, isDeleting } : pod);
        this.#noteEnd(pod);
      }
      if (job !== undefined) {
        this.jobs.set(uid, job);
        // The Job says when its pods count as failed: some may do so from now on.
        for (const known of this.pods.values()) if (known.jobUid === uid) this.#noteEnd(known);
      }
    }
    return uids;
  }
}
