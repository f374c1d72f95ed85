/**
 * The file of `--token-auth-file`, which is that of the real API server: a user a line, as CSV: token, name, uid, and
 * groups, which are quoted if they are several. Empty lines, and lines that begin with `#`, say nothing.
 */
import { readFileSync } from "node:fs";
import { AUTHENTICATED } from "../../cluster/apiserver/access/users.ts";
import type { User } from "../../cluster/apiserver/contract/context.ts";
import { readProblem, UsageError } from "../usage-error.ts";
import type { Authenticate } from "./guard.ts";

/** Far more than a file that a person writes. */
const MAX_FILE_BYTES = 1024 * 1024;
/** A field and a comma: in quotes, where two quotes mean one, or without. */
const FIELD = /\s*(?:"((?:[^"]|"")*)"|([^,"]*))\s*,/y;
const WANTED = 'token,name,uid or token,name,uid,"group1,group2"';

/** @throws UsageError when the file cannot be read, or a line is no user's */
export function readTokenFile(path: string): Authenticate {
  const users = new Map<string, User>();
  for (const [index, line] of readLines(path).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const where = `line ${index + 1} of ${path}`;
    const [token = "", name = "", uid = "", groups = ""] = fieldsOf(line, where);
    if (token === "" || name === "")
      throw new UsageError(`${where} has no ${token === "" ? "token" : "name"}; a line is ${WANTED}`);
    if (users.has(token)) throw new UsageError(`the token of ${where} is that of a line before; each user has its own`);
    const own = groups.split(",").filter((group) => group !== "");
    users.set(token, { name, uid, groups: [...own, AUTHENTICATED] });
  }
  return (token) => users.get(token);
}

function readLines(path: string): string[] {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= MAX_FILE_BYTES) return bytes.toString().split(/\r?\n/);
  } catch (error) {
    throw new UsageError(`cannot read the token file ${path}: ${readProblem(error)}`);
  }
  throw new UsageError(`the token file ${path} is larger than ${MAX_FILE_BYTES} bytes; name another one`);
}

function fieldsOf(line: string, where: string): string[] {
  const fields: string[] = [];
  for (FIELD.lastIndex = 0; FIELD.lastIndex <= line.length;) {
    const [, quoted, plain = ""] = FIELD.exec(`${line},`) ?? [];
    if (FIELD.lastIndex === 0) throw new UsageError(`${where} is not CSV; a line is ${WANTED}`);
    fields.push(quoted?.replaceAll('""', '"') ?? plain.trim());
  }
  if (fields.length < 3) throw new UsageError(`${where} has ${fields.length} fields; a line is ${WANTED}`);
  return fields;
}
