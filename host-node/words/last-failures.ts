/**
 * Remembers the last failure of each Job of a run: which pod, how it ended, and the last lines that it printed; which
 * completion indexes had failures; and which pod does not end although its work is over.
 *
 * Invariant: memory is limited. A few lines are kept of a limited number of containers, those that printed last. A pod
 * that was deleted has not failed.
 */
import { BoundedMap } from "../../cluster/values/bounded-map.ts";
import { keptSentence } from "../../cluster/kubelet/pod-failure.ts";
import { type JobView, type LastFailure, lastFailureOf, podView } from "./job-view.ts";
import type { Pod } from "../../cluster/values/kinds.ts";

/** Last lines of a log that are shown. */
export const SHOWN_LOG_LINES = 10;
const MAX_CONTAINERS = 1000;
/** How many failures are remembered, so that a later change of the same pod does not count as another one. */
const MAX_SEEN = 10_000;

/** The last failure of each Job, fed with the pods and the output of a run. */
export class LastFailures {
  readonly #byJob = new Map<string, LastFailure>();
  readonly #indexes = new Map<string, Set<number>>();
  readonly #seen = new BoundedMap<string, true>(MAX_SEEN);
  /** By the UID of the pod. */
  readonly #kept = new BoundedMap<string, { readonly job: string; readonly sentence: string }>(MAX_SEEN);
  /** The last lines, by the attempt of the container that printed them. */
  readonly #lines = new BoundedMap<string, string[]>(MAX_CONTAINERS);

  line(podUid: string, container: string, attempt: number, line: string): void {
    const key = keyOf(podUid, container, attempt);
    const lines = this.#lines.get(key) ?? [];
    if (lines.length === 0) this.#lines.put(key, lines);
    lines.push(line);
    if (lines.length > SHOWN_LOG_LINES) lines.shift();
  }

  /** Stores the present state of a pod. */
  pod(pod: Pod): void {
    const { job, namespace, name, uid, isDeleted, completionIndex } = podView(pod);
    const failure = lastFailureOf(pod);
    this.#noteKept(`${namespace}/${job}`, pod);
    if (job === "" || isDeleted || failure === undefined) return;
    const key = keyOf(uid, failure.container, failure.attempt);
    if (this.#seen.has(key)) return;
    this.#seen.put(key, true);
    if (completionIndex !== undefined) this.#noteIndex(`${namespace}/${job}`, completionIndex);
    this.#byJob.set(`${namespace}/${job}`, { pod: name, failure: failure.text, log: this.#lines.get(key) ?? [] });
  }

  /** Undefined: no pod of the Job has failed. */
  of({ namespace, name }: JobView): LastFailure | undefined {
    return this.#byJob.get(`${namespace}/${name}`);
  }

  /** The completion indexes with a failed pod, up to a limit. */
  indexesOf({ namespace, name }: JobView): ReadonlySet<number> | undefined {
    return this.#indexes.get(`${namespace}/${name}`);
  }

  /** Why a pod of the Job does not end although its work is over; undefined: there is no such pod. */
  keptPodOf({ namespace, name }: JobView): string | undefined {
    for (const { job, sentence } of this.#kept.values()) if (job === `${namespace}/${name}`) return sentence;
    return undefined;
  }

  #noteKept(job: string, pod: Pod): void {
    const sentence = keptSentence(pod);
    if (sentence === undefined) this.#kept.delete(pod.metadata.uid);
    else this.#kept.put(pod.metadata.uid, { job, sentence });
  }

  #noteIndex(job: string, index: number): void {
    const indexes = this.#indexes.get(job) ?? new Set();
    this.#indexes.set(job, indexes);
    if (indexes.size < MAX_SEEN) indexes.add(index);
  }
}

function keyOf(podUid: string, container: string, attempt: number): string {
  return `${podUid} ${container} ${attempt}`;
}
