/**
 * What is under a point of a heat map, and what is in a row of the branch before.
 *
 * Invariant: hits on the branch before carry no ids of its history, which the page does not show.
 */
import { type Cells, unpack } from "./cells.ts";
import type { Grid } from "./grid.ts";
import type { Box, Focus, Hit } from "./parts.ts";
import type { Track } from "./rows.ts";
import { isTerminal } from "./pod-ends.ts";
import { ghostTrack, type History, type Scene } from "./scene.ts";
import type { TrackBox } from "./track-boxes.ts";
import { instantText, spanText, STATE_WORDS } from "./words.ts";

/** A click on a thin row or a cell shows this many rows around it. */
const FOCUS_ROWS = 50;

export function focusAround(box: { readonly job: number }, row: number, size: number): Focus {
  const first = Math.floor(row / FOCUS_ROWS) * FOCUS_ROWS;
  return { job: box.job, first, last: Math.min(first + FOCUS_ROWS, size) - 1 };
}

export function cellBox(grid: Grid, { first }: TrackBox, row: number): Box {
  const offset = row - first;
  return {
    x: grid.x + (offset % grid.columns) * grid.side,
    y: grid.y + Math.floor(offset / grid.columns) * grid.height,
    width: grid.side,
    height: grid.height,
  };
}

/** A square of the heat map. */
export function cellHit(scene: Scene, grid: Grid, box: TrackBox, row: number, cells: Cells): Hit {
  const { rows, timeline, playheadMs } = scene;
  const track = rows.trackOf(box.job)!;
  const value = unpack(cells.valueOf(track, row));
  const pod = podAt(scene, track, row, playheadMs);
  const worst =
    value === undefined || value.worst === value.last ? "" : `; at worst ${STATE_WORDS[value.worst].toLowerCase()}`;
  const transition = pod === undefined ? -1 : timeline.transitionAt(pod, playheadMs);
  const before = ghostTrack(scene, box.job);
  const now = stateText(scene, track, row, playheadMs);
  const then = before === undefined ? now : stateText(scene.ghost!, before, row, playheadMs);
  return {
    kind: "index",
    text: `${nameOf(scene, track, row)}: ${now}${worst}${then === now ? "" : `; before the change: ${then}`}`,
    atMs: playheadMs,
    ownMs: transition < 0 ? playheadMs : timeline.transitions.atMs.at(transition),
    box: cellBox(grid, box, row),
    job: box.job,
    ...(track.isIndexed ? { index: row } : {}),
    ...(pod === undefined ? {} : { pod, cause: { of: "transition", id: transition } as const }),
    focus: focusAround(box, row, track.size),
  };
}

/** A row or square of the branch before. */
export function ghostHit(scene: Scene, { job }: TrackBox, row: number, atMs: number, box: Box): Hit {
  const track = ghostTrack(scene, job);
  const size = scene.rows.trackOf(job)!.size;
  const text =
    track === undefined
      ? "nothing"
      : `${nameOf(scene.ghost!, track, row)}: ${stateText(scene.ghost!, track, row, atMs)}`;
  return {
    kind: "index",
    text: `before the change: ${text}`,
    atMs,
    ownMs: atMs,
    box,
    job,
    focus: focusAround({ job }, row, Math.max(size, track?.size ?? 0)),
  };
}

function nameOf({ rows }: History, track: Track, row: number): string {
  return track.isIndexed ? `index ${row}` : rows.nameOf(track, row);
}

function podAt({ rows, timeline }: History, track: Track, row: number, atMs: number): number | undefined {
  for (const pod of rows.podsOf(track, row)) if (timeline.pods.createdMs.at(pod) <= atMs) return pod;
  return undefined;
}

/** `failed at 12.0 s after 4 s: exit code 1, attempt 2` */
function stateText(history: History, track: Track, row: number, atMs: number): string {
  const { timeline } = history;
  const pod = podAt(history, track, row, atMs);
  if (pod === undefined) return "no pod yet";
  const id = timeline.transitionAt(pod, atMs);
  const state = timeline.stateAt(pod, atMs)!;
  const sinceMs = timeline.transitions.atMs.at(id);
  const when = isTerminal(state)
    ? `at ${instantText(sinceMs)} after ${spanText(sinceMs - timeline.pods.createdMs.at(pod))}`
    : `for ${spanText(atMs - sinceMs)}`;
  const detail = timeline.text(timeline.transitions.detail.at(id));
  const attempt = timeline.pods.attempt.at(pod);
  const reason = detail === "" || detail === STATE_WORDS[state] ? "" : `: ${detail}`;
  const again = attempt > 0 && track.isIndexed ? `, attempt ${attempt + 1}` : "";
  return `${STATE_WORDS[state].toLowerCase()} ${when}${reason}${again}`;
}
