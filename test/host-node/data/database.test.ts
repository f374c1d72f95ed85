/** The file of a data folder: what it keeps, and that a file that it cannot read stays as it is. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { type Change, Database } from "../../../host-node/data/database.ts";
import { newPath } from "./folders.ts";

function newFile(): string {
  const file = `${newPath()}/stint.db`;
  mkdirSync(dirname(file));
  return file;
}

const pod = (name: string, revision: number, text: string | undefined): Change => ({
  resource: "pods",
  key: `default/${name}`,
  revision,
  text,
});

describe("the database", () => {
  test("keeps the latest version of each object, and the latest revision, also of a deletion", () => {
    const file = newFile();
    const database = new Database(file);
    database.commit([pod("a", 2, "1"), pod("b", 3, "2")], 3);
    database.commit([pod("a", 4, "3")], 4);
    database.commit([pod("b", 5, undefined)], 5);
    database.close();
    const again = new Database(file);
    expect([...again.rows()]).toEqual([{ resource: "pods", key: "default/a", revision: 4, text: "3" }]);
    expect(again.revision).toBe(5);
    again.close();
  });

  test("keeps all of a commit or nothing", () => {
    const file = newFile();
    const database = new Database(file);
    database.commit([pod("a", 2, "1")], 2);
    expect(() => database.commit([pod("a", 3, "2"), pod("b", 4, Symbol() as never)], 4)).toThrow();
    database.close();
    const again = new Database(file);
    expect([...again.rows()]).toMatchObject([{ revision: 2, text: "1" }]);
    expect(again.revision).toBe(2);
    again.close();
  });

  test("is a file of this user alone, with all that SQLite puts beside it", () => {
    const file = newFile();
    const database = new Database(file);
    database.commit([pod("a", 2, "1")], 2);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o777).toBe(0o600);
    database.close();
  });
});

test("a copy that came with another mode is closed to others", () => {
  const file = newFile();
  new Database(file).close();
  for (const name of [file, `${file}-wal`]) {
    writeFileSync(name, "", { flag: "a" });
    chmodSync(name, 0o644);
  }
  const database = new Database(file);
  database.commit([pod("a", 2, "1")], 2);
  for (const name of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(name).mode & 0o777).toBe(0o600);
  database.close();
});

describe("a file that cannot be read stays as it is:", () => {
  /** Opens the file, and sees what it says of it. */
  function refused(file: string): string {
    const before = readFileSync(file);
    let said = "";
    try {
      new Database(file).close();
    } catch (error) {
      said = (error as Error).message;
    }
    expect(readFileSync(file).equals(before)).toBe(true);
    return said.replaceAll(file, "FILE");
  }

  test("one of a newer version", () => {
    const file = newFile();
    new Database(file).close();
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 2");
    database.close();
    expect(refused(file)).toBe(
      "FILE has format 2, and this version of stint reads up to 1: a newer version has written it; run that one, or name another folder with --data-dir",
    );
  });

  test("one of another program", () => {
    const file = newFile();
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE t (a)");
    database.close();
    expect(refused(file)).toBe("FILE is a database of another program; name another folder with --data-dir");
  });

  test("one that is no database", () => {
    const file = newFile();
    writeFileSync(file, "objects: []\n".repeat(100));
    expect(refused(file)).toBe(
      "FILE is damaged (file is not a database), and nothing was changed in it; put a copy in its place, or name another folder with --data-dir",
    );
  });

  test("one with damaged pages", () => {
    const file = newFile();
    const database = new Database(file);
    database.commit(
      Array.from({ length: 500 }, (_, i) => pod(`p${i}`, i + 2, "x".repeat(1000))),
      501,
    );
    database.close();
    const bytes = readFileSync(file);
    bytes.fill(0xff, 40_000, 60_000);
    writeFileSync(file, bytes);
    expect(refused(file)).toMatch(/^FILE is damaged \(Tree .+\), and nothing was changed in it/);
  });
});

test("a log that ends in the middle of a commit is read up to the commit before", () => {
  const file = newFile();
  const database = new Database(file);
  const log = `${file}-wal`;
  const sizes = [0];
  for (let revision = 2; revision < 12; revision++) {
    database.commit([pod("a", revision, `${revision}`.padStart(9_000, " "))], revision);
    sizes.push(statSync(log).size);
  }
  const bytes = readFileSync(log);
  for (const [commits, size] of sizes.slice(0, -1).entries()) {
    const copy = newFile();
    writeFileSync(copy, readFileSync(file));
    writeFileSync(`${copy}-wal`, bytes.subarray(0, Math.floor((size + sizes[commits + 1]!) / 2)));
    const read = new Database(copy);
    expect(read.revision).toBe(commits === 0 ? 0 : commits + 1);
    read.close();
  }
  database.close();
});
