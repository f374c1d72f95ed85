/**
 * Draws the whole run small, on the scale of the axis above: pods at work, a tick for each decision, an orange one for
 * each failure, flags, and which part the picture shows.
 */
import type { Band } from "./band.ts";
import { type Tone, toneOf } from "./decisions.ts";
import { drawTorn } from "./draw-axis.ts";
import { drawSmallBand } from "./draw-band.ts";
import { toneColour } from "./draw-tracks.ts";
import { PodState } from "../records.ts";
import { COUNTED } from "./counts.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";

const TICK_SHARE = 0.26;
/** The least distance of drawn ticks. */
const TICK_APART = 1.5;

export function drawMinimap(surface: Surface, scene: Scene, band: Band): void {
  const { layout, palette } = scene;
  const { x, y, width, height } = layout.minimap;
  const bandHeight = Math.floor(height * (1 - TICK_SHARE)) - 3;
  surface.rect(x, y, width, bandHeight, palette.panel);
  drawSmallBand(surface, scene, scene.minimap, band, { x, y: y + 2, width, height: bandHeight - 2 });
  drawTicks(surface, scene, y + bandHeight + 2, y + height);
  drawFailures(surface, scene, band, y + bandHeight + 2, y + height);
  drawTorn(surface, scene, scene.minimap, y, y + height);
  for (const { atMs } of scene.timeline.flags) {
    const flagX = scene.minimap.xOf(atMs);
    surface.line([flagX, y, flagX, y + bandHeight], palette.flag, 1);
  }
}

function drawTicks(surface: Surface, scene: Scene, top: number, bottom: number): void {
  const { timeline, minimap, palette, paint } = scene;
  const tones: readonly Tone[] = ["goes-on", "waits", "succeeds", "fails"];
  const [from, until] = timeline.decisionsBetween(paint.fromMs, paint.untilMs + 1);
  // The gravest tone is drawn last, over the others.
  const lastX = new Map<Tone, number>();
  const places = new Map<Tone, number[]>(tones.map((tone) => [tone, []]));
  for (let decision = from; decision < until; decision++) {
    const x = minimap.xOf(timeline.decisions.atMs.at(decision));
    const tone = toneOf(timeline.text(timeline.decisions.code.at(decision)));
    if (x - (lastX.get(tone) ?? -Infinity) < TICK_APART) continue;
    lastX.set(tone, x);
    places.get(tone)!.push(x);
  }
  for (const tone of tones) {
    for (const x of places.get(tone)!)
      surface.rect(x - 0.5, top, tone === "goes-on" ? 1 : 2, bottom - top, toneColour(palette, tone));
  }
}

/** A tick wherever a pod failed, over those of decisions: failures are what is looked for. */
function drawFailures(
  surface: Surface,
  { minimap, palette, paint }: Scene,
  band: Band,
  top: number,
  bottom: number,
): void {
  const { bins, counts, filled } = band;
  const failedAt = (bin: number): number => (bin < 0 ? 0 : counts[bin * COUNTED + PodState.FAILED]!);
  const { fill } = palette.states[PodState.FAILED]!;
  for (let bin = bins.at(paint.fromMs); bin < filled; bin++) {
    if (failedAt(bin) > failedAt(bin - 1)) surface.rect(minimap.xOf(bins.edges[bin]!) - 1, top, 2, bottom - top, fill);
  }
}

/** Draws the part that the picture shows, and the playhead: over the minimap in each frame. */
export function drawMinimapWindow(surface: Surface, scene: Scene): void {
  const { layout, palette, minimap, time } = scene;
  const { x, y, width, height } = layout.minimap;
  const fromX = Math.max(x, minimap.xOf(time.fromMs));
  const untilX = Math.min(x + width, minimap.xOf(time.untilMs));
  if (fromX > x + 1 || untilX < x + width - 1) {
    surface.rect(x, y, fromX - x, height, palette.veil);
    surface.rect(untilX, y, x + width - untilX, height, palette.veil);
    surface.frame(fromX + 0.5, y + 0.5, Math.max(untilX - fromX - 1, 3), height - 1, palette.soft, 3);
  }
  const playheadX = minimap.xOf(scene.playheadMs);
  surface.line([playheadX, y - 2, playheadX, y + height + 2], palette.accent, 1.5);
}
