/**
 * Refuses what a folder holds and reading of which may never end: named pipes, devices and sockets, and links to them.
 *
 * Invariant: nothing is opened, because opening a named pipe waits for its other end. Leaves out files that the caller
 * names: a named pipe is read there, as a shell's `<(…)` makes one.
 */
import { type Stats, statSync } from "node:fs";
import { printable } from "./words/printable.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Checks a file of a folder, through links. A missing file or a folder passes: reading it reports the error. @throws
 * UsageError for everything else that is no regular file
 */
export function checkFoundFile(path: string): void {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch {
    return;
  }
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return;
  throw new UsageError(
    `${printable(path)} is ${kindOf(stats)}; of a folder, only regular files are read: move it out of the folder`,
  );
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isCharacterDevice() || stats.isBlockDevice() ? "a device" : "no regular file";
}
