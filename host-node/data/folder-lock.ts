/**
 * Keeps a second server out of a data folder. The lock is one of SQLite, on a file of its own, so it ends with the
 * process, however that ends. `stint.db` itself is not locked: others may read it, and make copies of it.
 */
import { DatabaseSync } from "node:sqlite";
import { MachineError, UsageError } from "../usage-error.ts";
import { makeFile } from "./database.ts";

const SQLITE_BUSY = 5;

/** @returns a function that lets the folder go. @throws UsageError when another server has it, MachineError */
export function lockFolder(folder: string): () => void {
  const file = `${folder}/lock`;
  // Whoever can read it can lock it, too.
  makeFile(file);
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file);
    // Nothing is ever written, so there is no need of a file to take it back.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return () => lock!.close();
  } catch (error) {
    lock?.close();
    const { errcode = 0, message } = error as Error & { errcode?: number };
    if ((errcode & 0xff) !== SQLITE_BUSY) throw new MachineError(`cannot lock ${file}: ${message}`);
    throw new UsageError(`${folder} is in use by another stint serve; end that one, or name another with --data-dir`);
  }
}
