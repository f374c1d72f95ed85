/**
 * The command line: its words, its help and its exit statuses.
 *
 * Invariant: a mistake of the user ends with exit status 2 and a message on standard error. If the machine refuses
 * something, the status is 74. Both print no stack trace; a stack trace means a bug in this program. The code of a
 * command is loaded only when it is used, because a controller needs no cluster.
 */
import { setImmediate as turn } from "node:timers/promises";
import { type Command, CommanderError, Help, type Option } from "commander";
import { UsageError } from "../usage-error.ts";
import type { AddCommand } from "./command.ts";
import type { Console } from "./console.ts";
import { addCompletion } from "./completion/command.ts";
import { addController } from "./controller/command.ts";
import { addDoctor } from "./doctor/command.ts";
import { addExplain } from "./explain/command.ts";
import { addForecast } from "./forecast/command.ts";
import { addImport } from "./import/command.ts";
import { addIncident } from "./incident/command.ts";
import { addLint } from "./lint/command.ts";
import { addMcp } from "./mcp/command.ts";
import { addReplay } from "./replay/command.ts";
import { addRun } from "./run/command.ts";
import { addSchema } from "./schema/command.ts";
import { addServe } from "./serve/command.ts";
import { addUpgradeCheck } from "./upgrade-check/command.ts";
import { addVersion } from "./version/command.ts";
import { addWait } from "./wait/command.ts";
import { addWebhook } from "./webhook/command.ts";
import { addWhy } from "./why/command.ts";
import { EXAMPLES } from "./examples.ts";
import { errorText, EXIT_BAD_INPUT, EXIT_MACHINE } from "./exit-status.ts";
import { documentLine } from "./json/document.ts";
import { asksForJson, errorReport } from "./json/error-report.ts";
import { printableLines } from "../words/printable.ts";
import { withWrappedErrors } from "./output/wrapped.ts";
import { StrictCommand } from "./strict-command.ts";
import { unknownCommandText } from "./unknown-command.ts";

/** By what people want, in the order in which help lists them. */
const GROUPS: readonly (readonly [heading: string, commands: readonly AddCommand[]])[] = [
  ["Understand Jobs:", [addWhy, addWait, addDoctor, addExplain, addIncident, addImport]],
  ["Check Jobs:", [addLint, addForecast, addUpgradeCheck]],
  ["Run and test Jobs without a cluster:", [addRun, addServe, addReplay]],
  ["Run Jobs on a cluster:", [addController, addWebhook]],
  ["For agents, shells and programs:", [addMcp, addCompletion, addSchema, addVersion]],
];

const HELP = new Help();
const VERSION_FLAGS = ["-v", "--version"];

/** @param args without the program itself. @returns the exit status */
export async function main(args: readonly string[], version: string, processConsole: Console): Promise<number> {
  const console = withWrappedErrors(processConsole);
  let exitStatus = 0;
  let isTold = false;
  console.onOutputClosed(() => {
    if (console.outputProblem === undefined || isTold) return;
    isTold = true;
    console.writeError(`stint: standard output cannot be written: ${console.outputProblem}\n`);
  });
  const program = createProgram(version, console, (status) => (exitStatus = status));
  const unknown = unknownCommandText(
    args,
    program.commands.map((command) => command.name()),
  );
  try {
    if (unknown !== undefined) throw new UsageError(unknown);
    await program.parseAsync(withVersionCommand(args), { from: "user" });
  } catch (error) {
    exitStatus = failure(error as Error, console, asksForJson(args));
  }
  await turn(); // A stream reports an error a moment after the write.
  return exitStatus === 0 && console.outputProblem !== undefined ? EXIT_MACHINE : exitStatus;
}

/** @param exit gets the exit status of the command that was given */
export function createProgram(version: string, console: Console, exit: (status: number) => void): Command {
  const program = new StrictCommand("stint")
    .description("Runs Kubernetes Jobs: on this machine, simulated, or those of a real cluster.")
    .version(version, VERSION_FLAGS.join(", "), "the same as stint version")
    .configureOutput({
      writeOut: (text) => void console.writeOut(text),
      writeErr: (text) => console.writeError(printableLines(text)),
    })
    .configureHelp({ optionDescription: descriptionOf })
    .exitOverride()
    .showHelpAfterError("(--help lists the options)")
    .addHelpText("after", EXAMPLES);
  for (const [heading, commands] of GROUPS) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, { version, console, exit });
  }
  program.helpCommand(true); // Among those of the last group.
  return program;
}

/** `--version` takes the options of `version`, and its code may be asynchronous. */
const withVersionCommand = (args: readonly string[]): readonly string[] =>
  VERSION_FLAGS.includes(args[0] ?? "") ? ["version", ...args.slice(1)] : args;

/** A switch that is off by default needs no text about it. */
function descriptionOf(option: Option): string {
  return HELP.optionDescription(option).replace(/ ?\(default: false\)$/, "");
}

function failure(error: Error, console: Console, isJson: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const isToldByCommander = error instanceof CommanderError;
  const { text, exitStatus } = isToldByCommander
    ? { text: error.message, exitStatus: EXIT_BAD_INPUT }
    : errorText(error);
  if (!isToldByCommander) console.writeError(text);
  if (isJson) console.writeOut(documentLine(errorReport(error, text, exitStatus)));
  return exitStatus;
}
