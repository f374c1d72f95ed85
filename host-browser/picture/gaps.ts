/**
 * Backoffs by the rows that they are drawn in: those of an index in its row, those of a whole Job in its header and
 * before the pods that they held back.
 *
 * Invariant: reads only what is new in its Timeline.
 */
import { JobPhase, NONE, PodState } from "../records.ts";
import type { Timeline } from "./timeline.ts";

/** A pod created within this time after a backoff of the whole Job was held back by it. */
const HELD_MS = 1_000;
const SECOND_MS = 1_000;
const NO_GAPS: readonly number[] = [];

export class Gaps {
  readonly #timeline: Timeline;
  readonly #byRow = new Map<number, Map<number, number[]>>();
  readonly #startsMs: number[] = [];
  #read = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.update();
  }

  update(): void {
    const { gaps } = this.#timeline;
    for (; this.#read < gaps.job.length; this.#read++) {
      const job = gaps.job.at(this.#read);
      const index = gaps.index.at(this.#read);
      let ofJob = this.#byRow.get(job);
      if (ofJob === undefined) this.#byRow.set(job, (ofJob = new Map<number, number[]>()));
      const ofIndex = ofJob.get(index);
      if (ofIndex === undefined) ofJob.set(index, [this.#read]);
      else ofIndex.push(this.#read);
      this.#startsMs.push(this.#failureMs(this.#read));
    }
  }

  /** Where it is drawn from: the failure. It counts from the whole second before, and would cover the failing pod. */
  startMs(id: number): number {
    return this.#startsMs[id]!;
  }

  /** The last failure of the second from which the backoff counts, that was known when it was decided. */
  #failureMs(id: number): number {
    const { gaps, transitions, pods, decisions } = this.#timeline;
    const fromMs = gaps.fromMs.at(id);
    const [job, index, decision] = [gaps.job.at(id), gaps.index.at(id), gaps.decision.at(id)];
    const knownMs = decision === NONE ? Infinity : decisions.atMs.at(decision);
    const [first, end] = this.#timeline.transitionsBetween(fromMs, fromMs + SECOND_MS);
    for (let at = end - 1; at >= first; at--) {
      const pod = transitions.pod.at(at);
      if (transitions.state.at(at) !== PodState.FAILED || pods.job.at(pod) !== job) continue;
      if ((index === NONE || pods.index.at(pod) === index) && transitions.atMs.at(at) <= knownMs)
        return transitions.atMs.at(at);
    }
    return fromMs;
  }

  /** Ids in the order of their times; NONE for those of the whole Job. */
  of(job: number, index: number): readonly number[] {
    return this.#byRow.get(job)?.get(index) ?? NO_GAPS;
  }

  /** The backoff of the whole Job that this pod waited for, or NONE. */
  before(pod: number): number {
    const { gaps, pods } = this.#timeline;
    const createdMs = pods.createdMs.at(pod);
    const ofJob = this.of(pods.job.at(pod), NONE);
    for (let i = ofJob.length - 1; i >= 0; i--) {
      const untilMs = gaps.untilMs.at(ofJob[i]!);
      if (untilMs <= createdMs) return createdMs - untilMs <= HELD_MS ? ofJob[i]! : NONE;
    }
    return NONE;
  }
}

/**
 * When a backoff is over: if a later decision changes its length, it ends where that one begins, and a Job that ends,
 * is suspended or deleted waits no longer.
 */
export function gapEndMs(timeline: Timeline, ids: readonly number[], position: number): number {
  const { fromMs, job, untilMs } = timeline.gaps;
  const id = ids[position]!;
  const next = ids[position + 1];
  const endMs = Math.min(untilMs.at(id), stopAfter(timeline, job.at(id), fromMs.at(id)));
  return next === undefined ? endMs : Math.min(endMs, fromMs.at(next));
}

/** By Job the instants from which it waits no longer, as far as a Timeline was read. */
interface Stops {
  readonly byJob: Map<number, number[]>;
  read: number;
}

const STOPS = new WeakMap<Timeline, Stops>();

/** When the Job first stopped after this instant; Infinity: it has not. */
function stopAfter(timeline: Timeline, job: number, atMs: number): number {
  const { atMs: times, job: jobs, phase } = timeline.versions;
  let stops = STOPS.get(timeline);
  if (stops === undefined) STOPS.set(timeline, (stops = { byJob: new Map(), read: 0 }));
  for (; stops.read < jobs.length; stops.read++) {
    if (phase.at(stops.read) === JobPhase.RUNNING) continue;
    const known = stops.byJob.get(jobs.at(stops.read));
    if (known === undefined) stops.byJob.set(jobs.at(stops.read), [times.at(stops.read)]);
    else known.push(times.at(stops.read));
  }
  return stops.byJob.get(job)?.find((stopMs) => stopMs > atMs) ?? Infinity;
}
