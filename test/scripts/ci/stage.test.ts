/** How CI runs a stage, and what it reads in the log of one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { countTests, failuresIn, lastLine } from "../../../scripts/ci/counts.ts";
import { startedBy } from "../../../scripts/ci/processes.ts";
import { runStage } from "../../../scripts/ci/run-stage.ts";
import type { CiStage } from "../../../scripts/ci/stages.ts";

describe("a log", () => {
  test.each([
    ["vitest", "\u001B[2m      Tests \u001B[22m 1 failed | 1207 passed | 3 skipped (1211)\n", 1207, 1],
    ["as-pect", "  [Tests]: 263 / 263\n", 263, 0],
    ["pytest", "2476 passed in 115.20s (0:01:55)\n", 2476, 0],
    ["pytest that fails", "1 failed, 2622 passed in 165.33s (0:02:45)\n", 2622, 1],
    ["parity", "139 passed, 0 failed; 242 s\n", 139, 0],
    ["two runs of vitest", "      Tests  5 passed (5)\n      Tests  2 failed (2)\n", 5, 2],
    ["something else", "20 kills, 5911 writes acknowledged: 0 findings\n", 0, 0],
  ])("of %s is counted", (_whose, log, passed, failed) => {
    expect(countTests(log)).toEqual({ passed, failed });
  });

  test("names what failed, with the lines after it, else its last lines", () => {
    const vitest = ` ok\n FAIL  a.test.ts > b\nAssertionError: c\n${"x\n".repeat(30)}`;
    expect(failuresIn(vitest)).toHaveLength(16);
    expect(failuresIn(vitest)[0]).toBe(" FAIL  a.test.ts > b");
    expect(failuresIn("a\n--- FAIL: TestX\nb\n")).toEqual(["--- FAIL: TestX"]);
    expect(failuresIn(`${"y\n".repeat(40)}the end\n\n`)).toHaveLength(20);
    expect(lastLine("a\n\u001B[1mall hold\u001B[22m\n \n")).toBe("all hold");
  });
});

describe("a stage", () => {
  let folder: string;
  let printed: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "stint-stage-"));
    printed = "";
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const stage = (script: string, more: Partial<CiStage> = {}): CiStage => ({
    name: `test ${process.pid} ${script}`,
    limitSeconds: 60,
    cores: 1,
    command: ["sh", "-c", script],
    ...more,
  });
  const run = (of: CiStage): ReturnType<typeof runStage> => runStage(of, folder, (text) => (printed += text));

  test("prints as it goes, in its folder, with its environment", async () => {
    const { status, log } = await run(stage('pwd; echo "$A" >&2; exit 3', { env: { A: "b" } }));
    expect(status).toBe(3);
    expect(log.split("\n").toSorted()).toEqual(["", "b", folder].toSorted());
    expect(printed).toBe(log);
  });

  test("has failed when its command cannot be started", async () => {
    const { status, log } = await run(stage("", { command: ["/no/such/command"] }));
    expect(status).not.toBe(0);
    expect(log).toContain("/no/such/command");
  });

  test("is ended at its limit, and has failed", async () => {
    const { status, log } = await run(stage("echo begun; sleep 1000", { limitSeconds: 1 }));
    expect(status).toBe(124);
    expect(log).toBe("begun\nended after its limit of 1 s\n");
  });

  test("counts the processor time of its processes alone", async () => {
    await run(stage("true"));
    // The grandchild works until it has had one second of a processor.
    const working = stage("perl -e 'do { ($own, $kernel) = times } until $own + $kernel > 1'; true");
    const outcomes = [await run(working), await run(stage("sleep 0.1"))];
    expect(outcomes.map(({ processorSeconds }) => processorSeconds)).toEqual([1, 0]);
  });

  test("leaves no process behind, and has failed if it would", async () => {
    const leaving = stage("sleep 1000 & echo done");
    const { status, log } = await runStage(leaving, folder, () => {}, 1);
    expect(status).toBe(1);
    expect(log).toMatch(/^done\nleft behind: \d+ sleep 1000\n$/);
    expect(startedBy(leaving.name)).toEqual([]);
  });
});
