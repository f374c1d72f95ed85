/** The picture in one sentence: the state of each Job at the playhead. */
import { JobPhase, NONE, PodState } from "../records.ts";
import { differenceText } from "./difference.ts";
import { gapEndMs } from "./gaps.ts";
import { countsText } from "./hit.ts";
import { PHASE_WORDS } from "./phases.ts";
import type { Scene } from "./scene.ts";
import { countText, instantText, spanText } from "./words.ts";

/** Jobs that are named. */
const MAX_JOBS = 4;

export function summaryOf(scene: Scene): string {
  const { timeline, layout, playheadMs } = scene;
  const jobs = layout.tracks.filter(({ job }) => job !== NONE).map(({ job }) => jobText(scene, job));
  const shown = jobs.slice(0, MAX_JOBS);
  if (jobs.length > MAX_JOBS) shown.push(`and ${jobs.length - MAX_JOBS} more Jobs`);
  const rest = timeline.nowMs > playheadMs ? `; the run continues to ${instantText(timeline.nowMs)}` : "";
  const pods = timeline.podCount === 0 ? "no pods yet" : `pods: ${countsText(scene, playheadMs)}`;
  return `At ${instantText(playheadMs)}: ${[...shown, pods].join("; ")}${differenceText(scene)}${rest}.`;
}

function jobText(scene: Scene, job: number): string {
  const { timeline, phases, gaps, playheadMs } = scene;
  const name = `Job ${timeline.jobs[job]!.name}`;
  const change = phases.of(job).findLast(({ atMs }) => atMs <= playheadMs);
  if (change === undefined) return `${name} is not there yet`;
  const version = timeline.versionAt(job, playheadMs);
  const { succeeded, failed, completions } = timeline.versions;
  const of = completions.at(version) === NONE ? "" : ` of ${countText(completions.at(version))}`;
  const failures = failed.at(version) === 0 ? "" : `, ${countText(failed.at(version))} failed`;
  const wait = waitText(scene, gaps.of(job, NONE));
  const phase = change.phase === JobPhase.RUNNING ? "runs" : `is ${PHASE_WORDS[change.phase].toLowerCase()}`;
  return `${name} ${phase}, ${countText(succeeded.at(version))}${of} succeeded${failures}${wait}`;
}

function waitText({ timeline, playheadMs }: Scene, ids: readonly number[]): string {
  for (const [i, id] of ids.entries()) {
    const untilMs = gapEndMs(timeline, ids, i);
    if (timeline.gaps.fromMs.at(id) <= playheadMs && playheadMs < untilMs) {
      return `, waits ${spanText(untilMs - playheadMs)} more`;
    }
  }
  return "";
}

/** Whether a pod in this state has nothing more to do. */
export function isFinished(state: PodState): boolean {
  return state >= PodState.SUCCEEDED;
}
