/** Maps the selection to the target of the break-it menu: names and numbers of API objects at an instant. */
import type { Timeline } from "../picture/timeline.ts";
import { JobPhase, NONE, PodState } from "../records.ts";
import type { Target } from "./break-it.ts";

export interface Picked {
  readonly job: number;
  readonly pod: number | undefined;
  readonly node: string | undefined;
}

/** Leaves out a pod or Job that does not exist at the instant. */
export function targetOf(timeline: Timeline, { job, pod, node }: Picked, atMs: number): Target {
  const record = timeline.jobs[job];
  const livingPod = pod === undefined || !isThere(timeline, pod, atMs) ? undefined : timeline.podNames[pod];
  const place = pod === undefined ? undefined : nodeOf(timeline, pod, atMs);
  return {
    namespace: record?.namespace ?? "default",
    ...(livingPod === undefined ? {} : { pod: livingPod, podCreatedMs: timeline.pods.createdMs.at(pod!) }),
    ...((node ?? place) === undefined ? {} : { node: (node ?? place)! }),
    ...(record === undefined ? {} : jobAt(timeline, job, record.name, atMs)),
  };
}

function isThere(timeline: Timeline, pod: number, atMs: number): boolean {
  const state = timeline.stateAt(pod, atMs);
  return state !== undefined && state !== PodState.GONE;
}

function nodeOf(timeline: Timeline, pod: number, atMs: number): string | undefined {
  const transition = timeline.transitionAt(pod, atMs);
  if (transition === NONE) return undefined;
  const name = timeline.text(timeline.transitions.node.at(transition));
  return name === "" ? undefined : name;
}

function jobAt(timeline: Timeline, job: number, name: string, atMs: number): Partial<Target> {
  const version = timeline.versionAt(job, atMs);
  if (version === NONE) return { job: name };
  const { phase, parallelism, completions } = timeline.versions;
  if (phase.at(version) === JobPhase.GONE) return {};
  const wanted = completions.at(version);
  return {
    job: name,
    isSuspended: phase.at(version) === JobPhase.SUSPENDED,
    parallelism: parallelism.at(version),
    ...(wanted === NONE ? {} : { completions: wanted }),
    isElastic: wanted !== NONE && wanted === parallelism.at(version) && hasIndexes(timeline, job),
  };
}

/** Whether its pods have completion indexes, or it has no pods yet. */
function hasIndexes(timeline: Timeline, job: number): boolean {
  for (let pod = 0; pod < timeline.podCount; pod++) {
    if (timeline.pods.job.at(pod) === job) return timeline.pods.index.at(pod) !== NONE;
  }
  return false;
}
