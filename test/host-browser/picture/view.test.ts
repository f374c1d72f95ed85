/** The picture as the page uses it: drawn on canvases that only count, hit, walked, read, and written as SVG. */
import { describe, expect, test } from "vitest";
import { scaleOf } from "../../../host-browser/picture/layout.ts";
import { gridOf, rowInGrid } from "../../../host-browser/picture/grid.ts";
import type { CanvasLike } from "../../../host-browser/picture/picture.ts";
import { Timeline } from "../../../host-browser/picture/timeline.ts";
import { svgOf } from "../../../host-browser/picture/export.ts";
import { READING } from "../../../host-browser/picture/reading.ts";
import { PictureView } from "../../../host-browser/picture/view.ts";
import { JobPhase, NONE, PodState } from "../../../host-browser/records.ts";
import { allHits, fakeCanvas, viewOf } from "./canvas.ts";
import { indexedRun, Sample } from "./sample.ts";

/** A Job that fails once, waits and succeeds. */
function retry(): Timeline {
  const sample = new Sample();
  const job = sample.job("retry");
  sample.version(job, 0, JobPhase.RUNNING, { completions: 1 });
  sample.decision(job, 5, "Creating");
  const first = sample.pod(job, NONE, 0, 10, "retry-aaaaa");
  sample.state(first, 500, PodState.READY, "", "node-1");
  sample.state(first, 4_000, PodState.FAILED, "exit code 3", "node-1");
  sample.gap(job, NONE, 4_000, 14_000, sample.decision(job, 4_001, "Backoff", 14_000));
  sample.flag({ atMs: 9_000, kind: "cordon", label: "cordon node-1" });
  const second = sample.pod(job, NONE, 1, 14_000, "retry-bbbbb");
  sample.state(second, 14_500, PodState.READY, "", "node-2");
  sample.state(second, 18_000, PodState.SUCCEEDED, "", "node-2");
  sample.decision(job, 18_001, "CompletionsReached");
  sample.version(job, 18_002, JobPhase.COMPLETE, { completions: 1, succeeded: 1, failed: 1 });
  return sample.timeline(18_100);
}

describe("news of a run", () => {
  const marks = (isNamedAgain: boolean): number[] => {
    const { sample, endMs } = indexedRun(1_500, 100, 1);
    const ends = Array.from({ length: 20 }, (_, i) => ((i + 1) * endMs) / 20);
    const timeline = new Timeline();
    let calls = 0;
    const canvas = (): CanvasLike => fakeCanvas([], () => void calls++);
    const view = new PictureView({ canvas: canvas(), createCanvas: canvas });
    view.setReading(READING);
    view.setTimeline(timeline);
    return sample.chunks(...ends).map((chunk, i) => {
      calls = 0;
      timeline.append(chunk, ends[i] ?? endMs);
      if (isNamedAgain) view.setTimeline(timeline);
      view.setPlayhead(ends[i] ?? endMs, true);
      view.resize(1_000, view.preferredHeight(1_000), 1);
      view.draw();
      return calls;
    });
  };

  test("are all that is drawn, also when the run is named again, as the page does with each of its notices", () => {
    expect(marks(true)).toEqual(marks(false));
  });
});

test("a text is measured once, whatever size the canvas gets, and on whichever", () => {
  const measured: string[] = [];
  const canvas = (): CanvasLike => fakeCanvas([], undefined, (text) => void measured.push(text));
  const view = new PictureView({ canvas: canvas(), createCanvas: canvas });
  view.setReading(READING);
  view.setTimeline(retry());
  for (const height of [400, 500]) {
    view.resize(1_000, height, 1);
    view.draw();
  }
  expect(measured.length).toBeGreaterThan(0);
  const most = Math.max(...measured.map((text) => measured.filter((other) => other === text).length));
  expect(most).toBe(1);
});

describe("the three scales", () => {
  test("up to 60 rows, up to 2,000, and beyond", () => {
    expect([1, 60, 61, 2_000, 2_001, 100_000].map(scaleOf)).toEqual(["rows", "rows", "thin", "thin", "heat", "heat"]);
  });

  test.each([
    [8, "rows"],
    [61, "thin"],
    [2_500, "heat"],
  ] as const)("%d indexes are drawn as %s, and a click goes nearer", (count, scale) => {
    const { sample, endMs } = indexedRun(count, Math.ceil(count / 4), 1);
    const { view, height } = viewOf(sample.timeline(endMs));
    expect(view.scale).toBe(scale);
    view.setPlayhead(endMs);
    view.draw();
    const hit = [...allHits(view, 1_000, height).values()].find(({ index }) => index === 55);
    if (scale === "rows") expect(hit).toBeUndefined();
    else {
      expect(hit?.focus).toEqual({ job: 0, first: 50, last: Math.min(99, count - 1) });
      view.setFocus(hit!.focus);
      expect(view.scale).toBe("rows");
      expect(view.table().rows.every(({ index }) => Number(index) >= 50 && Number(index) < 100)).toBe(true);
    }
  });

  test("squares that count attempts have their own legend", () => {
    const { sample, endMs } = indexedRun(2_500, 500, 1);
    const { view } = viewOf(sample.timeline(endMs));
    view.setHeatMode("attempts");
    expect(view.legend().map(({ label }) => label)).toEqual([
      "No pod yet",
      "1 attempt",
      "2 attempts",
      "3 attempts",
      "4 attempts",
      "5 or more attempts",
    ]);
    view.setPlayhead(endMs);
    view.draw();
    expect(svgOf(view.exported(900, 1), "x")).toContain("5 or more attempts");
  });

  test("all squares of a heat map have one row each", () => {
    for (const count of [2_001, 5_000, 99_999, 100_000]) {
      for (const density of [1, 2]) {
        const box = { x: 56, y: 40, width: 1_330, height: 380 };
        const grid = gridOf(count, box, density);
        const track = { first: 0, count } as never;
        const rowOf = (row: number) =>
          rowInGrid(
            grid,
            track,
            grid.x + ((row % grid.columns) + 0.5) * grid.side,
            grid.y + (Math.floor(row / grid.columns) + 0.5) * grid.height,
          );
        for (const row of [0, 1, 999, 1_000, count - 1]) expect(rowOf(row)).toBe(row);
        expect(grid.columns * grid.side).toBeLessThanOrEqual(box.width);
        expect(grid.lines * grid.height).toBeLessThanOrEqual(box.height * 1.1);
        // Of a hundred thousand each is one pixel wide, or two; the map is high all the same.
        if (count > 90_000) expect(grid.lines * grid.height).toBeGreaterThan(box.height * 0.8);
      }
    }
  });
});

describe("the two scales of time", () => {
  /** Idle for most of a minute, which is folded. */
  function idle(): Timeline {
    const sample = new Sample();
    const job = sample.job("idle");
    for (const [attempt, createdMs] of [0, 70_000].entries()) {
      sample.decision(job, createdMs, "Creating");
      const pod = sample.pod(job, NONE, attempt, createdMs, `idle-${attempt}`);
      sample.state(pod, createdMs + 500, PodState.READY, "", "node-1");
      sample.state(pod, createdMs + 8_000, PodState.FAILED, "", "node-1");
    }
    return sample.timeline(78_000);
  }

  test("agree, so that one instant is at one place: in the axis above and in the strip below", () => {
    const { view, height } = viewOf(idle());
    const places = [100, 300, 500, 700, 900];
    const strip = (): unknown[] => places.map((x) => view.minimapTimeAt(x, height - 10));
    const axis = (): unknown[] => places.map((x) => view.timeAt(x));
    const folded = axis();
    expect(strip()).toEqual(folded);
    view.setFolded(false);
    expect(axis()).not.toEqual(folded);
    expect(strip()).toEqual(axis());
    // Zoomed in, the strip still shows the whole run.
    view.setFolded(true);
    view.setWindow({ fromMs: 0, untilMs: 5_000 });
    expect(strip()).toEqual(folded);
  });

  test("a pod that failed has a tick in the strip, over those of decisions", () => {
    const { view } = viewOf(idle());
    const { scene } = view.exported(1_000, 1);
    const xs = [8_000, 78_000].map((ms) => scene.minimap.xOf(ms));
    const { y } = scene.layout.minimap;
    const ticks = [
      ...svgOf(view.exported(1_000, 1), "x").matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="2"[^>]*#d55e00/g),
    ]
      .filter((match) => Number(match[2]) > y)
      .map((match) => Number(match[1]));
    expect(ticks).toHaveLength(2);
    for (const [i, x] of xs.entries()) expect(Math.abs(ticks[i]! + 1 - x)).toBeLessThan(2);
  });

  test("the strip is in the legend, with its ticks", () => {
    const { view } = viewOf(idle());
    expect(view.legend().find(({ key }) => key === "overview")?.meaning).toContain("a tick for each decision");
  });
});

describe("the picture of a retry", () => {
  test("names what it shows", () => {
    const { texts } = viewOf(retry());
    for (const text of ["retry", "aaaaa", "bbbbb", "back-off 10 s", "exit code 3", "6 s left", "Complete"]) {
      expect(
        texts.some((drawn) => drawn.includes(text)),
        text,
      ).toBe(true);
    }
    expect(texts).toContain("cordon node-1");
  });

  test("says what is under each point, with what to ask why about", () => {
    const { view, height } = viewOf(retry());
    const hits = allHits(view, 1_000, height);
    const of = (start: string) => [...hits.values()].find(({ text }) => text.startsWith(start));
    expect(of("retry-aaaaa ready for 3.5 s")).toMatchObject({ kind: "pod", pod: 0, node: "node-1", ownMs: 500 });
    expect(of("retry-aaaaa failed after 4 s: exit code 3")).toMatchObject({
      kind: "pod",
      ownMs: 4_000,
      cause: { of: "transition", id: 2 },
    });
    expect(of("back-off of 10 s: no pod is created")).toMatchObject({ kind: "gap", cause: { of: "gap", id: 0 } });
    expect(of("Backoff at 4.001 s")).toMatchObject({ kind: "decision", cause: { of: "decision", id: 1 } });
    expect(of("cordon node-1 at 9.000 s")).toMatchObject({ kind: "flag", flags: [0], ownMs: 9_000 });
    expect(of("retry running since")).toMatchObject({ kind: "job", cause: { of: "version", id: 0 } });
    expect([...hits.values()].some(({ kind }) => kind === "minimap")).toBe(true);
  });

  test("has the hatch of the back-off from the failure on, and not from the whole second before it", () => {
    const sample = new Sample();
    const job = sample.job("retry");
    sample.version(job, 0, JobPhase.RUNNING, { completions: 1 });
    const pod = sample.pod(job, NONE, 0, 10, "retry-aaaaa");
    sample.state(pod, 4_800, PodState.FAILED, "exit code 3", "node-1");
    sample.gap(job, NONE, 4_000, 14_000, sample.decision(job, 4_810, "Backoff", 14_000));
    const { view } = viewOf(sample.timeline(15_000));
    const { scene } = view.exported(1_000, 1);
    expect(scene.gaps.startMs(0)).toBe(4_800);
    const ground = new RegExp(`<rect x="([\\d.]+)"[^>]*${scene.palette.gap}`);
    expect(Number(ground.exec(svgOf(view.exported(1_000, 1), "x"))![1])).toBeCloseTo(scene.time.xOf(4_800), 0);
  });

  test("has names that are cut in the middle, where they are long: their ends differ", () => {
    const sample = new Sample();
    const long = "a".repeat(63);
    const job = sample.job(long);
    for (const end of ["x7k2p", "b4m9q"]) sample.pod(job, NONE, 0, 10, `${long.slice(0, 58)}-${end}`);
    const { texts } = viewOf(sample.timeline(1_000));
    expect(texts.filter((text) => /^a{3,}….*-(x7k2p|b4m9q)$/.test(text))).toHaveLength(2);
  });

  test("has the instant under the point also in a bar, and never one beside it", () => {
    const { view, height } = viewOf(retry());
    const alongLine = (y: number): number[] =>
      Array.from({ length: 1_000 }, (_, x) => view.hit(x, y)).flatMap((hit) =>
        hit?.text.startsWith("retry-aaaaa ready") === true ? [hit.atMs] : [],
      );
    const instants = Array.from({ length: height }, (_, y) => y).flatMap(alongLine);
    expect(Math.min(...instants)).toBe(500);
    expect(Math.max(...instants)).toBeGreaterThan(3_900);
    expect(Math.max(...instants)).toBeLessThan(4_000);
    expect(new Set(instants).size).toBeGreaterThan(20);
  });

  test("marks the bar of the pod that is selected", () => {
    const { view } = viewOf(retry());
    view.setMarked(0);
    expect([view.draw(), view.draw()]).toEqual([true, false]);
    view.setMarked();
    expect(view.draw()).toBe(true);
  });

  test("is walked with arrow keys, and never off its things", () => {
    const { view } = viewOf(retry());
    const walk = (...directions: Parameters<PictureView["moveCursor"]>[0][]) =>
      directions.map((direction) => view.moveCursor(direction)?.text ?? "").at(-1);
    // The playhead is in the back-off, 8 s into the run: the first pod has failed.
    expect(walk("right")).toMatch(/^retry-aaaaa failed/);
    expect(walk("left")).toMatch(/^retry-aaaaa ready/);
    expect(walk("left", "left", "left")).toMatch(/^retry-aaaaa pending/);
    expect(walk("down")).toMatch(/^retry-bbbbb pending/);
    expect(walk("right", "right", "right")).toMatch(/^retry-bbbbb succeeded/);
    expect(walk("down")).toMatch(/^retry-bbbbb succeeded/);
    expect(walk("up", "up")).toMatch(/^Backoff/);
    expect(view.cursor?.kind).toBe("decision");
    view.clearCursor();
    expect(view.cursor).toBeUndefined();
    expect(view.select(1, 15_000)?.text).toMatch(/^retry-bbbbb ready/);
  });

  test("is a table and a sentence", () => {
    const { view } = viewOf(retry());
    view.setPlayhead(15_000);
    expect(view.table()).toMatchObject({
      total: 2,
      rows: [
        { name: "retry-aaaaa", state: "Failed", reason: "exit code 3", sinceMs: 4_000, durationMs: 11_000 },
        { name: "retry-bbbbb", state: "Ready", node: "node-2", attempt: 1 },
      ],
    });
    view.setPlayhead(8_000);
    expect(view.summary()).toBe(
      "At 8.000 s: Job retry runs, 0 of 1 succeeded, waits 6 s more; pods: 1 failed; the run continues to 18.100 s.",
    );
  });

  test("is an SVG file with title, legend and escaped names", () => {
    const { view } = viewOf(retry());
    const svg = svgOf(view.exported(900, 1), "a <b> & c");
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="900"/);
    expect(svg).toContain("<title>a &lt;b&gt; &amp; c</title>");
    for (const text of ["back-off 10 s", "exit code 3", "Succeeded", "Back-off", "Decision", "Action"]) {
      expect(svg).toContain(text);
    }
    expect(svg).not.toContain("NaN");
    expect(svg).not.toContain("<b>");
    expect((svg.match(/<g /g) ?? []).length).toBe((svg.match(/<\/g>/g) ?? []).length);
  });

  test("has a legend of what occurs, and of nothing else", () => {
    const { view } = viewOf(retry());
    expect(view.legend().map(({ label }) => label)).toEqual([
      "Pending",
      "Ready",
      "Succeeded",
      "Failed",
      "Back-off",
      "Decision",
      "Whole run",
      "Action",
      "Pods on a node",
    ]);
  });
});

describe("drawing", () => {
  test("happens only when something changed", () => {
    const { view } = viewOf(retry());
    expect(view.draw()).toBe(false);
    view.setPlayhead(3_000);
    expect(view.draw()).toBe(true);
    view.setPlayhead(3_000);
    expect(view.draw()).toBe(false);
    view.setPointer(300, 80);
    expect(view.draw()).toBe(true);
  });

  test("the window can be zoomed and panned, and time is read from places", () => {
    const { view } = viewOf(retry());
    const before = view.timeAt(500);
    view.zoom(4, 500);
    expect(Math.abs(view.timeAt(500) - before)).toBeLessThanOrEqual(2);
    const { fromMs } = view.window;
    view.pan(50);
    expect(view.window.fromMs).toBeGreaterThan(fromMs);
    view.setWindow();
    expect(view.window.fromMs).toBe(0);
  });

  test("a run without anything, and one without pods, are drawn too", () => {
    expect(viewOf(new Sample().timeline(0)).view.summary()).toBe("At 0.000 s: no pods yet.");
    const sample = new Sample();
    sample.version(sample.job("a"), 0, JobPhase.SUSPENDED);
    const { texts, view } = viewOf(sample.timeline(5_000));
    expect(texts).toContain("Suspended");
    expect(view.moveCursor("down")).toBeDefined();
  });

  test("the branch before a change is drawn beneath, in rows and in the SVG", () => {
    const { view } = viewOf(retry());
    const sample = new Sample();
    const job = sample.job("retry");
    const pod = sample.pod(job, NONE, 0, 10, "retry-zzzzz");
    sample.state(pod, 30_000, PodState.SUCCEEDED);
    const bars = (svg: string) => svg.match(/<rect [^>]*fill="#8a94a3"/g)?.length ?? 0;
    const alone = bars(svgOf(view.exported(900, 1), "x"));
    view.setTimeline(retry(), sample.timeline(31_000));
    // A bar, and its sample in the legend.
    expect(bars(svgOf(view.exported(900, 1), "x"))).toBe(alone + 2);
    expect(view.window.untilMs).toBeGreaterThan(31_000);
    expect(view.legend().map(({ key }) => key)).toContain("ghost");
  });
});
