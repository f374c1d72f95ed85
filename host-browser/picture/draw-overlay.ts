/**
 * Draws what moves: the veil over what is after the playhead, the playhead with its instant, and how long back-offs
 * still last.
 */
import { NONE } from "../records.ts";
import { timeSpans } from "./draw-axis.ts";
import { stripOf } from "./draw-tracks.ts";
import { gapEndMs } from "./gaps.ts";
import type { Box } from "./picture.ts";
import { rowY, type Scene } from "./scene.ts";
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
  surface.line([x, y + height, x, layout.axisY + layout.axisHeight], palette.accent, 1.5);
  for (const [from, until] of timeSpans(scene)) surface.line([x, from, x, until], palette.accent, 1.5);
  surface.rect(left, y, width, height, palette.accent, 4);
  surface.shape([x - 4, y + height - 0.5, x + 4, y + height - 0.5, x, y + height + 4], palette.accent);
  surface.text(left + width / 2, y + height / 2 + 0.5, text, style);
}

/** `4 s left` in each back-off that the playhead is in. */
export function drawCountdowns(surface: Surface, scene: Scene): void {
  const { layout, rows, gaps } = scene;
  if (layout.scale !== "rows") return;
  for (const box of layout.tracks) {
    const strip = stripOf(box, layout.type);
    drawCountdown(surface, scene, gaps.of(box.job, NONE), strip.y - 2, strip.height + 4);
    const track = rows.trackOf(box.job);
    if (track?.isIndexed !== true) continue;
    for (let row = box.first; row < box.first + box.count; row++) {
      drawCountdown(surface, scene, gaps.of(box.job, row), rowY(box, row), box.rowHeight);
    }
  }
}

function drawCountdown(surface: Surface, scene: Scene, ids: readonly number[], y: number, height: number): void {
  const { timeline, playheadMs, palette, layout, sizes, time } = scene;
  for (const [i, id] of ids.entries()) {
    const untilMs = gapEndMs(timeline, ids, i);
    if (timeline.gaps.fromMs.at(id) > playheadMs || untilMs <= playheadMs) continue;
    const style = { size: Math.min(sizes.small, height * 0.7), colour: palette.text, isBold: true } as const;
    // Nobody knows at that instant that the Job may end before.
    const text = `${spanText(timeline.gaps.untilMs.at(id) - playheadMs)} left`;
    const width = surface.measure(text, style) + 10;
    const x = Math.min(time.xOf(playheadMs) + 5, layout.width - width - 2);
    const inset = Math.max(1, height * 0.12);
    surface.rect(x, y + inset, width, height - 2 * inset, palette.gap, 3);
    surface.frame(x, y + inset, width, height - 2 * inset, palette.gapInk, 3, 1);
    surface.text(x + 5, y + height / 2 + 0.5, text, style);
  }
}

/** Around what the keyboard or the pointer is on. */
export function drawFrame(surface: Surface, scene: Scene, box: Box, isStrong: boolean): void {
  const { palette } = scene;
  surface.frame(box.x - 1.5, box.y - 0.5, box.width + 3, box.height + 1, palette.background, 4, 3);
  surface.frame(box.x - 1.5, box.y - 0.5, box.width + 3, box.height + 1, palette.accent, 4, isStrong ? 2 : 1.25);
}
