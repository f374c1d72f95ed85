/**
 * `npm run pack`: the npm package, the wheel and the single executable, for users of a clone, in seconds. Leaves out
 * what takes Go or Helm, and trying what it made: `npm run release` does that.
 *
 * Invariant: a file in the folder of the result is whole, and an interrupted run has changed nothing.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { inRoot, root } from "./release/artefact.ts";
import { executableName, makeExecutableArgs, ownPlatform, PLATFORMS } from "./release/executable/platforms.ts";
import { InterruptedError, Workshop } from "./release/interruptible.ts";
import { npmTarball, wheel } from "./release/names.ts";
import { copyIntoTree, typesCommand } from "./release/npm-tree.ts";

const HELP = `Makes the npm package and the Python wheel of this clone.

Usage: npm run pack -- [--executable] [--out DIR]

  --executable  also the command as one file, which needs no Node; on Linux alone
  --out DIR     takes them; earlier versions of them there are removed (default: release)
  --help        this text

It needs Python 3.11 or newer with pip for the wheel, which is left out where there is none.
`;
const OLDEST_PYTHON = [3, 11];

/** Makes a file in the folder `to`. @returns its name, or undefined when it was left out */
type Make = (workshop: Workshop, to: string, version: string) => Promise<string | undefined>;

const makeTarball: Make = async (workshop, to, version) => {
  const { npm_execpath: npm } = process.env;
  if (npm === undefined) throw new Error("start it with `npm run pack`: it needs the npm that does so");
  const tree = join(workshop.folder, "npm");
  const [command, args] = typesCommand(tree);
  await workshop.run({ title: "types", command, args });
  copyIntoTree(tree, undefined);
  const packArgs = [npm, "pack", "--pack-destination", to, "--cache", join(workshop.folder, "cache")];
  await workshop.run({ title: "npm package", command: process.execPath, args: packArgs, cwd: tree });
  return npmTarball(version);
};

const makeWheel: Make = async (workshop, to, version) => {
  const problem = pythonProblem();
  if (problem !== undefined) {
    console.log(`wheel: left out, because ${problem}`);
    return undefined;
  }
  const args = ["-m", "pip", "wheel", "--no-deps", "--wheel-dir", to, inRoot("bindings/python")];
  await workshop.run({ title: "wheel", command: "python3", args });
  return wheel(version);
};

const makeExecutable: Make = async (workshop, to) => {
  const platform = ownPlatform();
  if (platform === undefined)
    throw new Error(`there is no executable for this machine; there are ${PLATFORMS.join(", ")}`);
  const name = executableName(platform);
  const args = makeExecutableArgs(platform, join(workshop.folder, "executable"), join(to, name));
  await workshop.run({ title: "executable", command: process.execPath, args });
  return name;
};

function pythonProblem(): string | undefined {
  const program = "import sys, pip; print(*sys.version_info[:2])";
  const { status, stdout } = spawnSync("python3", ["-c", program], { encoding: "utf8" });
  if (status !== 0) return "there is no python3 with pip";
  const [major, minor] = stdout.trim().split(" ").map(Number) as [number, number];
  const [oldestMajor, oldestMinor] = OLDEST_PYTHON as [number, number];
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `python3 is Python ${major}.${minor}, and it takes ${OLDEST_PYTHON.join(".")} or newer`;
}

/** Puts new files in place of those of other versions. */
function replace(from: string, to: string, names: readonly string[]): void {
  mkdirSync(to, { recursive: true });
  const families = [npmTarball, wheel].map((name) => name("*").split("*") as [string, string]);
  const isEarlier = (file: string): boolean =>
    families.some(([begin, end]) => file.startsWith(begin) && file.endsWith(end)) && !names.includes(file);
  for (const name of names) renameSync(join(from, name), join(to, name));
  for (const file of readdirSync(to).filter(isEarlier)) rmSync(join(to, file));
}

function useOf(path: string): string {
  if (path.endsWith(".whl")) return `pip install ${path}`;
  return path.endsWith(".tgz") ? `npm install ${path}` : `${path} --help`;
}

async function main(args: readonly string[]): Promise<void> {
  const options = {
    executable: { type: "boolean", default: false },
    out: { type: "string", default: join(root, "release") },
    help: { type: "boolean" },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return void process.stdout.write(HELP);
  if (process.env["STINT_ENGINE"] === "debug")
    throw new Error("STINT_ENGINE is debug, and packages have the release engine; unset it");
  const { version } = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as { readonly version: string };
  const out = resolve(values.out);
  await Workshop.use(`${out}.part-${process.pid}`, async (workshop) => {
    const made = join(workshop.folder, "out");
    mkdirSync(made);
    const names: string[] = [];
    for (const make of [makeTarball, makeWheel, ...(values.executable ? [makeExecutable] : [])]) {
      const name = await make(workshop, made, version);
      if (name !== undefined) names.push(name);
    }
    replace(made, out, names);
    for (const name of names) {
      const path = join(out, name);
      console.log(`${relative(root, path)}  ${statSync(path).size} bytes: ${useOf(path)}`);
    }
  });
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`pack: ${error instanceof Error ? error.message : error}`);
  process.exitCode = error instanceof InterruptedError ? error.exitStatus : 1;
}
