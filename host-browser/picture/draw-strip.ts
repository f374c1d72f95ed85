/**
 * Draws the strip under the axis: a row for the controller with what was wrong with it, and one a node with the pods
 * that were at work there, or one for all nodes.
 *
 * Invariant: what is drawn in the past stays as it is, so only news is painted. The state at the playhead is in the
 * gutter, and is drawn in each frame.
 */
import { NodeState, PodState } from "../records.ts";
import { countUpTo } from "../columns.ts";
import { changeAt, type Load } from "./nodes.ts";
import type { Palette } from "./palette.ts";
import { CONTROLLER, type Scene } from "./scene.ts";
import { type Spell, spellsOf } from "./spells.ts";
import { fitted, fittedName, type Surface } from "./surface.ts";
import { countText } from "./words.ts";

/** Row 0 is the controller's. */
export function stripRowY({ layout: { strip } }: Pick<Scene, "layout">, row: number): number {
  return strip.y + row * strip.rowHeight;
}

export function drawStrip(surface: Surface, scene: Scene): void {
  const { layout, palette, nodes } = scene;
  const { strip } = layout;
  if (strip.rows === 0) return;
  surface.clip(layout.plotX, strip.y, layout.plotEnd - layout.plotX, strip.height, () => {
    drawController(surface, scene);
    for (let row = 1; row < strip.rows; row++) {
      const bottom = stripRowY(scene, row + 1) - 1.5;
      surface.line([layout.plotX, bottom, layout.plotEnd, bottom], palette.grid, 1);
      const load = nodes.loads[row - 1];
      if (load !== undefined) drawLoad(surface, scene, load, bottom);
      if (!nodes.isSummed) drawChanges(surface, scene, row);
    }
  });
}

function drawController(surface: Surface, scene: Scene): void {
  const { layout, palette, time, timeline } = scene;
  const { strip, type } = layout;
  const fromX = time.xOf(0);
  const y = strip.y + strip.rowHeight / 2;
  surface.rect(fromX, y - type, time.xOf(timeline.nowMs) - fromX, 2 * type, palette.ghost);
  for (const spell of spellsOf(timeline)) drawSpell(surface, scene, spell);
}

/** In the order of their gravity: without answers the controller can do nothing, without a process not even ask. */
const LOOKS: Readonly<Record<string, readonly [state: PodState, word: string]>> = {
  "slow-api": [PodState.WAITING, "late"],
  "api-errors": [PodState.FAILED, "errors"],
  "restart-controller": [PodState.GONE, "down"],
};

function drawSpell(surface: Surface, scene: Scene, { kind, fromMs, untilMs }: Spell): void {
  const { layout, palette, time, sizes } = scene;
  if (untilMs < time.fromMs || fromMs > time.untilMs) return;
  const { strip, type } = layout;
  const [state, word] = LOOKS[kind]!;
  const look = palette.states[state]!;
  const x = Math.max(time.xOf(fromMs), layout.plotX);
  const width = Math.max(time.xOf(untilMs) - x, 3 * type);
  const height = strip.rowHeight - 3;
  surface.rect(x, strip.y + 1, width, height, look.fill, 2);
  surface.pattern(x, strip.y + 1, width, height, look.pattern, look.ink);
  const style = { size: Math.min(sizes.small, height * 0.85), colour: look.label, isBold: true } as const;
  const text = fitted(surface, word, style, width - 8);
  if (text === "") return;
  surface.rect(x + 2, strip.y + 1, surface.measure(text, style) + 5, height, look.fill, 2);
  surface.text(x + 4, strip.y + strip.rowHeight / 2, text, style);
}

/** Draws the pods at work as an area; the row's height is the most that any node ever had. */
function drawLoad(surface: Surface, scene: Scene, { atMs, count }: Load, bottom: number): void {
  const { layout, palette, time, timeline, nodes, paint } = scene;
  const height = layout.strip.rowHeight - 3;
  const from = Math.max(0, countUpTo(atMs.data, atMs.length, Math.max(paint.fromMs, time.fromMs)) - 1);
  const until = countUpTo(atMs.data, atMs.length, Math.min(paint.untilMs, time.untilMs));
  const fill = (x: number, untilX: number, value: number): void => {
    if (value === 0 || untilX <= x) return;
    const filled = Math.max(1.5, (value / nodes.peak) * height);
    surface.rect(x, bottom - filled, untilX - x, filled, palette.load);
  };
  // Of changes in one column of pixels the highest is visible.
  let most = 0;
  for (let id = from; id < until; id++) {
    const value = count.at(id);
    const x = time.xOf(atMs.at(id));
    const nextX = time.xOf(id + 1 < atMs.length ? atMs.at(id + 1) : timeline.nowMs);
    const columnEnd = Math.floor(x) + 1;
    most = Math.max(most, value);
    if (nextX < columnEnd && id + 1 < until) continue;
    fill(Math.max(columnEnd - 1, layout.plotX), Math.min(columnEnd, nextX), most);
    fill(columnEnd, nextX, value);
    most = 0;
  }
}

/** Hatched while the node takes no new pods; dashed when it is gone. */
function drawChanges(surface: Surface, scene: Scene, row: number): void {
  const { layout, palette, time, timeline, nodes } = scene;
  const { changes } = nodes.all[row - 1]!;
  const y = stripRowY(scene, row);
  const height = layout.strip.rowHeight - 2;
  for (const [i, { atMs, state }] of changes.entries()) {
    const untilMs = changes[i + 1]?.atMs ?? timeline.nowMs;
    if (state === NodeState.READY || untilMs < time.fromMs || atMs > time.untilMs) continue;
    const x = time.xOf(atMs);
    const untilX = time.xOf(untilMs);
    if (state === NodeState.CORDONED) {
      drawCordoned(surface, palette, x, y, untilX - x, height);
      continue;
    }
    const middle = y + height / 2;
    surface.line([x, middle, untilX, middle], palette.warning, 1.5, [2, 4]);
    const size = height * 0.32;
    surface.line([x - size, middle - size, x + size, middle + size], palette.warning, 2);
    surface.line([x - size, middle + size, x + size, middle - size], palette.warning, 2);
  }
}

export function drawCordoned(
  surface: Surface,
  palette: Palette,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  surface.pattern(x, y, width, height, "rising", palette.flag);
  surface.rect(x, y, 1.5, height, palette.flag);
}

/** Draws the names, and how many pods there are at the playhead. */
export function drawStripNames(surface: Surface, scene: Scene): void {
  const { layout, palette, sizes, nodes, playheadMs, isStripOpen } = scene;
  const { strip, type, plotX } = layout;
  if (strip.rows === 0) return;
  const size = Math.min(sizes.small, strip.rowHeight * 0.8);
  const middleOf = (row: number): number => stripRowY(scene, row) + strip.rowHeight / 2;
  const left = 10 * type;
  if (nodes.all.length > 0) {
    const [x, y, d] = [left + 3 * type, middleOf(0), 3 * type];
    surface.shape(
      isStripOpen ? [x - d, y - d / 2, x + d, y - d / 2, x, y + d] : [x - d / 2, y - d, x + d, y, x - d / 2, y + d],
      palette.soft,
    );
  }
  const name = (row: number, text: string, room: number, x: number): void => {
    const style = { size, colour: palette.soft } as const;
    surface.text(x, middleOf(row), fittedName(surface, text, style, room), style);
  };
  name(0, CONTROLLER, plotX - left - 14 * type, left + 10 * type);
  for (let row = 1; row < strip.rows; row++) {
    const count = nodes.countAt(row - 1, playheadMs);
    const style = { size, colour: count === 0 ? palette.soft : palette.text, align: "right" } as const;
    const words = countText(count);
    const node = nodes.all[row - 1]!;
    const title = nodes.isSummed ? `${countText(nodes.all.length)} nodes` : node.name;
    const beside = plotX - left - surface.measure(words, style) - 12 * type;
    // Where there is no room for both, the name is kept: the reader needs it most.
    const isAlone = fitted(surface, title, { size, colour: palette.soft }, beside) === "";
    const room = isAlone ? plotX - left - 4 * type : beside;
    if (!isAlone) surface.text(plotX - 6 * type, middleOf(row), words, style);
    const isThere = nodes.isSummed || changeAt(node, playheadMs)?.state !== NodeState.GONE;
    name(row, title, room, left);
    if (!isThere) surface.line([left, middleOf(row), left + Math.min(room, 40 * type), middleOf(row)], palette.soft, 1);
  }
}
