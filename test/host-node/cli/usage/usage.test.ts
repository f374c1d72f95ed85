/**
 * The command line as text, byte for byte: help/ has what --help prints for the program and for each command, and
 * errors.txt what a mistake of each kind prints, with its exit status. The commands and their options come from the
 * program, so a new one is recorded, too. A change that is meant: `vitest run test/host-node/cli/usage --update`, and
 * read the difference. Leaves out errors of the commands themselves: their arguments are well formed here or refused.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram, main } from "../../../../host-node/cli/program.ts";
import { ListOption } from "../../../../host-node/cli/strict-command.ts";
import { RecordingConsole } from "../recording-console.ts";

const VERSION = "0.0.0";
const NONE_SUCH = "no-such-value";
const help = join(import.meta.dirname, "help");
const program = createProgram(VERSION, new RecordingConsole("/"), () => {});
const names = program.commands.map((command) => command.name());

interface Answer {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

async function stint(...words: readonly string[]): Promise<Answer> {
  const console = new RecordingConsole("/");
  const status = await main(words, VERSION, console);
  return { status, out: console.out, err: console.err };
}

/** The words after `stint` that are refused, without those of one command. */
const MISTAKES: readonly (readonly string[])[] = [
  ["no-such-command"],
  ["runn"],
  ["job.yaml"],
  ["help", "no-such-command"],
  ["help", "job.yaml"],
  ["--no-such-option"],
  ["--no-such-option", "run"],
  ["--hel"],
  ["run", "--feature-gates", NONE_SUCH],
  ["run", "--feature-gates", "NoSuchGate=true"],
  ["run", "--record", "a", "--record", "b"],
  ["serve", "--feature-gates", NONE_SUCH],
  ["serve", "--scheduler", "--no-scheduler"],
  ["serve", "--nodes", "100000"],
  ["serve", "--port", "65536"],
  ["serve", "--max-watches", "0"],
  ["serve", "--control", "--data-dir", "a"],
  ["serve", "--control", "--record", "a"],
  ["import", "a", "--save", "b", "--output", "c"],
  ["forecast", "a", "--pod-duration", "20m..5m"],
  ["forecast", "a", "--pod-duration", "1m..2m..3m"],
];

/** What is refused of a command, whatever it is for: by its arguments and by each option that reads its value. */
function mistakesOf(command: Command): readonly (readonly string[])[] {
  const name = command.name();
  const { registeredArguments, options } = command;
  const needed = registeredArguments.filter(({ required }) => required).map(() => "x");
  const mayRepeat = registeredArguments.some(({ variadic }) => variadic);
  const [withValue] = options.filter(({ required }) => required);
  const [once] = options.filter((option) => option.required && !(option instanceof ListOption));
  const flag = ({ long }: Option): string => long!;
  return [
    [name, ...needed, "--no-such-option"],
    ...(needed.length > 0 ? [[name]] : []),
    ...(mayRepeat ? [] : [[name, ...registeredArguments.map(() => "x"), "one-too-many"]]),
    ...(withValue === undefined
      ? []
      : [
          [name, ...needed, flag(withValue)],
          [name, ...needed, flag(withValue), ""],
        ]),
    ...(once === undefined ? [] : [[name, ...needed, flag(once), firstOf(once), flag(once), firstOf(once)]]),
    ...options.filter(readsValue).map((option) => [name, ...needed, flag(option), NONE_SUCH]),
    ...conflictsOf(command).map((words) => [name, ...needed, ...words]),
  ];
}

function firstOf({ argChoices }: Option): string {
  return argChoices?.[0] ?? "1";
}

function readsValue(option: Option): boolean {
  return !(option instanceof ListOption) && (option.argChoices !== undefined || option.parseArg !== undefined);
}

/** --api-only with each option that means a part which is not there then. */
function conflictsOf({ options }: Command): readonly (readonly string[])[] {
  const alone = options.find(({ long }) => long === "--api-only");
  if (alone === undefined) return [];
  return options
    .filter((option) => option !== alone)
    .filter(({ long }) => PARTS.includes(long!))
    .map((option) => [alone.long!, option.long!, ...(option.required ? [firstOf(option)] : [])]);
}

const PARTS: readonly string[] = [
  ...["--runtime", "--scheduler", "--nodes", "--record", "--no-isolation", "--share-processes", "--network"],
  ...["--visible", "--allow-host-path", "--allow-privileged", "--engine-socket", "--volume-folder", "--control"],
];

function shown(words: readonly string[], { status, out, err }: Answer): string {
  const line = ["stint", ...words].map((word) => (word === "" ? '""' : word)).join(" ");
  return `$ ${line}\n${out}${err}exit status ${status}\n`;
}

describe("the command line", () => {
  it.each([["stint"], ...names.map((name) => [name])])("prints the help of %s", async (name) => {
    const words = name === "stint" ? [] : [name];
    const { status, out, err } = await stint(...words, "--help");
    expect({ status, err }).toEqual({ status: 0, err: "" });
    await expect(out).toMatchFileSnapshot(join(help, `${name}.txt`));
    expect(await stint(...words, "-h")).toEqual({ status, out, err });
    expect(await stint("help", ...words)).toEqual({ status, out, err });
  });

  it("has a record of each help and of nothing else", () => {
    expect(readdirSync(help).toSorted()).toEqual(["stint", ...names].map((name) => `${name}.txt`).toSorted());
  });

  it("says what is wrong, and ends with the status of bad usage", async () => {
    const texts: string[] = [];
    for (const words of [...MISTAKES, ...program.commands.flatMap(mistakesOf)]) {
      const answer = await stint(...words);
      expect(answer.status, words.join(" ")).toBe(2);
      texts.push(shown(words, answer));
    }
    await expect(texts.join("\n")).toMatchFileSnapshot("errors.txt");
  });

  it("prints its help if nothing is given", async () => {
    await expect(shown([], await stint())).toMatchFileSnapshot("nothing-given.txt");
  });
});
