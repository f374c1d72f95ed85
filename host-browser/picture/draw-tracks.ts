/**
 * Draws the header of each Job's track: its name, its phases in time, backoffs of the whole Job, and a mark for each
 * decision.
 *
 * Invariant: of marks that would overlap, only the gravest is drawn.
 */
import { JobPhase, NONE } from "../records.ts";
import { type Tone, toneOf } from "./decisions.ts";
import { drawGaps } from "./draw-gaps.ts";
import type { TrackBox } from "./track-boxes.ts";
import type { Palette } from "./palette.ts";
import { PHASE_WORDS } from "./phases.ts";
import { PodState } from "../records.ts";
import type { Scene } from "./scene.ts";
import { fittedName, type Surface } from "./surface.ts";
import { phaseLabels, stripOf } from "./track-strip.ts";

const GRAVITY: Readonly<Record<Tone, number>> = { "goes-on": 0, waits: 1, succeeds: 2, fails: 3 };

export function drawTracks(surface: Surface, scene: Scene): void {
  for (const box of scene.layout.tracks) {
    drawHeader(surface, scene, box);
    drawLine(surface, scene, box);
    drawPhaseLabels(surface, scene, box);
  }
}

/** What is in a header, but for its words. */
export function drawLine(surface: Surface, scene: Scene, box: TrackBox): void {
  drawStrip(surface, scene, box);
  const marks = decisionMarks(scene, box.job);
  for (const [i, mark] of marks.entries()) {
    const isCrowded =
      (marks[i + 1]?.x ?? Infinity) - mark.x < CROWDED || mark.x - (marks[i - 1]?.x ?? -Infinity) < CROWDED;
    drawMark(surface, scene, box, mark, isCrowded);
  }
}

function drawHeader(surface: Surface, { layout, palette, sizes }: Scene, box: TrackBox): void {
  surface.rect(0, box.y, layout.width, box.headerHeight, palette.panel);
  const style = { size: sizes.normal, colour: palette.text, isBold: true } as const;
  const room = layout.plotX - 18 * layout.type;
  const name = fittedName(surface, box.name, style, room);
  surface.text(10 * layout.type, box.y + box.headerHeight / 2, name, style);
}

function drawStrip(surface: Surface, scene: Scene, box: TrackBox): void {
  const { layout, time, timeline, phases, gaps, palette } = scene;
  const { y, height } = stripOf(box, layout.type);
  const changes = phases.of(box.job);
  surface.clip(layout.plotX, box.y, layout.plotEnd - layout.plotX, box.headerHeight, () => {
    for (const [i, { atMs, phase }] of changes.entries()) {
      const untilMs = changes[i + 1]?.atMs ?? timeline.nowMs;
      if (untilMs < time.fromMs || atMs > time.untilMs) continue;
      const x = time.xOf(atMs);
      const width = Math.max(time.xOf(untilMs) - x, 1);
      const thickness = phase === JobPhase.RUNNING ? 2 * layout.type : height * 0.5;
      if (phase === JobPhase.GONE) continue;
      surface.rect(x, y + (height - thickness) / 2, width, thickness, phaseColour(palette, phase));
      if (phase === JobPhase.SUSPENDED) surface.pattern(x, y + height * 0.25, width, thickness, "dashes", palette.soft);
    }
    drawGaps(surface, scene, gaps.of(box.job, NONE), y - 2, height + 4);
  });
}

function phaseColour(palette: Palette, phase: JobPhase): string {
  if (phase === JobPhase.COMPLETE) return palette.states[PodState.SUCCEEDED]!.fill;
  if (phase === JobPhase.FAILED) return palette.states[PodState.FAILED]!.fill;
  return phase === JobPhase.SUSPENDED ? palette.edge : palette.ghost;
}

function drawPhaseLabels(surface: Surface, scene: Scene, box: TrackBox): void {
  const { layout, palette } = scene;
  const { y, height } = stripOf(box, layout.type);
  for (const { phase, x, width, style } of phaseLabels(surface, scene, box.job)) {
    const fill = phase === JobPhase.SUSPENDED || phase === JobPhase.GONE ? palette.soft : phaseColour(palette, phase);
    surface.rect(x, y - 1, width, height + 2, fill, 3);
    surface.text(x + 6, y + height / 2 + 0.5, PHASE_WORDS[phase], style);
  }
}

export interface DecisionMark {
  readonly decision: number;
  readonly x: number;
  readonly tone: Tone;
  /** Decisions that share the mark. */
  readonly count: number;
}

const APART = 5;
/** Marks nearer than this to each other are lines. */
const CROWDED = 11;

/** The decisions about a Job within the range to paint. */
export function decisionMarks(scene: Scene, job: number): DecisionMark[] {
  const { timeline, time, layout, paint } = scene;
  const [from, until] = timeline.decisionsBetween(
    Math.max(paint.fromMs, time.fromMs),
    Math.min(paint.untilMs, time.untilMs) + 1,
  );
  const marks: { decision: number; x: number; tone: Tone; count: number }[] = [];
  const apart = APART * layout.type;
  for (let decision = from; decision < until; decision++) {
    if (timeline.decisions.job.at(decision) !== job) continue;
    const x = time.xOf(timeline.decisions.atMs.at(decision));
    const last = marks.at(-1);
    // A cheap check before the code is read: most decisions of a big Job share a mark.
    const tone = toneOf(timeline.text(timeline.decisions.code.at(decision)));
    if (last === undefined || x - last.x >= apart) marks.push({ decision, x, tone, count: 1 });
    else {
      last.count++;
      if (GRAVITY[tone] > GRAVITY[last.tone]) Object.assign(last, { tone, decision });
    }
  }
  return marks;
}

export function toneColour(palette: Palette, tone: Tone): string {
  if (tone === "waits") return palette.gapInk;
  if (tone === "fails") return palette.states[PodState.FAILED]!.fill;
  return tone === "succeeds" ? palette.states[PodState.SUCCEEDED]!.fill : palette.decision;
}

/** A diamond, a small one for a decision after which the Job continues; a line where many are side by side. */
function drawMark(
  surface: Surface,
  { layout, palette }: Scene,
  box: TrackBox,
  { x, tone }: DecisionMark,
  isCrowded: boolean,
): void {
  if (x < layout.plotX || x > layout.plotEnd) return;
  const y = box.y + box.headerHeight / 2;
  if (isCrowded && tone !== "fails" && tone !== "succeeds") {
    const height = (tone === "goes-on" ? 4 : 8) * layout.type;
    surface.rect(x - 0.75, y - height / 2, 1.5, height, toneColour(palette, tone));
    return;
  }
  const size = (tone === "goes-on" ? 3 : 5) * layout.type;
  const outer = size + 1.5;
  surface.shape([x - outer, y, x, y - outer, x + outer, y, x, y + outer], palette.panel);
  surface.shape([x - size, y, x, y - size, x + size, y, x, y + size], toneColour(palette, tone));
}
