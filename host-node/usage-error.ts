/** What is wrong with what the user gave, and what the machine does not give, in words. */

/**
 * An error of the user's, not of the program: its message says what was given, what is allowed and where, and needs no
 * stack trace.
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * What the machine refuses and what a run needs: space, a temporary folder, files that may be open. Nobody's mistake in
 * a manifest, nor the program's.
 */
export class MachineError extends Error {
  override readonly name = "MachineError";
}

/** By the codes of Node's errors. */
const MACHINE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota of this user is used up",
  EFBIG: "a file may not grow so large here",
  EROFS: "the file system is read-only",
  EIO: "the device fails",
  EMFILE: "this process may not have more files open",
  ENFILE: "the machine may not have more files open",
  ENOMEM: "the machine has no memory left",
};

/** What is wrong with the machine, of an error of Node's; undefined: something else. */
export function machineProblem(error: unknown): string | undefined {
  return MACHINE_PROBLEMS[(error as NodeJS.ErrnoException).code ?? ""];
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
  return machineProblem(error) ?? message;
}

/** The error of a file that is needed and cannot be written. @param what `cannot write the kubeconfig ./k` */
export function writeError(what: string, error: unknown): UsageError | MachineError {
  const text = `${what}: ${writeProblem(error)}`;
  return machineProblem(error) === undefined ? new UsageError(text) : new MachineError(text);
}
