/** What V8 has compiled is kept between starts of any command, where no other user may write. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { buildModule } from "../../../scripts/build-engine.ts";
import { BUNDLE, type Ended, runStint } from "../serving.ts";

let caches: string;
let folder: string;
beforeAll(() => buildModule("engine"));
beforeEach(() => {
  caches = mkdtempSync(join(tmpdir(), "stint-compiled-"));
  folder = join(caches, "stint", "compiled");
});
afterEach(() => rmSync(caches, { recursive: true }));

/** Runs a command in the folder of the caches, without what this process knows of a compile cache. */
function stint(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...environment } = process.env;
  const env = { ...environment, XDG_CACHE_HOME: caches, NODE_COMPILE_CACHE: undefined, ...more };
  return runStint(args, caches, { env, main: BUNDLE });
}

/** Starts a server, whose standard input is closed already; so it ends as soon as it serves. */
const serve = (...flags: readonly string[]): Promise<Ended> => stint(["serve", ...flags, "--until-stdin-closes"]);

const files = (): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" });

it.each([["serve", "--control", "--until-stdin-closes"], ["--version"]])(
  "what was compiled is kept for its user alone: stint %s",
  async (...args) => {
    const { exit, err } = await stint(args);
    expect([exit, err]).toEqual([0, ""]);
    expect(files().length).toBeGreaterThan(10);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  },
);

it.each(["controller", "webhook"])("a program that runs for long keeps nothing: stint %s", async (command) => {
  expect((await stint([command, "--help"])).exit).toBe(0);
  expect(readdirSync(caches)).toEqual([]);
});

it.each<NodeJS.ProcessEnv>([
  { NODE_DISABLE_COMPILE_CACHE: "1" },
  { XDG_CACHE_HOME: "caches", HOME: "home" },
  { XDG_CACHE_HOME: "", HOME: "" },
])("nothing is touched with %o", async (environment) => {
  const { exit, err } = await stint(["--version"], environment);
  expect([exit, err]).toEqual([0, ""]);
  expect(readdirSync(caches)).toEqual([]);
});

it("a folder that $NODE_COMPILE_CACHE names is used instead", async () => {
  const other = join(caches, "other");
  expect((await stint(["--version"], { NODE_COMPILE_CACHE: other })).exit).toBe(0);
  expect(readdirSync(caches)).toEqual(["other"]);
});

it.skipIf(process.getuid?.() === 0)("a folder that cannot be written costs nothing but time", async () => {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o500);
  const { exit, err } = await stint(["--version"]);
  expect([exit, err, files()]).toEqual([0, "", []]);
});

it("a folder that others may write to is not used", async () => {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  expect((await serve("--control")).exit).toBe(0);
  expect(files()).toEqual([]);
});

it("a folder that cannot be made costs nothing but time", async () => {
  writeFileSync(join(caches, "stint"), "");
  const { exit, err } = await serve("--control");
  expect([exit, err]).toEqual([0, ""]);
});

it("what earlier versions have left behind is removed when it is much", async () => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let i = 0; i <= 2000; i++) writeFileSync(join(folder, `left-${i}`), "");
  expect((await serve("--control")).exit).toBe(0);
  expect(files().filter((name) => name.startsWith("left-"))).toEqual([]);
  expect(files().length).toBeGreaterThan(10);
});
