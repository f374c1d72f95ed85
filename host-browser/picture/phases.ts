/**
 * When a Job was running, suspended, complete, failed, gone: the versions in which its phase changed. There are few,
 * however often its status was written.
 *
 * Invariant: reads only what is new in its Timeline; a Job's changes are in order.
 */
import { JobPhase } from "../records.ts";
import type { Timeline } from "./timeline.ts";

export interface PhaseChange {
  readonly version: number;
  readonly atMs: number;
  readonly phase: JobPhase;
}

const NO_CHANGES: readonly PhaseChange[] = [];

export const PHASE_WORDS: Readonly<Record<JobPhase, string>> = {
  [JobPhase.RUNNING]: "Running",
  [JobPhase.SUSPENDED]: "Suspended",
  [JobPhase.COMPLETE]: "Complete",
  [JobPhase.FAILED]: "Failed",
  [JobPhase.GONE]: "Deleted",
};

export class Phases {
  readonly #timeline: Timeline;
  readonly #byJob = new Map<number, PhaseChange[]>();
  /** Of all Jobs. */
  count = 0;
  #read = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.update();
  }

  update(): void {
    const { versions } = this.#timeline;
    for (; this.#read < versions.job.length; this.#read++) {
      const job = versions.job.at(this.#read);
      const phase = versions.phase.at(this.#read) as JobPhase;
      let changes = this.#byJob.get(job);
      if (changes === undefined) this.#byJob.set(job, (changes = []));
      if (changes.at(-1)?.phase !== phase) {
        this.count++;
        changes.push({ version: this.#read, atMs: versions.atMs.at(this.#read), phase });
      }
    }
  }

  of(job: number): readonly PhaseChange[] {
    return this.#byJob.get(job) ?? NO_CHANGES;
  }
}
