/**
 * Runs in a page: draws a run as its news come, and once whole, on two canvases of the same size.
 *
 * Leaves out judging: `pixels` gives how many pixels of how many are not alike.
 */
import { READING } from "../../../host-browser/picture/reading.ts";
import { PictureView } from "../../../host-browser/picture/view.ts";
import { Timeline } from "../../../host-browser/picture/timeline.ts";
import { indexedRun } from "../picture/sample.ts";

const WIDTH = 1_200;
const CHUNKS = 120;
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

function draw(count: number, isPiecewise: boolean): Canvas {
  const { sample, endMs } = indexedRun(count, Math.ceil(count / 6), 3);
  const ends = Array.from({ length: CHUNKS }, (_, i) => Math.round(((i + 1) * endMs) / CHUNKS));
  const canvas = document.createElement("canvas");
  const view = new PictureView({ canvas, createCanvas: () => document.createElement("canvas") });
  view.setReading(READING);
  const timeline = new Timeline();
  view.setTimeline(timeline);
  const last = Math.floor(CHUNKS * SHOWN) - 1;
  for (const [i, chunk] of sample
    .chunks(...ends)
    .slice(0, last + 1)
    .entries()) {
    timeline.append(chunk, ends[i]!);
    if (!isPiecewise && i < last) continue;
    view.setPlayhead(ends[i]!, true);
    view.resize(WIDTH, view.preferredHeight(WIDTH), 1);
    view.draw();
  }
  return canvas;
}

export function pixels(count: number): { readonly unlike: number; readonly all: number; readonly colours: number } {
  const [news, whole] = [true, false].map((isPiecewise) => {
    const canvas = draw(count, isPiecewise);
    return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  });
  let unlike = 0;
  const colours = new Set<number>();
  for (let i = 0; i < whole!.length; i += 4) {
    let difference = 0;
    for (let j = i; j < i + 3; j++) difference += Math.abs(news![j]! - whole![j]!);
    if (difference > ALIKE) unlike++;
    colours.add((whole![i]! << 16) | (whole![i + 1]! << 8) | whole![i + 2]!);
  }
  return { unlike, all: whole!.length / 4, colours: colours.size };
}
