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
  /** `import()` of a value: the module is loaded when that line runs. */
  readonly isDynamic: boolean;
  /** What the statement names, as written and without `type`; empty for `import "./x.ts"` and for `import()`. */
  readonly names: readonly string[];
}

/**
 * The imports of a module: `import`, `export … from`, `import()`. Statements begin a line in this project, which keeps
 * comments and strings apart from them.
 */
export function importsOf(file: string, source = read(file)): Import[] {
  const found: Import[] = [];
  for (const match of source.matchAll(/^(?:import|export)\b([^"';]*?\bfrom\b)?\s*["']([^"']+)["']/gm)) {
    const clause = (match[1] ?? "").trim();
    found.push(describe(file, match[2]!, { isTypeOnly: isTypeOnly(clause), isDynamic: false, names: namesOf(clause) }));
  }
  for (const match of withoutComments(source).matchAll(
    /(\btypeof\s+)?(?<!\.)\bimport\(\s*["']([^"']+)["']\s*\)(\.[A-Za-z])?/g,
  )) {
    // `import("./x.ts").Type` and `typeof import("./x.ts")` are types; a value would be awaited first.
    const isType = match[1] !== undefined || (match[3] !== undefined && match[3] !== ".t");
    found.push(describe(file, match[2]!, { isTypeOnly: isType, isDynamic: !isType, names: [] }));
  }
  return found;
}

/** `Default, { type A, B as C } from`: its names. */
function namesOf(clause: string): string[] {
  return clause
    .replace(/\bfrom$/, "")
    .replace(/^type\b(?!\s*,)/, "")
    .replace(/[{}]/g, ",")
    .split(",")
    .map((name) => name.trim().replace(/^type\s+/, ""))
    .filter((name) => name !== "");
}

function isTypeOnly(text: string): boolean {
  if (text.startsWith("type ")) return true;
  const names = /^\{([^}]*)\}\s*from$/
    .exec(text)?.[1]
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names !== undefined && names.length > 0 && names.every((name) => name.startsWith("type "));
}

function describe(file: string, specifier: string, kind: Pick<Import, "isTypeOnly" | "isDynamic" | "names">): Import {
  const target = specifier.startsWith(".")
    ? path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier))
    : undefined;
  return { specifier, target, ...kind };
}

/** `file:line` of every match in a source. */
export function placesOf(pattern: RegExp, file: string, source: string): string[] {
  return source.split("\n").flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : []));
}
