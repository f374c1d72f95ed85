/** The picture of a run: rows, bars, folds and characters, from runs that are written down here. */
import { describe, expect, it } from "vitest";
import { RunObserver, type PodRun } from "../../../../host-node/cli/forecast/run-observer.ts";
import { timeScale } from "../../../../host-node/cli/forecast/time-scale.ts";
import { isAscii, MAX_ROWS, timeline } from "../../../../host-node/cli/forecast/timeline.ts";
import { styleFor } from "../../../../host-node/words/style.ts";

const PLAIN = styleFor(false, {});

/** A pod that starts so long after its creation. */
function pod(fromMs: number, toMs: number, exitCode: number, index?: number, startMs = fromMs): PodRun {
  return {
    name: "pod",
    index,
    attempt: 1,
    createdMs: fromMs,
    endMs: toMs,
    exitCode,
    containerStarts: 1,
    runs: [{ startMs, endMs: toMs, exitCode }],
    phase: exitCode === 0 ? "Succeeded" : "Failed",
  };
}

function picture(pods: readonly PodRun[], columns = 80, inAscii = false): string[] {
  const run = new RunObserver(() => undefined);
  run.pods.push(...pods);
  run.end = { type: "Complete", reason: "", atMs: Math.max(...pods.map(({ endMs = 0 }) => endMs)) };
  return timeline(run, PLAIN, columns, inAscii);
}

it("the timeline has a row for each pod at once, which the next one takes", () => {
  const lines = picture([pod(0, 10_000, 1), pod(0, 40_000, 0), pod(20_000, 30_000, 1, undefined, 25_000)]);
  expect(lines).toEqual([
    "           0 s                      20 s                    40 s",
    "           ┬────────────────────────┬───────────────────────",
    "  place 1  ███████████✗·············░░░░░░█████✗              exit 1×2",
    "  place 2  ████████████████████████████████████████████████✓  exit 0",
    "",
    "  ░ pending   █ running   ✗ failed   ✓ succeeded   · waits to be tried again",
  ]);
});

it("a timeline needs neither Unicode nor colours", () => {
  const lines = picture([pod(0, 10_000, 1, 3), pod(20_000, 40_000, 0, 3)], 50, true);
  expect(lines.join("\n")).toMatch(/^[\x20-\x7e\n]*$/);
  expect(lines[2]).toMatch(/^ {2}index 3 {2}=+x\.+=+o {2}exit 1, 0$/);
});

it("a timeline puts rows together if there are too many, and shows the failure among them", () => {
  const pods = Array.from({ length: 100 }, (_none, index) => pod(0, 1_000 + index * 100, index === 50 ? 1 : 0, index));
  const lines = picture(pods).filter((line) => line.includes("indexes"));
  expect(lines.length).toBeLessThanOrEqual(MAX_ROWS);
  expect(lines.filter((line) => line.includes("✗"))).toEqual([
    expect.stringMatching(/indexes 49-55.*1 failed, 6 done/),
  ]);
});

it("the timeline shows every attempt, however short beside the waits", () => {
  const starts = [0, 11, 32, 73, 154, 315, 636].map((seconds) => seconds * 1000);
  const lines = picture(starts.map((ms) => pod(ms, ms + 1_000, 1)));
  expect(lines.find((line) => line.startsWith("  pods"))!.match(/✗/g)).toHaveLength(7);
  expect(lines[1]).toContain("╱╱");
  expect(lines.at(-1)).toContain("╱╱ a long time without change");
});

it.each([10, 40, 80, 200])("a timeline fits %i columns, unless there are too few", (columns) => {
  const lines = picture([pod(0, 10_000, 1), pod(20_000, 40_000, 0)], columns);
  expect(Math.max(...lines.slice(0, -2).map((line) => line.length))).toBeLessThanOrEqual(Math.max(columns, 50));
});

describe("a scale", () => {
  it("is to scale where that shows everything", () => {
    const { columnOf, folded } = timeScale(
      [
        { fromMs: 0, toMs: 1_000 },
        { fromMs: 5_000, toMs: 10_000 },
      ],
      10_000,
      100,
    );
    expect([0, 1_000, 5_000, 10_000].map(columnOf)).toEqual([0, 10, 50, 100]);
    expect(folded).toEqual([]);
  });

  it("folds what is long and idle", () => {
    const spans = [
      { fromMs: 0, toMs: 1_000 },
      { fromMs: 3_600_000, toMs: 3_601_000 },
    ];
    const { columnOf, folded } = timeScale(spans, 3_601_000, 60);
    expect(folded).toEqual([{ fromMs: 1_000, toMs: 3_600_000 }]);
    expect(columnOf(1_000)).toBeGreaterThan(5);
    expect(columnOf(3_601_000)).toBe(60);
  });
});

it.each([
  [{}, false],
  [{ LANG: "en_US.UTF-8" }, false],
  [{ LANG: "C.utf8" }, false],
  [{ LANG: "C" }, true],
  [{ LC_ALL: "POSIX", LANG: "en_US.UTF-8" }, true],
  [{ LC_CTYPE: "de_DE.ISO-8859-1" }, true],
  [{ LC_ALL: "", LANG: "de_DE" }, false],
])("the timeline with %j is ASCII: %s", (environment, expected) => {
  expect(isAscii(environment)).toBe(expected);
});
