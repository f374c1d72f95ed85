/**
 * The run beside the one before, in words: "This run ends 28 s earlier, with one failure less."
 *
 * Invariant: only Jobs of the same name are compared. Leaves out single rows (difference.ts).
 */
import { JobPhase, PodState } from "../records.ts";
import { isOver } from "./pod-ends.ts";
import { sameJob } from "./scene.ts";
import type { Timeline } from "./timeline.ts";
import { spanText } from "./words.ts";

/** Jobs that get a sentence. */
const MAX_JOBS = 3;
/** A shorter time is none: the controller looks at most so often. */
const SAME_MS = 50;

interface Ending {
  readonly phase: JobPhase;
  readonly atMs: number;
}

/** Empty: the two runs have no Job of the same name. */
export function comparedText(timeline: Timeline, before: Timeline): string {
  const pairs = timeline.jobs.flatMap(({ name }, job) => {
    const other = sameJob(timeline, job, before);
    return other === undefined ? [] : [{ name, job, other }];
  });
  return pairs
    .slice(0, MAX_JOBS)
    .map(({ name, job, other }) => {
      const subject = pairs.length === 1 ? "This run" : name;
      const [ending, failures] = [endingText(timeline, job, before, other), failureText(timeline, job, before, other)];
      return `${subject} ${ending}${failures === "" ? "" : `, with ${failures}`}.`;
    })
    .join(" ");
}

function endingText(timeline: Timeline, job: number, before: Timeline, other: number): string {
  const [now, then] = [endingOf(timeline, job), endingOf(before, other)];
  if (now === undefined) return then === undefined ? "does not end, as before" : `does not end; before it ${was(then)}`;
  if (then === undefined) return `${is(now)}; before it did not end`;
  const shift = now.atMs - then.atMs;
  const when =
    Math.abs(shift) < SAME_MS ? "at the same time" : `${spanText(Math.abs(shift))} ${shift < 0 ? "earlier" : "later"}`;
  return now.phase === then.phase ? `ends ${when}` : `${is(now)} ${when}; before it ${was(then)}`;
}

const is = ({ phase }: Ending): string => (phase === JobPhase.COMPLETE ? "completes" : "fails");
const was = ({ phase }: Ending): string => (phase === JobPhase.COMPLETE ? "completed" : "failed");

function endingOf({ versions }: Timeline, job: number): Ending | undefined {
  for (let id = 0; id < versions.job.length; id++) {
    const phase = versions.phase.at(id) as JobPhase;
    if (versions.job.at(id) === job && (phase === JobPhase.COMPLETE || phase === JobPhase.FAILED))
      return { phase, atMs: versions.atMs.at(id) };
  }
  return undefined;
}

/** Of failures or, where these are as many as before, of pods. */
function failureText(timeline: Timeline, job: number, before: Timeline, other: number): string {
  const failures = failuresOf(timeline, job) - failuresOf(before, other);
  if (failures !== 0) return moreText(failures, "failure");
  const pods = podsOf(timeline, job) - podsOf(before, other);
  return pods === 0 ? "" : moreText(pods, "pod");
}

function moreText(count: number, noun: string): string {
  if (Math.abs(count) === 1) return `one ${noun} ${count > 0 ? "more" : "less"}`;
  return `${Math.abs(count)} ${noun}s ${count > 0 ? "more" : "fewer"}`;
}

function failuresOf(timeline: Timeline, job: number): number {
  const { pods, transitions } = timeline;
  let count = 0;
  for (let id = 0; id < transitions.pod.length; id++) {
    if (transitions.state.at(id) !== PodState.FAILED || pods.job.at(transitions.pod.at(id)) !== job) continue;
    if (!isOver(timeline, id)) count++;
  }
  return count;
}

function podsOf({ pods }: Timeline, job: number): number {
  return pods.job.data.subarray(0, pods.job.length).filter((of) => of === job).length;
}
