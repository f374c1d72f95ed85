/**
 * Draws back-offs: hatched stretches, and over them how long they last.
 *
 * Invariant: labels are drawn after folds, so they stand over what is folded, and only where they fit.
 */
import { NONE } from "../records.ts";
import { stripOf } from "./draw-tracks.ts";
import { gapEndMs } from "./gaps.ts";
import { rowY, type Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";
import { spanText } from "./words.ts";

export function drawGaps(surface: Surface, scene: Scene, ids: readonly number[], y: number, height: number): void {
  const { time, palette, timeline } = scene;
  const inset = insetOf(height);
  for (const [i, id] of ids.entries()) {
    const fromMs = timeline.gaps.fromMs.at(id);
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

/** Of all tracks: their headers, and rows of indexes. */
export function drawGapLabels(surface: Surface, scene: Scene): void {
  const { layout, gaps, rows } = scene;
  for (const box of layout.tracks) {
    const strip = stripOf(box, layout.type);
    drawLabels(surface, scene, gaps.of(box.job, NONE), strip.y - 2, strip.height + 4, "center");
    if (rows.trackOf(box.job)?.isIndexed !== true || layout.scale !== "rows") continue;
    for (let row = box.first; row < box.first + box.count; row++) {
      drawLabels(surface, scene, gaps.of(box.job, row), rowY(box, row), box.rowHeight, "right");
    }
  }
}

export function drawLabels(
  surface: Surface,
  scene: Scene,
  ids: readonly number[],
  y: number,
  height: number,
  align: "center" | "right",
): void {
  const { time, palette, layout, sizes, timeline } = scene;
  if (height < 12 * layout.type) return;
  const inset = insetOf(height) + 1.5;
  const style = { size: Math.min(sizes.small, height * 0.7), colour: palette.text };
  for (const [i, id] of ids.entries()) {
    const fromMs = timeline.gaps.fromMs.at(id);
    const untilMs = gapEndMs(timeline, ids, i);
    const fromX = Math.max(time.xOf(fromMs), layout.plotX);
    const untilX = Math.min(time.xOf(untilMs), layout.plotEnd);
    const span = spanText(untilMs - fromMs);
    const text = [`back-off ${span}`, span].find((label) => surface.measure(label, style) + 14 < untilX - fromX);
    if (text === undefined) continue;
    const width = surface.measure(text, style) + 8;
    // The reason of the failure stands at the beginning of an index's gap.
    const x = align === "center" ? (fromX + untilX - width) / 2 : untilX - width - 4;
    surface.rect(x, y + inset, width, height - 2 * inset, palette.gap, 2);
    surface.text(x + 4, y + height / 2 + 0.5, text, style);
  }
}

/** What an index's gap leaves free before its label. */
export function roomInGap(surface: Surface, scene: Scene, fromMs: number, untilMs: number): number {
  const { time, palette, sizes } = scene;
  const label = surface.measure(`back-off ${spanText(untilMs - fromMs)}`, { size: sizes.small, colour: palette.text });
  return Math.max(time.xOf(fromMs), time.xOf(untilMs) - label - 16);
}

function insetOf(height: number): number {
  return height >= 10 ? 2.5 : 0.5;
}
