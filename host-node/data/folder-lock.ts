/**
 * Keeps a second process out of a folder. The lock is one of SQLite, on a separate file, so it ends with the process,
 * however that ends. The other files of the folder are not locked: other processes may read and copy them.
 *
 * `lock-holder` beside it names the process that holds the folder. It is for people: only the lock decides.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { MachineError, UsageError } from "../usage-error.ts";
import { makeFile } from "./database.ts";

const SQLITE_BUSY = 5;

export interface FolderUse {
  /** The command that owns the folder. */
  readonly command: "stint serve" | "stint controller";
  /** The option that names it. */
  readonly option: "--data-dir" | "--record";
}

/**
 * @returns a function that releases the folder; a second call changes nothing
 * @throws UsageError when another process has it, MachineError
 */
export function lockFolder(folder: string, { command, option }: FolderUse): () => void {
  const file = `${folder}/lock`;
  const holder = `${folder}/lock-holder`;
  // A user who can read the file can lock it, too.
  makeFile(file);
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file);
    // Nothing is ever written, so no rollback file is needed.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    lock?.close();
    const { errcode = 0, message } = error as Error & { errcode?: number };
    if ((errcode & 0xff) !== SQLITE_BUSY) throw new MachineError(`cannot lock ${file}: ${message}`);
    throw new UsageError(
      `${folder} is in use by another ${command}${whoIn(holder)}; end that one, or name another with ${option}`,
    );
  }
  sayWho(holder);
  return () => {
    if (!lock.isOpen) return;
    rmSync(holder, { force: true });
    lock.close();
  };
}

/** The file of a killed process is replaced. The lock holds on a full disk, too, so nothing depends on this file. */
function sayWho(holder: string): void {
  try {
    rmSync(holder, { force: true });
    writeFileSync(holder, `process ${process.pid} on ${hostname()}\n`, { mode: 0o600, flag: "wx" });
  } catch {
    // Then the error of the next process does not name this one.
  }
}

function whoIn(holder: string): string {
  try {
    return ` (${readFileSync(holder, "utf8").trim()})`;
  } catch {
    return "";
  }
}
