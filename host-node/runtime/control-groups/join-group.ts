/**
 * Starts a program in the control group of a container.
 *
 * Invariant: the program is in its group before its first instruction, or does not start. This process opens the
 * group, because the containers' user may not; a shell, which that user runs, joins through what was opened, closes it
 * and becomes the program. So the program gets no way to its group. Its environment is empty.
 */
import { type IOType, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { containerUser } from "../container-user.ts";
import { closingInherited } from "../inherited-descriptors.ts";
import { descendants, startTicksOf } from "../process-table.ts";
import { type ControlGroup, ControlGroups } from "./control-groups.ts";
import { KERNEL_FILES } from "./group-files.ts";

const TRIAL_LIMIT_MS = 10_000;
/** The highest descriptor that a shell of the system can name in a redirection. */
const MAX_FD = 9;

type Stdio = readonly (IOType | number)[];

/**
 * Calls `start` with the command line and the descriptors that start a program in this group; without a group, with the
 * given ones.
 */
export function startIn<T>(
  group: ControlGroup | undefined,
  argv: readonly string[],
  stdio: Stdio,
  start: (argv: readonly string[], stdio: (IOType | number)[]) => T,
): T {
  const opened: number[] = [];
  try {
    for (const path of group?.paths ?? []) opened.push(openSync(join(path, "cgroup.procs"), "w"));
    return start(joining(opened, stdio.length, argv), closingInherited([...stdio, ...opened]));
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** @param firstFd the number of the first opened descriptor in the program */
function joining(opened: readonly number[], firstFd: number, argv: readonly string[]): readonly string[] {
  if (opened.length === 0) return argv;
  const fds = opened.map((_, i) => firstFd + i);
  if (fds.some((fd) => fd > MAX_FD)) throw new Error(`a control group was opened as descriptor ${fds.at(-1)}`);
  const joins = fds.map((fd) => `echo 0 >&${fd}`).join(" && ");
  const closes = fds.map((fd) => `${fd}>&-`).join(" ");
  // A shell adds its own variables, which env takes away.
  const script = `${joins} || exit 125; exec /usr/bin/env -i "$@" ${closes}`;
  return ["/bin/sh", "-c", script, "stint-join", ...argv];
}

function tryToJoin(group: ControlGroup): string | undefined {
  const trial = startIn(group, ["/bin/sh", "-c", ":"], ["ignore", "ignore", "pipe"], ([file, ...words], stdio) =>
    spawnSync(file!, words, {
      encoding: "utf8",
      timeout: TRIAL_LIMIT_MS,
      cwd: "/",
      env: {},
      ...containerUser(),
      stdio,
    }),
  );
  if (trial.status === 0) return undefined;
  // The output of the program explains more than the error of its start.
  return trial.stderr?.trim() || (trial.error?.message ?? `exit code ${trial.status}`);
}

let found: ControlGroups | undefined;
/** The control groups of this program. They are searched for once, on first use. */
export function controlGroups(): ControlGroups {
  if (found !== undefined) return found;
  const ours = (): Set<number> => new Set([process.pid, ...descendants(process.pid)]);
  found = new ControlGroups({
    files: KERNEL_FILES,
    texts: {
      groups: KERNEL_FILES.read("/proc/self/cgroup"),
      mounts: KERNEL_FILES.read("/proc/self/mountinfo"),
      controllersOf: (path) => KERNEL_FILES.read(join(path, "cgroup.controllers")),
    },
    pid: process.pid,
    startTicksOf,
    isOurs: (pid) => ours().has(pid),
    tryToJoin,
  });
  process.once("exit", () => found!.restore());
  return found;
}
