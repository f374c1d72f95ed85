/** The output of a run in the format that the user asked for. */
import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import { writeProblem } from "../../usage-error.ts";
import type { Console } from "../console.ts";
import type { BackpressureWriter } from "../backpressure-writer.ts";
import type { RunFormat } from "./formats.ts";
import { GithubOutput } from "./github-output.ts";
import { JsonOutput } from "./json-output.ts";
import { JunitOutput } from "./junit-output.ts";
import { printable } from "../../words/printable.ts";
import type { OutputContext, RunOutput } from "./run-output.ts";
import { styleFor } from "../../words/style.ts";
import { TextOutput } from "./text-output.ts";

/** The variable of GitHub Actions that names the file for the page of a workflow run. */
const STEP_SUMMARY = "GITHUB_STEP_SUMMARY";
const TOKEN_BYTES = 16;

export function createOutput(
  format: RunFormat,
  console: Console,
  writer: BackpressureWriter,
  run: OutputContext,
): RunOutput {
  const { isErrorTerminal, environment } = console;
  const terminal = format === "github" ? undefined : console.terminal;
  const write = (text: string): void => writer.write(text);
  const writeError = (text: string): void => console.writeError(text);
  if (format === "json") return new JsonOutput(write);
  if (format === "junit") return new JunitOutput(write, writeError);
  const styles = {
    style: styleFor(terminal !== undefined, environment),
    errorStyle: styleFor(isErrorTerminal, environment),
  };
  const text = new TextOutput({ write, writeError, terminal, ...styles, ...run });
  if (format === "text") return text;
  const token = randomBytes(TOKEN_BYTES).toString("hex");
  return new GithubOutput({ text, write, token, placeOf: run.placeOf, appendSummary: summaryFile(console) });
}

/** Undefined: the variable is not set. A file that cannot be written is reported, but does not fail the run. */
function summaryFile(console: Console): ((markdown: string) => void) | undefined {
  const file = console.environment[STEP_SUMMARY];
  if (!file) return undefined;
  return (markdown) => {
    try {
      appendFileSync(resolve(console.workingDirectory, file), markdown);
    } catch (error) {
      const what = `cannot write the summary to ${file} ($${STEP_SUMMARY}): ${writeProblem(error)}`;
      console.writeError(`Warning: ${printable(what)}\n`);
    }
  };
}
