/**
 * Draws what belongs to time: grid and axis, folded stretches, and flags where the user acted.
 *
 * Invariant: labels do not overlap; the ones that do not fit are left out, and their marks stay.
 */
import type { FlagRecord } from "../../cluster/simulation/recorder.ts";
import type { Scene } from "./scene.ts";
import { fitted, type Surface, type TextStyle } from "./surface.ts";
import { ticksOf, type TimeScale } from "./time-scale.ts";
import { shortSpanText, spanText, tickText } from "./words.ts";

const TICKS_APART = 76;
/** No label extends further from its middle. Only those that may be in the way are measured, in each frame. */
const LABEL_REACH = 60;
const everywhere = (_x: number): boolean => true;

export function drawGrid(surface: Surface, scene: Scene): void {
  const { layout, palette, time } = scene;
  const { timesMs } = ticksOf(time, TICKS_APART * layout.type);
  const spans = timeSpans(scene);
  for (const ms of timesMs) {
    const x = Math.round(time.xOf(ms)) + 0.5;
    surface.line([x, layout.axisY + layout.axisHeight - 4, x, layout.axisY + layout.axisHeight], palette.edge, 1);
    for (const [from, until] of spans) surface.line([x, from, x, until], palette.grid, 1);
  }
  for (const label of tickLabels(surface, scene)) drawLabel(surface, scene, label);
  const axisY = layout.axisY + layout.axisHeight - 0.5;
  surface.line([layout.plotX, axisY, layout.plotEnd, axisY], palette.edge, 1);
}

/** Words on the axis. */
interface AxisLabel {
  /** Of its middle. */
  readonly x: number;
  readonly half: number;
  readonly text: string;
  readonly style: TextStyle;
}

/** None of these is drawn near a fold, which has its own label. */
function tickLabels(surface: Surface, scene: Scene, isNear = everywhere): AxisLabel[] {
  const { layout, palette, time, sizes } = scene;
  const { timesMs, stepMs } = ticksOf(time, TICKS_APART * layout.type);
  const style = { size: sizes.small, colour: palette.soft, align: "center" } as const;
  const labels: AxisLabel[] = [];
  for (const ms of timesMs) {
    const x = Math.round(time.xOf(ms)) + 0.5;
    if (!isNear(x)) continue;
    const text = tickText(ms, stepMs);
    const half = surface.measure(text, style) / 2;
    if (time.foldAt(x + half + 12) !== undefined || time.foldAt(x - half - 12) !== undefined) continue;
    labels.push({ x: Math.min(x, layout.width - half - 2), half, text, style });
  }
  return labels;
}

/** How long what is folded lasts. */
function foldLabels(surface: Surface, { palette, time, sizes }: Scene, isNear = everywhere): AxisLabel[] {
  const style = { size: sizes.small, colour: palette.text, align: "center", isBold: true } as const;
  const folds = time.folds.filter(({ fromX, untilX }) => isNear((fromX + untilX) / 2));
  return folds.map(({ fromMs, untilMs, fromX, untilX }) => {
    const lengthMs = untilMs - fromMs;
    const room = untilX - fromX - 2;
    const choices = [`${spanText(lengthMs)} ≋`, `${shortSpanText(lengthMs)} ≋`];
    const text = choices.find((label) => surface.measure(label, style) <= room) ?? "≋";
    return { x: (fromX + untilX) / 2, half: surface.measure(text, style) / 2, text, style };
  });
}

function labelY({ layout }: Scene): number {
  return layout.axisY + layout.axisHeight * 0.48;
}

function drawLabel(surface: Surface, scene: Scene, { x, text, style }: AxisLabel): void {
  surface.text(x, labelY(scene), text, style);
}

/** Erases the axis labels that would stick out from behind the thing drawn at this place. */
export function eraseLabels(surface: Surface, scene: Scene, fromX: number, untilX: number): void {
  const height = scene.sizes.small * 1.3;
  const reach = LABEL_REACH * scene.layout.type;
  const isNear = (x: number): boolean => x > fromX - reach && x < untilX + reach;
  for (const { x, half } of [...tickLabels(surface, scene, isNear), ...foldLabels(surface, scene, isNear)]) {
    if (x + half < fromX || x - half > untilX) continue;
    surface.rect(x - half - 1, labelY(scene) - height / 2, 2 * half + 2, height, scene.palette.background);
  }
}

/** The vertical spans in which one x is one instant: all but heat maps. */
export function timeSpans(scene: Scene): (readonly [fromY: number, untilY: number])[] {
  const { axisY, axisHeight, tracks, band, scale, strip } = scene.layout;
  if (scale !== "heat") return [[axisY + axisHeight, bodyEnd(scene)]];
  const spans: (readonly [number, number])[] = strip.rows === 0 ? [] : [[strip.y, strip.y + strip.height]];
  spans.push(...tracks.map(({ y, headerHeight }) => [y, y + headerHeight] as const));
  return band === undefined ? spans : [...spans, [band.y, band.y + band.height]];
}

/** Down to where time-aligned things end. */
export function bodyEnd({ layout }: Scene): number {
  const { band, body, tracks, scale } = layout;
  if (band !== undefined) return band.y + band.height;
  const last = tracks.at(-1);
  return scale === "rows" && last !== undefined
    ? Math.min(last.y + last.height, body.y + body.height)
    : body.y + body.height;
}

/** Draws folds as torn paper, with their length on the axis. */
export function drawFolds(surface: Surface, scene: Scene): void {
  for (const [top, end] of timeSpans(scene)) drawTorn(surface, scene, scene.time, top, end);
  for (const label of foldLabels(surface, scene)) drawLabel(surface, scene, label);
}

/** The folds of a scale, within these heights. */
export function drawTorn(surface: Surface, scene: Scene, { folds }: TimeScale, top: number, end: number): void {
  const { layout, palette } = scene;
  for (const { fromX, untilX } of folds) {
    const inset = Math.min(9 * layout.type, (untilX - fromX) / 4);
    const left = wave(fromX + inset, top, end);
    const right = wave(untilX - inset, top, end);
    surface.shape([...left, ...reversed(right)], palette.fold);
    surface.line(left, palette.edge, 1);
    surface.line(right, palette.edge, 1);
  }
}

function wave(x: number, fromY: number, untilY: number): number[] {
  const points: number[] = [];
  for (let y = fromY, i = 0; y < untilY; y += 7, i++) points.push(x + (i % 2 === 0 ? -2.5 : 2.5), y);
  points.push(x, untilY);
  return points;
}

function reversed(points: readonly number[]): number[] {
  const turned: number[] = [];
  for (let i = points.length - 2; i >= 0; i -= 2) turned.push(points[i]!, points[i + 1]!);
  return turned;
}

/** Flags that are so close that they share one pole. */
export interface FlagGroup {
  readonly x: number;
  readonly untilX: number;
  readonly flags: readonly number[];
  readonly text: string;
}

export function flagGroups(scene: Pick<Scene, "timeline" | "time">, apart: number): FlagGroup[] {
  const groups: { x: number; untilX: number; flags: number[] }[] = [];
  const { flags } = scene.timeline;
  for (const [id, flag] of flags.entries()) {
    if (flag.atMs < scene.time.fromMs || flag.atMs > scene.time.untilMs) continue;
    const x = scene.time.xOf(flag.atMs);
    const last = groups.at(-1);
    if (last !== undefined && x - last.x < apart) last.flags.push(id);
    else groups.push({ x, untilX: Infinity, flags: [id] });
    if (last !== undefined && groups.at(-1) !== last) last.untilX = x;
  }
  return groups.map((group) => ({ ...group, text: groupText(group.flags.map((id) => flags[id]!)) }));
}

function groupText(flags: readonly FlagRecord[]): string {
  return flags.length === 1 ? flags[0]!.label : `${flags[0]!.label} and ${flags.length - 1} more`;
}

/** The distance at which two flags share a pole, before the factor for large type. */
export const FLAGS_APART = 14;

export function drawFlags(surface: Surface, scene: Scene): void {
  const { layout, palette, time, timeline, sizes } = scene;
  const spans = timeSpans(scene);
  const top = layout.flagsY + 4 * layout.type;
  const height = layout.flagsHeight - 7 * layout.type;
  for (const { atMs, untilMs } of timeline.flags) {
    if (untilMs === undefined || untilMs < time.fromMs || atMs > time.untilMs) continue;
    const x = Math.max(time.xOf(atMs), layout.plotX);
    const width = Math.min(time.xOf(untilMs), layout.plotEnd) - x;
    for (const [from, until] of spans) surface.rect(x, from, width, until - from, palette.flagShade);
  }
  for (const { x, untilX, flags, text } of flagGroups(scene, FLAGS_APART * layout.type)) {
    const hasProblem = flags.some((id) => timeline.flags[id]!.problem !== undefined);
    const colour = hasProblem ? palette.warning : palette.flag;
    surface.line([x, top, x, layout.axisY + layout.axisHeight], colour, 1);
    for (const [from, until] of spans) surface.line([x, from, x, until], colour, 1, [2, 3]);
    const style = { size: sizes.small, colour: palette.background, isBold: true } as const;
    const label = fitted(surface, text, style, Math.min(untilX, layout.width) - x - 14);
    const width = label === "" ? 8 * layout.type : surface.measure(label, style) + 10;
    const notch = height / 2;
    surface.shape(
      [x, top, x + width + 3, top, x + width - 1, top + notch, x + width + 3, top + height, x, top + height],
      colour,
    );
    if (label !== "") surface.text(x + 5, top + notch + 0.5, label, style);
  }
}
