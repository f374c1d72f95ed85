/**
 * Draws counts in time as stacked areas: pods at work above, finished ones below, each on its own scale. For the band
 * under thin rows and heat maps, and small for the minimap.
 *
 * Invariant: the scale's top is a round number that rarely changes, so what was drawn can stay.
 */
import { PodState } from "../records.ts";
import type { Band } from "./band.ts";
import { COUNTED } from "./counts.ts";
import { Outline } from "./outline.ts";
import type { Box } from "./parts.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";
import type { TimeScale } from "./time-scale.ts";
import { countText } from "./words.ts";

const ACTIVE: readonly PodState[] = [
  PodState.READY,
  PodState.RUNNING,
  PodState.STARTING,
  PodState.PENDING,
  PodState.WAITING,
  PodState.TERMINATING,
];
const FINISHED: readonly PodState[] = [PodState.SUCCEEDED, PodState.FAILED];
/** Share of the height for pods at work. */
const ACTIVE_SHARE = 0.55;
const BETWEEN = 6;
/** Reused for each area and each stack: a band is drawn many times a second, and new lists would become garbage. */
const outline = new Outline();
let bases = new Float64Array(0);

/** A round number that is at least the count, and at most a third more. */
export function roundTop(count: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(count, 1)));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]
    .map((factor) => Math.ceil(factor * power))
    .find((top) => top >= count)!;
}

export function drawBand(surface: Surface, scene: Scene, band: Band, box: Box, ghost: Band | undefined): void {
  const activeHeight = Math.round(box.height * ACTIVE_SHARE);
  const below = activeHeight + BETWEEN;
  const active = { ...box, height: activeHeight };
  const finished = { ...box, y: box.y + below, height: box.height - below };
  drawStack(
    surface,
    scene,
    scene.time,
    band,
    active,
    ACTIVE,
    roundTop(Math.max(band.activePeak, ghost?.activePeak ?? 0)),
    {
      name: "at work",
      ghost,
    },
  );
  drawStack(
    surface,
    scene,
    scene.time,
    band,
    finished,
    FINISHED,
    roundTop(Math.max(band.finishedPeak, ghost?.finishedPeak ?? 0)),
    { name: "finished", ghost },
  );
}

/** Pods at work alone, without words. */
export function drawSmallBand(surface: Surface, scene: Scene, scale: TimeScale, band: Band, box: Box): void {
  drawStack(surface, scene, scale, band, box, ACTIVE, roundTop(band.activePeak), undefined);
}

function drawStack(
  surface: Surface,
  scene: Scene,
  scale: TimeScale,
  band: Band,
  box: Box,
  states: readonly PodState[],
  top: number,
  labels: { readonly name: string; readonly ghost: Band | undefined } | undefined,
): void {
  const { palette, layout, sizes } = scene;
  const bottom = box.y + box.height;
  if (labels !== undefined) surface.line([box.x, box.y, layout.plotEnd, box.y], palette.grid, 1);
  const from = Math.max(0, band.bins.at(scene.paint.fromMs) - 1);
  const until = Math.min(band.filled, band.bins.at(scene.paint.untilMs) + 1);
  const base = basesOf(Math.max(0, until - from));
  for (const state of states) drawArea(surface, scale, band, state, base, from, box, top, palette.states[state]!.fill);
  surface.line([box.x, bottom + 0.5, layout.plotEnd, bottom + 0.5], palette.edge, 1);
  if (labels === undefined) return;
  if (labels.ghost !== undefined) drawGhostLine(surface, scene, labels.ghost, states, box, top);
  const style = { size: sizes.small, colour: palette.soft, align: "right" } as const;
  surface.text(layout.plotX - 8, box.y + sizes.small / 2, countText(top), style);
  if (box.height > 2.6 * sizes.small) surface.text(layout.plotX - 8, bottom - sizes.small / 2, labels.name, style);
}

/** This many zeros, in reused memory. */
function basesOf(count: number): Float64Array {
  if (bases.length < count) bases = new Float64Array(2 * count);
  return bases.subarray(0, count).fill(0);
}

/** Draws one state's area on the areas below it; raises `base`. */
function drawArea(
  surface: Surface,
  scale: TimeScale,
  band: Band,
  state: PodState,
  base: Float64Array,
  from: number,
  box: Box,
  top: number,
  fill: string,
): void {
  const { counts, bins } = band;
  outline.clear();
  const bottom = box.y + box.height;
  let isEmpty = true;
  let lastLow = -1;
  let lastHigh = -1;
  for (let i = 0; i < base.length; i++) {
    const count = counts[(from + i) * COUNTED + state]!;
    const low = base[i]!;
    const high = low + count;
    base[i] = high;
    isEmpty &&= count === 0;
    const isLast = i === base.length - 1;
    if (low === lastLow && high === lastHigh && !isLast) continue;
    const x = scale.xOf(bins.edges[from + i]!);
    const lowY = bottom - (low / top) * box.height;
    const highY = bottom - (high / top) * box.height;
    if (lastHigh >= 0) outline.add(x, bottom - (lastHigh / top) * box.height, bottom - (lastLow / top) * box.height);
    outline.add(x, highY, lowY);
    if (isLast) outline.add(scale.xOf(Math.min(bins.edges[from + i + 1]!, scale.untilMs)), highY, lowY);
    lastLow = low;
    lastHigh = high;
  }
  if (!isEmpty) surface.shape(outline.points(), fill);
}

function drawGhostLine(
  surface: Surface,
  scene: Scene,
  ghost: Band,
  states: readonly PodState[],
  box: Box,
  top: number,
): void {
  const points: number[] = [];
  let last = -1;
  for (let bin = 0; bin < ghost.filled; bin++) {
    let sum = 0;
    for (const state of states) sum += ghost.counts[bin * COUNTED + state]!;
    const x = scene.time.xOf(ghost.bins.edges[bin]!);
    const y = box.y + box.height * (1 - sum / top);
    if (sum === last && bin < ghost.filled - 1) continue;
    if (last >= 0) points.push(x, box.y + box.height * (1 - last / top));
    points.push(x, y);
    last = sum;
  }
  if (points.length >= 4) surface.line(points, scene.palette.ghost, 1.5, [4, 3]);
}
