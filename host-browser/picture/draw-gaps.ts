/**
 * Draws backoffs: hatched stretches, and over them how long they last.
 *
 * Invariant: labels are drawn after folds, so they are over what is folded, and only where they fit.
 */
import { NONE } from "../records.ts";
import { gapEndMs } from "./gaps.ts";
import type { Box } from "./parts.ts";
import { rowY, type Scene } from "./scene.ts";
import type { Surface, TextStyle } from "./surface.ts";
import type { TrackBox } from "./track-boxes.ts";
import { phaseLabels, stripOf } from "./track-strip.ts";
import { spanText } from "./words.ts";

export function drawGaps(surface: Surface, scene: Scene, ids: readonly number[], y: number, height: number): void {
  const { time, palette, timeline, gaps } = scene;
  const inset = insetOf(height);
  for (const [i, id] of ids.entries()) {
    const fromMs = gaps.startMs(id);
    const untilMs = gapEndMs(timeline, ids, i);
    if (untilMs <= fromMs || untilMs < time.fromMs || fromMs > time.untilMs) continue;
    const x = time.xOf(fromMs);
    const width = time.xOf(untilMs) - x;
    surface.rect(x, y + inset, width, height - 2 * inset, palette.gap);
    surface.pattern(x, y + inset, width, height - 2 * inset, "rising", palette.gapInk);
    surface.line([x, y + inset, x + width, y + inset], palette.gapInk, 1);
    surface.line([x, y + height - inset, x + width, y + height - inset], palette.gapInk, 1);
  }
}

/** Draws the labels of all tracks: their headers, and rows of indexes. */
export function drawGapLabels(surface: Surface, scene: Scene): void {
  const { layout, gaps, rows } = scene;
  for (const box of layout.tracks) {
    drawLabels(surface, scene, gaps.of(box.job, NONE), inStrip(surface, scene, box));
    if (rows.trackOf(box.job)?.isIndexed !== true || layout.scale !== "rows") continue;
    for (let row = box.first; row < box.first + box.count; row++) {
      drawLabels(surface, scene, gaps.of(box.job, row), inRow(box, row));
    }
  }
}

/** Of the whole Job. */
export function inStrip(surface: Surface, scene: Scene, box: TrackBox): LabelPlace {
  const { y, height } = stripOf(box, scene.layout.type);
  return { y: y - 2, height: height + 4, align: "center", taken: phaseLabels(surface, scene, box.job) };
}

/** Of an index. */
export function inRow(box: TrackBox, row: number): LabelPlace {
  return { y: rowY(box, row), height: box.rowHeight, align: "right", taken: [] };
}

/** The place of a backoff's label: in the middle, or at its end, because words about a failure are at its beginning. */
export interface LabelPlace {
  readonly y: number;
  readonly height: number;
  readonly align: "center" | "right";
  /** Words that are there already, each at its instant. */
  readonly taken: readonly { readonly x: number; readonly width: number; readonly atMs: number }[];
}

/** Where the next words behind a place begin. */
export function nextTaken({ taken }: Pick<LabelPlace, "taken">, x: number): number {
  return Math.min(...taken.filter((words) => words.x + words.width > x).map((words) => words.x));
}

export function drawLabels(surface: Surface, scene: Scene, ids: readonly number[], place: LabelPlace): void {
  const { palette } = scene;
  for (const i of ids.keys()) {
    const label = labelOf(surface, scene, ids, i, place);
    if (label === undefined) continue;
    const { x, y, width, height, text, style } = label;
    surface.rect(x, y, width, height, palette.gap, 2);
    surface.text(x + 4, y + height / 2 + 0.5, text, style);
  }
}

interface GapLabel extends Box {
  readonly text: string;
  readonly style: TextStyle;
}

/** @returns undefined: a label does not fit */
export function labelOf(
  surface: Surface,
  { time, palette, layout, sizes, timeline, gaps }: Scene,
  ids: readonly number[],
  i: number,
  place: LabelPlace,
): GapLabel | undefined {
  const { y, height, align } = place;
  if (height < 12 * layout.type) return undefined;
  const style = { size: Math.min(sizes.small, height * 0.7), colour: palette.text };
  const fromMs = timeline.gaps.fromMs.at(ids[i]!);
  const untilMs = gapEndMs(timeline, ids, i);
  const fromX = Math.max(time.xOf(gaps.startMs(ids[i]!)), layout.plotX);
  const untilX = Math.min(time.xOf(untilMs), layout.plotEnd, nextTaken(place, fromX));
  const span = spanText(untilMs - fromMs);
  const text = [`back-off ${span}`, span].find((label) => surface.measure(label, style) + 14 < untilX - fromX);
  if (text === undefined) return undefined;
  const width = surface.measure(text, style) + 8;
  const inset = insetOf(height) + 1.5;
  return {
    x: align === "center" ? (fromX + untilX - width) / 2 : untilX - width - 4,
    y: y + inset,
    width,
    height: height - 2 * inset,
    text,
    style,
  };
}

/** The space in an index's gap before its label. */
export function roomInGap(surface: Surface, scene: Scene, fromMs: number, untilMs: number): number {
  const { time, palette, sizes } = scene;
  const label = surface.measure(`back-off ${spanText(untilMs - fromMs)}`, { size: sizes.small, colour: palette.text });
  return Math.max(time.xOf(fromMs), time.xOf(untilMs) - label - 16);
}

function insetOf(height: number): number {
  return height >= 10 ? 2.5 : 0.5;
}
