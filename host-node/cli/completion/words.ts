/**
 * What a shell may complete: the commands of the program with their options and arguments, as plain data.
 *
 * Invariant: all of it comes from the program, so a new option is completed without a word here. What a value stands
 * for is known by its placeholder: `<file>`, `<folder>` and `<path>` are files. Leaves out names of objects in a
 * cluster.
 */
import type { Argument, Command, Option } from "commander";
import { wordsOf } from "../options/settings.ts";

/** What stands for a value: few words, a file, or a text that no shell can know. */
export type Value =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "file" }
  | { readonly kind: "text" };

export interface Flag {
  /** `--output` */
  readonly long: string;
  /** `-o` */
  readonly short: string | undefined;
  readonly description: string;
  /** Undefined: it takes none. */
  readonly value: Value | undefined;
  /** It may stand alone, too. */
  readonly isOptional: boolean;
  readonly placeholder: string;
}

export interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly Flag[];
  /** Of all arguments; undefined: it takes none. */
  readonly argument: Value | undefined;
}

const FILES = new Set(["file", "folder", "path"]);

/** The commands, and those of the program itself under the empty name. */
export function wordsOfProgram(program: Command): readonly CommandWords[] {
  const names = program.commands.map((command) => command.name());
  const help: CommandWords = {
    name: "help",
    description: "Show the help of a command.",
    flags: [],
    argument: { kind: "words", words: names },
  };
  return [...program.commands.map(wordsOfCommand), help];
}

function wordsOfCommand(command: Command): CommandWords {
  const [argument] = command.registeredArguments;
  const help: Flag = {
    long: "--help",
    short: "-h",
    description: "display help for command",
    value: undefined,
    isOptional: false,
    placeholder: "",
  };
  return {
    name: command.name(),
    description: command.description(),
    flags: [...command.options.filter(({ hidden, long }) => !hidden && long !== undefined).map(flagOf), help],
    argument: argument === undefined ? undefined : valueOf(argument.name(), choicesOf(argument)),
  };
}

const choicesOf = ({ argChoices }: Argument): readonly string[] | undefined => argChoices;

function flagOf(option: Option): Flag {
  const placeholder = /[<[]([^>\]]*)[>\]]/.exec(option.flags)?.[1] ?? "";
  return {
    long: option.long!,
    short: option.short,
    description: option.description.replaceAll(/\s+/g, " "),
    value: option.required || option.optional ? valueOf(placeholder, wordsOf(option)) : undefined,
    isOptional: option.optional,
    placeholder,
  };
}

function valueOf(placeholder: string, words: readonly string[] | undefined): Value {
  if (words !== undefined) return { kind: "words", words };
  return { kind: FILES.has(placeholder) ? "file" : "text" };
}
