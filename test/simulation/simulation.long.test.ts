/**
 * The simulation as a test: seeds that hold (CI tries more), planted bugs that are found, each by an invariant that the
 * bug breaks, and runs that repeat. `npm run simulate` runs more seeds, and replays one that fails.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { CANARIES } from "./canaries.ts";
import type { Plant } from "./controller-process.ts";
import { INVARIANTS } from "./invariants/check.ts";
import { type Outcome, shrink, simulate } from "./run.ts";
import { tries } from "../tries.ts";

const TESTS = 10;
const SEEDS_A_TEST = tries(4, 1);
/** A test runs many seeds; this is for machines that are busy. */
const TIMEOUT_MS = 120_000;
/** A planted bug need not show in every run. */
const MAX_CANARY_SEEDS = 40;

/** @returns the first run that the bug breaks, or the last that was tried; `likely` is the seed that is tried first */
async function firstFailure(plant: Plant, likely = 1): Promise<Outcome> {
  let outcome = await simulate({ seed: likely, plant });
  for (let seed = 1; seed <= MAX_CANARY_SEEDS && outcome.failure === undefined; seed++)
    outcome = await simulate({ seed, plant });
  return outcome;
}

function explain({ seed, steps, failure }: Outcome): string | undefined {
  return failure && `${failure.invariant}: ${failure.message}\n  npm run simulate -- --seed ${seed} --steps ${steps}`;
}

describe("random Jobs and faults", () => {
  const firstSeeds = Array.from({ length: TESTS }, (_, i) => 1 + i * SEEDS_A_TEST);

  test.each(firstSeeds)(
    `seeds from %i on`,
    async (first) => {
      for (let seed = first; seed < first + SEEDS_A_TEST; seed++)
        expect(explain(await simulate({ seed }))).toBeUndefined();
    },
    TIMEOUT_MS,
  );

  test("the same seed gives the same run", async () => {
    const lines: string[][] = [[], []];
    const digests: string[] = [];
    for (const recorded of lines)
      digests.push((await simulate({ seed: 3, print: (line) => void recorded.push(line) })).digest);
    expect(lines[0]!.length).toBeGreaterThan(100);
    expect(lines[1]).toEqual(lines[0]);
    expect(digests[1]).toBe(digests[0]);
  });

  test("another seed has another digest", async () => {
    expect((await simulate({ seed: 3 })).digest).not.toBe((await simulate({ seed: 4 })).digest);
  });
});

describe("the command", () => {
  test.each([
    { args: ["--help"], status: 0, says: /usage: npm run simulate/ },
    {
      args: ["--seed", "5", "--count", "2", "--steps", "3"],
      status: 0,
      says: /^everything sent and decided: [0-9a-f]{64}\n2 of 2 seeds, \d+ Jobs, \d+ pods: all hold\n$/,
    },
    {
      args: ["--seed", "5", "--count", "3", "--steps", "3", "--jobs", "2"],
      status: 0,
      says: /^everything sent and decided: [0-9a-f]{64}\n3 of 3 seeds, \d+ Jobs, \d+ pods: all hold\n$/,
    },
    { args: ["--jobs", "0"], status: 2, says: /--jobs is 0; allowed are 1 to 64/ },
    { args: ["--jobs", "2", "--trace"], status: 2, says: /--trace follows one seed at a time; --jobs is 2/ },
    { args: ["--seed", "x"], status: 2, says: /--seed is "x"; allowed are whole numbers from 0 to 999999999/ },
    { args: ["--sed", "1"], status: 2, says: /Unknown option '--sed'/ },
  ])(
    "$args",
    ({ args, status, says }) => {
      const ended = spawnSync(process.execPath, [path.join(import.meta.dirname, "main.ts"), ...args], {
        encoding: "utf8",
      });
      expect(ended.stdout + ended.stderr).toMatch(says);
      expect(ended.status).toBe(status);
    },
    TIMEOUT_MS,
  );
});

describe("a failing run", () => {
  const { plant } = CANARIES.find(({ breaks }) => breaks === "counted once")!;

  test(
    "is shrunk to fewer steps that fail alike, and says what happened last",
    async () => {
      const failed = await firstFailure(plant);
      const shrunk = await shrink(failed, plant);
      expect(shrunk.steps).toBeLessThan(failed.steps);
      expect(shrunk.failure?.invariant).toBe("counted once");
      expect(shrunk.failure?.trace.at(-1)).toMatch(/controller \d+ .* Job \w+ MODIFIED/);
    },
    TIMEOUT_MS,
  );
});

describe("a planted bug is found", () => {
  test("for every invariant", () => {
    expect(new Set(CANARIES.map(({ breaks }) => breaks))).toEqual(new Set(INVARIANTS));
  });

  test.each(CANARIES)(
    "$bug",
    async ({ plant, seed, breaks, orElse = [] }) => {
      expect([breaks, ...orElse]).toContain((await firstFailure(plant, seed)).failure?.invariant);
    },
    TIMEOUT_MS,
  );
});
