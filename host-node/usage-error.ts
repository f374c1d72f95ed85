/** What is wrong with what the user gave, in words. */

/** An error of the user's, not of the program: its message says what was given, what is allowed and where, and needs no stack trace. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Why a file cannot be read, of an error of node:fs. */
export function readProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a directory; name the files";
  if (code === "EACCES") return "this user may not read it";
  return message;
}

/** Why a file cannot be made, of an error of node:fs. */
export function writeProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such folder to write it to";
  if (code === "ENOTDIR") return "what should be its folder is none";
  if (code === "EACCES") return "this user may not write there";
  return message;
}
