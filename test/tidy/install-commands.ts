/** The commands in documents and messages that fetch packages, and what is wrong with what they name. */
import { IS_PUBLISHED, NAMES } from "../../scripts/release/names.ts";

/** Packages of others that a document may install. */
const OTHERS: ReadonlySet<string> = new Set([
  "@kubernetes/client-node",
  "@modelcontextprotocol/inspector",
  "kubernetes",
  "vitest",
]);

const COMMAND = new RegExp(
  String.raw`\b(?:npm (?:install|i|add)|npx|pip install|pipx (?:install|run)|uv (?:add|pip install|tool install)|` +
    String.raw`(?:yarn|pnpm|bun|deno) add|go (?:get|install)|docker (?:pull|run))((?:[ \t]+[^\s;&|)]+)+)`,
  "g",
);
/** A comment, and what follows the command in a sentence, are no part of it. */
const REST = /\s#.*$|[`"'](?=[\s,.:;)]|$).*$/s;

/** How many lines round a command say what it needs: those of its paragraph or of its fence, and of the next one. */
const BEFORE = 4;
const AFTER = 5;
const NOT_YET = /not\s+published\s+yet/i;
const FROM_A_CLONE = /npm\s+run\s+pack/;

export interface InstallCommand {
  readonly line: number;
  readonly packages: readonly string[];
}

/** Code spans may continue on the next line; everything else that is a command does not. */
export function installCommands(text: string, isMarkdown: boolean): readonly InstallCommand[] {
  const source = isMarkdown ? text.replaceAll(/`[^`\n]+\n[^`\n]+`/g, joinedSpan) : text;
  return source.split("\n").flatMap((line, at) =>
    [...line.matchAll(COMMAND)].map(([command, rest]) => {
      const words = packagesOf(rest!);
      // What follows is passed on to its command.
      return { line: at + 1, packages: command.startsWith("npx") ? words.slice(0, 1) : words };
    }),
  );
}

/** One line, and a line break after it: lines keep their numbers. */
const joinedSpan = (span: string): string => `${span.replace("\n", " ")}\n`;

function packagesOf(rest: string): readonly string[] {
  const words = rest
    .trim()
    .replace(/^(["'])(.*?)\1/, "$2")
    .replace(REST, "")
    .trim()
    .split(/\s+/);
  return words.map((word) => word.replaceAll(/^["'`]|["'`.,:]+$/g, "")).filter((word) => /^[^-]/.test(word));
}

/** A file or a folder, or what a shell makes one of. */
const isPath = (word: string): boolean => /^(\.{0,2}\/|\$|[A-Z]{2,})|\.(tgz|whl)\b/.test(word);

/** `@scope/name@1.2.3`, `name[extra]`, `name==1.2`, `example.com/module/folder@v1`: the name alone. */
export const bareName = (word: string): string => word.replace(/(?<=.)[@[=<>~].*$/, "");

export function isOurs(word: string): boolean {
  const name = bareName(word);
  return [NAMES.npm, NAMES.pypi, NAMES.image].includes(name as never) || `${name}/`.startsWith(`${NAMES.goModule}/`);
}

/** What is wrong with the install commands of a text, by lines. */
export function namingFaults(text: string, isMarkdown: boolean, isPublished: boolean = IS_PUBLISHED): string[] {
  const lines = text.split("\n");
  return installCommands(text, isMarkdown).flatMap(({ line, packages }) => {
    const named = packages.filter((word) => !isPath(word));
    const foreign = named.filter((word) => !isOurs(word) && !OTHERS.has(bareName(word)));
    if (foreign.length > 0) return [`${line}: installs ${foreign.join(", ")}, which is not ours`];
    if (!named.some(isOurs)) return [];
    const near = lines.slice(Math.max(0, line - 1 - BEFORE), line + AFTER).join("\n");
    if (isPublished) return NOT_YET.test(near) ? [`${line}: says that ${named.join(", ")} is not published yet`] : [];
    if (!NOT_YET.test(near)) return [`${line}: does not say that ${named.join(", ")} is not published yet`];
    return FROM_A_CLONE.test(near) ? [] : [`${line}: does not say what works from a clone`];
  });
}
