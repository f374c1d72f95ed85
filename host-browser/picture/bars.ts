/**
 * Draws a pod as a bar: its states one after the other, how it ended, and what is left of it until it is deleted.
 *
 * Invariant: the bar ends exactly where the pod did. Leaves out gaps between bars (draw-rows.ts).
 */
import { PodState } from "../records.ts";
import { endOf, isTerminal } from "./pod-ends.ts";
import { type Scene, type Segment, segmentsOf, shortName } from "./scene.ts";
import { fitted, type Surface } from "./surface.ts";
import { STATE_WORDS } from "./words.ts";

const RADIUS = 3;
const MIN_WIDTH = 1.5;
const TAIL = 3;

export interface BarPlace {
  /** Upper edge and height of the bar itself. */
  readonly y: number;
  readonly height: number;
  /** Words must end before this x. */
  readonly roomUntilX: number;
  /** Where the next thing in the row begins. */
  readonly nextX: number;
}

export function drawBar(surface: Surface, scene: Scene, pod: number, place: BarPlace): void {
  const segments = segmentsOf(scene, pod);
  const working = segments.filter(({ state }) => !isTerminal(state));
  const ended = segments.find(({ state }) => isTerminal(state));
  if (ended !== undefined) drawTail(surface, scene, ended, place);
  const startX = working[0]?.fromX ?? ended?.fromX;
  if (startX === undefined) return;
  const endX = Math.max(ended?.fromX ?? working.at(-1)!.untilX, startX + MIN_WIDTH);
  for (const [i, segment] of working.entries()) {
    const isLast = i === working.length - 1;
    const width = (isLast ? endX : segment.untilX) - segment.fromX;
    drawState(surface, scene, segment.state, segment.fromX, width, place, [
      i === 0 ? RADIUS : 0,
      isLast && scene.timeline.transitions.next.at(segment.transition) >= 0 ? RADIUS : 0,
    ]);
  }
  const capWidth = Math.min(place.height, 15 * scene.layout.type);
  if (ended !== undefined) {
    const capX = Math.max(startX, endX - capWidth);
    drawCap(surface, scene, ended.state, capX, capWidth, place);
    drawLabels(surface, scene, working, ended, capX, place, capX + capWidth);
  } else if (endOf(scene.timeline, pod)?.state === PodState.GONE) {
    const capX = Math.max(startX, endX - capWidth);
    drawCap(surface, scene, PodState.GONE, capX, capWidth, place);
    drawLabels(surface, scene, working, undefined, capX, place, capX + capWidth);
  } else drawLabels(surface, scene, working, undefined, endX, place, endX);
}

/** A piece of bar in a state's colour and pattern. */
export function drawState(
  surface: Surface,
  { palette }: Pick<Scene, "palette">,
  state: PodState,
  x: number,
  width: number,
  { y, height }: Pick<BarPlace, "y" | "height">,
  radius: readonly [number, number],
): void {
  const look = palette.states[state]!;
  const isRound = radius[0] + radius[1] > 0 && width > RADIUS && height > 2 * RADIUS;
  if (isRound) surface.rect(x, y, width, height, look.fill, radius);
  else surface.rect(x, y, width, height, look.fill);
  if (width >= 3 && height >= 5) surface.pattern(x + 1, y, width - 1, height, look.pattern, look.ink);
}

/** The mark of an end: a check, a cross or, for a deleted pod, a stroke in a block of the state's colour. */
export function drawCap(
  surface: Surface,
  { palette, layout }: Pick<Scene, "palette" | "layout">,
  state: PodState,
  x: number,
  width: number,
  { y, height }: Pick<BarPlace, "y" | "height">,
): void {
  const look = palette.states[state]!;
  surface.rect(x, y, width, height, look.fill, [0, RADIUS]);
  const size = Math.min(width, height) * 0.26;
  const middleX = x + width / 2;
  const middleY = y + height / 2;
  const stroke = Math.max(1.4, 1.6 * layout.type);
  if (state === PodState.SUCCEEDED) {
    const points = [
      middleX - size,
      middleY,
      middleX - size * 0.25,
      middleY + size * 0.75,
      middleX + size,
      middleY - size * 0.75,
    ];
    surface.line(points, look.label, stroke);
    return;
  }
  if (state === PodState.GONE) {
    surface.line([middleX - size, middleY, middleX + size, middleY], look.label, stroke);
    return;
  }
  surface.line([middleX - size, middleY - size, middleX + size, middleY + size], look.label, stroke);
  surface.line([middleX - size, middleY + size, middleX + size, middleY - size], look.label, stroke);
}

function drawTail(surface: Surface, { palette, layout }: Scene, ended: Segment, place: BarPlace): void {
  const untilX = Math.min(ended.untilX, place.nextX);
  const thickness = TAIL * layout.type;
  const y = place.y + (place.height - thickness) / 2;
  surface.rect(ended.fromX, y, untilX - ended.fromX, thickness, palette.states[ended.state]!.tail);
}

/** The visible parts of a state between folds, which are drawn over it. */
function unfolded({ time }: Scene, segment: Segment): Segment[] {
  const parts: Segment[] = [];
  let fromX = segment.fromX;
  for (const fold of time.folds) {
    if (fold.untilX <= fromX || fold.fromX >= segment.untilX) continue;
    if (fold.fromX > fromX) parts.push({ ...segment, fromX, untilX: fold.fromX });
    fromX = fold.untilX;
  }
  if (fromX < segment.untilX) parts.push({ ...segment, fromX });
  return parts;
}

function widthOf({ fromX, untilX }: Segment): number {
  return untilX - fromX;
}

/** The pod's name on its widest state; the reason of its end behind the name, or behind the bar. */
function drawLabels(
  surface: Surface,
  scene: Scene,
  working: readonly Segment[],
  ended: Segment | undefined,
  untilX: number,
  place: BarPlace,
  behindX: number,
): void {
  const { timeline, palette, sizes, layout } = scene;
  if (place.height < 10 * layout.type) return;
  const size = Math.min(sizes.small, place.height * 0.72);
  const y = place.y + place.height / 2 + 0.5;
  const widest = working
    .flatMap((segment) => unfolded(scene, segment))
    .reduce<Segment | undefined>(
      (best, part) => (best === undefined || widthOf(part) > widthOf(best) ? part : best),
      undefined,
    );
  const last = ended ?? working.at(-1);
  const detail = last === undefined ? "" : timeline.text(timeline.transitions.detail.at(last.transition));
  let isSaid = detail === "" || detail === STATE_WORDS[PodState.SUCCEEDED];
  if (widest !== undefined) {
    const colour = palette.states[widest.state]!.label;
    const style = { size, colour };
    const x = Math.max(widest.fromX, layout.plotX) + 5 * layout.type;
    const room = Math.min(widest.untilX, untilX) - x - 3;
    const name = timeline.podNames[widest.pod] ?? "";
    const both = isSaid ? name : `${name} · ${detail}`;
    const choices = ended?.state === PodState.FAILED && !isSaid ? [both, detail] : [both, name];
    const label =
      choices.find((text) => surface.measure(text, style) <= room) ??
      (room > 34 * layout.type ? fitted(surface, shortName(timeline, widest.pod), style, room) : "");
    if (label !== "") surface.text(x, y, label, style);
    isSaid ||= label.endsWith(detail);
  }
  if (isSaid || last === undefined) return;
  const style = { size, colour: last.state === PodState.FAILED ? palette.warning : palette.soft };
  const foldX = scene.time.folds.find(({ untilX }) => untilX > behindX)?.fromX ?? Infinity;
  const room = Math.min(place.roomUntilX, layout.plotEnd, foldX) - behindX - 8;
  const text = fitted(surface, detail, style, room);
  if (text === "") return;
  surface.rect(behindX + 2, place.y + 1, surface.measure(text, style) + 6, place.height - 2, palette.background);
  surface.text(behindX + 5, y, text, style);
}
