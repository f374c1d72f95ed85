/**
 * `npm run bench:bindings`: what the engine costs in each language that has a binding, and in the host in Rust, as one
 * table. Each is a separate process that does the same (workload.ts); rounds take turns, and the median counts.
 *
 * A language whose tools are missing has a row that says so, and the exit status is 1 then. Leaves out judgement.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import { toolArguments } from "../../arguments.ts";
import { type Workload, writeWorkload } from "./workload.ts";

const HELP = `Measures reviews, lists of pods, syncs, cold starts and memory of the engine in
JavaScript, Go, Python and Rust, in one run: absolute numbers are this machine's at this moment, the ratios are what to look at.

usage: npm run bench:bindings -- [--quick]

  --quick     smaller sizes and one round, to see that everything runs
  --help      prints this

A cold start is to compile the module and to make an engine. A review is that of a small Job. A pod of a list has
4 KB. A sync is one of Jobs that get their pod and their first status, with the answers of all requests. Memory is the
most that the process had while it took the list, with the list itself, about as much as that, in it.

It needs Go; Python with bindings/python installed, in build/venv or as python3; and cargo.
Exit status: 0 when all were measured, 1 when one could not be, 2 for arguments that make no sense.
`;

const repository = path.resolve(import.meta.dirname, "../../..");
const FULL = { reviews: 500, pods: 10_000, jobs: 2_000, rounds: 5 };
const QUICK = { reviews: 20, pods: 500, jobs: 50, rounds: 1 };
const MEMORY_EVERY_MS = 10;
const MOST_BUILD_MS = 600_000;

interface Language {
  readonly name: string;
  /** Builds what needs a build, and returns the command. @throws Error saying what is missing */
  command(folder: string): readonly string[];
}

const LANGUAGES: readonly [Language, ...Language[]] = [
  { name: "JavaScript, V8", command: () => [process.execPath, path.join(import.meta.dirname, "player.ts")] },
  {
    name: "Go, wazero",
    command: (folder) => {
      const player = path.join(folder, "go-player");
      built("go", ["build", "-o", player, "./internal/bench"], "bindings/go", "install Go");
      return [player];
    },
  },
  {
    name: "Python, wasmtime",
    command: () => {
      const own = path.join(repository, "build/venv/bin/python");
      const python = existsSync(own) ? own : "python3";
      built(
        python,
        ["-c", "import stint"],
        ".",
        "run python3 -m venv build/venv && build/venv/bin/pip install ./bindings/python",
      );
      return [python, path.join(import.meta.dirname, "player.py")];
    },
  },
  {
    name: "Rust, wasmi",
    command: () => {
      const target = process.env["CARGO_TARGET_DIR"] ?? path.join(repository, "build/rust-host");
      built(
        "cargo",
        ["build", "--release", "--locked", "--quiet", "--target-dir", target],
        "examples/rust-host",
        "install Rust 1.86 or newer",
      );
      return [path.join(target, "release/stint-rust-host")];
    },
  },
];

/** What one process said. */
interface Run {
  readonly startMs: number;
  readonly spentMs: number;
  readonly memoryBytes: number;
}

interface Row {
  readonly startMs: number;
  readonly reviewUs: number;
  readonly podUs: number;
  readonly syncUs: number;
  readonly memoryBytes: number;
}

function built(command: string, args: readonly string[], folder: string, remedy: string): void {
  const { status, error, stderr } = spawnSync(command, [...args], {
    cwd: path.join(repository, folder),
    encoding: "utf8",
    timeout: MOST_BUILD_MS,
  });
  if (error !== undefined) throw new Error(`${command} cannot be run: ${remedy}`);
  if (status !== 0) throw new Error(`${command} has failed: ${stderr.trim().split("\n").at(-1)}; ${remedy}`);
}

async function play(command: readonly string[], what: "replay" | "answers", file: string): Promise<Run> {
  const [program, ...args] = [...command, modulePath("engine"), what, file];
  const child = spawn(program!, args, { stdio: ["ignore", "ignore", "pipe"] });
  let [said, memoryBytes] = ["", 0];
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  const timer = setInterval(() => (memoryBytes = Math.max(memoryBytes, memoryOf(child.pid!))), MEMORY_EVERY_MS);
  const status = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(timer);
  const numbers = /started in ([\d.]+) ms, ([\d.]+) ms in engines/.exec(said);
  if (status !== 0 || numbers === null) throw new Error(`${program} has failed: ${said.trim().split("\n").at(-1)}`);
  return { startMs: Number(numbers[1]), spentMs: Number(numbers[2]), memoryBytes };
}

/** The most that a process has had until now; 0 where the system does not say. */
function memoryOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

async function roundOf(command: readonly string[], work: Workload, sizes: typeof FULL): Promise<Row> {
  const reviews = await play(command, "answers", work.reviews);
  const list = await play(command, "replay", work.list);
  const run = await play(command, "replay", work.run);
  return {
    startMs: Math.min(reviews.startMs, list.startMs, run.startMs),
    reviewUs: (reviews.spentMs * 1000) / sizes.reviews,
    podUs: (list.spentMs * 1000) / sizes.pods,
    syncUs: (run.spentMs * 1000) / work.syncs,
    memoryBytes: list.memoryBytes,
  };
}

function median(rows: readonly Row[], key: keyof Row): number {
  return rows.map((row) => row[key]).toSorted((a, b) => a - b)[rows.length >> 1]!;
}

const COLUMNS: readonly (readonly [keyof Row, string, (amount: number) => string])[] = [
  ["startMs", "cold start", (ms) => `${ms.toFixed(1)} ms`],
  ["reviewUs", "review", (us) => `${us.toFixed(0)} µs`],
  ["podUs", "pod of a list", (us) => `${us.toFixed(1)} µs`],
  ["syncUs", "sync", (us) => `${us.toFixed(1)} µs`],
  ["memoryBytes", "memory", (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`],
];

function line(name: string, cells: readonly string[]): string {
  return [name.padEnd(18), ...cells.map((cell) => cell.padStart(18))].join("");
}

async function measureAll(isQuick: boolean): Promise<void> {
  const sizes = isQuick ? QUICK : FULL;
  await buildModule("engine");
  const folder = mkdtempSync(path.join(tmpdir(), "stint-bench-"));
  try {
    const work = await writeWorkload(folder, readFileSync(modulePath("engine")), sizes);
    const players = LANGUAGES.map(({ name, command }) => {
      try {
        return { name, command: command(folder), rows: [] as Row[] };
      } catch (error) {
        return { name, missing: (error as Error).message };
      }
    });
    for (let round = 0; round < sizes.rounds; round++) {
      for (const player of players) if (player.rows) player.rows.push(await roundOf(player.command, work, sizes));
    }
    const first = players[0]!.rows!;
    console.log(
      line(
        "",
        COLUMNS.map(([, heading]) => heading),
      ),
    );
    for (const { name, rows, missing } of players) {
      const cells = (rows === undefined ? [] : COLUMNS).map(([key, , shown]) => {
        const amount = median(rows ?? [], key);
        const ratio = amount / median(first, key);
        return rows === first ? shown(amount) : `${shown(amount)} ${ratio.toFixed(1)}×`;
      });
      console.log(missing === undefined ? line(name, cells) : `${name.padEnd(18)}  not measured: ${missing}`);
    }
    if (players.some(({ missing }) => missing !== undefined)) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readArguments(args: readonly string[]): { readonly isQuick: boolean } | undefined {
  const options = { quick: { type: "boolean", default: false }, help: { type: "boolean", default: false } } as const;
  const { values } = parseArgs({ args: [...args], options });
  return values.help ? undefined : { isQuick: values.quick };
}

const chosen = toolArguments(readArguments, HELP);
if (chosen !== undefined) await measureAll(chosen.isQuick);
