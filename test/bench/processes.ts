/** Processes that are started to be measured: the time until they are there, and their memory then. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program of Node that says that it is there, and ends when its input does. */
export const NODE = ["--eval", "console.log('here'); process.stdin.resume()"];

/** How a process is started that may write into the folder. */
export type Arguments = (folder: string) => readonly string[];

/** The median of what is measured of a process that has just begun, after so many microseconds. */
export async function median(
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
export function residentBytes({ pid }: ChildProcess): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return Number(kilobytes) * 1024;
}
