/**
 * Exit statuses that several commands have; what a command has of its own stands with it. `--help` and the README name
 * them all.
 */
import type { Console } from "./console.ts";

export const EXIT_BAD_INPUT = 2;
/** The machine refuses what is needed. As sysexits.h has it: EX_IOERR. */
export const EXIT_MACHINE = 74;
/** As a shell says of a writer whose reader has gone. */
export const EXIT_OUTPUT_CLOSED = 141;

/** Of a command whose output can go nowhere. */
export function outputEndStatus({ outputProblem }: Console): number {
  return outputProblem === undefined ? EXIT_OUTPUT_CLOSED : EXIT_MACHINE;
}
