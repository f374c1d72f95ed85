/**
 * A command of the program as its folder gives it: a function that adds the description, the options, the help and the
 * action.
 *
 * Invariant: what adds a command imports the code of the action only when the command is given, because a controller
 * needs no cluster, and help needs nothing.
 */
import type { Command } from "commander";
import type { Console } from "./console.ts";

/** What the program passes to its commands. */
export interface CommandContext {
  /** Of the program. */
  readonly version: string;
  readonly console: Console;
  /** Gets the exit status of the command. */
  readonly exit: (status: number) => void;
}

export type AddCommand = (program: Command, context: CommandContext) => void;
