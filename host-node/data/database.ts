/**
 * The file `stint.db` of a data folder: SQLite, from Node itself. It has a row for each object, with the text that
 * clients read; the latest revision; and the identity of the server, such as its token.
 *
 * Invariant: what `commit` was given is on the disk when it returns, all of it or nothing. The file is checked before
 * anything is changed in it, so a file that is damaged, foreign or newer stays as it is. Leaves out what is saved, and
 * when.
 */
import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { MachineError, UsageError, writeError } from "../usage-error.ts";

/** The version of the tables below. A version that reads older ones, too, has a higher number. */
const FORMAT = 1;
/** Names the owner in the file's header: "Stin". */
const APPLICATION_ID = 0x5374696e;
/** How long a commit waits for a user who writes into the file by hand. */
const BUSY_TIMEOUT_MS = 5_000;
/** The mode of files: this user alone reads and writes them. */
const PRIVATE = 0o600;
/** After a burst of writes the log of SQLite shrinks to this. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;

const TABLES = `
  CREATE TABLE object (resource TEXT, key TEXT, revision INTEGER, text TEXT, PRIMARY KEY (resource, key)) STRICT;
  CREATE TABLE property (name TEXT PRIMARY KEY, value TEXT) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};`;

/** Of SQLite: https://www.sqlite.org/rescode.html */
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

export interface Row {
  readonly resource: string;
  readonly key: string;
  readonly revision: number;
  /** JSON. */
  readonly text: string;
}

/** A write of an object; without a text it is a deletion. */
export type Change = Omit<Row, "text"> & { readonly text: string | undefined };

export class Database {
  readonly #file: string;
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #setProperty: StatementSync;

  /** Opens the file, or makes it, for this user alone. @throws UsageError, MachineError */
  constructor(file: string) {
    this.#file = file;
    makeFile(file);
    inWords(file, () => closeToOthers(file));
    const isNew = inWords(file, () => inspect(file));
    this.#database = inWords(file, () => open(file, isNew));
    this.#put = this.#database.prepare(
      "INSERT INTO object VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET revision = excluded.revision, text = excluded.text",
    );
    this.#delete = this.#database.prepare("DELETE FROM object WHERE resource = ? AND key = ?");
    this.#setProperty = this.#database.prepare("INSERT OR REPLACE INTO property VALUES (?, ?)");
  }

  /** The latest that was committed, also of a deletion. */
  get revision(): number {
    return Number(this.property("revision") ?? 0);
  }

  /** All objects, in the order of their revisions. */
  *rows(): Generator<Row> {
    const statement = this.#database.prepare("SELECT resource, key, revision, text FROM object ORDER BY revision");
    yield* statement.iterate() as unknown as Iterable<Row>;
  }

  property(name: string): string | undefined {
    const row = this.#database.prepare("SELECT value FROM property WHERE name = ?").get(name);
    return row?.["value"] as string | undefined;
  }

  setProperty(name: string, value: string): void {
    inWords(this.#file, () => this.#setProperty.run(name, value));
  }

  /** @param revision the latest of the changes. @throws MachineError when they are not on the disk */
  commit(changes: Iterable<Change>, revision: number): void {
    inWords(this.#file, () => {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const { resource, key, revision: own, text } of changes)
        if (text === undefined) this.#delete.run(resource, key);
        else this.#put.run(resource, key, own, text);
      this.#setProperty.run("revision", String(revision));
      this.#database.exec("COMMIT");
    });
  }

  close(): void {
    this.#database.close();
  }
}

/** Creates a file for this user alone, unless it exists. */
export function makeFile(file: string): void {
  try {
    closeSync(openSync(file, "ax", PRIVATE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw writeError(`cannot write ${file}`, error);
  }
}

/** A copy may have come with other modes. SQLite gives its other files the mode of this one. */
function closeToOthers(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(each)) chmodSync(each, PRIVATE);
}

/** Reads the file without a change to it. @returns whether nothing is in it yet */
function inspect(file: string): boolean {
  if (statSync(file).size === 0) return true;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const numberOf = (statement: string): number => Number(Object.values(database.prepare(statement).get()!)[0]);
    const isEmpty = numberOf("SELECT count(*) FROM sqlite_schema") === 0;
    if (!isEmpty && numberOf("PRAGMA application_id") !== APPLICATION_ID)
      throw new UsageError(`${file} is a database of another program; name another folder with --data-dir`);
    const format = numberOf("PRAGMA user_version");
    if (format > FORMAT)
      throw new UsageError(
        `${file} has format ${format}, and this version of stint reads up to ${FORMAT}: a newer version has written it; run that one, or name another folder with --data-dir`,
      );
    const found = Object.values(database.prepare("PRAGMA quick_check(1)").get()!)[0];
    if (found !== "ok") throw new MachineError(damaged(file, String(found).split("\n").at(-1)!));
    return isEmpty;
  } finally {
    database.close();
  }
}

function open(file: string, isNew: boolean): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  // FULL: each commit waits for the disk. fullfsync: on macOS for the disk, not for its cache.
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA journal_size_limit = ${MAX_LOG_BYTES}`,
  );
  if (isNew) database.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT`);
  return database;
}

function inWords<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof UsageError || error instanceof MachineError) throw error;
    const { errcode = 0, message } = error as Error & { errcode?: number };
    // The lower byte is the error code; the others add details.
    if ([SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff)) throw new MachineError(damaged(file, message));
    throw new MachineError(`${file}: ${message}`);
  }
}

export function damaged(file: string, what: string): string {
  return `${file} is damaged (${what}), and nothing was changed in it; put a copy in its place, or name another folder with --data-dir`;
}
