/** `./stint` of a source tree: the Node and the command of set-up, with the caller's arguments; or what is missing. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const STINT = resolve(import.meta.dirname, "../../stint");

/** A source tree whose name has a space, and what is beside it. */
let parent: string;
let tree: string;
beforeEach(() => {
  parent = realpathSync(mkdtempSync(join(tmpdir(), "stint-command-")));
  tree = join(parent, "source tree");
  mkdirSync(tree);
  cpSync(STINT, join(tree, "stint"));
});
afterEach(() => rmSync(parent, { recursive: true }));

/** A Node that prints its folder and arguments, one a line, and ends with status 3. */
function setUp(): void {
  for (const folder of ["node_modules/.bin", "dist"]) mkdirSync(join(tree, folder), { recursive: true });
  const node = join(tree, "node_modules/.bin/node");
  writeFileSync(node, '#!/bin/sh\npwd\nfor each in "$@"; do echo "<$each>"; done\nexit 3\n');
  chmodSync(node, 0o755);
  writeFileSync(join(tree, "dist/stint.mjs"), "");
}

const call = (path: string, ...args: readonly string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(path, args, { cwd: parent, encoding: "utf8" });

it("./stint runs the command in the Node of set-up, in the caller's folder and with the caller's arguments", () => {
  setUp();
  const args = ["run", "two words", "", "*"];
  expect(call(join(tree, "stint"), ...args)).toMatchObject({
    status: 3,
    stdout: [parent, `<${tree}/dist/stint.mjs>`, ...args.map((arg) => `<${arg}>`), ""].join("\n"),
    stderr: "",
  });
});

it("./stint finds its source tree through symbolic links, relative and absolute", () => {
  setUp();
  mkdirSync(join(parent, "bin"));
  symlinkSync("../source tree/stint", join(parent, "bin/relative"));
  symlinkSync(join(parent, "bin/relative"), join(parent, "absolute"));
  expect(call("./absolute", "--version")).toMatchObject({ status: 3, stderr: "" });
  expect(call("bin/relative").stdout).toContain("source tree/dist/stint.mjs>\n");
});

it("./stint says what is missing and what to do before set-up", () => {
  const sentence = (path: string): string =>
    `stint: ${tree}/${path} is missing, because this source tree is not set up; run \`npm start\` in ${tree}\n`;
  expect(call(join(tree, "stint"), "run")).toMatchObject({
    status: 74,
    stdout: "",
    stderr: sentence("node_modules/.bin/node"),
  });
  setUp();
  rmSync(join(tree, "dist"), { recursive: true });
  expect(call(join(tree, "stint"), "run")).toMatchObject({
    status: 74,
    stdout: "",
    stderr: sentence("dist/stint.mjs"),
  });
});

it("./stint is the command of this source tree", () => {
  const version = spawnSync(STINT, ["--version"], { encoding: "utf8" });
  const { stdout } = spawnSync(process.execPath, [resolve(STINT, "../dist/stint.mjs"), "--version"], {
    encoding: "utf8",
  });
  expect(version).toMatchObject({ status: 0, stdout, stderr: "" });
});
