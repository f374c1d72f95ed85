/**
 * Which test files get a separate process. All others share one a core, which compiles the modules and the engine that
 * they import once and not 450 times.
 *
 * Invariant: a test file does not share a process if it changes what others there would see (mocks, variables, the
 * working directory, handlers of the process, fake timers, flags of V8), or if it measures its process. The text of the
 * file decides, so a new test needs no entry. Leaves out what a file does through a helper: helpers change nothing of
 * this kind.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CHANGES: readonly RegExp[] = [
  /\bvi\.(mock|doMock|hoisted|stubGlobal|stubEnv|useFakeTimers|spyOn|resetModules)\(/,
  /\bprocess\.(chdir|umask|on|once|emit|memoryUsage|cpuUsage|exitCode)\b/,
  /\bprocess\.env(\.\w+|\[[^\]]*\]) (\?\?)?=(?!=)/,
  /\bdelete process\.env\b/,
  /\bObject\.(assign|defineProperty)\(globalThis\b/,
  /\bglobalThis(\.\w+|\[[^\]]*\]) =(?!=)/,
  /\bsetFlagsFromString\(/,
];

/** Whether the text of a test file has such a statement. */
export function changesItsProcess(text: string): boolean {
  return CHANGES.some((change) => change.test(text));
}

/** The test files below the root of the repository that get a separate process, by their paths from there. */
export function ownProcessFiles(root: string): string[] {
  return globSync("test/**/*.test.ts", { cwd: root })
    .filter((file) => changesItsProcess(readFileSync(join(root, file), "utf8")))
    .toSorted();
}
