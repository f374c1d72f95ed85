/** The picture for tests: on canvases that only count, and everything that can be found in it. */
import type { CanvasLike, Hit } from "../../../host-browser/picture/picture.ts";
import { READING } from "../../../host-browser/picture/reading.ts";
import type { Timeline } from "../../../host-browser/picture/timeline.ts";
import { turningPointMs } from "../../../host-browser/picture/turning-point.ts";
import { PictureView } from "../../../host-browser/picture/view.ts";

/** A canvas whose context takes every call, and tells of it; texts are half as wide as they are high. */
export function fakeCanvas(
  texts: string[] = [],
  called: () => void = () => undefined,
  measured: (text: string) => void = () => undefined,
): CanvasLike {
  const context: object = new Proxy(
    {},
    {
      get: (_, name) => {
        if (name === "measureText") return (text: string) => (measured(text), { width: text.length * 6 });
        if (name === "createPattern") return () => ({ setTransform: () => undefined });
        if (name === "fillText") return (text: string) => texts.push(text);
        if (name === "createImageData") {
          return (width: number, height: number) => ({ data: new Uint8ClampedArray(width * height * 4) });
        }
        return called;
      },
      set: () => true,
    },
  );
  return { width: 0, height: 0, getContext: () => context };
}

export function viewOf(timeline: Timeline, width = 1_000): { view: PictureView; texts: string[]; height: number } {
  const texts: string[] = [];
  const view = new PictureView({ canvas: fakeCanvas(texts), createCanvas: () => fakeCanvas(texts) });
  view.setReading(READING);
  view.setTimeline(timeline);
  view.setPlayhead(turningPointMs(timeline));
  const height = view.preferredHeight(width);
  view.resize(width, height, 1);
  view.draw();
  return { view, texts, height };
}

/** Every thing that a grid of points finds, by its text. */
export function allHits(view: PictureView, width: number, height: number): Map<string, Hit> {
  const hits = new Map<string, Hit>();
  for (let y = 1; y < height; y += 3) {
    for (let x = 1; x < width; x += 6) {
      const hit = view.hit(x, y);
      if (hit !== undefined && !hits.has(`${hit.text} ${hit.kind}`)) hits.set(`${hit.text} ${hit.kind}`, hit);
    }
  }
  return hits;
}
