/**
 * Limits how many processes containers may have. The kernel keeps the limit for the containers' user, and `prlimit`
 * sets it, so that a fork bomb ends before it takes the whole machine. The kernel counts every process and thread of
 * that user, so the limit is added to the number that exists at the start. Containers share it: if one uses it up, the
 * others get no more processes. Without `prlimit` (util-linux) there is no limit. Leaves out memory, which the kernel's
 * OOM killer ends.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { findProgram } from "./command.ts";

/** Processes and threads of all containers together, beyond what their user has already. */
export const MAX_PROCESSES = 4096;
const OOM_SCORE_OF_CONTAINERS = "1000";

/** Words to put before a command so that it and its children are limited. Empty if that is not possible. */
export function processLimitCommand(uid: number, maxProcesses: number): readonly string[] {
  const found = findProgram("prlimit");
  return "path" in found ? [found.path, `--nproc=${Math.min(threadsOf(uid) + maxProcesses, hardLimit())}`] : [];
}

/** Asks the kernel to end this process first when memory runs out. Processes that it starts later inherit that. */
export function endFirstWhenMemoryRunsOut(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, OOM_SCORE_OF_CONTAINERS);
  } catch {
    // It is over already, or there is no /proc.
  }
}

function threadsOf(uid: number): number {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, pid) => sum + threadCount(pid, uid), 0);
}

function threadCount(pid: string, uid: number): number {
  try {
    return statSync(`/proc/${pid}`).uid === uid ? readdirSync(`/proc/${pid}/task`).length : 0;
  } catch {
    return 0; // It ended meanwhile.
  }
}

/** The hard limit of this process. The users of containers may not raise it. */
function hardLimit(): number {
  const hard = /^Max processes +\S+ +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  return hard === undefined || hard === "unlimited" ? Infinity : Number(hard);
}
