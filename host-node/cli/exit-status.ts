/**
 * Exit statuses that several commands share, and their messages. A status of only one command is defined beside that
 * command. `--help` and the README list all of them.
 */
import { diagnosticText, InputError } from "../../cluster/manifests/diagnostic.ts";
import { MachineError, machineProblem, UsageError } from "../usage-error.ts";
import type { Console } from "./console.ts";
import { printable, printableLines } from "../words/printable.ts";

export const EXIT_BUG = 1;
export const EXIT_BAD_INPUT = 2;
/** The machine refuses what is needed. EX_IOERR of sysexits.h. */
export const EXIT_MACHINE = 74;
/** The status that a shell reports for a writer whose reader has gone. */
export const EXIT_OUTPUT_CLOSED = 141;

/** The exit status of a command whose output can no longer be written. */
export function outputEndStatus({ outputProblem }: Console): number {
  return outputProblem === undefined ? EXIT_OUTPUT_CLOSED : EXIT_MACHINE;
}

/** A signal ends a command with 128 and its number. */
export const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** Bad input of a command that would run it, but has not. */
export class RefusedRun extends InputError {}

/** The message and the exit status for an error that ends a command. Quoted text is made printable. */
export function errorText(error: Error): { readonly text: string; readonly exitStatus: number } {
  if (error instanceof InputError) return { text: badInputText(error), exitStatus: EXIT_BAD_INPUT };
  const said = (words: string, exitStatus: number): { text: string; exitStatus: number } => ({
    text: `${printableLines(`stint: ${words}`)}\n`,
    exitStatus,
  });
  if (error instanceof UsageError) return said(error.message, EXIT_BAD_INPUT);
  if (error instanceof MachineError) return said(error.message, EXIT_MACHINE);
  const problem = machineProblem(error);
  if (problem !== undefined) return said(`${problem} (${error.message})`, EXIT_MACHINE);
  return said(`this is a bug: ${error.stack ?? error.message}`, EXIT_BUG);
}

/** A user's mistake has one line, even if the file name contains line breaks. */
function badInputText(error: InputError): string {
  const lines = error.diagnostics.map((each) => printable(diagnosticText(each)));
  return [...lines, ...(error instanceof RefusedRun ? ["Nothing was run."] : []), ""].join("\n");
}
