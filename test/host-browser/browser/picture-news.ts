/**
 * Runs in a page: draws a run as its news come and, now and then, whole on another canvas of the same size.
 *
 * Leaves out judging: `pixels` gives how many pixels of how many are not alike, at the worst.
 */
import { READING } from "../../../host-browser/picture/reading.ts";
import { PictureView } from "../../../host-browser/picture/view.ts";
import { Timeline } from "../../../host-browser/picture/timeline.ts";
import { indexedRun } from "../picture/sample.ts";

const WIDTH = 1_200;
const CHUNKS = 120;
/** After each so many of them it is compared. */
const COMPARED = 3;
/** For so long more and more pods are at work, so that the tops of scales change. */
const RAMP_MS = 10_000;
/** Of the run: it is not over, so the axis has room. */
const SHOWN = 0.8;
/** Sum of the differences of red, green and blue from which two pixels are not alike. */
const ALIKE = 60;

/** The few parts of a page that are used; these tests are checked without the DOM. */
declare const document: { createElement(name: "canvas"): Canvas };
interface Canvas {
  width: number;
  height: number;
  getContext(kind: "2d"): {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
  };
}

/** At the newest instant, on a separate canvas. */
function viewOf(timeline: Timeline): { readonly draw: () => Uint8ClampedArray } {
  const canvas = document.createElement("canvas");
  const view = new PictureView({ canvas, createCanvas: () => document.createElement("canvas") });
  view.setReading(READING);
  view.setTimeline(timeline);
  return {
    draw() {
      view.setPlayhead(timeline.nowMs, true);
      view.resize(WIDTH, view.preferredHeight(WIDTH), 1);
      view.draw();
      return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    },
  };
}

function unlikePixels(some: Uint8ClampedArray, others: Uint8ClampedArray): number {
  let unlike = 0;
  for (let i = 0; i < others.length; i += 4) {
    let difference = 0;
    for (let j = i; j < i + 3; j++) difference += Math.abs(some[j]! - others[j]!);
    if (difference > ALIKE) unlike++;
  }
  return unlike;
}

export function pixels(count: number): { readonly unlike: number; readonly all: number; readonly colours: number } {
  const { sample, endMs } = indexedRun(count, Math.ceil(count / 6), 3, RAMP_MS);
  const ends = Array.from({ length: CHUNKS }, (_, i) => Math.round(((i + 1) * endMs) / CHUNKS));
  const timeline = new Timeline();
  const news = viewOf(timeline);
  const colours = new Set<number>();
  let [unlike, all] = [0, 0];
  const chunks = sample.chunks(...ends).slice(0, Math.floor(CHUNKS * SHOWN));
  for (const [i, chunk] of chunks.entries()) {
    timeline.append(chunk, ends[i]!);
    const drawn = news.draw();
    if ((i + 1) % COMPARED !== 0) continue;
    const whole = viewOf(timeline).draw();
    unlike = Math.max(unlike, unlikePixels(drawn, whole));
    all = whole.length / 4;
    for (let at = 0; at < whole.length; at += 4)
      colours.add((whole[at]! << 16) | (whole[at + 1]! << 8) | whole[at + 2]!);
  }
  return { unlike, all, colours: colours.size };
}
