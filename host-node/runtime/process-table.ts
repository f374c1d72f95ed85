/**
 * Which processes of this machine belong together, read from /proc.
 *
 * A process group is not enough to end a container: `timeout`, and shells with job control, move their children into
 * groups of their own. So a container is a session (or, with a PID namespace, a tree), whatever its groups are.
 * Leaves out systems without /proc: there the table is empty and callers are left with the process group.
 */
import { readdirSync, readFileSync } from "node:fs";

/** A killed process starts no other, so the second pass finds little and the third nothing; the limit is for a storm of forks. */
const MAX_KILL_PASSES = 50;

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/** Every process of this machine, zombies left out. Empty where there is no /proc. */
export function listProcesses(): readonly ProcessEntry[] {
  let names: readonly string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return [];
  }
  return names.filter((name) => /^\d+$/.test(name)).flatMap((pid) => readEntry(Number(pid)));
}

/**
 * Sends SIGTERM to a process group and to what else belongs to its leader's session.
 * `leader` leads both; each process gets the signal once.
 */
export function terminateSession(leader: number): void {
  signal(-leader, "SIGTERM");
  for (const { pid, group, session } of listProcesses()) if (session === leader && group !== leader) signal(pid, "SIGTERM");
}

/** Kills a process group and its leader's session, also what is being started or moves to another group meanwhile. */
export function killSession(leader: number): void {
  const killed = new Set<number>();
  for (let pass = 0; pass < MAX_KILL_PASSES; pass++) {
    signal(-leader, "SIGKILL");
    const fresh = listProcesses().filter(({ pid, session }) => session === leader && !killed.has(pid));
    if (fresh.length === 0) return;
    for (const { pid } of fresh) {
      killed.add(pid);
      signal(pid, "SIGKILL");
    }
  }
}

/** Children, grandchildren and so on of a process, without itself. */
export function descendants(pid: number): number[] {
  const byParent = new Map<number, number[]>();
  for (const entry of listProcesses()) {
    const siblings = byParent.get(entry.parent);
    if (siblings === undefined) byParent.set(entry.parent, [entry.pid]);
    else siblings.push(entry.pid);
  }
  const found: number[] = [];
  for (let level = byParent.get(pid) ?? []; level.length > 0; level = level.flatMap((child) => byParent.get(child) ?? [])) found.push(...level);
  return found;
}

/** Sends a signal; a process (or, with a negative number, a group) that is gone is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function readEntry(pid: number): ProcessEntry[] {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return []; // It ended meanwhile.
  }
  // The second field is the name in brackets and may hold anything, brackets and spaces too: the rest starts after the last one.
  const [state, parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" ? [] : [{ pid, parent: Number(parent), group: Number(group), session: Number(session) }];
}
