/**
 * The instant of a run that is worth looking at first: where it departs from what the reader expects.
 *
 * Invariant: it lies within the run. A backoff comes first, for there the Job waits and counts down; then a failure,
 * then what the user did, then the end.
 */
import { JobPhase, PodState } from "../records.ts";
import type { Timeline } from "./timeline.ts";

/** How far into a backoff: late enough to be seen as waiting, early enough to count down. */
const INTO_BACKOFF = 0.4;

export function turningPointMs(timeline: Timeline): number {
  const { gaps, transitions, versions, flags, nowMs } = timeline;
  if (gaps.fromMs.length > 0) {
    const fromMs = gaps.fromMs.at(0);
    const lengthMs = Math.min(gaps.untilMs.at(0), nowMs) - fromMs;
    return Math.round(fromMs + Math.max(0, lengthMs) * INTO_BACKOFF);
  }
  const failure = transitions.state.data.subarray(0, transitions.state.length).indexOf(PodState.FAILED);
  if (failure >= 0) return transitions.atMs.at(failure);
  if (flags.length > 0) return flags[0]!.atMs;
  for (let id = 0; id < versions.phase.length; id++) {
    const phase = versions.phase.at(id);
    if (phase === JobPhase.COMPLETE || phase === JobPhase.FAILED) return versions.atMs.at(id);
  }
  return nowMs;
}

/** The Job that failed first, and when; undefined: none did. */
export function failedJob({ versions }: Timeline): { readonly job: number; readonly atMs: number } | undefined {
  for (let id = 0; id < versions.phase.length; id++) {
    if (versions.phase.at(id) === JobPhase.FAILED) return { job: versions.job.at(id), atMs: versions.atMs.at(id) };
  }
  return undefined;
}
