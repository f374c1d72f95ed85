/** `npm run pack`: whole packages, nothing half after Ctrl-C, and `npm pack` says what to do instead. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { npmTarball, wheel } from "../../scripts/release/names.ts";

const root = resolve(import.meta.dirname, "../..");
/** Another npm may come first in the path of tests, from a dependency. */
const PATH = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);
const { npm_command: _, ...rest } = process.env;
const env = { ...rest, PATH };

let folder: string;
let out: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stint-pack-"));
  out = join(folder, "out");
});
afterEach(() => rmSync(folder, { recursive: true }));

const list = (command: string, ...args: readonly string[]): readonly string[] =>
  spawnSync(command, args, { encoding: "utf8" }).stdout.trim().split("\n");

it("makes the npm package and the wheel, in place of those of an earlier version, and leaves no other file", () => {
  const first = spawnSync("npm", ["run", "pack", "--", "--out", out], { cwd: root, encoding: "utf8", env });
  expect(first.stderr).toBe("");
  expect(first.status).toBe(0);
  const names = [npmTarball(packageJson.version), wheel(packageJson.version)];
  expect(readdirSync(folder)).toEqual(["out"]);
  expect(readdirSync(out).toSorted()).toEqual(names);
  const inTarball = list("tar", "-tzf", join(out, names[0]!));
  for (const file of ["dist/stint.mjs", "dist/engine.wasm", "dist/types/bindings/js/index.d.ts", "README.md"])
    expect(inTarball).toContain(`package/${file}`);
  expect(list("python3", "-m", "zipfile", "-l", join(out, names[1]!)).join()).toContain("stint/engine.wasm");

  for (const file of [npmTarball("0.0.1"), "notes.txt"]) writeFileSync(join(out, file), "");
  expect(spawnSync("npm", ["run", "pack", "--", "--out", out], { cwd: root, env }).status).toBe(0);
  expect(readdirSync(out).toSorted()).toEqual(["notes.txt", ...names]);
}, 240_000);

it("leaves nothing when it is interrupted, and ends what it has started", async () => {
  const npm = spawn("npm", ["run", "pack", "--", "--out", out], { cwd: root, env, detached: true });
  let said = "";
  const begins = new Promise<void>((begin) =>
    npm.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("npm package…")) begin();
    }),
  );
  npm.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(npm, "close");
  await begins;
  const [part] = readdirSync(folder);
  expect(part).toMatch(/^out\.part-\d+$/);
  // As the terminal does.
  process.kill(-npm.pid!, "SIGINT");
  await ended;
  expect(said).toContain("pack: interrupted; nothing was changed");
  expect(readdirSync(folder)).toEqual([]);
  expect(list("ps", "-eo", "args").filter((line) => line.includes(join(folder, part!)))).toEqual([]);
}, 120_000);

it("refuses `npm pack`, which would pack the sources", () => {
  const { status, stderr, stdout } = spawnSync("npm", ["pack", "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
    env,
  });
  expect(status).toBe(1);
  expect(`${stdout}${stderr}`).toContain("`npm run pack` makes the package, in release/");
  expect(readdirSync(folder)).toEqual([]);
});
