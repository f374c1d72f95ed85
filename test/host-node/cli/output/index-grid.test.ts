/** The grid of completion indexes at the end of a run. */
import { describe, expect, it } from "vitest";
import { gridLines, MAX_CELLS } from "../../../../host-node/cli/output/index-grid.ts";
import { hasIndex, parseIndexes } from "../../../../host-node/cli/output/index-set.ts";
import type { EndedJob } from "../../../../host-node/cli/output/run-output.ts";
import { styleFor } from "../../../../host-node/words/style.ts";

const ascii = styleFor(false, {});
const unicode = styleFor(false, { LANG: "en_GB.UTF-8" });

function job(completions: number | null, view: Partial<EndedJob>): EndedJob {
  return {
    namespace: "default",
    name: "j",
    uid: "u",
    completions,
    conditions: [],
    state: "Failed",
    active: 0,
    ready: 0,
    succeeded: 0,
    failed: 0,
    terminating: 0,
    startTimeMs: 0,
    endTimeMs: 0,
    ...view,
  };
}

describe("an index set", () => {
  it("has the indexes that its text names", () => {
    const set = parseIndexes("0,3-5,9");
    expect(Array.from({ length: 11 }, (_, i) => i).filter((i) => hasIndex(set, i))).toEqual([0, 3, 4, 5, 9]);
    expect(hasIndex(parseIndexes(""), 0)).toBe(false);
  });
});

describe("gridLines", () => {
  it("has a cell an index, in groups of ten, and a legend of what is in it", () => {
    const view = { completedIndexes: "0-10,13", failedIndexes: "12", retriedIndexes: new Set([3, 12]) };
    expect(gridLines(job(15, view), ascii, Infinity)).toEqual([
      " 0 ###+###### #.X#.",
      "   # complete   + complete after retries   X failed   . not complete",
    ]);
    expect(gridLines(job(15, view), unicode, Infinity)[0]).toBe(" 0 ■■■▣■■■■■■ ■·✗■·");
  });

  it("calls an index failed that had a failure, without backoffLimitPerIndex", () => {
    const view = { completedIndexes: "0", retriedIndexes: new Set([1]) };
    expect(gridLines(job(3, view), ascii, Infinity)[0]).toBe("0 #X.");
  });

  it("breaks rows at fifty cells, and earlier on a narrow terminal", () => {
    const view = { completedIndexes: "0-59,61-119" };
    expect(gridLines(job(120, view), ascii, Infinity).map((line) => line.slice(0, 5))).toEqual([
      ...["  0 #", " 50 #", "100 #", "    #"],
    ]);
    expect(gridLines(job(120, view), ascii, 30).slice(0, 2)).toEqual([
      "  0 ########## ##########",
      " 20 ########## ##########",
    ]);
  });

  it("says nothing where there is nothing to tell, or too much", () => {
    expect(gridLines(job(4, { completedIndexes: "0-3" }), ascii, Infinity)).toEqual([]);
    expect(gridLines(job(4, {}), ascii, Infinity)).toEqual([]);
    expect(gridLines(job(1, { completedIndexes: "" }), ascii, Infinity)).toEqual([]);
    expect(gridLines(job(MAX_CELLS + 1, { completedIndexes: "" }), ascii, Infinity)).toEqual([]);
    expect(gridLines(job(4, { completedIndexes: "0-3", retriedIndexes: new Set([0]) }), ascii, Infinity)).toHaveLength(
      2,
    );
  });
});
