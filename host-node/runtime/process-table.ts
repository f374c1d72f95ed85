/**
 * Finds in /proc which processes of this machine belong to a container. A process group is not enough to end a
 * container: `timeout`, and shells with job control, move their children into other groups, and `setsid` moves them
 * into other sessions. With a PID namespace a container is a tree of processes. Without one, these belong to it: the
 * processes of its session, those that have its mark in their first environment, those whose standard output or error
 * is its output, and all that these have started. Leaves out processes that hide from all of this, and systems without
 * /proc, where callers can only use the process group.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A killed process starts no other, so the second pass finds few and the third none. The limit is for a fork bomb. */
const MAX_KILL_PASSES = 50;

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it started, in the kernel's ticks since boot. */
  readonly startTicks: number;
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

/** How to recognize the processes of a container without a PID namespace. */
export interface Belongings {
  /** The process that leads the container's process group and session. */
  readonly leader: number;
  /** When the leader started (startTicks). Older processes cannot belong to the container. */
  readonly since: number;
  /** `NAME=value`: a variable that only this container has. */
  readonly mark: string;
  /** The former paths of the pipes of its output. */
  readonly pipes: readonly string[];
}

/** Sends SIGTERM to all processes of a container, each once. */
export function terminateAll(container: Belongings): void {
  signal(-container.leader, "SIGTERM");
  for (const { pid, group } of membersOf(container)) if (group !== container.leader) signal(pid, "SIGTERM");
}

/** Kills all processes of a container, including those that start, or move to another session, meanwhile. */
export function killAll(container: Belongings): void {
  const killed = new Set<number>();
  for (let pass = 0; pass < MAX_KILL_PASSES; pass++) {
    signal(-container.leader, "SIGKILL");
    const fresh = membersOf(container).filter(({ pid }) => !killed.has(pid));
    if (fresh.length === 0) return;
    for (const { pid } of fresh) {
      killed.add(pid);
      signal(pid, "SIGKILL");
    }
  }
}

/** All processes of a container. */
export function membersOf(container: Belongings): ProcessEntry[] {
  const table = listProcesses();
  const members = new Set(table.filter((entry) => belongs(entry, container)).map(({ pid }) => pid));
  for (const pid of [...members]) for (const child of descendants(pid, table)) members.add(child);
  return table.filter(({ pid }) => members.has(pid));
}

function belongs({ pid, session, startTicks }: ProcessEntry, { leader, since, mark, pipes }: Belongings): boolean {
  if (startTicks < since || pid === process.pid) return false;
  return session === leader || hasMark(pid, mark) || OUTPUTS.some((fd) => isPipe(pid, fd, pipes));
}

const OUTPUTS = [1, 2];

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(mark);
  } catch {
    return false; // It has ended meanwhile, or belongs to another user.
  }
}

function isPipe(pid: number, fd: number, pipes: readonly string[]): boolean {
  try {
    const opened = readlinkSync(`/proc/${pid}/fd/${fd}`);
    return pipes.some((path) => opened === `${path} (deleted)`);
  } catch {
    return false; // As above.
  }
}

/** Children, grandchildren and so on of a process, without itself. */
export function descendants(pid: number, table: readonly ProcessEntry[] = listProcesses()): number[] {
  const byParent = new Map<number, number[]>();
  for (const entry of table) {
    const siblings = byParent.get(entry.parent);
    if (siblings === undefined) byParent.set(entry.parent, [entry.pid]);
    else siblings.push(entry.pid);
  }
  const found: number[] = [];
  for (
    let level = byParent.get(pid) ?? [];
    level.length > 0;
    level = level.flatMap((child) => byParent.get(child) ?? [])
  )
    found.push(...level);
  return found;
}

/**
 * Sends a signal to a process or, with a negative number, to a group. It is no error if that is gone, or now belongs to
 * another user because of a set-uid program.
 */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** When a process started, in the kernel's ticks since boot; 0 if it is over, or there is no /proc. */
export function startTicksOf(pid: number): number {
  return readEntry(pid)[0]?.startTicks ?? 0;
}

/** Position of the field `starttime` of proc_pid_stat(5) after the name. */
const START_TIME = 19;

function readEntry(pid: number): ProcessEntry[] {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return []; // It ended meanwhile.
  }
  // The second field is the name in brackets and may hold anything, brackets and spaces too: the rest starts after the
  // last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  return state === "Z"
    ? []
    : [
        {
          pid,
          parent: Number(parent),
          group: Number(group),
          session: Number(session),
          startTicks: Number(fields[START_TIME]),
        },
      ];
}
