/**
 * What is written in the picture can be read: what is drawn over a word hides it wholly, or not at all. Read off the
 * exported SVG, whose elements are in the order of drawing.
 */
import { describe, expect, test } from "vitest";
import { svgOf } from "../../../host-browser/picture/export.ts";
import type { Timeline } from "../../../host-browser/picture/timeline.ts";
import { JobPhase, NONE, PodState } from "../../../host-browser/records.ts";
import { viewOf } from "./canvas.ts";
import { Sample } from "./sample.ts";

interface Box {
  readonly fromX: number;
  readonly untilX: number;
  readonly fromY: number;
  readonly untilY: number;
}

/** As the SVG surface measures, and less: what is reported is surely covered. */
const CHARACTER = 0.5;
/** So much may be covered: the white around a word. */
const SLACK = 2;
const ELEMENT = /<(rect|path|text|g) [^>]*>(?:([^<]*)<\/text>)?|<\/g>/g;

/** Words that are covered in part. */
function halfCovered(svg: string): string[] {
  const clips = new Map(
    [...svg.matchAll(/<clipPath id="([^"]+)"><rect ([^>]*)\/>/g)].map(([, id, rect]) => [id!, rectOf(rect!)] as const),
  );
  const found: string[] = [];
  const within: Box[] = [];
  let words: { text: string; box: Box }[] = [];
  for (const [element, kind, text] of svg.slice(svg.indexOf("</defs>")).matchAll(ELEMENT)) {
    if (element === "</g>") within.pop();
    else if (kind === "g") within.push(clips.get(/url\(#([^)]+)\)/.exec(element)![1]!)!);
    else if (kind === "text") words.push({ text: text!, box: wordOf(element, text!) });
    else if (!/fill="(none|url)|opacity/.test(element)) {
      const cover = [kind === "rect" ? rectOf(element) : pathOf(element), ...within].reduce(common);
      words = words.filter(({ text: word, box }) => {
        const part = common(box, cover);
        if (part.untilX - part.fromX <= SLACK || part.untilY - part.fromY <= SLACK) return true;
        const isWhole = box.untilX - box.fromX - (part.untilX - part.fromX) <= SLACK;
        if (!isWhole) found.push(word);
        return false;
      });
    }
  }
  return found;
}

function numberOf(element: string, name: string): number {
  return Number(new RegExp(`(?:^| )${name}="([^"]*)"`).exec(element)![1]);
}

function rectOf(element: string): Box {
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => numberOf(element, name));
  return { fromX: x!, untilX: x! + width!, fromY: y!, untilY: y! + height! };
}

function pathOf(element: string): Box {
  const numbers = / d="([^"]*)"/
    .exec(element)![1]!
    .match(/-?[\d.]+/g)!
    .map(Number);
  const [xs, ys] = [0, 1].map((at) => numbers.filter((_, i) => i % 2 === at));
  return { fromX: Math.min(...xs!), untilX: Math.max(...xs!), fromY: Math.min(...ys!), untilY: Math.max(...ys!) };
}

function wordOf(element: string, text: string): Box {
  const [x, y, size] = ["x", "y", "font-size"].map((name) => numberOf(element, name));
  const width = text.length * size! * CHARACTER;
  const fromX = element.includes('"middle"') ? x! - width / 2 : element.includes('"end"') ? x! - width : x!;
  return { fromX, untilX: fromX + width, fromY: y! - size! * 0.6, untilY: y! };
}

function common(a: Box, b: Box): Box {
  return {
    fromX: Math.max(a.fromX, b.fromX),
    untilX: Math.min(a.untilX, b.untilX),
    fromY: Math.max(a.fromY, b.fromY),
    untilY: Math.min(a.untilY, b.untilY),
  };
}

/** An index fails twice with back-offs; then its last pod runs for long, which is folded. */
function run(isIndexed: boolean): Timeline {
  const sample = new Sample();
  const job = sample.job("one-fails");
  sample.version(job, 0, JobPhase.RUNNING, { completions: 2 });
  const quiet = sample.pod(job, isIndexed ? 1 : NONE, 0, 0, "one-fails-1-quiet");
  sample.state(quiet, 100, PodState.READY, "", "node-1");
  let atMs = 0;
  for (const [attempt, waitMs] of [10_000, 20_000].entries()) {
    const pod = sample.pod(job, isIndexed ? 0 : NONE, attempt, atMs, `one-fails-0-aaaa${attempt}`);
    sample.state(pod, atMs + 100, PodState.READY, "", "node-1");
    atMs += 5_000;
    sample.state(pod, atMs, PodState.FAILED, "exit code 1", "node-1");
    sample.gap(job, isIndexed ? 0 : NONE, atMs, atMs + waitMs, sample.decision(job, atMs, "Backoff", atMs + waitMs));
    atMs += waitMs;
  }
  const last = sample.pod(job, isIndexed ? 0 : NONE, 2, atMs, "one-fails-0-zzzzz");
  sample.state(last, atMs + 100, PodState.READY, "", "node-1");
  atMs += 200_000;
  sample.state(last, atMs, PodState.SUCCEEDED, "", "node-1");
  sample.state(quiet, atMs, PodState.SUCCEEDED, "", "node-1");
  sample.decision(job, atMs, "CompletionsReached");
  sample.version(job, atMs, JobPhase.COMPLETE, { completions: 2, succeeded: 2, failed: 2 });
  return sample.timeline(atMs + 10);
}

describe("words in the picture", () => {
  const WIDTHS = [1_400, 900, 620, 420];
  const INSTANTS = [
    0, 700, 5_000, 6_000, 9_000, 13_500, 20_000, 21_000, 26_000, 30_000, 39_000, 41_000, 100_000, 239_000,
  ];

  test.each(
    WIDTHS.flatMap((width) => [1, 1.4].flatMap((type) => [true, false].map((is) => [width, type, is] as const))),
  )("are never half covered: %i px wide, type %f, of an Indexed Job: %s", (width, type, isIndexed) => {
    const { view } = viewOf(run(isIndexed), width);
    view.setTypeScale(type);
    const found = INSTANTS.map((atMs) => {
      view.setPlayhead(atMs);
      view.draw();
      return [atMs, ...halfCovered(svgOf(view.exported(width, 1), ""))];
    });
    expect(found.filter(({ length }) => length > 1)).toEqual([]);
  });

  test("are found when they are half covered, and not when they are hidden", () => {
    const word = '</defs><text x="10" y="20" font-size="10" text-anchor="start" fill="#000">word</text>';
    expect(halfCovered(`${word}<rect x="20" y="10" width="40" height="20" fill="#fff"/>`)).toEqual(["word"]);
    expect(halfCovered(`${word}<rect x="0" y="10" width="60" height="20" fill="#fff"/>`)).toEqual([]);
    expect(halfCovered(`${word}<rect x="20" y="40" width="40" height="20" fill="#fff"/>`)).toEqual([]);
  });
});
