/**
 * The console blocks of documents: commands after `$ `, each with what it prints. In the output a line `…` stands for
 * any lines, and `…` in a line for any text. A command goes on in the next line after `\`, `|`, and up to the end of a
 * here-document.
 *
 * What differs from run to run, such as times and the ends of pods' names, is masked as in transcripts, on both sides.
 */
import { MASK_NAMES, Masking } from "../host-node/cli/transcripts/masks.ts";

export interface Command {
  /** Of the line with the `$`, from 1 on. */
  readonly line: number;
  readonly text: string;
  readonly output: readonly string[];
}

const ELLIPSIS = "…";
const HEREDOC = /<<-?\s*'?"?(\w+)/;

/** The commands of all blocks in their order. @throws Error for a block that does not begin with a command */
export function commandsIn(page: string, markdown: string): Command[] {
  const commands: Command[] = [];
  const lines = markdown.split("\n");
  for (let at = 0; at < lines.length; at++) {
    if (lines[at] !== "```console") continue;
    const end = lines.indexOf("```", at);
    if (!lines[at + 1]?.startsWith("$ ")) throw new Error(`${page}:${at + 2}: a console block begins with "$ "`);
    for (let next = at + 1; next < end;) next = readCommand(lines, next, end, commands);
    at = end;
  }
  return commands;
}

/** Reads the command at a line, with its output. @returns the line of the next one */
function readCommand(lines: readonly string[], start: number, end: number, into: Command[]): number {
  let next = start + 1;
  let text = lines[start]!.slice(2);
  const word = HEREDOC.exec(text)?.[1];
  while (next < end && (word === undefined ? /[\\|]$/.test(text) : !text.endsWith(`\n${word}`)))
    text += `\n${lines[next++]}`;
  const first = next;
  while (next < end && !lines[next]!.startsWith("$ ")) next++;
  into.push({ line: start + 1, text, output: lines.slice(first, next) });
  return next;
}

/** The text of the blocks of a language, in their order. */
export function codeIn(markdown: string, language: string): string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, text]) => text!);
}

/** @returns whether an output is the documented one, but for what is masked or left out; empty lines do not count */
export function isDocumented(output: string, { output: documented }: Command, isInOrder = true): boolean {
  const expected = linesOf(documented.join("\n"));
  const actual = linesOf(output);
  if (isInOrder) return matches(expected, actual);
  return expected.every((line) => line === ELLIPSIS || actual.some((one) => isLine(line, one)));
}

/** Masked, and with single spaces: columns are as wide as what is in them. */
function linesOf(text: string): string[] {
  const masking = new Masking(MASK_NAMES, { folder: "/nowhere", server: undefined });
  return masking
    .mask(text)
    .split("\n")
    .map((line) => line.trim().replaceAll(/ +/g, " "))
    .filter((line) => line !== "");
}

function matches(expected: readonly string[], actual: readonly string[]): boolean {
  const [first, ...rest] = expected;
  if (first === undefined) return actual.length === 0;
  if (first !== ELLIPSIS) return actual.length > 0 && isLine(first, actual[0]!) && matches(rest, actual.slice(1));
  return actual.some((_, from) => matches(rest, actual.slice(from))) || matches(rest, []);
}

function isLine(expected: string, actual: string): boolean {
  const parts = expected.split(ELLIPSIS).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`).test(actual);
}
