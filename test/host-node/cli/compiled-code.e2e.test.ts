/** What V8 has compiled is kept between starts of a cluster for tests, where no other user may write. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { buildModule } from "../../../scripts/build-engine.ts";
import { type Ended, runStint } from "../serving.ts";

let caches: string;
let folder: string;
beforeAll(() => buildModule("engine"));
beforeEach(() => {
  caches = mkdtempSync(join(tmpdir(), "stint-compiled-"));
  folder = join(caches, "stint", "compiled");
});
afterEach(() => rmSync(caches, { recursive: true }));

/** Starts a server, whose standard input is closed already; so it ends as soon as it serves. */
function serve(flags: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...environment } = process.env;
  const env = { ...environment, XDG_CACHE_HOME: caches, NODE_COMPILE_CACHE: undefined, ...more };
  return runStint(["serve", ...flags, "--until-stdin-closes"], caches, { env });
}

const files = (): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" });

it("a cluster for tests keeps what was compiled, for its user alone", async () => {
  const { exit, err } = await serve(["--control"]);
  expect([exit, err]).toEqual([0, ""]);
  expect(files().length).toBeGreaterThan(10);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it("another server keeps nothing", async () => {
  expect((await serve([])).exit).toBe(0);
  expect(readdirSync(caches)).toEqual([]);
});

it("a folder that others may write to is not used", async () => {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  expect((await serve(["--control"])).exit).toBe(0);
  expect(files()).toEqual([]);
});

it("a folder that cannot be made costs nothing but time", async () => {
  writeFileSync(join(caches, "stint"), "");
  const { exit, err } = await serve(["--control"]);
  expect([exit, err]).toEqual([0, ""]);
});

it("what earlier versions have left behind is removed when it is much", async () => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let i = 0; i <= 2000; i++) writeFileSync(join(folder, `left-${i}`), "");
  expect((await serve(["--control"])).exit).toBe(0);
  expect(files().filter((name) => name.startsWith("left-"))).toEqual([]);
  expect(files().length).toBeGreaterThan(10);
});
