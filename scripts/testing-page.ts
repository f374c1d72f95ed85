/**
 * `node scripts/testing-page.ts RESULTS`: puts the figures of a run of CI into docs/testing.md. With `--check` it
 * changes nothing, and says where the page is out of date. RESULTS is the file that `STINT_CI_RESULTS` names for
 * `.ci/run`: one line of JSON for each stage.
 *
 * Invariant: the page never claims a stage, a command or a number of tests that CI does not have. It may claim somewhat
 * fewer tests than CI has (see MAX_BEHIND). The check leaves out durations, because they depend on the machine.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

/** A line of the results: one stage of CI, and its outcome. */
export interface StageResult {
  readonly stage: string;
  readonly command: string;
  readonly seconds: number;
  /** Of all processes of the stage. Undefined: it was not counted. */
  readonly processorSeconds?: number;
  readonly exitStatus: number;
  readonly passed: number;
  readonly failed: number;
  /** When it ended, after the start of the whole run. Stages run at the same time. */
  readonly endedSeconds: number;
  readonly lastLine: string;
}

const PAGE = resolve(import.meta.dirname, "../docs/testing.md");
const BEGIN = "<!-- figures: begin, written by scripts/testing-page.ts -->";
const END = "<!-- figures: end -->";
/** The page may be behind by this share of the tests before it must be written again. */
const MAX_BEHIND = 0.1;
/** Stages whose last line has a result. The last line of other stages is a time, or repeats the counts. */
const TELLING = /^(simulation|fuzz|digests of the vectors|parity)/;
const MAX_LINE_CHARACTERS = 160;

/**
 * The results of a run. If a stage was run again, its last result counts, in the place of the first.
 * @throws Error naming a line that is not a result of a stage
 */
export function readResults(text: string): StageResult[] {
  const lines = text.split("\n").filter((line) => line !== "");
  if (lines.length === 0)
    throw new Error("there is no stage in it; it is the file that STINT_CI_RESULTS names for .ci/run");
  const byStage = new Map<string, StageResult>();
  for (const [i, line] of lines.entries()) {
    const result = parse(line);
    if (result === undefined) {
      throw new Error(`line ${i + 1} is no result of a stage of .ci/run: ${line.slice(0, MAX_LINE_CHARACTERS)}`);
    }
    byStage.set(result.stage, result);
  }
  return [...byStage.values()];
}

/** The table of the page: a row for each stage, and the time of all, which is less than the sum. */
export function figures(results: readonly StageResult[]): string {
  const rows = results.map((result) => {
    const tells = TELLING.test(result.stage) ? cell(result.lastLine.slice(0, MAX_LINE_CHARACTERS)) : "";
    return `| ${cell(result.stage)} | \`${cell(result.command)}\` | ${result.passed || ""} | ${tells} | ${result.seconds} |`;
  });
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const seconds = Math.max(...results.map(({ endedSeconds }) => endedSeconds));
  return [
    "| Stage | Command | Tests that passed | What it says at its end | Seconds |",
    "|---|---|--:|---|--:|",
    ...rows,
    `| all | \`.ci/run\` | ${passed} | | ${seconds} |`,
  ].join("\n");
}

/**
 * The page with these figures in place of its old ones.
 *
 * @throws Error when the page has no place for them
 */
export function withFigures(page: string, results: readonly StageResult[]): string {
  const [before, after] = around(page);
  return `${before}${BEGIN}\n${figures(results)}\n${END}${after}`;
}

/** Where the page disagrees with CI; empty if it agrees. */
export function staleRows(page: string, results: readonly StageResult[]): string[] {
  const rows = [...between(page).matchAll(/^\| (.+?) \| `(.+?)` \| (\d*) \|/gm)].map(([, stage, command, passed]) => ({
    stage,
    command,
    passed: Number(passed),
  }));
  const claimed = rows.slice(0, -1);
  const stale = results.flatMap(({ stage, command, passed, failed }) => {
    const row = claimed.find((candidate) => candidate.stage === cell(stage));
    if (row === undefined) return [`stage "${stage}" is not in the page`];
    if (row.command !== cell(command))
      return [`stage "${stage}" runs \`${command}\`; the page says \`${row.command}\``];
    // A failed test counts here as existing; its own stage reports the failure.
    if (row.passed > passed + failed)
      return [`stage "${stage}" has ${passed + failed} tests; the page claims ${row.passed}`];
    return row.passed < passed * (1 - MAX_BEHIND)
      ? [`stage "${stage}" has ${passed} tests; the page knows of ${row.passed}`]
      : [];
  });
  const gone = claimed.filter((row) => !results.some(({ stage }) => cell(stage) === row.stage));
  return [...stale, ...gone.map(({ stage }) => `stage "${stage}" of the page is none of CI`)];
}

function around(page: string): [before: string, after: string] {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/testing.md has no lines "${BEGIN}" and "${END}"`);
  return [page.slice(0, begin), page.slice(end + END.length)];
}

function between(page: string): string {
  const [before, after] = around(page);
  return page.slice(before.length, page.length - after.length);
}

function cell(text: string): string {
  return text.replace(/[|`\n]/g, " ");
}

function parse(line: string): StageResult | undefined {
  try {
    const result = JSON.parse(line) as StageResult | null;
    const isResult =
      typeof result?.stage === "string" && typeof result.command === "string" && typeof result.passed === "number";
    return isResult ? result : undefined;
  } catch {
    return undefined;
  }
}

function main(args: readonly string[]): void {
  const isCheck = args[0] === "--check";
  const [file, ...more] = isCheck ? args.slice(1) : args;
  if (file === undefined || file.startsWith("-") || more.length > 0) {
    console.error(
      "usage: node scripts/testing-page.ts [--check] RESULTS\nRESULTS is the file that STINT_CI_RESULTS names for .ci/run",
    );
    process.exitCode = 2;
    return;
  }
  const results = readResults(readFileSync(file, "utf8"));
  const page = readFileSync(PAGE, "utf8");
  if (!isCheck) {
    const failed = results.filter(({ exitStatus }) => exitStatus !== 0).map(({ stage }) => stage);
    if (failed.length > 0)
      throw new Error(
        `the page is written from a run in which all went well; these stages failed: ${failed.join(", ")}`,
      );
    writeFileSync(PAGE, withFigures(page, results));
    return;
  }
  const stale = staleRows(page, results);
  if (stale.length === 0) return;
  console.error(
    `docs/testing.md is behind:\n  ${stale.join("\n  ")}\nmend it: STINT_CI_RESULTS=results.jsonl .ci/run; node scripts/testing-page.ts results.jsonl`,
  );
  process.exitCode = 1;
}

if (import.meta.main) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
