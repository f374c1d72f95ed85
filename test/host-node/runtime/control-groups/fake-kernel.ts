/**
 * Control groups as the kernel shows them, in memory, with the rules that matter here: a group with processes cannot
 * be removed, and in version 2 one with processes cannot hand controllers down. Leaves out that limits hold.
 */
import { basename, dirname, join } from "node:path";
import { ControlGroups, type Host } from "../../../../host-node/runtime/control-groups/control-groups.ts";
import type { GroupFiles } from "../../../../host-node/runtime/control-groups/group-files.ts";

/** This program, and its child. */
export const OWN_PID = 100;
export const CHILD_PID = 101;
export const START_TICKS = 7000;

export class FakeKernel implements GroupFiles {
  /** By folder: processes, files that were written, in order. */
  readonly groups = new Map<string, { readonly pids: Set<number>; readonly files: Map<string, string> }>();
  /** What was not refused. */
  readonly writes: string[] = [];
  /** Files that are there in every new group. */
  files: readonly string[] = [];
  /** Writes to these are refused. */
  closed: RegExp | undefined;

  constructor(own: Readonly<Record<string, readonly number[]>>) {
    for (const [path, pids] of Object.entries(own)) this.groups.set(path, { pids: new Set(pids), files: new Map() });
  }

  has(path: string): boolean {
    return this.groups.has(dirname(path)) && this.files.includes(basename(path));
  }

  read(path: string): string {
    const group = this.groups.get(dirname(path));
    if (basename(path) === "cgroup.procs") return [...(group?.pids ?? [])].map((pid) => `${pid}\n`).join("");
    return group?.files.get(basename(path)) ?? "";
  }

  write(path: string, text: string): void {
    const [folder, file] = [dirname(path), basename(path)];
    const group = this.groups.get(folder);
    if (group === undefined) throw refusal("ENOENT");
    if (this.closed?.test(path)) throw refusal("EACCES");
    if (file === "cgroup.procs") this.#move(Number(text), folder);
    else if (file === "cgroup.subtree_control") this.#handDown(folder, text);
    else group.files.set(file, text);
    this.writes.push(`${path} ${text}`);
  }

  folders(path: string): string[] {
    return [...this.groups.keys()].filter((other) => dirname(other) === path).map((other) => basename(other));
  }

  makeFolder(path: string): void {
    if (this.closed?.test(path)) throw refusal("EROFS");
    if (this.groups.has(path)) throw refusal("EEXIST");
    this.groups.set(path, { pids: new Set(), files: new Map() });
  }

  removeFolder(path: string): void {
    const group = this.groups.get(path);
    if (group === undefined) throw refusal("ENOENT");
    if (group.pids.size > 0 || this.folders(path).length > 0) throw refusal("EBUSY");
    this.groups.delete(path);
  }

  #move(pid: number, folder: string): void {
    if (this.read(join(folder, "cgroup.subtree_control")) !== "") throw refusal("EBUSY");
    for (const { pids } of this.groups.values()) pids.delete(pid);
    this.groups.get(folder)!.pids.add(pid);
  }

  #handDown(folder: string, text: string): void {
    const { pids, files } = this.groups.get(folder)!;
    const now = new Set((files.get("cgroup.subtree_control") ?? "").split(" ").filter(Boolean));
    if (text.startsWith("-")) now.delete(text.slice(1));
    else if (pids.size > 0) throw refusal("EBUSY");
    else now.add(text.slice(1));
    files.set("cgroup.subtree_control", [...now].join(" "));
  }
}

function refusal(code: string): Error {
  return Object.assign(new Error(`${code}: refused`), { code });
}

/** On a machine with version 2. */
export const V2 = {
  path: "/sys/fs/cgroup/own",
  texts: {
    groups: "0::/own\n",
    mounts: "26 25 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
    controllersOf: () => "cpu memory pids\n",
  },
};
/** On one with version 1. */
export const V1 = {
  cpu: "/sys/fs/cgroup/cpu",
  memory: "/sys/fs/cgroup/memory/own",
  texts: {
    groups: "4:memory:/own\n2:cpu,cpuacct:/\n",
    mounts: ["cpu", "memory"]
      .map((name) => `32 31 0:29 / /sys/fs/cgroup/${name} rw - cgroup cgroup rw,${name}`)
      .join("\n"),
    controllersOf: () => "",
  },
};

export function groupsOf(files: FakeKernel, texts: Host["texts"], host: Partial<Host> = {}): ControlGroups {
  return new ControlGroups({
    files,
    texts,
    pid: OWN_PID,
    startTicksOf: (pid) => (pid === OWN_PID ? START_TICKS : 0),
    isOurs: (pid) => [OWN_PID, CHILD_PID].includes(pid),
    tryToJoin: () => undefined,
    ...host,
  });
}
