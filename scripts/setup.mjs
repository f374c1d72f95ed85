/**
 * Does everything that a command of this repository needs before it can run: installs dependencies, then builds from
 * source.
 *
 * Invariant: it only does what is out of date, by the hashes of the inputs, and prints one line for each step. If there
 * is nothing to do, it is quick and silent. It is plain JavaScript without dependencies, because it runs before they
 * are installed, in any Node from 20 on. The builds run in the Node that is one of the dependencies.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const at = (/** @type {string} */ path) => join(root, path);

const OLDEST_NODE = 20;
/** `--debug-engine` is for `npm run dev`: the engine is built in seconds, and is larger and slower. */
if (process.argv.includes("--debug-engine")) process.env.STINT_ENGINE = "debug";
const STAMPS = at("build/setup.json");
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const isWindows = process.platform === "win32";

/** The build steps: the script, its inputs (files and folders, and `$NAME` for a variable), and its outputs. */
const STEPS = [
  {
    name: "API schema",
    script: "scripts/build-schema.ts",
    inputs: ["cluster/apiserver/schema/schema-text.ts", "scripts/schema", "package-lock.json"],
    outputs: ["build/schema.json", "build/schema-served.json", "build/openapi.json"],
  },
  {
    name: "engine",
    script: "scripts/build-engine.ts",
    inputs: [
      "assembly",
      "asconfig.json",
      "scripts/debug-module.ts",
      "scripts/pack-text.ts",
      "scripts/unvisited-text.ts",
      "scripts/wasm-sections.ts",
      "package-lock.json",
      "$STINT_ENGINE",
    ],
    outputs: ["build/engine.wasm", "build/core.wasm", "bindings/go/embedded/engine.wasm"],
  },
  {
    name: "command and library",
    script: "scripts/build.ts",
    inputs: [
      "bindings/js",
      "cluster",
      "host-node",
      "package.json",
      "package-lock.json",
      "build/engine.wasm",
      "build/schema.json",
      "build/schema-served.json",
      "build/openapi.json",
    ],
    outputs: ["dist/stint.mjs", "dist/engine.wasm", "dist/openapi.json"],
  },
];

checkNode();
installDependencies();
const stamps = readStamps();
for (const step of STEPS) build(step);

function checkNode() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < OLDEST_NODE)
    fail(`this is Node ${process.versions.node}; allowed are ${OLDEST_NODE} and newer (https://nodejs.org)`);
}

/** Runs `npm ci`, unless the installed packages are those of the lock file. */
function installDependencies() {
  if (isInstalled()) return;
  // Use the npm that runs this script. In its path an old npm of a dependency would come first.
  const { npm_execpath: npm = "" } = process.env;
  const [command, ...args] = npm.endsWith(".js") ? ["node", npm] : [isWindows ? "npm.cmd" : "npm"];
  run("installing dependencies", command, [...args, "ci", "--no-audit", "--no-fund"]);
}

/** Compares package-lock.json with npm's own copy of what is installed. */
function isInstalled() {
  const installedLock = at("node_modules/.package-lock.json");
  if (!existsSync(installedLock) || !existsSync(at("node_modules/.bin/node"))) return false;
  const wanted = JSON.parse(readFileSync(at("package-lock.json"), "utf8")).packages;
  const installed = JSON.parse(readFileSync(installedLock, "utf8")).packages;
  // Optional packages may be missing: they are for other platforms.
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === "" || installed[path]?.version === version || (optional && !installed[path]),
  );
}

/** @param {typeof STEPS[number]} step */
function build({ name, script, inputs, outputs }) {
  const hash = hashOf([script, ...inputs]);
  if (stamps[name] === hash && outputs.every((path) => existsSync(at(path)))) return;
  run(`building the ${name}`, at(isWindows ? "node_modules/.bin/node.exe" : "node_modules/.bin/node"), [at(script)]);
  // Store the hash of the inputs from before the build. If a source has changed meanwhile, the next run builds it.
  stamps[name] = hash;
  mkdirSync(dirname(STAMPS), { recursive: true });
  writeFileSync(STAMPS, JSON.stringify(stamps, null, 2));
}

/** @param {string[]} paths */
function hashOf(paths) {
  const hash = createHash("sha256");
  for (const path of paths) addTo(hash, path);
  return hash.digest("hex");
}

/** @param {import("node:crypto").Hash} hash @param {string} path */
function addTo(hash, path) {
  if (path.startsWith("$")) {
    hash.update(`${path}=${process.env[path.slice(1)] ?? ""}\0`);
    return;
  }
  let entries;
  try {
    entries = readdirSync(at(path)).sort();
  } catch {
    hash
      .update(`${path}\0`)
      .update(existsSync(at(path)) ? readFileSync(at(path)) : "")
      .update("\0");
    return;
  }
  for (const entry of entries) addTo(hash, `${path}/${entry}`);
}

/** @returns {Record<string, string>} */
function readStamps() {
  try {
    return JSON.parse(readFileSync(STAMPS, "utf8"));
  } catch {
    return {};
  }
}

/**
 * Runs a command to its end. Its output is shown only if it fails. @param {string} what @param {string} command
 * @param {string[]} args
 */
function run(what, command, args) {
  process.stdout.write(`${what}…`);
  const begin = process.hrtime.bigint();
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT_BYTES,
    shell: isWindows,
  });
  console.log(` ${(Number(process.hrtime.bigint() - begin) / 1e9).toFixed(1)} s`);
  if (status !== 0) fail(`${what} failed: ${error?.message ?? `exit code ${status}`}\n${stdout ?? ""}${stderr ?? ""}`);
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(`setup: ${message}`);
  process.exit(1);
}
