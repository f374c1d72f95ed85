/**
 * Draws what moves: the veil over what is after the playhead, the playhead with its instant, and how long backoffs
 * still last.
 */
import { NONE } from "../records.ts";
import { eraseLabels, timeSpans } from "./draw-axis.ts";
import { drawGaps, inRow, inStrip, type LabelPlace, labelOf, nextTaken } from "./draw-gaps.ts";
import { barPlace } from "./draw-rows.ts";
import { drawLine } from "./draw-tracks.ts";
import { gapEndMs } from "./gaps.ts";
import type { Box } from "./parts.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";
import { instantText, spanText } from "./words.ts";

export function drawVeil(surface: Surface, scene: Scene): void {
  const { layout, time, palette, playheadMs, timeline } = scene;
  const fromX = Math.max(time.xOf(playheadMs), layout.plotX);
  if (playheadMs >= timeline.nowMs || fromX >= layout.plotEnd) return;
  for (const [from, until] of timeSpans(scene)) {
    surface.rect(fromX, from, layout.width - fromX, until - from, palette.veil);
  }
}

export function drawPlayhead(surface: Surface, scene: Scene): void {
  const { layout, time, palette, playheadMs, sizes } = scene;
  const x = time.xOf(playheadMs);
  if (x < layout.plotX - 1 || x > layout.plotEnd + 1) return;
  const style = { size: sizes.small, colour: palette.onAccent, align: "center", isBold: true } as const;
  const text = instantText(playheadMs);
  const width = surface.measure(text, style) + 12 * layout.type;
  const height = 17 * layout.type;
  const left = Math.min(Math.max(x - width / 2, 1), layout.width - width - 1);
  const y = layout.axisY + (layout.axisHeight - height) / 2 - 1;
  eraseLabels(surface, scene, left, left + width);
  surface.line([x, y + height, x, layout.axisY + layout.axisHeight], palette.accent, 1.5);
  for (const [from, until] of timeSpans(scene)) surface.line([x, from, x, until], palette.accent, 1.5);
  surface.rect(left, y, width, height, palette.accent, 4);
  surface.shape([x - 4, y + height - 0.5, x + 4, y + height - 0.5, x, y + height + 4], palette.accent);
  surface.text(left + width / 2, y + height / 2 + 0.5, text, style);
}

/** `4 s left` in each backoff that the playhead is in. */
export function drawCountdowns(surface: Surface, scene: Scene): void {
  const { layout, rows, gaps, palette } = scene;
  if (layout.scale !== "rows") return;
  for (const box of layout.tracks) {
    drawCountdown(surface, scene, gaps.of(box.job, NONE), {
      ...inStrip(surface, scene, box),
      ground: palette.panel,
      redraw: () => drawLine(surface, scene, box),
    });
    const track = rows.trackOf(box.job);
    if (track?.isIndexed !== true) continue;
    for (let row = box.first; row < box.first + box.count; row++) {
      const place = inRow(box, row);
      const bar = barPlace(scene, place.y, place.height);
      const ids = gaps.of(box.job, row);
      const redraw = (): void => drawGaps(surface, scene, ids, bar.y, bar.height);
      drawCountdown(surface, scene, ids, { ...place, ground: palette.background, redraw });
    }
  }
}

interface CountdownPlace extends LabelPlace {
  readonly ground: string;
  /** Draws what is there besides words. */
  readonly redraw: () => void;
}

function drawCountdown(surface: Surface, scene: Scene, ids: readonly number[], place: CountdownPlace): void {
  const { timeline, playheadMs, palette, layout, sizes, time, gaps } = scene;
  const { y, height } = place;
  const inset = Math.max(1, height * 0.12);
  const taken = place.taken.filter(({ atMs }) => atMs <= playheadMs);
  for (const [i, id] of ids.entries()) {
    const untilMs = gapEndMs(timeline, ids, i);
    if (gaps.startMs(id) > playheadMs || untilMs <= playheadMs) continue;
    const style = { size: Math.min(sizes.small, height * 0.7), colour: palette.text, isBold: true } as const;
    const fromX = time.xOf(playheadMs) + 5;
    const untilX = nextTaken({ taken }, fromX);
    // The planned end: at that instant the Job's earlier end is not known yet.
    const span = spanText(timeline.gaps.untilMs.at(id) - playheadMs);
    const widthOf = (words: string): number => surface.measure(words, style) + 10;
    const text = [`${span} left`, span].find((words) => fromX + widthOf(words) <= untilX);
    if (text === undefined) continue;
    const width = widthOf(text);
    // In the row of an index at the end, like the label that it replaces: words about the failure are before.
    const endX = Math.min(time.xOf(untilMs), layout.plotEnd) - width - 4;
    const hasRoom = endX > time.xOf(gaps.startMs(id)) + 4;
    const x = place.align === "right" && hasRoom ? endX : Math.min(fromX, layout.width - width - 2);
    for (const words of wordsAt(surface, scene, ids, i, place)) {
      if (words.x < x + width + 2 && words.x + words.width > x) erase(surface, scene, words, place);
    }
    surface.rect(x, y + inset, width, height - 2 * inset, palette.gap, 3);
    surface.frame(x, y + inset, width, height - 2 * inset, palette.gapInk, 3, 1);
    surface.text(x + 5, y + height / 2 + 0.5, text, style);
  }
}

/** Words that a countdown replaces: how long this and the next backoff last, and what is still to come. */
function wordsAt(surface: Surface, scene: Scene, ids: readonly number[], i: number, place: LabelPlace): readonly Box[] {
  const { y, height, taken } = place;
  const labels = [i, i + 1].flatMap((at) => (at < ids.length ? (labelOf(surface, scene, ids, at, place) ?? []) : []));
  const coming = taken.filter(({ atMs }) => atMs > scene.playheadMs);
  return [...labels, ...coming.map(({ x, width }) => ({ x, y, width, height }))];
}

function erase(surface: Surface, scene: Scene, { x, y, width, height }: Box, { ground, redraw }: CountdownPlace): void {
  surface.clip(x, y, width, height, () => {
    surface.rect(x, y, width, height, ground);
    redraw();
    const veilX = Math.max(x, scene.time.xOf(scene.playheadMs));
    surface.rect(veilX, y, x + width - veilX, height, scene.palette.veil);
  });
}

/** Draws a frame around the thing under the keyboard cursor or the pointer. */
export function drawFrame(surface: Surface, scene: Scene, box: Box, isStrong: boolean): void {
  const { palette } = scene;
  surface.frame(box.x - 1.5, box.y - 0.5, box.width + 3, box.height + 1, palette.background, 4, 3);
  surface.frame(box.x - 1.5, box.y - 0.5, box.width + 3, box.height + 1, palette.accent, 4, isStrong ? 2 : 1.25);
}
