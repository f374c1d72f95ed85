/** Boxes of the picture: none over another, all within the canvas, at every scale, width and size of type. */
import { describe, expect, test } from "vitest";
import { layoutOf, type LayoutInput, preferredHeight } from "../../../host-browser/picture/layout.ts";
import { Stage } from "../../../host-browser/picture/stage.ts";
import { Derived } from "../../../host-browser/picture/derived.ts";
import { NONE } from "../../../host-browser/records.ts";
import { Sample } from "./sample.ts";

const SIZES: readonly (readonly number[])[] = [
  [0],
  [1],
  [60],
  [30, 31],
  [8, 2, 1],
  [61],
  [2_000],
  [2_001],
  [100_000, 3, 40],
];

function inputOf(sizes: readonly number[], width: number, type: number, hasGhost: boolean, most?: number): LayoutInput {
  const tracks = sizes.map((size, job) => ({ job, name: `job-${job}`, size, nameLength: 5, hasGhost }));
  const strip = { rows: 4, nameLength: 10 };
  const fixed = { focus: undefined, height: 0, density: 1, hasFlags: true, hasShadowMaps: true };
  const input = { ...fixed, tracks, width, type, strip };
  return { ...input, height: preferredHeight(input, most) };
}

describe.each(SIZES)("tracks of %o rows", (...sizes) => {
  test.each([
    [1440, 1, false],
    [900, 1, false],
    [360, 1, false],
    [1440, 1.5, false],
    [1440, 1, true],
    [360, 1.5, true],
    [1440, 1, false, 460],
    [1440, 1, true, 460],
  ])("at %d pixels and type × %d, with a ghost: %o, in a height of %o", (width, type, hasGhost, most?: number) => {
    const input = inputOf(sizes, width, type, hasGhost, most);
    const layout = layoutOf(input);
    expect(layout.plotX).toBeGreaterThan(30);
    expect(layout.plotEnd - layout.plotX).toBeGreaterThan(width * 0.6);
    let y = layout.axisY + layout.axisHeight;
    for (const box of layout.tracks) {
      expect(box.y).toBeGreaterThanOrEqual(y);
      expect(box.rowsY + box.count * box.rowHeight).toBeLessThanOrEqual(box.y + box.height + 0.01);
      if (layout.scale === "rows" && box.count > 0) expect(box.rowHeight).toBeGreaterThanOrEqual(13 * type - 1);
      y = box.y + box.height;
      const { ghost, ghostPart } = box;
      expect(ghost !== undefined || ghostPart > 0).toBe(hasGhost && layout.scale !== "rows" && box.count > 0);
      if (ghost === undefined) continue;
      expect(ghost.y).toBeGreaterThanOrEqual(box.rowsY + box.count * box.rowHeight);
      const { grid } = ghost;
      const below = grid === undefined ? box.count * ghost.rowHeight : grid.lines * grid.height;
      expect(ghost.y + below).toBeLessThanOrEqual(y + 0.01);
    }
    if (layout.band !== undefined) {
      expect(layout.band.y).toBeGreaterThanOrEqual(y);
      y = layout.band.y + layout.band.height;
    }
    expect(layout.minimap.y).toBeGreaterThanOrEqual(y);
    expect(layout.minimap.y + layout.minimap.height).toBeLessThanOrEqual(input.height);
  });
});

test.each([24, 1_000])("rows get closer where the window is low: %d of them", (rows) => {
  const [low, high] = [460, Infinity].map((most) => inputOf([rows], 1440, 1, false, most).height);
  expect(low).toBeLessThanOrEqual(500);
  expect(high).toBeGreaterThan(600);
});

describe("room for what comes", () => {
  test("the axis of a running Job ends later than now, and rarely moves", () => {
    const sample = new Sample();
    sample.job("a");
    const ends = new Set<number>();
    for (let nowMs = 0; nowMs <= 100_000; nowMs += 500) {
      const stage = new Stage(new Derived(sample.timeline(nowMs)));
      stage.isLive = true;
      expect(stage.domain.untilMs).toBeGreaterThan(nowMs);
      ends.add(stage.domain.untilMs);
    }
    expect(ends.size).toBeLessThan(9);
  });

  test("thin rows of pods without indexes leave room for pods to come while time runs", () => {
    const sample = new Sample();
    const job = sample.job("a");
    for (let i = 0; i < 71; i++) sample.pod(job, NONE, i, i, `a-${i}`);
    const stage = new Stage(new Derived(sample.timeline(1_000)));
    expect(stage.scene().layout.tracks[0]!.count).toBe(71);
    stage.isLive = true;
    expect(stage.scene().layout.tracks[0]!.count).toBe(100);
  });
});
