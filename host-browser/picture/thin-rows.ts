/**
 * Rows too thin for names, as a bitmap of bins in time by lanes: a lane is a row or, where there are more rows than
 * pixels, several. A shared cell shows the gravest of its states.
 *
 * Invariant: `update` paints only what happened since the last one, so a frame costs no more than its news. Leaves out
 * where the bitmap is drawn (draw-thin.ts).
 */
import { NONE, PodState } from "../records.ts";
import type { Bins } from "./bins.ts";
import { Bitmap } from "./bitmap.ts";
import { gapEndMs } from "./gaps.ts";
import { type Palette, pixelOf } from "./palette.ts";
import type { Track } from "./rows.ts";
import { isOver, isTerminal } from "./pod-ends.ts";
import type { History } from "./scene.ts";

/** Codes of cells in the order of their gravity; states at work are between a pod's rest and its end. */
const SUCCEEDED_TAIL = 1;
const FAILED_TAIL = 2;
const GAP = 3;
const SUCCEEDED_END = 10;
const FAILED_END = 11;
const CODES: Readonly<Partial<Record<PodState, number>>> = {
  [PodState.PENDING]: 4,
  [PodState.STARTING]: 5,
  [PodState.RUNNING]: 6,
  [PodState.READY]: 7,
  [PodState.WAITING]: 8,
  [PodState.TERMINATING]: 9,
};

/** Bins that the mark of an end takes, so that it is seen. */
const END_BINS = 3;
/** A failure takes more, and lanes beside its own where these are thin: one of a thousand is seen. */
const FAILED_BINS = 5;

export interface ThinPart {
  readonly first: number;
  readonly count: number;
  readonly lanes: number;
  /** Lanes above and below its own that a failure takes. */
  readonly beside: number;
}

export class ThinRows {
  readonly bitmap: Bitmap;
  readonly bins: Bins;
  readonly #history: History;
  readonly #track: Track;
  readonly #part: ThinPart;
  readonly #codes: Uint8Array;
  readonly #pixels: Uint32Array;
  #paintedMs = -Infinity;

  constructor(history: History, track: Track, part: ThinPart, bins: Bins, palette: Palette) {
    this.#history = history;
    this.#track = track;
    this.#part = part;
    this.bins = bins;
    this.bitmap = new Bitmap(bins.count, part.lanes);
    this.#codes = new Uint8Array(this.bitmap.width * this.bitmap.height);
    this.#pixels = pixelsOf(palette);
  }

  update(): void {
    const { timeline } = this.#history;
    const sinceMs = this.#paintedMs;
    const { first, count, lanes } = this.#part;
    for (let i = 0; i < count; i++) this.#paintRow(first + i, Math.floor((i * lanes) / count), sinceMs);
    this.#paintedMs = timeline.nowMs;
    const from = sinceMs === -Infinity ? 0 : Math.max(0, this.bins.at(sinceMs) - 1);
    this.#color(from, Math.min(this.bins.count, this.bins.at(timeline.nowMs) + 1 + FAILED_BINS));
  }

  #paintRow(row: number, lane: number, sinceMs: number): void {
    const { timeline, rows, gaps } = this.#history;
    const { pods } = timeline;
    let nextMs = Infinity;
    for (const pod of rows.podsOf(this.#track, row)) {
      this.#paintPod(pod, lane, sinceMs, nextMs);
      nextMs = pods.createdMs.at(pod);
      // What came before has been painted.
      if (nextMs <= sinceMs) break;
    }
    if (!this.#track.isIndexed) return;
    const ids = gaps.of(this.#track.job, row);
    for (let i = ids.length - 1; i >= 0; i--) {
      const fromMs = gaps.startMs(ids[i]!);
      this.#paint(lane, Math.max(fromMs, sinceMs), Math.min(gapEndMs(timeline, ids, i), timeline.nowMs), GAP);
      if (fromMs <= sinceMs) break;
    }
  }

  #paintPod(pod: number, lane: number, sinceMs: number, nextMs: number): void {
    const { timeline } = this.#history;
    const { state: states, atMs, next } = timeline.transitions;
    for (let id = timeline.pods.first.at(pod); id !== NONE; id = next.at(id)) {
      const untilMs = timeline.untilMs(id);
      if (untilMs < sinceMs) continue;
      const state = states.at(id) as PodState;
      const fromMs = atMs.at(id);
      const clippedMs = Math.max(fromMs, sinceMs);
      if (!isTerminal(state)) this.#paint(lane, clippedMs, untilMs, CODES[state] ?? 0);
      else {
        const isSuccess = state === PodState.SUCCEEDED;
        this.#paint(lane, clippedMs, Math.min(untilMs, nextMs), isSuccess ? SUCCEEDED_TAIL : FAILED_TAIL);
        if (fromMs < sinceMs || isOver(timeline, id)) continue;
        if (isSuccess) this.#paintEnd(lane, fromMs, SUCCEEDED_END, END_BINS);
        else this.#paintFailure(lane, fromMs);
      }
    }
  }

  #paint(lane: number, fromMs: number, untilMs: number, code: number): void {
    const { edges, count } = this.bins;
    if (code === 0 || untilMs < fromMs || untilMs < edges[0]! || fromMs > edges[count]!) return;
    const last = this.bins.at(untilMs);
    const start = lane * this.bitmap.width;
    for (let bin = this.bins.at(fromMs); bin <= last; bin++) {
      if (this.#codes[start + bin]! < code) this.#codes[start + bin] = code;
    }
  }

  #paintFailure(lane: number, atMs: number): void {
    const { beside } = this.#part;
    const last = Math.min(lane + beside, this.bitmap.height - 1);
    for (let at = Math.max(0, lane - beside); at <= last; at++) this.#paintEnd(at, atMs, FAILED_END, FAILED_BINS);
  }

  #paintEnd(lane: number, atMs: number, code: number, bins: number): void {
    const { edges, count } = this.bins;
    if (atMs < edges[0]! || atMs > edges[count]!) return;
    const bin = this.bins.at(atMs);
    const start = lane * this.bitmap.width;
    const end = Math.min(bin + bins, count);
    for (let i = bin; i < end; i++) if (this.#codes[start + i]! < code) this.#codes[start + i] = code;
  }

  #color(from: number, until: number): void {
    const { width, height, pixels } = this.bitmap;
    for (let lane = 0; lane < height; lane++) {
      const start = lane * width;
      for (let i = start + from; i < start + until; i++) pixels[i] = this.#pixels[this.#codes[i]!]!;
    }
    this.bitmap.touch(from, until);
  }
}

function pixelsOf(palette: Palette): Uint32Array {
  const pixels = new Uint32Array(FAILED_END + 1);
  pixels[GAP] = pixelOf(palette.gap);
  pixels[SUCCEEDED_TAIL] = pixelOf(palette.states[PodState.SUCCEEDED]!.tail);
  pixels[FAILED_TAIL] = pixelOf(palette.states[PodState.FAILED]!.tail);
  pixels[SUCCEEDED_END] = pixelOf(palette.states[PodState.SUCCEEDED]!.fill);
  pixels[FAILED_END] = pixelOf(palette.states[PodState.FAILED]!.fill);
  for (const [state, code] of Object.entries(CODES)) pixels[code] = pixelOf(palette.states[Number(state)]!.fill);
  return pixels;
}
