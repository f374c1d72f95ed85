/**
 * Ends containers that use more memory than `resources.limits.memory` says, as the kernel ends those of a cluster.
 *
 * Invariant: a container is ended only for memory that is its own: pages that several of its processes share count
 * once. It is looked at every WATCH_MS, so for that long it may have more. Leaves out swap, files that the kernel keeps
 * in memory, and systems without /proc, where no limit holds. A limit that the kernel keeps would need a control group
 * of this program's own, which few systems give away.
 */
import { readFileSync } from "node:fs";
import { amountsOf } from "../../cluster/scheduler/resource-amounts.ts";
import { descendants, listProcesses, type ProcessEntry } from "./process-table.ts";
import { residentBytes } from "./usage.ts";

/** How often containers with a limit are looked at. */
const WATCH_MS = 100;

/** Undefined: it has none. */
export function memoryLimitOf(container: Readonly<Record<string, any>>): number | undefined {
  const milli = amountsOf(container["resources"]?.limits).get("memory");
  return milli === undefined ? undefined : milli / 1000;
}

interface Limited {
  readonly leader: number;
  readonly bytes: number;
  exceeded(): void;
}

export class MemoryLimits {
  readonly #limited = new Set<Limited>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param leader the first process of the container
   * @param exceeded is called once, at most. Call the result when the container has ended.
   */
  watch(leader: number, bytes: number, exceeded: () => void): () => void {
    const limited = { leader, bytes, exceeded };
    this.#limited.add(limited);
    this.#timer ??= setInterval(() => this.#look(), WATCH_MS).unref();
    return () => this.#forget(limited);
  }

  #forget(limited: Limited): void {
    this.#limited.delete(limited);
    if (this.#limited.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const table = listProcesses();
    for (const limited of this.#limited) {
      const { leader, bytes, exceeded } = limited;
      const pids = [leader, ...descendants(leader, table)];
      // The first sum is cheap, and never too small.
      if (residentBytes(pids) <= bytes || ownBytes(pids) <= bytes) continue;
      this.#forget(limited);
      exceeded();
    }
  }
}

/** Memory of processes, in which each counts its share of what it shares. Of one that cannot be read, all of it. */
function ownBytes(pids: readonly ProcessEntry["pid"][]): number {
  return pids.reduce((sum, pid) => {
    const kilobytes = /^Pss: +(\d+) kB$/m.exec(contents(`/proc/${pid}/smaps_rollup`))?.[1];
    return sum + (kilobytes === undefined ? residentBytes([pid]) : Number(kilobytes) * 1024);
  }, 0);
}

function contents(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // It ended meanwhile, or may not be read.
  }
}
