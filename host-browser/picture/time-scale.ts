/**
 * From time to place and back: linear pieces that follow each other. Most have the same scale; those of folded idle
 * stretches are FOLD_WIDTH wide, however long they last.
 *
 * Invariant: places ascend with times, so each instant has one place and each place one instant. Leaves out what a
 * fold looks like (draw-axis.ts).
 */
import type { Stretch } from "./idle.ts";

export interface Piece {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly fromX: number;
  readonly untilX: number;
  readonly isFold: boolean;
}

/** CSS pixels, before the factor for large type. */
export const FOLD_WIDTH = 58;
/** All folds together take at most this share of the width. */
const MAX_FOLDED_SHARE = 0.3;
/** A stretch is folded if what is left without it is shorter than this many times the stretch… */
const WORTH = 2;
/** …which may be true of up to this many similar stretches together… */
const MAX_ALIKE = 3;
const ALIKE = 0.8;
/** …and longer than this… */
const WORTH_MS = 15_000;
/** …and if at least this much is left: the one long run of the only pod stays as it is. */
const LEFT_MS = 4_000;
/** What stays unfolded at both ends of a stretch, so that the reader sees bars go in and come out. */
const MARGIN_MS = 1_000;

/** The stretches within a window that are worth folding, in order. */
export function foldsIn(stretches: readonly Stretch[], fromMs: number, untilMs: number): Stretch[] {
  const candidates = stretches
    .filter((stretch) => stretch.fromMs >= fromMs && stretch.untilMs <= untilMs && lengthOf(stretch) > WORTH_MS)
    .sort((a, b) => lengthOf(b) - lengthOf(a));
  const folds: Stretch[] = [];
  let leftMs = untilMs - fromMs;
  for (let i = 0; i < candidates.length;) {
    const lengthMs = lengthOf(candidates[i]!);
    let end = i + 1;
    while (end < candidates.length && lengthOf(candidates[end]!) >= lengthMs * ALIKE) end++;
    const alike = end - i <= MAX_ALIKE ? candidates.slice(i, end) : candidates.slice(i, i + 1);
    const restMs = leftMs - alike.reduce((sum, stretch) => sum + lengthOf(stretch), 0);
    if (restMs >= lengthMs * WORTH || restMs < LEFT_MS) break;
    for (const stretch of alike) {
      folds.push({ fromMs: stretch.fromMs + MARGIN_MS, untilMs: stretch.untilMs - MARGIN_MS });
    }
    leftMs = restMs;
    i += alike.length;
  }
  return folds.sort((a, b) => a.fromMs - b.fromMs);
}

function lengthOf(stretch: Stretch): number {
  return stretch.untilMs - stretch.fromMs;
}

export class TimeScale {
  readonly pieces: readonly Piece[];
  readonly fromMs: number;
  readonly untilMs: number;
  readonly fromX: number;
  readonly untilX: number;
  /** Pixels for a millisecond outside folds. */
  readonly density: number;

  constructor(
    window: { readonly fromMs: number; readonly untilMs: number },
    place: { readonly fromX: number; readonly untilX: number },
    folds: readonly Stretch[] = [],
    foldWidth = FOLD_WIDTH,
  ) {
    this.fromMs = window.fromMs;
    this.untilMs = Math.max(window.untilMs, window.fromMs + 1);
    this.fromX = place.fromX;
    this.untilX = Math.max(place.untilX, place.fromX + 1);
    const width = this.untilX - this.fromX;
    const each = folds.length === 0 ? 0 : Math.min(foldWidth, (width * MAX_FOLDED_SHARE) / folds.length);
    const foldedMs = folds.reduce((sum, fold) => sum + lengthOf(fold), 0);
    this.density = (width - each * folds.length) / (this.untilMs - this.fromMs - foldedMs);
    this.pieces = this.#piecesOf(folds, each);
  }

  xOf(atMs: number): number {
    const piece = this.#pieceOf(atMs, "untilMs");
    const share = (atMs - piece.fromMs) / (piece.untilMs - piece.fromMs);
    return piece.fromX + share * (piece.untilX - piece.fromX);
  }

  /** Not rounded, and beyond the window for places beyond the plot. */
  msAt(x: number): number {
    const piece = this.#pieceOf(x, "untilX");
    const share = (x - piece.fromX) / (piece.untilX - piece.fromX);
    return piece.fromMs + share * (piece.untilMs - piece.fromMs);
  }

  get folds(): readonly Piece[] {
    return this.pieces.filter(({ isFold }) => isFold);
  }

  foldAt(x: number): Piece | undefined {
    return this.pieces.find((piece) => piece.isFold && x >= piece.fromX && x <= piece.untilX);
  }

  #piecesOf(folds: readonly Stretch[], each: number): Piece[] {
    const pieces: Piece[] = [];
    let x = this.fromX;
    let ms = this.fromMs;
    const add = (untilMs: number, untilX: number, isFold: boolean) => {
      if (untilMs <= ms) return;
      pieces.push({ fromMs: ms, untilMs, fromX: x, untilX, isFold });
      ms = untilMs;
      x = untilX;
    };
    for (const fold of folds) {
      add(fold.fromMs, x + (fold.fromMs - ms) * this.density, false);
      add(fold.untilMs, x + each, true);
    }
    add(this.untilMs, this.untilX, false);
    return pieces;
  }

  /** The piece of a time or place; the first or last one for values beyond. */
  #pieceOf(value: number, end: "untilMs" | "untilX"): Piece {
    const { pieces } = this;
    let low = 0;
    let high = pieces.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (value < pieces[middle]![end]) high = middle;
      else low = middle + 1;
    }
    return pieces[low]!;
  }
}

const STEPS_MS: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000,
];
/** Limit of the ticks of one axis. */
const MAX_TICKS = 200;

export interface Ticks {
  readonly stepMs: number;
  readonly timesMs: readonly number[];
}

/** Round instants that are at least `apart` pixels from each other; none within folds. */
export function ticksOf(scale: TimeScale, apart: number): Ticks {
  const wantedMs = apart / scale.density;
  const stepMs = STEPS_MS.find((step) => step >= wantedMs) ?? STEPS_MS.at(-1)!;
  const timesMs: number[] = [];
  let lastX = -Infinity;
  for (const piece of scale.pieces) {
    if (piece.isFold) continue;
    for (let ms = Math.ceil(piece.fromMs / stepMs) * stepMs; ms <= piece.untilMs; ms += stepMs) {
      const x = scale.xOf(ms);
      if (x - lastX < apart || timesMs.length >= MAX_TICKS) continue;
      timesMs.push(ms);
      lastX = x;
    }
  }
  return { stepMs, timesMs };
}
