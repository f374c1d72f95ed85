/**
 * What is under a point, with words for a tooltip and ids for `why` and the menus.
 *
 * Invariant: reads the same marks as the drawing functions. A smaller mark wins over the one under it.
 */
import { JobPhase, NONE, PodState } from "../records.ts";
import { decisionMarks } from "./draw-tracks.ts";
import { FLAGS_APART, bodyEnd, flagGroups } from "./draw-axis.ts";
import { focusAround, ghostHit } from "./hit-cells.ts";
import { rowAt, trackAt } from "./draw-rows.ts";
import { stripHit } from "./hit-strip.ts";
import { gapEndMs } from "./gaps.ts";
import type { TrackBox } from "./track-boxes.ts";
import { stripOf } from "./track-strip.ts";
import type { Box, Hit } from "./parts.ts";
import { endOf } from "./pod-ends.ts";
import { rowY, type Scene, type Segment, segmentsOf } from "./scene.ts";
import { PHASE_WORDS } from "./phases.ts";
import { countText, instantText, plainCode, spanText, STATE_WORDS } from "./words.ts";

/** How far beside a small mark still counts. */
const NEAR = 7;

export function hitAt(scene: Scene, x: number, y: number): Hit | undefined {
  const { layout } = scene;
  if (y < 0 || y > layout.height) return undefined;
  if (y >= layout.minimap.y - 2) return minimapHit(scene, x);
  const atMs = instantAt(scene, x);
  if (y < layout.axisY) return flagHit(scene, x, atMs) ?? axisHit(scene, atMs);
  if (y < layout.axisY + layout.axisHeight) return foldHit(scene, x, atMs) ?? axisHit(scene, atMs);
  const thing = stripHit(scene, x, y, atMs);
  if (thing !== undefined) return thing;
  if (layout.band !== undefined && y >= layout.band.y) return bandHit(scene, layout.band, atMs);
  const box = trackAt(layout.tracks, y);
  if (box === undefined) return undefined;
  if (y < box.rowsY || layout.scale === "heat") return headerHit(scene, box, x, atMs);
  const row = rowAt(box, y);
  return box.ghost !== undefined && y >= box.ghost.y
    ? ghostHit(scene, box, row, atMs, { x: layout.plotX, y, width: layout.plotEnd - layout.plotX, height: 1 })
    : rowHit(scene, box, row, x, atMs);
}

/** The instant at a place, within the recorded time. */
export function instantAt({ time, timeline }: Scene, x: number): number {
  return Math.round(Math.min(Math.max(time.msAt(x), 0), timeline.nowMs));
}

export function rowHit(scene: Scene, box: TrackBox, row: number, x: number, atMs: number): Hit {
  const { rows, timeline } = scene;
  const track = rows.trackOf(box.job)!;
  const y = rowY(box, row);
  const height = Math.max(box.rowHeight, 1);
  const base = {
    job: box.job,
    ...(track.isIndexed ? { index: row } : {}),
    ...(scene.layout.scale === "rows" ? {} : { focus: focusAround(box, row, track.size) }),
  };
  let nearest: Segment | undefined;
  for (const pod of rows.podsOf(track, row)) {
    for (const segment of segmentsOf(scene, pod)) {
      if (x < segment.fromX - 1 || x > segment.untilX + 1) continue;
      // A bar's end wins over the remainder of the pod, and the later attempt over the remainder of the former.
      const isRest = segment.state === PodState.SUCCEEDED || segment.state === PodState.FAILED;
      if (nearest === undefined || (!isRest && nearest.pod === pod)) nearest = segment;
    }
    if (nearest !== undefined) break;
  }
  if (nearest !== undefined) return { ...podHit(scene, nearest, y, height, atMs), ...base };
  const gap = gapAt(scene, box.job, track.isIndexed ? row : NONE, atMs);
  if (gap !== undefined) return { ...gapHit(scene, gap.id, gap.untilMs, y, height, atMs), ...base };
  return {
    kind: "index",
    text: track.isIndexed ? `index ${row} of ${box.name}: no pod at this instant` : `${box.name}: no pod here`,
    atMs,
    ownMs: atMs,
    box: { x: scene.layout.plotX, y, width: scene.layout.plotEnd - scene.layout.plotX, height },
    ...base,
  };
  function gapAt(of: Scene, job: number, index: number, ms: number): { id: number; untilMs: number } | undefined {
    const ids = of.gaps.of(job, index);
    for (const [i, id] of ids.entries()) {
      const untilMs = gapEndMs(timeline, ids, i);
      if (of.gaps.startMs(id) <= ms && ms < untilMs) return { id, untilMs };
    }
    return undefined;
  }
}

export function podHit(scene: Scene, segment: Segment, y: number, height: number, atMs: number): Hit {
  const { timeline } = scene;
  const node = timeline.text(timeline.transitions.node.at(segment.transition));
  const x = Math.max(segment.fromX, scene.layout.plotX);
  return {
    kind: "pod",
    text: podText(scene, segment),
    // A bar is at least some pixels wide, and so it is also under points beside it.
    atMs: Math.max(segment.fromMs, Math.min(atMs, segment.untilMs - 1)),
    ownMs: segment.fromMs,
    box: { x, y, width: Math.max(Math.min(segment.untilX, scene.layout.plotEnd) - x, 2), height },
    job: timeline.pods.job.at(segment.pod),
    pod: segment.pod,
    ...(node === "" ? {} : { node }),
    cause: { of: "transition", id: segment.transition },
  };
}

function podText({ timeline }: Scene, { pod, transition, state, fromMs, untilMs }: Segment): string {
  const name = timeline.podNames[pod] ?? "";
  const attempt = timeline.pods.attempt.at(pod);
  const detail = timeline.text(timeline.transitions.detail.at(transition));
  const createdMs = timeline.pods.createdMs.at(pod);
  const end = endOf(timeline, pod);
  const isEnd = end?.transition === transition;
  const how = isEnd ? `after ${spanText(fromMs - createdMs)}` : `for ${spanText(untilMs - fromMs)}`;
  const reason = detail === "" || detail === STATE_WORDS[state] ? "" : `: ${detail}`;
  const restarts = timeline.transitions.restarts.at(transition);
  const notes = [
    ...(attempt > 0 && timeline.pods.index.at(pod) !== NONE ? [`attempt ${attempt + 1}`] : []),
    ...(restarts > 0 ? [`${restarts} restart${restarts === 1 ? "" : "s"}`] : []),
  ];
  const note = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  return `${name} ${STATE_WORDS[state].toLowerCase()} ${how}${reason}${note}`;
}

export function gapHit(scene: Scene, id: number, untilMs: number, y: number, height: number, atMs: number): Hit {
  const { timeline, time } = scene;
  const fromMs = timeline.gaps.fromMs.at(id);
  const index = timeline.gaps.index.at(id);
  const what = index === NONE ? "no pod is created" : `index ${index} is not tried again`;
  return {
    kind: "gap",
    text: `back-off of ${spanText(untilMs - fromMs)}: ${what} for ${spanText(Math.max(0, untilMs - atMs))} more`,
    atMs,
    ownMs: fromMs,
    box: { x: time.xOf(fromMs), y, width: time.xOf(untilMs) - time.xOf(fromMs), height },
    job: timeline.gaps.job.at(id),
    ...(index === NONE ? {} : { index }),
    cause: { of: "gap", id },
  };
}

function headerHit(scene: Scene, box: TrackBox, x: number, atMs: number): Hit {
  const { timeline, gaps, layout, phases } = scene;
  const near = NEAR * layout.type;
  const marks = decisionMarks({ ...scene, paint: scene.time }, box.job);
  const mark = marks.reduce<(typeof marks)[number] | undefined>((best, candidate) => {
    const distance = Math.abs(candidate.x - x);
    return distance <= near && (best === undefined || distance < Math.abs(best.x - x)) ? candidate : best;
  }, undefined);
  if (mark !== undefined) {
    const code = timeline.text(timeline.decisions.code.at(mark.decision));
    const ownMs = timeline.decisions.atMs.at(mark.decision);
    const more = mark.count > 1 ? `, and ${countText(mark.count - 1)} more decisions here` : "";
    return {
      kind: "decision",
      text: `${code} at ${instantText(ownMs)}: ${plainCode(code)}${more}`,
      atMs,
      ownMs,
      box: { x: mark.x - near, y: box.y, width: 2 * near, height: box.headerHeight },
      job: box.job,
      cause: { of: "decision", id: mark.decision },
    };
  }
  const strip = stripOf(box, layout.type);
  const ids = gaps.of(box.job, NONE);
  for (const [i, id] of ids.entries()) {
    const untilMs = gapEndMs(timeline, ids, i);
    if (gaps.startMs(id) <= atMs && atMs < untilMs) {
      return gapHit(scene, id, untilMs, strip.y - 2, strip.height + 4, atMs);
    }
  }
  const changes = phases.of(box.job);
  const change = changes.findLast((candidate) => candidate.atMs <= atMs);
  return {
    kind: "job",
    text: `${box.name} ${change === undefined ? "" : PHASE_WORDS[change.phase].toLowerCase()}${sinceText(change)}`,
    atMs,
    ownMs: change?.atMs ?? atMs,
    box: { x: layout.plotX, y: box.y, width: layout.plotEnd - layout.plotX, height: box.headerHeight },
    job: box.job,
    ...(change === undefined ? {} : { cause: { of: "version", id: change.version } as const }),
  };
}

function sinceText(change: { readonly atMs: number; readonly phase: JobPhase } | undefined): string {
  return change === undefined ? "" : ` since ${instantText(change.atMs)}`;
}

function flagHit(scene: Scene, x: number, atMs: number): Hit | undefined {
  const { layout, timeline } = scene;
  const groups = flagGroups(scene, FLAGS_APART * layout.type);
  const group = groups.findLast(
    (candidate) => x >= candidate.x - 3 && x <= Math.min(candidate.untilX, candidate.x + 160),
  );
  if (group === undefined) return undefined;
  const texts = group.flags.map((id) => {
    const { label, problem, atMs: flagMs } = timeline.flags[id]!;
    return `${label} at ${instantText(flagMs)}${problem === undefined ? "" : `: ${problem}`}`;
  });
  return {
    kind: "flag",
    text: texts.join("; "),
    atMs,
    ownMs: timeline.flags[group.flags[0]!]!.atMs,
    box: {
      x: group.x,
      y: layout.flagsY + 2,
      width: Math.min(group.untilX - group.x, 120),
      height: layout.flagsHeight - 4,
    },
    flags: group.flags,
  };
}

function foldHit(scene: Scene, x: number, atMs: number): Hit | undefined {
  const fold = scene.time.foldAt(x);
  if (fold === undefined) return undefined;
  const top = scene.layout.axisY;
  return {
    kind: "fold",
    text: `${spanText(fold.untilMs - fold.fromMs)} in which nothing changed, folded`,
    atMs,
    ownMs: Math.round(fold.fromMs),
    box: { x: fold.fromX, y: top, width: fold.untilX - fold.fromX, height: bodyEnd(scene) - top },
  };
}

function axisHit({ layout }: Scene, atMs: number): Hit {
  const box = { x: layout.plotX, y: layout.axisY, width: layout.plotEnd - layout.plotX, height: layout.axisHeight };
  return { kind: "axis", text: instantText(atMs), atMs, ownMs: atMs, box };
}

function bandHit(scene: Scene, box: Box, atMs: number): Hit {
  return { kind: "band", text: `${instantText(atMs)}: ${countsText(scene, atMs)}`, atMs, ownMs: atMs, box };
}

/** `12 running, 3 failed`, of all pods at an instant. */
export function countsText({ timeline }: Pick<Scene, "timeline">, atMs: number): string {
  const counts = timeline.countsAt(atMs);
  const parts = [...counts].flatMap((count, state) =>
    count === 0 ? [] : [`${countText(count)} ${STATE_WORDS[state as PodState].toLowerCase()}`],
  );
  return parts.length === 0 ? "no pods" : parts.join(", ");
}

function minimapHit(scene: Scene, x: number): Hit {
  const atMs = minimapInstant(scene, x);
  return { kind: "minimap", text: instantText(atMs), atMs, ownMs: atMs, box: scene.layout.minimap };
}

export function minimapInstant({ minimap, timeline }: Scene, x: number): number {
  return Math.round(Math.min(Math.max(minimap.msAt(x), 0), timeline.nowMs));
}
