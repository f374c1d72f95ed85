/**
 * Exit statuses that several commands share, and what is said with them. A status that only one command has is defined
 * with it. `--help` and the README list all of them.
 */
import { diagnosticText, InputError } from "../../cluster/manifests/diagnostic.ts";
import type { Console } from "./console.ts";
import { printable } from "./output/printable.ts";

export const EXIT_BAD_INPUT = 2;
/** The machine refuses what is needed. As sysexits.h has it: EX_IOERR. */
export const EXIT_MACHINE = 74;
/** The status that a shell reports for a writer whose reader has gone. */
export const EXIT_OUTPUT_CLOSED = 141;

/** The exit status of a command whose output can no longer be written. */
export function outputEndStatus({ outputProblem }: Console): number {
  return outputProblem === undefined ? EXIT_OUTPUT_CLOSED : EXIT_MACHINE;
}

/** A signal ends a command with 128 and its number. */
export const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Bad input of a command that would have run it, and has not. */
export class RefusedRun extends InputError {}

/** What is said of bad input or usage. A mistake has one line, whatever is in the name of its file. */
export function badInputText(error: Error): string {
  if (!(error instanceof InputError)) return `stint: ${error.message}\n`;
  const lines = error.diagnostics.map((each) => printable(diagnosticText(each)));
  return [...lines, ...(error instanceof RefusedRun ? ["Nothing was run."] : []), ""].join("\n");
}
