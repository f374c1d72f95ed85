/** The script for fish: a line for each word that it may complete, with the condition for it. */
import type { CommandWords, Flag, Value } from "./words.ts";

export function fishScript(commands: readonly CommandWords[]): string {
  const lines = [
    "# fish: stint completion fish > ~/.config/fish/completions/stint.fish",
    "complete -c stint -f",
    "complete -c stint -n __fish_use_subcommand -s h -l help -d 'display help'",
    "complete -c stint -n __fish_use_subcommand -s v -l version -d 'print the versions'",
    ...commands.flatMap(commandLines),
  ];
  return `${lines.join("\n")}\n`;
}

function commandLines({ name, description, flags, argument }: CommandWords): string[] {
  // The condition looks at the first word alone: a value may have the name of a command.
  const given = `-n '__fish_seen_subcommand_from ${name}; and test (commandline -opc)[2] = ${name}'`;
  const argumentLine = argument === undefined ? "" : values(argument);
  return [
    `complete -c stint -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
    ...flags.map((flag) => `complete -c stint ${given} ${flagWords(flag)}`),
    ...(argumentLine === "" ? [] : [`complete -c stint ${given} ${argumentLine}`]),
  ];
}

function flagWords({ long, short, description, value, isOptional }: Flag): string {
  const names = [short === undefined ? "" : `-s ${short.slice(1)} `, `-l ${long.slice(2)}`].join("");
  const takes =
    value === undefined ? "" : ` ${isOptional ? "" : value.kind === "file" ? "-r " : "-x "}${values(value)}`;
  return `${names}${takes.trimEnd()} -d ${quoted(description)}`;
}

function values(value: Value): string {
  if (value.kind === "words") return `-a ${quoted(value.words.join(" "))}`;
  return value.kind === "file" ? "-F" : "";
}

const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
