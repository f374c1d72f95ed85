/**
 * Where things are in the header of a track: the strip of the Job's phases, and the words beside its changes.
 *
 * Invariant: the code that draws phases and the code that draws backoffs over them read the same places, so no word
 * covers another. Leaves out drawing (draw-tracks.ts, draw-gaps.ts).
 */
import { JobPhase } from "../records.ts";
import { PHASE_WORDS } from "./phases.ts";
import type { Scene } from "./scene.ts";
import type { Surface, TextStyle } from "./surface.ts";
import type { TrackBox } from "./track-boxes.ts";

/** From a mark to the word beside it. */
const BESIDE = 10;

/** The place and thickness of a header's strip. */
export function stripOf(box: TrackBox, type: number): { y: number; height: number } {
  const height = 13 * type;
  return { y: box.y + (box.headerHeight - height) / 2, height };
}

/** The Job's new phase: drawn after the instant or, where the canvas ends before its last letter, before it. */
interface PhaseLabel {
  readonly atMs: number;
  readonly phase: JobPhase;
  readonly x: number;
  readonly width: number;
  readonly style: TextStyle;
}

export function phaseLabels(
  surface: Surface,
  { phases, layout, time, palette, sizes }: Scene,
  job: number,
): PhaseLabel[] {
  const style = { size: sizes.small, colour: palette.background, isBold: true } as const;
  const beside = BESIDE * layout.type;
  return phases
    .of(job)
    .filter(({ atMs, phase }) => phase !== JobPhase.RUNNING && atMs >= time.fromMs && atMs <= time.untilMs)
    .map(({ atMs, phase }) => {
      const width = surface.measure(PHASE_WORDS[phase], style) + 12;
      const x = time.xOf(atMs);
      const isBefore = x + beside + width > layout.width;
      return { atMs, phase, x: isBefore ? Math.max(x - beside - width, layout.plotX) : x + beside, width, style };
    });
}
