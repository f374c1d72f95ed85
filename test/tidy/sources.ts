/** The project's files as text, and a small reader of import statements. For the tidy tests alone. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { withoutComments } from "./scanner.ts";

export const root = path.resolve(import.meta.dirname, "../..");

/** Every file that git tracks or would track, as a path relative to the root with `/`. */
export const files: readonly string[] = execFileSync(
  "git",
  ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
  { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
)
  .split("\0")
  .filter((file) => file !== "")
  .sort();

export function read(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

export interface Import {
  /** As written: `node:fs`, `./x.ts`, `yaml`. */
  readonly specifier: string;
  /** Path relative to the root for a relative specifier, otherwise undefined. */
  readonly target: string | undefined;
  /** Nothing of it is left at run time. */
  readonly isTypeOnly: boolean;
}

/**
 * The imports of a module: `import`, `export … from`, `import()`. Statements begin a line in this project, which keeps
 * comments and strings apart from them.
 */
export function importsOf(file: string, source = read(file)): Import[] {
  const found: Import[] = [];
  for (const match of source.matchAll(/^(?:import|export)\b([^"';]*?\bfrom\b)?\s*["']([^"']+)["']/gm)) {
    found.push(describe(file, match[2]!, isTypeOnly(match[1] ?? "")));
  }
  for (const match of withoutComments(source).matchAll(/(?<!\.)\bimport\(\s*["']([^"']+)["']\s*\)(\.[A-Za-z])?/g)) {
    // `import("./x.ts").Type` in a type position; a value would be awaited first.
    found.push(describe(file, match[1]!, match[2] !== undefined && match[2] !== ".t"));
  }
  return found;
}

function isTypeOnly(clause: string): boolean {
  const text = clause.trim();
  if (text.startsWith("type ")) return true;
  const names = /^\{([^}]*)\}\s*from$/
    .exec(text)?.[1]
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names !== undefined && names.length > 0 && names.every((name) => name.startsWith("type "));
}

function describe(file: string, specifier: string, isType: boolean): Import {
  const target = specifier.startsWith(".")
    ? path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier))
    : undefined;
  return { specifier, target, isTypeOnly: isType };
}

/** `file:line` of every match in a source. */
export function placesOf(pattern: RegExp, file: string, source: string): string[] {
  return source.split("\n").flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : []));
}
