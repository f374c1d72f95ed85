/**
 * Everything that a drawing function needs, in one object; and which parts of a pod's history are marks.
 *
 * Invariant: a scene does not change while it is drawn. Drawing, hit-testing and the cursor read the same marks, so the
 * user hits what the user sees.
 */
import { PodState } from "../records.ts";
import type { Cells } from "./cells.ts";
import type { Gaps } from "./gaps.ts";
import type { Layout } from "./layout.ts";
import type { TrackBox } from "./track-boxes.ts";
import type { Nodes } from "./nodes.ts";
import type { Occurring } from "./occurring.ts";
import type { Phases } from "./phases.ts";
import type { HeatMode, TimeWindow } from "./parts.ts";
import type { Palette } from "./palette.ts";
import { isOver } from "./pod-ends.ts";
import type { Rows, Track } from "./rows.ts";
import type { TimeScale } from "./time-scale.ts";
import type { Timeline } from "./timeline.ts";

/** A Timeline and what is derived from it. */
export interface History {
  readonly nodes: Nodes;
  readonly cells: Cells;
  readonly timeline: Timeline;
  readonly rows: Rows;
  readonly gaps: Gaps;
  readonly phases: Phases;
  readonly occurring: Occurring;
}

export interface Scene extends History {
  /** The branch before a change of the past. */
  readonly ghost: History | undefined;
  readonly layout: Layout;
  readonly time: TimeScale;
  readonly palette: Palette;
  readonly playheadMs: number;
  readonly sizes: Sizes;
  readonly heatMode: HeatMode;
  readonly isStripOpen: boolean;
  /** Of all time, however far the picture is zoomed in. Without zoom it is the scale of `time`. */
  readonly minimap: TimeScale;
  /** What is to be painted; the rest is as it was. */
  readonly paint: TimeWindow;
}

/** What the controller's row is called. */
export const CONTROLLER = "controller";

/** Sizes of type. */
export interface Sizes {
  readonly small: number;
  readonly normal: number;
}

export function sizesOf(type: number): Sizes {
  return { small: 10.5 * type, normal: 12 * type };
}

/** A state of a pod in time, and in the picture. */
export interface Segment {
  readonly pod: number;
  readonly transition: number;
  readonly state: PodState;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly fromX: number;
  readonly untilX: number;
}

/** A pod's states, without GONE. A zero-length state that is not the last is left out. */
export function segmentsOf({ timeline, time }: Pick<Scene, "timeline" | "time">, pod: number): Segment[] {
  const segments: Segment[] = [];
  for (const transition of timeline.transitionsOf(pod)) {
    const state = timeline.transitions.state.at(transition) as PodState;
    const fromMs = timeline.transitions.atMs.at(transition);
    const untilMs = timeline.untilMs(transition);
    if (state === PodState.GONE || isOver(timeline, transition)) continue;
    if (untilMs < time.fromMs || fromMs > time.untilMs) continue;
    segments.push({ pod, transition, state, fromMs, untilMs, fromX: time.xOf(fromMs), untilX: time.xOf(untilMs) });
  }
  return segments;
}

export function rowY(box: TrackBox, row: number): number {
  return box.rowsY + (row - box.first) * box.rowHeight;
}

/** Id of the Job of the same name in another history. */
export function sameJob(timeline: Timeline, job: number, other: Timeline): number | undefined {
  const record = timeline.jobs[job];
  const found = other.jobs.findIndex(({ namespace, name }) => namespace === record?.namespace && name === record.name);
  return found < 0 ? undefined : found;
}

/** The track of the same Job in the branch before. */
export function ghostTrack({ timeline, ghost }: Scene, job: number): Track | undefined {
  const other = ghost === undefined ? undefined : sameJob(timeline, job, ghost.timeline);
  return other === undefined ? undefined : ghost!.rows.trackOf(other);
}

/** The ghost's row for the same index or pod of the same Job. */
export function ghostRow(scene: Scene, job: number, row: number): { track: Track; row: number } | undefined {
  const track = ghostTrack(scene, job);
  return track === undefined || row >= track.size ? undefined : { track, row };
}

/** A pod's name without its Job's, which the track's header says. */
export function shortName(timeline: Timeline, pod: number): string {
  const name = timeline.podNames[pod] ?? "";
  const job = timeline.jobs[timeline.pods.job.at(pod)]?.name;
  return job !== undefined && name.startsWith(`${job}-`) ? name.slice(job.length + 1) : name;
}
