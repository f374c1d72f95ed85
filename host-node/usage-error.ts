/** Errors that are no bugs: mistakes of the user, and refusals of the machine, in words. */
import { UsageError } from "../cluster/values/usage-error.ts";

export { UsageError };

/**
 * The machine refuses something that a run needs: disk space, a temporary folder, another open file. Neither the
 * manifest nor the program is wrong.
 */
export class MachineError extends Error {
  override readonly name = "MachineError";
}

/** The text for each code of a Node error. */
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

/** The problem of the machine behind an error of Node; undefined: it has another cause. */
export function machineProblem(error: unknown): string | undefined {
  return MACHINE_PROBLEMS[(error as NodeJS.ErrnoException).code ?? ""];
}

/** Why a file cannot be read, from an error of node:fs. */
export function readProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a directory; name the files";
  if (code === "EACCES") return "this user may not read it";
  return message;
}

/** Why a file cannot be made, from an error of node:fs. */
export function writeProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such folder to write it to";
  if (code === "ENOTDIR") return "its parent is not a folder";
  if (code === "EACCES") return "this user may not write there";
  return machineProblem(error) ?? message;
}

/** The error for a needed file that cannot be written. @param what `cannot write the kubeconfig ./k` */
export function writeError(what: string, error: unknown): UsageError | MachineError {
  const text = `${what}: ${writeProblem(error)}`;
  return machineProblem(error) === undefined ? new UsageError(text) : new MachineError(text);
}
