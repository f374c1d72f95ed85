/**
 * The data folder itself: it is created for this user alone. A folder that other users may write to is refused, because
 * they could put a database with their own token there. Other users may list a folder that existed before; its files
 * are closed to them (database.ts).
 */
import { mkdirSync, type Stats, statSync } from "node:fs";
import { UsageError, writeError } from "../usage-error.ts";

const WRITABLE_BY_OTHERS = 0o022;
const ROOT = 0;

/** Creates the folder if it does not exist. @throws UsageError, MachineError, when it cannot be used */
export function makePrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw writeError(`cannot make the folder ${path}`, error);
  }
  const problem = problemOfFolder(statSync(path), process.getuid?.());
  if (problem !== undefined) throw new UsageError(`the data folder ${path} ${problem}`);
}

/** @param user of this process; undefined: the system has no such users. Root may do everything anyway */
export function problemOfFolder(
  { uid, mode }: Pick<Stats, "uid" | "mode">,
  user: number | undefined,
): string | undefined {
  if (user === undefined) return undefined;
  if (uid !== user && uid !== ROOT)
    return `belongs to another user (${uid}; this is ${user}), who could replace what is in it; name a folder of this user with --data-dir`;
  if ((mode & WRITABLE_BY_OTHERS) === 0) return undefined;
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  return `has mode ${octal}, so other users could replace what is in it; close it with chmod go-w, or name one in it, which is made with mode 0700`;
}
