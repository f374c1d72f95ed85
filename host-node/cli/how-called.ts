/**
 * How to call this command again, in the same way as the user called it: a newcomer has no `stint` in the PATH.
 *
 * Invariant: this file uses nothing that Node 18 lacks, because an outdated Node reads it, too.
 */
import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join, relative, resolve } from "node:path";

/** kubectl starts `kubectl-stint` of the PATH for `kubectl stint`. */
const PLUGIN = "kubectl-stint";
export const AS_PLUGIN = "kubectl stint";
/** Not the command: where the package is not installed, npm fetches what is named, and `stint` is anybody's. */
const PACKAGE = "@stint-dev/stint";
/** Where npm puts the commands of packages. */
const BIN = join("node_modules", ".bin");

/** Of a clone: it starts the command in the Node of set-up, which may be the only one that is new enough. */
const OF_CLONE = "stint";

export interface CalledAs {
  /** The file that Node runs, as it was named: `process.argv[1]`. */
  readonly script: string;
  readonly workingDirectory: string;
  /** Of the environment. */
  readonly path: string;
}

/** `stint`, `./stint` of a clone, `kubectl stint`, `npx` with the package, or `node dist/stint.mjs`. */
export function howCalled({ script, workingDirectory, path }: CalledAs): string {
  if (basename(script) === PLUGIN) return AS_PLUGIN;
  const ofClone = resolve(dirname(script), "..", OF_CLONE);
  if (basename(dirname(script)) === "dist" && existsSync(ofClone))
    return calledInClone(ofClone, workingDirectory, path);
  // Anything else is a program that runs alone, whatever its name is.
  if (/\.[cm]?[jt]s$/.test(script)) return `node ${relative(workingDirectory, script) || script}`;
  const folder = dirname(script);
  // `npx` and npm's scripts add this folder to the PATH of the processes that they start, and only there.
  if (folder.endsWith(BIN)) return `npx ${PACKAGE}`;
  return path.split(delimiter).includes(folder) ? basename(script) : script;
}

function calledInClone(script: string, workingDirectory: string, path: string): string {
  if (path.split(delimiter).some((folder) => isSameFile(join(folder, OF_CLONE), script))) return OF_CLONE;
  const way = relative(workingDirectory, script);
  if (!way.startsWith("..")) return `./${way}`;
  // Up to a folder that both share, and down again, is worse to read than the whole path.
  return /^(\.\.\/)+stint$/.test(way) ? way : script;
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && realpathSync(one) === realpathSync(other);
}

/** The script, run by the newer Node that set-up installs beside a clone. Undefined: this is no clone. */
export function calledWithNewerNode({ script, workingDirectory }: Omit<CalledAs, "path">): string | undefined {
  const found = ["..", "../.."].map((up) => resolve(dirname(script), up, BIN, "node")).find((node) => existsSync(node));
  if (found === undefined) return undefined;
  return [found, script].map((file) => relative(workingDirectory, file)).join(" ");
}
