/**
 * Which row of the picture a pod belongs to: one row for each completion index of a Job, or for each pod where there
 * are no indexes. A row is a number within its Job's track.
 *
 * Invariant: a pod's row never changes, and rows are never taken away. Reads only what is new in its Timeline.
 */
import { NONE } from "../records.ts";
import { Column } from "../columns.ts";
import type { Timeline } from "./timeline.ts";

export interface Track {
  /** NONE: pods without a Job. */
  readonly job: number;
  /** Rows; those of indexes that have no pod yet too. */
  size: number;
  isIndexed: boolean;
  /** The newest pod of each row, or NONE. */
  readonly newest: Column;
}

/** The most rows that a Job's spec.completions alone makes. */
const MAX_ROWS = 1_000_000;

export class Rows {
  readonly tracks: Track[] = [];
  /** For each pod: its row, and the pod before it in that row, or NONE. */
  readonly rowOf = new Column("int32");
  readonly before = new Column("int32");
  readonly #timeline: Timeline;
  readonly #trackOfJob = new Map<number, Track>();
  #versions = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.update();
  }

  /** Reads what is new. */
  update(): void {
    const { jobs, pods, versions } = this.#timeline;
    for (let job = 0; job < jobs.length; job++) this.#trackOf(job);
    for (let pod = this.rowOf.length; pod < pods.job.length; pod++) this.#addPod(pod);
    for (; this.#versions < versions.job.length; this.#versions++) {
      const track = this.#trackOf(versions.job.at(this.#versions));
      if (track.isIndexed) this.#grow(track, versions.completions.at(this.#versions));
    }
  }

  trackOf(job: number): Track | undefined {
    return this.#trackOfJob.get(job);
  }

  /** Pods of a row, the newest first. */
  *podsOf(track: Track, row: number): Generator<number> {
    const newest = row < track.newest.length ? track.newest.at(row) : NONE;
    for (let pod = newest; pod !== NONE; pod = this.before.at(pod)) yield pod;
  }

  /** The name of a row: its index, or the name of its pod. */
  nameOf(track: Track, row: number): string {
    if (track.isIndexed) return String(row);
    const pod = row < track.newest.length ? track.newest.at(row) : NONE;
    return pod === NONE ? "" : (this.#timeline.podNames[pod] ?? "");
  }

  #trackOf(job: number): Track {
    let track = this.#trackOfJob.get(job);
    if (track === undefined) {
      track = { job, size: 0, isIndexed: false, newest: new Column("int32") };
      this.#trackOfJob.set(job, track);
      this.tracks.push(track);
    }
    return track;
  }

  #addPod(pod: number): void {
    const { pods, versions } = this.#timeline;
    const index = pods.index.at(pod);
    const track = this.#trackOf(pods.job.at(pod));
    if (index !== NONE && !track.isIndexed) {
      track.isIndexed = true;
      for (let id = 0; id < this.#versions; id++) {
        if (versions.job.at(id) === track.job) this.#grow(track, versions.completions.at(id));
      }
    }
    const row = index === NONE ? track.newest.length : index;
    this.#grow(track, row + 1);
    while (track.newest.length <= row) track.newest.push(NONE);
    this.rowOf.push(row);
    this.before.push(track.newest.at(row));
    track.newest.data[row] = pod;
  }

  #grow(track: Track, size: number): void {
    track.size = Math.max(track.size, Math.min(size, MAX_ROWS));
  }
}
