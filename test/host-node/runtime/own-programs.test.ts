/** Programs that Stint starts for itself are those of the system, whatever lies in the current folder. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findProgram } from "../../../host-node/runtime/command.ts";
import { files, read } from "../../tidy/sources.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stint-test-"));
  writeFileSync(join(folder, "mkfifo"), "#!/bin/sh\n");
  chmodSync(join(folder, "mkfifo"), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

it("the search for programs looks only in folders that the path names from the root", () => {
  const here = relative(process.cwd(), folder);
  const missing = { error: 'exec: "mkfifo": executable file not found in $PATH' };
  for (const path of ["", ":", ".", here, relative("/", folder), `:${here}:.`])
    expect(findProgram("mkfifo", path), path).toEqual(missing);
  expect(findProgram("mkfifo", `.:${here}:${folder}`)).toEqual({ path: join(folder, "mkfifo") });
});

/** A program that is started by its name alone: the system looks it up, also in the current folder. */
const BARE_NAME = /\b(?:spawn|spawnSync|execFile|execFileSync)\(\s*"[^/"]+"/;

it("the search for programs starts no program by its name alone", () => {
  const sources = files.filter((file) => file.startsWith("host-node/") && file.endsWith(".ts"));
  expect(sources.filter((file) => BARE_NAME.test(read(file)))).toEqual([]);
  expect(BARE_NAME.test('spawnSync("mkfifo", [])')).toBe(true);
  expect(BARE_NAME.test('spawn("/bin/sh", [])')).toBe(false);
});
