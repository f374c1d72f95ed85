/**
 * `npm run paths`: four people's first minutes with what `npm run pack -- --executable` makes, each in an empty folder
 * with empty caches, and how long each takes beside its aim. It fetches other packages from their registries, so its
 * times are those of this machine and network: no test asserts them.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { inRoot } from "./release/artefact.ts";
import { executableName, ownPlatform } from "./release/executable/platforms.ts";
import { npmTarball, wheel } from "./release/names.ts";

const HELP = `Times four people's first minutes with the packages of release/.

Usage: npm run paths -- [--from DIR] [WORD]

  --from DIR  the packages (default: release)
  WORD        only the paths whose names have it: file, npm, vitest, pytest, Go
`;
const MANIFEST = "examples/hello.yaml";
const GO_MODULE = "github.com/stint-dev/stint/bindings/go/stinttest";
/** Of what a failed step printed. */
const SHOWN_LINES = 15;
const OF_NODE = new Set(["node", "nodejs", "npm", "npx", "stint"]);

interface Artefacts {
  readonly tarball: string;
  readonly wheel: string;
  readonly executable: string;
}

interface Path {
  readonly name: string;
  readonly aimSeconds: number;
  /** A folder that is the user's project; else it is empty. */
  readonly project?: string;
  /** Lines of a shell in the user's folder. */
  readonly steps: readonly string[];
  /** Undefined: the user has no Node. */
  readonly node?: string;
  readonly environment?: NodeJS.ProcessEnv;
}

const pathsWith = ({ tarball, wheel, executable }: Artefacts): readonly Path[] => [
  {
    name: "command, as one file",
    aimSeconds: 10,
    steps: [`cp ${executable} stint`, `./stint lint job.yaml`, `./stint run --runtime simulated job.yaml`],
  },
  {
    name: "command, from npm",
    aimSeconds: 10,
    steps: [`npm install --no-audit --no-fund ${tarball}`, `npx stint run --runtime simulated job.yaml`],
    node: dirname(process.execPath),
  },
  {
    name: "vitest",
    aimSeconds: 30,
    project: "examples/testing/vitest",
    steps: [`npm install --no-audit --no-fund ${tarball}`, "npx vitest run"],
    node: dirname(process.execPath),
  },
  {
    name: "pytest, without Node",
    aimSeconds: 60,
    project: "examples/testing/pytest",
    steps: ["python3 -m venv .venv", `.venv/bin/pip install '${wheel}[testing]' kubernetes`, ".venv/bin/pytest"],
    environment: { STINT_COMMAND: executable },
  },
  {
    name: "Go, cold",
    aimSeconds: 180,
    project: "examples/testing/go",
    steps: [`go mod edit -replace ${GO_MODULE}=${inRoot("bindings/go/stinttest")}`, "go test ./..."],
    environment: { STINT_COMMAND: executable, GOFLAGS: "-modcacherw" },
  },
];
/** Runs the steps. @returns the seconds of each, as far as they went, and what the one printed that failed */
function walk({ project, steps, node, environment }: Path): { seconds: number[]; failure: string | undefined } {
  const folder = mkdtempSync(join(tmpdir(), "stint-path-"));
  try {
    const home = join(folder, "user");
    if (project === undefined) mkdirSync(home);
    else cpSync(inRoot(project), home, { recursive: true, filter: (path) => !path.endsWith("/node_modules") });
    cpSync(inRoot(MANIFEST), join(home, "job.yaml"));
    const env = {
      ...process.env,
      ...cachesIn(join(folder, "cache")),
      ...environment,
      PATH: pathOf(join(folder, "bin"), node),
    };
    const seconds: number[] = [];
    for (const step of steps) {
      const beganMs = performance.now();
      const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", step], { cwd: home, env, encoding: "utf8" });
      seconds.push((performance.now() - beganMs) / 1000);
      const last = `${stdout}${stderr}`.trimEnd().split("\n").slice(-SHOWN_LINES);
      if (status !== 0) return { seconds, failure: [`$ ${step}`, ...last, `exit status ${status}`].join("\n") };
    }
    return { seconds, failure: undefined };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Empty caches for all that keep something, and no word of npm that has started this program. */
function cachesIn(folder: string): NodeJS.ProcessEnv {
  const own = Object.keys(process.env).filter((name) => name.startsWith("npm_"));
  return {
    ...Object.fromEntries(own.map((name) => [name, undefined])),
    XDG_CACHE_HOME: folder,
    npm_config_cache: join(folder, "npm"),
    PIP_CACHE_DIR: join(folder, "pip"),
    GOCACHE: join(folder, "go-build"),
    GOMODCACHE: join(folder, "go-modules"),
  };
}

/** The folders of programs of this machine, with this Node or as links without any Node. */
function pathOf(bin: string, node: string | undefined): string {
  // The packages of this clone are in the path of npm's scripts alone.
  const usual = (process.env["PATH"] ?? "").split(":").filter((folder) => !folder.includes("node_modules"));
  if (node !== undefined) return [node, ...usual].join(":");
  mkdirSync(bin);
  const programs = new Map(
    usual
      .filter((folder) => existsSync(folder))
      .toReversed()
      .flatMap((folder) => readdirSync(folder).map((name) => [name, join(folder, name)] as const)),
  );
  for (const [name, file] of programs) if (!OF_NODE.has(name)) symlinkSync(file, join(bin, name));
  return bin;
}

function main(args: readonly string[]): void {
  const options = { from: { type: "string", default: inRoot("release") }, help: { type: "boolean" } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (values.help) return void process.stdout.write(HELP);
  const { version } = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as { readonly version: string };
  const from = (name: string): string => resolve(values.from, name);
  const executable = executableName(ownPlatform() ?? "linux-x64");
  const artefacts = { tarball: from(npmTarball(version)), wheel: from(wheel(version)), executable: from(executable) };
  const paths = pathsWith(artefacts).filter(({ name }) => name.includes(positionals[0] ?? ""));
  console.log(`${"path".padEnd(22)}${"time".padStart(8)}${"aim".padStart(8)}  steps, s`);
  for (const path of paths) {
    const { seconds, failure } = walk(path);
    const total = seconds.reduce((sum, one) => sum + one, 0);
    const times = `${`${total.toFixed(1)} s`.padStart(8)}${`${path.aimSeconds} s`.padStart(8)}`;
    const end = failure !== undefined ? "  failed" : total > path.aimSeconds ? "  over" : "";
    console.log(`${path.name.padEnd(22)}${times}  ${seconds.map((one) => one.toFixed(1)).join(" + ")}${end}`);
    if (failure === undefined) continue;
    console.log(failure.replace(/^/gm, "  "));
    process.exitCode = 1;
  }
}

main(process.argv.slice(2));
