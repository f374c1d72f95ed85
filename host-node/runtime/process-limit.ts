/**
 * How many processes containers may have: a limit that the kernel keeps for the containers' user, set by `prlimit`, so
 * that a fork bomb comes to its end before the machine does.
 *
 * It counts every process and thread of that user, so it starts from those that there are. Containers share it: one
 * that uses it up leaves nothing to the others. Without `prlimit` (util-linux) there is no limit. Leaves out memory,
 * which the kernel's OOM killer ends.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { findExecutable } from "./command.ts";

/** Processes and threads of all containers together, beyond what their user has already. */
export const MAX_PROCESSES = 4096;
const OOM_SCORE_OF_CONTAINERS = "1000";

/** What to put before a command so that it and its children are limited; nothing where that is not possible. */
export function processLimitCommand(uid: number, maxProcesses: number): readonly string[] {
  const found = findExecutable("prlimit", process.env["PATH"] ?? "", "/");
  return "path" in found ? [found.path, `--nproc=${Math.min(threadsOf(uid) + maxProcesses, hardLimit())}`] : [];
}

/** Asks the kernel to end this process before others when memory runs out; what it starts from now on inherits that. */
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

/** What this process may not exceed: raising it takes rights that containers' users do not have. */
function hardLimit(): number {
  const hard = /^Max processes +\S+ +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  return hard === undefined || hard === "unlimited" ? Infinity : Number(hard);
}
