/**
 * Does everything that a command of this repository needs before it can run: installs dependencies, then builds from
 * source. With `--command-only`, for `npm start` and `npm run build`, it leaves out what only tests and the playground
 * need: the packages of `devDependencies`, and the smaller engine. The first command that needs these adds them. With
 * `--package`, for `npm run pack`, it leaves out that engine alone.
 *
 * Invariant: it only does what is out of date, by the hashes of the inputs, and prints one line for each step, which
 * grows while the step runs. If there is nothing to do, it is quick and silent. It is plain JavaScript without
 * dependencies, because it runs before they are installed, in any Node from 20 on. The builds run in the Node that is
 * one of the dependencies.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const at = (/** @type {string} */ path) => join(root, path);

const OLDEST_NODE = 20;
/** `--debug-engine` is for `npm run dev`: the engine is built in seconds, and is larger and slower. */
if (process.argv.includes("--debug-engine")) process.env.STINT_ENGINE = "debug";
const STAMPS = at("build/setup.json");
/** The most output of a step that is kept, in case it fails. */
const MAX_OUTPUT_LENGTH = 1024 * 1024;
const isWindows = process.platform === "win32";
const commandOnly = process.argv.includes("--command-only");
const withoutTests = commandOnly || process.argv.includes("--package");
/** A line shows that its step still runs: each second in a terminal, else more slowly. */
const TERMINAL_PROGRESS_MS = 1_000;
const PROGRESS_MS = 5_000;

/**
 * Large unused parts of packages, 85 MB: C++ headers for add-ons of Node, whose package is named after the platform,
 * and the commands of binaryen, whose library is used.
 */
const UNREAD = [
  { folder: "node_modules/node/node_modules", names: /^node-.*/, unread: "include" },
  { folder: "node_modules", names: /^binaryen$/, unread: "bin" },
];

const ENGINE_INPUTS = [
  "assembly",
  "asconfig.json",
  "scripts/debug-module.ts",
  "scripts/pack-text.ts",
  "scripts/wasm-sections.ts",
  "package-lock.json",
  "$STINT_ENGINE",
];
/**
 * The build steps: the script and its arguments, its inputs (files and folders, and `$NAME` for a variable), and its
 * outputs.
 */
const STEPS = [
  {
    name: "API schema",
    script: "scripts/build-schema.ts",
    inputs: ["cluster/apiserver/schema/schema-text.ts", "scripts/schema", "package-lock.json"],
    outputs: ["build/schema.json", "build/schema-served.json", "build/openapi.json", "build/kinds.ts"],
  },
  {
    name: "engine",
    script: "scripts/build-engine.ts",
    args: ["engine"],
    inputs: ENGINE_INPUTS,
    outputs: ["build/engine.wasm", "bindings/go/embedded/engine.wasm"],
  },
  {
    name: "command and library",
    script: "scripts/build.ts",
    inputs: [
      "scripts/bundle-options.ts",
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
  {
    name: "lists of panels",
    script: "scripts/build-panels.ts",
    inputs: ["host-browser/app/view/panels", "host-browser/history/panels"],
    outputs: ["build/panel-names.ts", "build/panel-components.ts", "build/panel-data.ts"],
    forTests: true,
  },
  {
    name: "pack of incidents",
    script: "scripts/build-incidents.ts",
    inputs: ["examples/incidents", "host-node/incidents", "scripts/incident-scenarios.ts"],
    outputs: ["build/incident-pack.ts"],
    forTests: true,
  },
  {
    name: "engine of the playground",
    script: "scripts/build-engine.ts",
    args: ["core"],
    inputs: ENGINE_INPUTS,
    outputs: ["build/core.wasm"],
    forTests: true,
  },
];

checkNode();
await installDependencies();
const stamps = readStamps();
for (const step of STEPS) if (!withoutTests || !step.forTests) await build(step);

function checkNode() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < OLDEST_NODE)
    fail(`this is Node ${process.versions.node}; allowed are ${OLDEST_NODE} and newer (https://nodejs.org)`);
}

/**
 * Installs the packages of package-lock.json. Correctly installed packages stay: those for tests are added to them,
 * which `npm ci` would not do.
 */
async function installDependencies() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  if (missing.every(({ dev }) => dev)) {
    await npm("adding what tests need", "install", "--no-save", "--include=dev");
  } else {
    // Packages for tests stay: the next test would fetch them again.
    const omit = commandOnly && !hasPackagesForTests() ? ["--omit=dev"] : ["--include=dev"];
    await npm("installing dependencies", "ci", ...omit);
  }
  removeUnread();
  const [first] = missingPackages();
  if (first !== undefined)
    fail(
      `npm did not install ${first.path} ${first.version}, which package-lock.json asks for; ` +
        "remove node_modules and try again; if that does not help, package.json and package-lock.json do not fit",
    );
}

/** @param {string} what @param {string[]} args */
async function npm(what, ...args) {
  // Use the npm that runs this script. In its path an old npm of a dependency would come first.
  const { npm_execpath: path = "" } = process.env;
  const [command, ...before] = path.endsWith(".js") ? ["node", path] : [isWindows ? "npm.cmd" : "npm"];
  await run(what, command, [...before, ...args, "--no-audit", "--no-fund"]);
}

/**
 * The packages of package-lock.json that are needed and not there, by npm's own copy of what is installed.
 * @returns {{ path: string, version: string, dev: boolean }[]}
 */
function missingPackages() {
  const hasNode = existsSync(at("node_modules/.bin/node"));
  const installed = hasNode ? installedPackages() : {};
  const wanted = JSON.parse(readFileSync(at("package-lock.json"), "utf8")).packages;
  return (
    Object.entries(wanted)
      .map(([path, { version, optional = false, dev = false, devOptional = false }]) => {
        return { path, version, optional, dev: dev || devOptional };
      })
      .filter(({ path, dev }) => path !== "" && !(dev && commandOnly))
      // Optional packages may be missing: they are for other platforms.
      .filter(({ path, version, optional }) => installed[path]?.version !== version && !(optional && !installed[path]))
  );
}

/** @returns {Record<string, { version: string, dev?: boolean }>} */
function installedPackages() {
  try {
    return JSON.parse(readFileSync(at("node_modules/.package-lock.json"), "utf8")).packages;
  } catch {
    return {};
  }
}

function hasPackagesForTests() {
  return Object.values(installedPackages()).some(({ dev }) => dev);
}

function removeUnread() {
  for (const { folder, names, unread } of UNREAD) {
    const found = existsSync(at(folder)) ? readdirSync(at(folder)) : [];
    for (const name of found.filter((each) => names.test(each)))
      rmSync(join(at(folder), name, unread), { recursive: true, force: true });
  }
}

/** @param {typeof STEPS[number]} step */
async function build({ name, script, args = [], inputs, outputs }) {
  const hash = hashOf([script, ...inputs]);
  if (stamps[name] === hash && outputs.every((path) => existsSync(at(path)))) return;
  const node = at(isWindows ? "node_modules/.bin/node.exe" : "node_modules/.bin/node");
  await run(`building the ${name}`, node, [at(script), ...args]);
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
 * Runs a command to its end, and shows progress meanwhile. Its output is shown only if it fails.
 * @param {string} what @param {string} command @param {string[]} args
 */
async function run(what, command, args) {
  const begin = process.hrtime.bigint();
  const seconds = () => Number(process.hrtime.bigint() - begin) / 1e9;
  const { isTTY } = process.stdout;
  process.stdout.write(`${what}…`);
  const progress = setInterval(
    () => process.stdout.write(isTTY ? `\r${what}… ${seconds().toFixed(0)} s` : "."),
    isTTY ? TERMINAL_PROGRESS_MS : PROGRESS_MS,
  );
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], shell: isWindows });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (output = (output + text).slice(-MAX_OUTPUT_LENGTH)));
  const problem = await new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => resolve(code === 0 ? undefined : (signal ?? `exit code ${code}`)));
  });
  clearInterval(progress);
  console.log(`${isTTY ? `\r${what}…` : ""} ${seconds().toFixed(1)} s`);
  if (problem !== undefined) fail(`${what} failed: ${problem}\n${output}`);
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(`setup: ${message}`);
  process.exit(1);
}
