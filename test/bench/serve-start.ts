/**
 * From the start of the process `stint serve --control` until it serves, and its memory then: what each test of another
 * language pays that starts a cluster of its own. Beside it stands Node itself, which does nothing.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Bench } from "./measure.ts";

const COMMAND = resolve(import.meta.dirname, "../../dist/stint.mjs");
const AIM_MICROS = 250_000;
const AIM_BYTES = 90_000_000;
/** A program of Node that says that it is there, and ends as the server does. */
const NODE = ["--eval", "console.log('here'); process.stdin.resume()"];

/** How a process is started that may write into the folder. */
type Arguments = (folder: string) => readonly string[];

export function serveStartBenches(isQuick: boolean): Bench[] {
  const starts = isQuick ? 3 : 15;
  const timed = (args: Arguments) => () => median(starts, args, (_child, micros) => micros);
  const weighed = (args: Arguments) => () => median(1, args, memoryOf);
  const benches: Bench[] = [
    {
      title: "stint serve --control, from its start until it serves",
      unit: { kind: "long", per: "start" },
      contenders: () => [
        { name: "stint serve", run: timed(serve) },
        { name: "node alone", run: timed(() => NODE) },
        { name: "aim", amount: AIM_MICROS },
      ],
    },
  ];
  // Only Linux says it of another process.
  if (existsSync("/proc/self/status"))
    benches.push({
      title: "stint serve --control, its memory when it serves",
      unit: { kind: "bytes", per: "server" },
      contenders: () => [
        { name: "stint serve", run: weighed(serve) },
        { name: "node alone", run: weighed(() => NODE) },
        { name: "aim", amount: AIM_BYTES },
      ],
    });
  return benches;
}

function serve(folder: string): readonly string[] {
  const options = ["--clock", "virtual", "--control", "--until-stdin-closes", "--kubeconfig", join(folder, "config")];
  return [COMMAND, "serve", ...options];
}

/** The median of what is measured of a process that has just begun, after so many microseconds. */
async function median(
  starts: number,
  args: Arguments,
  measure: (child: ChildProcess, micros: number) => number,
): Promise<number> {
  const amounts: number[] = [];
  for (let i = 0; i < starts; i++) {
    const folder = mkdtempSync(join(tmpdir(), "stint-bench-"));
    const began = performance.now();
    const child = spawn(process.execPath, args(folder), { stdio: ["pipe", "pipe", "inherit"] });
    await once(child.stdout, "data");
    amounts.push(measure(child, (performance.now() - began) * 1000));
    child.stdin.end();
    await once(child, "close");
    rmSync(folder, { recursive: true });
  }
  return amounts.toSorted((a, b) => a - b)[starts >> 1]!;
}

/** Resident, in bytes. */
function memoryOf({ pid }: ChildProcess): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return Number(kilobytes) * 1024;
}
