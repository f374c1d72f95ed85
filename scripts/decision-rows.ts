/**
 * The rows of assembly/trace/decisions.ts as data, for documents and tests: the engine's one list of its decisions, and
 * of what else it says of a Job.
 *
 * Invariant: every line of that file that begins with `export` is a row, or reading it fails.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { constantCase } from "./abi-words/prose.ts";
import { ROW_CALL } from "./build-engine.ts";

export interface DecisionRow {
  /** The code that hosts see: `Backoff`. */
  readonly name: string;
  /** Whether it is written into the trace; else only an explanation has it. */
  readonly isDecision: boolean;
  /** Names of the numbers that come with it, in the order of the engine. */
  readonly numbers: readonly string[];
  /** Names of those that only an explanation knows. */
  readonly explainedNumbers: readonly string[];
  /** With placeholders, as assembly/trace/sentence.ts explains them. */
  readonly sentence: string;
}

export const ROWS_FILE = "assembly/trace/decisions.ts";
const ROW = new RegExp(`^export const ([A-Z_]+) = ${ROW_CALL.source};$`);

/**
 * The rows of the file, or of its text.
 *
 * @throws Error naming the line that is no row
 */
export function readDecisionRows(
  source = readFileSync(resolve(import.meta.dirname, "..", ROWS_FILE), "utf8"),
): DecisionRow[] {
  return source
    .split("\n")
    .filter((line) => line.startsWith("export"))
    .map((line) => {
      const [, constant, kind, name, numbers, sentence] = ROW.exec(line) ?? [];
      if (name === undefined || numbers === undefined || sentence === undefined)
        throw new Error(
          `a line of ${ROWS_FILE} is no row, which is \`decision("Name", "numbers", "sentence")\`: ${line}`,
        );
      if (constant !== constantCase(name))
        throw new Error(`${ROWS_FILE} calls ${name} ${constant}; its constant has the same words`);
      const [first = "", more = ""] = numbers.split(";");
      return {
        name,
        isDecision: kind === "decision",
        numbers: first.split(",").filter((number) => number !== ""),
        explainedNumbers: more.split(",").filter((number) => number !== ""),
        sentence,
      };
    });
}
