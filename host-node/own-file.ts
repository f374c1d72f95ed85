/**
 * Reads a file that is found at a path rather than named, so another user may have put anything there.
 *
 * Invariant: only a regular file of this user is read, no link is followed, nothing waits for a writer, and all is
 * judged of the file that was opened. Where the system has no user IDs (Windows), no file counts as one of this user.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { readProblem } from "./usage-error.ts";

export interface OwnFile {
  readonly text: string;
  readonly stats: Stats;
}

/** `problem`: why the file is not read, as a part of a sentence: `it is a link`. */
export function readOwnFile(
  path: string,
  maxBytes: number,
  user: number | undefined = process.getuid?.(),
): OwnFile | { readonly problem: string } {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const isLink = (error as NodeJS.ErrnoException).code === "ELOOP";
    return { problem: isLink ? "it is a symbolic link" : readProblem(error) };
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return { problem: "it is not a regular file" };
    if (user === undefined) return { problem: "this system does not say which user made it" };
    if (stats.uid !== user) return { problem: `it belongs to another user (${stats.uid}; this is ${user})` };
    if (stats.size > maxBytes) return { problem: `it has ${stats.size} bytes; allowed are ${maxBytes}` };
    return { text: readFileSync(file, "utf8"), stats };
  } finally {
    closeSync(file);
  }
}
