/**
 * How much processor time and memory the processes of each container use, and this machine as a whole.
 *
 * Invariant: the use of the processor is that of the last WINDOW_MS, as far as the container ran then, and of at most
 * twice that. Memory counts a page that processes share in each of them. Leaves out systems without /proc: nothing is
 * measured there.
 */
import { readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { descendants, listProcesses, type ProcessEntry } from "./process-table.ts";

/** The resolution of metrics-server. */
export const WINDOW_MS = 15_000;
/** The unit in which the kernel counts processor time; Linux shows 100 a second to every program. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;
/** A shorter time is not precise enough, with ticks of 10 ms. */
export const MIN_WINDOW_MS = 500;

export interface Usage {
  /** Billionths of a processor. */
  readonly nanoCores: number;
  readonly bytes: number;
  /** The end of the time over which processor time was counted, and its length. */
  readonly atMs: number;
  readonly windowMs: number;
}

interface Sample {
  readonly atMs: number;
  readonly cpuMs: number;
}

/** A measured object: a container with the first of its processes, or the machine. */
interface Series {
  older: Sample;
  newer: Sample;
}

const MACHINE = {};

/** The running containers: a stable key for each, and its first process. */
export type Leaders<Key> = () => readonly { readonly key: Key; readonly pid: number }[];

export class UsageMeter<Key extends object> {
  readonly #series = new WeakMap<object, Series>();
  readonly #now: () => number;
  readonly #leaders: Leaders<Key>;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number, leaders: Leaders<Key>) {
    this.#now = now;
    this.#leaders = leaders;
  }

  /** Measures periodically, so that a later question is about the last seconds. */
  start(): void {
    this.#sampleAll();
    this.#timer = setInterval(() => this.#sampleAll(), WINDOW_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A container has started: it has used nothing. */
  begin(key: Key): void {
    const start = { atMs: this.#now(), cpuMs: 0 };
    this.#series.set(key, { older: start, newer: start });
  }

  /** By the keys of the containers. Those that have just started are missing. */
  containers(): ReadonlyMap<Key, Usage> {
    const table = listProcesses();
    const found = new Map<Key, Usage>();
    for (const { key, pid } of this.#leaders()) {
      const { cpuMs, bytes } = consumption([pid, ...descendants(pid, table)]);
      const usage = this.#usageOf(key, cpuMs, bytes);
      if (usage !== undefined) found.set(key, usage);
    }
    return found;
  }

  /** The whole machine; undefined where there is no /proc, and in the first moment. */
  machine(): Usage | undefined {
    const available = /^MemAvailable: +(\d+) kB$/m.exec(contents("/proc/meminfo"))?.[1];
    return available === undefined
      ? undefined
      : this.#usageOf(MACHINE, machineCpuMs(), totalmem() - Number(available) * 1024);
  }

  #sampleAll(): void {
    const table = this.#leaders().length === 0 ? [] : listProcesses();
    this.#note(MACHINE, machineCpuMs());
    for (const { key, pid } of this.#leaders()) this.#note(key, consumption([pid, ...descendants(pid, table)]).cpuMs);
  }

  #note(key: object, cpuMs: number): void {
    const sample = { atMs: this.#now(), cpuMs };
    const series = this.#series.get(key);
    this.#series.set(key, { older: series?.newer ?? sample, newer: sample });
  }

  #usageOf(key: object, cpuMs: number, bytes: number): Usage | undefined {
    const series = this.#series.get(key);
    if (series === undefined) return undefined;
    const atMs = this.#now();
    const since = atMs - series.newer.atMs >= WINDOW_MS ? series.newer : series.older;
    const windowMs = atMs - since.atMs;
    if (windowMs < MIN_WINDOW_MS) return undefined;
    // A process that was never waited for loses its time when it ends.
    const usedMs = Math.max(cpuMs - since.cpuMs, 0);
    return { nanoCores: Math.round((usedMs / windowMs) * 1e9), bytes, atMs, windowMs };
  }
}

/** Processor time, also that of children that have ended, and resident memory of some processes. */
function consumption(pids: readonly ProcessEntry["pid"][]): { readonly cpuMs: number; readonly bytes: number } {
  let [ticks, pages] = [0, 0];
  for (const pid of pids) {
    const stat = contents(`/proc/${pid}/stat`);
    // utime, stime, cutime, cstime and rss of proc_pid_stat(5), behind the name.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    for (const place of [11, 12, 13, 14]) ticks += Number(fields[place] ?? 0);
    pages += Number(fields[21] ?? 0);
  }
  return { cpuMs: ticks * TICK_MS, bytes: pages * PAGE_BYTES };
}

/** Resident memory of some processes; a page that they share counts in each. */
export function residentBytes(pids: readonly ProcessEntry["pid"][]): number {
  return consumption(pids).bytes;
}

function machineCpuMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

function contents(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // It ended meanwhile.
  }
}
