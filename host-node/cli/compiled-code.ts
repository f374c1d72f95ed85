/**
 * Caches the code that V8 has compiled of this program: a command that is started again takes a sixth less of the time
 * beyond that of Node itself.
 *
 * Invariant: only this user may write to the folder, because its code is run. Without such a folder, or where it cannot
 * be written, the program works as well, but is compiled each time. Node checks that cached code was compiled from the
 * same source, by the same Node. $NODE_COMPILE_CACHE names another folder, which is Node's own affair, and
 * $NODE_DISABLE_COMPILE_CACHE disables the cache: then nothing is touched here.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import * as nodeModule from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { problemOfFolder } from "../data/private-folder.ts";
import { isSingleExecutable } from "../embedded-file.ts";

/** A version of this program has a hundred files, of some 15 KB each. Beyond this, all of them are compiled again. */
const MAX_FILES = 2000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Call this before you import the modules whose compiled code should be cached. */
export function keepCompiledCode(environment: Environment): void {
  // It brings its compiled code along.
  if (isSingleExecutable) return;
  const { NODE_COMPILE_CACHE: other = "", NODE_DISABLE_COMPILE_CACHE: disabled = "" } = environment;
  if (other !== "" || disabled !== "") return;
  try {
    const folder = folderOf(environment);
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (problemOfFolder(statSync(folder), process.getuid?.()) !== undefined) return;
    if (readdirSync(folder, { recursive: true }).length > MAX_FILES) rmSync(folder, { recursive: true, force: true });
    // Deno has no such function.
    const { enableCompileCache }: Partial<typeof nodeModule> = nodeModule;
    enableCompileCache?.(folder);
  } catch {
    // The user has no home, or the folder cannot be made or read.
  }
}

/**
 * The folder for caches, by the XDG Base Directory Specification, which requires to ignore a relative path. Undefined:
 * there is none, because $HOME is relative, too. @throws Error when the system knows no home of this user
 */
function folderOf({ XDG_CACHE_HOME: named = "" }: Environment): string | undefined {
  const caches = isAbsolute(named) ? named : join(homedir(), ".cache");
  return isAbsolute(caches) ? join(caches, "stint", "compiled") : undefined;
}
