/**
 * Ends containers that use more memory than `resources.limits.memory` says, as the kernel ends those of a cluster.
 *
 * In a control group the kernel keeps the limit, and ends one process; the container ends with it.
 *
 * Invariant: without a control group a container is ended only for memory that is its own: pages that several of its
 * processes share count once. It is looked at every WATCH_MS, so for that long it may have more. Leaves out swap, files
 * that the kernel keeps in memory, and systems without /proc, where no limit holds.
 */
import { readFileSync } from "node:fs";
import { amountsOf } from "../../cluster/values/resource-amounts.ts";
import type { ControlGroup, Limits } from "./control-groups/control-groups.ts";
import { descendants, listProcesses, type ProcessEntry } from "./process-table.ts";
import { residentBytes } from "./usage.ts";
import type { Container } from "../../cluster/values/kinds.ts";

/** How often containers with a limit are measured. */
const WATCH_MS = 100;

/** The limits that a container asks for. A limit of 0 is none, as in the kubelet. */
export function limitsOf(container: Pick<Container, "resources">): Limits {
  const milli = amountsOf(container.resources?.limits);
  const memory = milli.get("memory");
  return { cpu: milli.get("cpu") || undefined, memory: memory ? memory / 1000 : undefined };
}

interface Limited {
  isExceeded(table: readonly ProcessEntry[]): boolean;
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
    return this.#add({ isExceeded: (table) => usesMoreThan(bytes, [leader, ...descendants(leader, table)]), exceeded });
  }

  /**
   * @param group of the container, with a limit of memory
   * @param exceeded as for `watch`
   */
  watchGroup(group: ControlGroup, exceeded: () => void): () => void {
    return this.#add({ isExceeded: () => group.hasRunOutOfMemory(), exceeded });
  }

  #add(limited: Limited): () => void {
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
      if (!limited.isExceeded(table)) continue;
      this.#forget(limited);
      limited.exceeded();
    }
  }
}

function usesMoreThan(bytes: number, pids: readonly ProcessEntry["pid"][]): boolean {
  // The first sum is cheap, and never too small.
  return residentBytes(pids) > bytes && ownBytes(pids) > bytes;
}

/** Memory of processes, each with its share of shared pages; with all pages if it cannot be read. */
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
    return ""; // It has ended meanwhile, or may not be read.
  }
}
