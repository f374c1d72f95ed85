/**
 * Caches the code that V8 has compiled of this program, which makes its next start a fifth faster. That is for test
 * clusters, which start often.
 *
 * Invariant: only this user may write to the folder, because its code is run. Without such a folder the program works
 * as well, but is compiled each time. Node checks that cached code was compiled from the same source, by the same Node.
 * $NODE_COMPILE_CACHE names another folder, and $NODE_DISABLE_COMPILE_CACHE=1 disables the cache.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import * as nodeModule from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { problemOfFolder } from "../data/private-folder.ts";

/** A version of this program has a hundred files, of some 15 KB each. Beyond this, all of them are compiled again. */
const MAX_FILES = 2000;

/** Call this before you import the modules whose compiled code should be cached. */
export function keepCompiledCode(environment: Readonly<Record<string, string | undefined>>): void {
  const folder = folderOf(environment);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (problemOfFolder(statSync(folder), process.getuid?.()) !== undefined) return;
    if (readdirSync(folder, { recursive: true }).length > MAX_FILES) rmSync(folder, { recursive: true, force: true });
  } catch {
    return;
  }
  // Deno has no such function.
  const { enableCompileCache }: Partial<typeof nodeModule> = nodeModule;
  enableCompileCache?.(folder);
}

/** The folder for caches, by the XDG Base Directory Specification, which requires to ignore a relative path. */
function folderOf({ XDG_CACHE_HOME: caches = "" }: Readonly<Record<string, string | undefined>>): string {
  return join(isAbsolute(caches) ? caches : join(homedir(), ".cache"), "stint", "compiled");
}
