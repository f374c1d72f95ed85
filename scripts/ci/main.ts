/**
 * Runs the stages of CI (stages.ts) in the checkout that this file lies in, for `.ci/run`.
 *
 * Invariant: every stage that is wanted runs, even if an earlier one failed. The end repeats what failed, because often
 * only the end of a long log is kept; the exit status is 0 only if nothing did. Leaves out the tools that a machine
 * must have, the clone, and the first start in it: `.ci/run` does these.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { StageResult } from "../testing-page.ts";
import { type Counts, countTests, failuresIn, lastLine } from "./counts.ts";
import { runStage, type StageOutcome } from "./run-stage.ts";
import { type CiStage, stagesOn, thisMachine } from "./stages.ts";
import { runTogether, withNeeded } from "./together.ts";
import { Turns } from "./turns.ts";

const root = resolve(import.meta.dirname, "../..");

interface Arguments {
  /** Gets a line of JSON for each stage. */
  readonly results: string;
  /** Gets the sums, `PASSED FAILED`, after each stage. */
  readonly totals: string;
  /** How long the first start took. Undefined: some stages were chosen. */
  readonly startSeconds: number | undefined;
  /** Names of stages, which `.ci/run` has checked; all, if there are none. */
  readonly chosen: readonly string[];
}

class Report {
  readonly #arguments: Arguments;
  readonly #failures: string[] = [];
  #startSeconds = 0;
  #passed = 0;
  failed = 0;

  constructor(given: Arguments) {
    this.#arguments = given;
  }

  /** @param beganSeconds after the start of the program @returns the line that ends its output */
  add(stage: CiStage, { status, seconds, processorSeconds, log }: StageOutcome, beganSeconds: number): string {
    const { passed, failed }: Counts = countTests(log);
    const failures = status === 0 ? 0 : Math.max(failed, 1);
    this.#passed += passed;
    this.failed += failures;
    if (status !== 0) this.#failures.push(`-- ${stage.name}`, ...failuresIn(log));
    const command = commandOf(stage);
    this.#write({
      stage: stage.name,
      command,
      seconds,
      processorSeconds,
      exitStatus: status,
      passed,
      failed: failures,
      endedSeconds: this.#startSeconds + beganSeconds + seconds,
      lastLine: lastLine(log),
    });
    const outcome = status === 0 ? "" : `FAILED with status ${status} after `;
    return `== ${stage.name}: ${outcome}${seconds} s, ${processorSeconds} s of processor time`;
  }

  addFailure(name: string): void {
    this.failed++;
    this.#failures.push(`-- ${name}`);
    this.#writeTotals();
  }

  /** The first start, which ran before this program could. */
  addStart(seconds: number): void {
    this.#startSeconds = seconds;
    const start = { stage: "npm start, from a fresh clone", command: "npm start", seconds, endedSeconds: seconds };
    this.#write({ ...start, exitStatus: 0, passed: 0, failed: 0, lastLine: "" });
  }

  printFailures(): void {
    if (this.#failures.length > 0) console.log(`\n== what failed\n${this.#failures.join("\n")}`);
  }

  #write(result: StageResult): void {
    appendFileSync(this.#arguments.results, `${JSON.stringify(result)}\n`);
    this.#writeTotals();
  }

  #writeTotals(): void {
    writeFileSync(this.#arguments.totals, `${this.#passed} ${this.failed}\n`);
  }
}

/** The command as a user can type it, without the variables that make skipped tests fail. */
function commandOf({ command, env = {} }: CiStage): string {
  const variables = Object.entries(env).filter(([name]) => !name.startsWith("STINT_REQUIRE_"));
  return [...variables.map(([name, value]) => `${name}=${value}`), ...command].join(" ");
}

/** Runs a stage, and prints what it says when its turn has come. */
async function runInTurn(stage: CiStage, turns: Turns, report: Report): Promise<void> {
  const beganSeconds = Math.round(performance.now() / 1000);
  const { print, end } = turns.begin();
  print(`\n== ${stage.name}\n`);
  const outcome = await runStage(stage, root, print);
  print(`${report.add(stage, outcome, beganSeconds)}\n`);
  end();
}

async function main(given: Arguments): Promise<void> {
  const report = new Report(given);
  if (given.startSeconds !== undefined) report.addStart(given.startSeconds);
  const stages = withNeeded(stagesOn(thisMachine()), given.chosen);
  const turns = new Turns((text) => process.stdout.write(text));
  await runTogether(stages, availableParallelism(), (stage) => runInTurn(stage, turns, report));
  if (given.chosen.length === 0) {
    const name = "docs/testing.md says what CI does";
    const command = ["node_modules/.bin/node", "scripts/testing-page.ts", "--check", given.results];
    console.log(`\n== ${name}`);
    const { status } = await runStage({ name, limitSeconds: 60, command }, root, (text) => process.stdout.write(text));
    if (status !== 0) report.addFailure(name);
  }
  report.printFailures();
  process.exitCode = report.failed === 0 ? 0 : 1;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { results: { type: "string" }, totals: { type: "string" }, "start-seconds": { type: "string" } },
});
const seconds = values["start-seconds"];
await main({
  results: values.results!,
  totals: values.totals!,
  startSeconds: seconds === undefined ? undefined : Number(seconds),
  chosen: positionals,
});
