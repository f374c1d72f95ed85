/** The branch before a change of the past, as rows and squares, and how the shown one differs from it. */
import { describe, expect, test } from "vitest";
import { Difference, differenceOf } from "../../../host-browser/picture/difference.ts";
import { svgOf } from "../../../host-browser/picture/export.ts";
import { fadedPalette, paletteOf } from "../../../host-browser/picture/palette.ts";
import type { Timeline } from "../../../host-browser/picture/timeline.ts";
import { JobPhase, PodState } from "../../../host-browser/records.ts";
import { allHits, viewOf } from "./canvas.ts";
import { indexedRun, Sample } from "./sample.ts";

const END_MS = 10_000;

/** All of `count` indexes succeed at 5 s, but for these: failed, or still at work. */
function runOf(count: number, failed: readonly number[], atWork: readonly number[] = []): Timeline {
  const sample = new Sample();
  const job = sample.job("pi");
  sample.version(job, 0, JobPhase.RUNNING, { completions: count });
  for (let index = 0; index < count; index++) {
    const pod = sample.pod(job, index, 0, 10, `pi-${index}-a`);
    sample.state(pod, 100, PodState.READY, "", "node-1");
    if (atWork.includes(index)) continue;
    if (failed.includes(index)) sample.state(pod, 5_000, PodState.FAILED, "exit code 1", "node-1");
    else sample.state(pod, 5_000, PodState.SUCCEEDED, "", "node-1");
  }
  return sample.timeline(END_MS);
}

function compared(count: number) {
  const made = viewOf(runOf(count, [3], [4, 5]));
  made.view.setTimeline(runOf(count, [6]), runOf(count, [3, 7], [8]));
  made.view.setPlayhead(END_MS);
  const height = made.view.preferredHeight(1_000);
  made.view.resize(1_000, height, 1);
  made.view.draw();
  return { ...made, height };
}

/** The value of a row, as cells.ts packs it. */
const value = (last: PodState, attempts = 1): number => (last + 1) | ((last + 1) << 4) | (attempts << 8);

describe("the difference of two rows", () => {
  const { SUCCEEDED, FAILED, READY, PENDING, GONE } = PodState;
  test.each([
    [0, 0, Difference.NO_POD],
    [value(SUCCEEDED), value(SUCCEEDED), Difference.SAME],
    [value(SUCCEEDED, 2), value(SUCCEEDED), Difference.OTHER],
    [value(SUCCEEDED), value(FAILED), Difference.SUCCEEDS],
    [value(SUCCEEDED), 0, Difference.SUCCEEDS],
    [value(FAILED), value(SUCCEEDED), Difference.FAILS],
    [value(READY), value(SUCCEEDED), Difference.SUCCEEDED],
    [0, value(FAILED), Difference.FAILED],
    [value(READY), value(PENDING), Difference.OTHER],
    // A pod that was deleted after its end.
    [value(GONE) | ((SUCCEEDED + 1) << 24), value(SUCCEEDED), Difference.SAME],
    [value(GONE) | ((FAILED + 1) << 24), value(SUCCEEDED), Difference.FAILS],
    [value(GONE), value(SUCCEEDED), Difference.SUCCEEDED],
  ])("%d and %d", (now, before, difference) => expect(differenceOf(now, before)).toBe(difference));

  test("is counted in the sentence, at every scale", () => {
    for (const count of [20, 100, 2_500]) {
      expect(compared(count).view.summary()).toContain(
        `; differs from the run before in 4 of ${count === 2_500 ? "2,500" : count} rows ` +
          "(3 succeeded only now, 1 failed only now)",
      );
    }
    const { view } = viewOf(runOf(100, []));
    view.setTimeline(runOf(100, []), runOf(100, []));
    expect(view.summary()).toContain("; as in the run before");
    view.setTimeline(runOf(100, []));
    expect(view.summary()).not.toContain("run before");
  });
});

describe("thin rows", () => {
  test("have the branch before in their lower part, in paler colours", () => {
    const { view } = compared(100);
    expect(view.scale).toBe("thin");
    const svg = svgOf(view.exported(900, 1), "x");
    const { states } = paletteOf("light");
    const pale = fadedPalette(paletteOf("light")).states;
    for (const state of [PodState.FAILED, PodState.READY]) {
      expect(svg).toContain(`fill="${states[state]!.fill}"`);
      expect(svg).toContain(`fill="${pale[state]!.fill}"`);
    }
    view.setTimeline(runOf(100, [6]));
    expect(svgOf(view.exported(900, 1), "x")).not.toContain(`fill="${pale[PodState.FAILED]!.fill}"`);
  });

  test("that are too thin for it have it under them, and say what it is", () => {
    const { view, height } = compared(1_500);
    expect(svgOf(view.exported(900, 1), "x")).toContain("Before the change");
    const hits = [...allHits(view, 1_000, height).values()].filter(({ text }) => text.startsWith("before the change"));
    expect(hits.length).toBeGreaterThan(20);
    expect(hits.every(({ pod, cause, focus }) => pod === undefined && cause === undefined && focus !== undefined)).toBe(
      true,
    );
  });
});

describe("heat maps", () => {
  test("have the map of the branch before under them", () => {
    const { view, height } = compared(2_500);
    expect(height).toBeGreaterThan(viewOf(runOf(2_500, [6])).height + 200);
    const texts = [...allHits(view, 1_000, height).values()].map(({ text }) => text);
    expect(texts).toContain(
      "index 6: failed at 5.000 s after 5 s: exit code 1; before the change: succeeded at 5.000 s after 5 s",
    );
    expect(texts).toContain("before the change: index 6: succeeded at 5.000 s after 5 s");
    expect(texts).toContain("before the change: index 8: ready for 9.9 s");
  });

  test("can show the difference alone, with its own legend", () => {
    const { view, height } = compared(2_500);
    view.setHeatMode("difference");
    expect(view.preferredHeight(1_000)).toBeLessThan(height - 200);
    expect(view.legend().map(({ label }) => label)).toContain("Succeeded only now");
    view.resize(1_000, view.preferredHeight(1_000), 1);
    expect(view.draw()).toBe(true);
    const svg = svgOf(view.exported(900, 1), "x");
    expect(svg).toContain("Failed only now");
    expect(svg).not.toContain("NaN");
    // Without another branch nothing differs from it.
    view.setTimeline(runOf(2_500, []));
    expect(view.legend().map(({ label }) => label)).not.toContain("Succeeded only now");
  });
});

describe("the lens", () => {
  test.each([
    [100, "thin"],
    [2_500, "heat"],
  ] as const)("over %d rows names the row under the pointer and its neighbours", (count, scale) => {
    const { sample, endMs } = indexedRun(count, 50, 3);
    const { view, texts, height } = viewOf(sample.timeline(endMs));
    expect(view.scale).toBe(scale);
    view.setPlayhead(endMs);
    view.draw();
    let place: readonly [number, number] | undefined;
    for (let y = 1; y < height && place === undefined; y += 2) {
      for (let x = 1; x < 1_000; x += 3) if (view.hit(x, y)?.index === 57) place = [x, y];
    }
    texts.length = 0;
    view.setPointer(...place!);
    view.draw();
    for (const name of ["55", "56", "57", "58", "59"]) expect(texts).toContain(name);
    texts.length = 0;
    view.setPointer();
    view.draw();
    expect(texts).not.toContain("57");
  });
});
