/**
 * Control groups for containers, in which the kernel keeps their limits of processor time and memory.
 *
 * Invariant: groups are made, changed and removed only below the groups of this program, and only under the names
 * `stint-PID-START-…`, by which a later run recognizes what a killed one left behind. A promised limit was tried: a
 * group was made with one, and a process of the containers' user has joined it. Where that is not possible, `problemOf`
 * says why, and nothing is left behind.
 *
 * In version 2, a group that has groups with limits below it may have no processes. So this program moves itself and
 * its children into a group `…-host` beside those of the containers, and back at its end. It moves no other process: if
 * others are in its group, there are no limits. What it may hand down without moving stays handed down, because another
 * run may rely on it.
 *
 * Leaves out how a process joins its group: join-group.ts.
 */
import { join } from "node:path";
import type { GroupFiles } from "./group-files.ts";
import { type KernelTexts, type OwnGroup, ownGroupOf, type Resource, RESOURCES } from "./own-groups.ts";

/** Of processor time, in the kernel's microseconds; the same as the kubelet's. */
const PERIOD_US = 100_000;
const MIN_QUOTA_US = 1000;
/** How often to try to remove a group that is still busy. The last of its processes may still be ending. */
const REMOVAL_TRIES = 50;
const REMOVAL_PAUSE_MS = 100;
/** A process of this program may start another one while they are moved. */
const MAX_MOVE_PASSES = 10;
const OUR_NAMES = /^stint-(\d+)-(\d+)-/;

/** Undefined: none. */
export interface Limits {
  /** Thousandths of a processor. */
  readonly cpu?: number | undefined;
  /** Bytes. */
  readonly memory?: number | undefined;
}
/** The limits of a trial: they end nothing. */
const TRIAL: Readonly<Record<Resource, number>> = { cpu: 1000, memory: 2 ** 30 };

export interface Host {
  readonly files: GroupFiles;
  readonly texts: KernelTexts;
  readonly pid: number;
  startTicksOf(pid: number): number;
  /** Whether it is this program or was started by it. */
  isOurs(pid: number): boolean;
  /** Makes a process of the containers' user join the group. @returns why it could not */
  tryToJoin(group: ControlGroup): string | undefined;
}

export class ControlGroups {
  readonly #host: Host;
  readonly #own = new Map<Resource, OwnGroup>();
  readonly #problems = new Map<Resource, string>();
  /** The group of version 2 that this program has left, and the resources that groups below it can limit since. */
  #left: { readonly path: string; readonly resources: Resource[] } | undefined;
  #made = 0;

  constructor(host: Host) {
    this.#host = host;
    for (const resource of RESOURCES) {
      const own = ownGroupOf(resource, host.texts);
      const problem = "problem" in own ? own.problem : this.#tryOut(resource, own);
      if (problem !== undefined) this.#problems.set(resource, problem);
    }
    if (![...this.#own.values()].some(({ path }) => path === this.#left?.path)) this.restore();
  }

  /** Why this resource cannot be limited; undefined: it can. */
  problemOf(resource: Resource): string | undefined {
    return this.#problems.get(resource);
  }

  /** The start of the paths of all groups that are made for a run. */
  prefixes(run: string): string[] {
    return [...new Set([...this.#own.values()].map(({ path }) => join(path, `${this.#name}${run}-`)))];
  }

  /**
   * @param run of this program; letters and digits
   * @returns a group with these limits, as far as they are possible; undefined if none is
   * @throws Error when the kernel refuses it
   */
  make(run: string, limits: Limits): ControlGroup | undefined {
    const name = `${this.#name}${run}-${++this.#made}`;
    const places = RESOURCES.flatMap((resource): Place[] => {
      const own = this.#own.get(resource);
      const amount = limits[resource];
      return own === undefined || !amount
        ? []
        : [{ resource, version: own.version, path: join(own.path, name), amount }];
    });
    return places.length === 0 ? undefined : makeGroup(this.#host.files, places);
  }

  /** Goes back to the group in which this program was started. Containers have ended. */
  restore(): void {
    if (this.#left === undefined) return;
    const { path, resources } = this.#left;
    this.#left = undefined;
    const { files } = this.#host;
    try {
      for (const resource of resources) files.write(join(path, "cgroup.subtree_control"), `-${resource}`);
      this.#move(this.#leafOf(path), path);
      files.removeFolder(this.#leafOf(path));
    } catch {
      // A process of this program still runs there. A later run removes the folder.
    }
  }

  get #name(): string {
    return `stint-${this.#host.pid}-${this.#host.startTicksOf(this.#host.pid)}-`;
  }

  #leafOf(path: string): string {
    return join(path, `${this.#name}host`);
  }

  /** @returns why this resource cannot be limited */
  #tryOut(resource: Resource, own: OwnGroup): string | undefined {
    const { files } = this.#host;
    try {
      this.#removeLeftovers(own.path);
      if (own.version === 2) this.#handDown(resource, own.path);
      const path = join(own.path, `${this.#name}trial`);
      const group = makeGroup(files, [{ resource, version: own.version, path, amount: TRIAL[resource] }]);
      const problem = this.#host.tryToJoin(group);
      group.remove();
      if (problem !== undefined) return `no process can join a control group in ${own.path}: ${problem}`;
    } catch (error) {
      return `no control group can be made in ${own.path}: ${(error as Error).message}`;
    }
    this.#own.set(resource, own);
    return undefined;
  }

  /** Removes the groups of runs that are over. */
  #removeLeftovers(path: string): void {
    const { files, startTicksOf } = this.#host;
    for (const name of files.folders(path)) {
      const [, pid, startTicks] = OUR_NAMES.exec(name) ?? [];
      if (pid === undefined || startTicksOf(Number(pid)) === Number(startTicks)) continue;
      try {
        files.removeFolder(join(path, name));
      } catch {
        // A process of it still runs.
      }
    }
  }

  /** Lets groups below a group of version 2 limit a resource. */
  #handDown(resource: Resource, path: string): void {
    const { files } = this.#host;
    const control = join(path, "cgroup.subtree_control");
    if (files.read(control).split(/\s+/).includes(resource)) return;
    try {
      files.write(control, `+${resource}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EBUSY" || this.#left !== undefined) throw error;
      const stranger = pidsIn(files, path).find((pid) => !this.#host.isOurs(pid));
      if (stranger !== undefined)
        throw new Error(`other programs are in it too (process ${stranger}); start this one in a separate group`);
      files.makeFolder(this.#leafOf(path));
      this.#left = { path, resources: [] };
      this.#move(path, this.#leafOf(path));
      files.write(control, `+${resource}`);
    }
    if (this.#left?.path === path) this.#left.resources.push(resource);
  }

  #move(from: string, to: string): void {
    const { files, isOurs } = this.#host;
    for (let pass = 0; pass < MAX_MOVE_PASSES; pass++) {
      const pids = pidsIn(files, from).filter(isOurs);
      if (pids.length === 0) return;
      for (const pid of pids) {
        try {
          files.write(join(to, "cgroup.procs"), String(pid));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // That one has ended meanwhile.
        }
      }
    }
  }
}

/** One limit: where, and of what. */
interface Place {
  readonly resource: Resource;
  readonly version: OwnGroup["version"];
  readonly path: string;
  readonly amount: number;
}

/** The groups of one container: one in each hierarchy that has one of its limits. */
export class ControlGroup {
  readonly #files: GroupFiles;
  readonly #places: readonly Place[];

  constructor(files: GroupFiles, places: readonly Place[]) {
    this.#files = files;
    this.#places = places;
  }

  /** Its folders. */
  get paths(): readonly string[] {
    return [...new Set(this.#places.map(({ path }) => path))];
  }

  get hasMemoryLimit(): boolean {
    return this.#places.some(({ resource }) => resource === "memory");
  }

  /** The kernel has ended a process of the container because there was no memory left for it. */
  hasRunOutOfMemory(): boolean {
    const place = this.#places.find(({ resource }) => resource === "memory");
    if (place === undefined) return false;
    const file = place.version === 1 ? "memory.oom_control" : "memory.events";
    return Number(/^oom_kill (\d+)$/m.exec(this.#files.read(join(place.path, file)))?.[1] ?? 0) > 0;
  }

  /** Call it when all its processes have ended, or are about to. */
  remove(): void {
    this.#removeSoon(this.paths, REMOVAL_TRIES);
  }

  #removeSoon(paths: readonly string[], tries: number): void {
    const left = paths.filter((path) => {
      try {
        this.#files.removeFolder(path);
        return false;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === "EBUSY";
      }
    });
    if (left.length > 0 && tries > 1) setTimeout(() => this.#removeSoon(left, tries - 1), REMOVAL_PAUSE_MS).unref();
  }
}

/** @throws Error when the kernel refuses it; nothing is left then */
function makeGroup(files: GroupFiles, places: readonly Place[]): ControlGroup {
  const group = new ControlGroup(files, places);
  try {
    for (const path of group.paths) files.makeFolder(path);
    for (const place of places)
      for (const { file, text, isOptional } of settingsOf(place))
        if (!isOptional || files.has(join(place.path, file))) files.write(join(place.path, file), text);
  } catch (error) {
    group.remove();
    throw error;
  }
  return group;
}

interface Setting {
  readonly file: string;
  readonly text: string;
  /** Not every kernel has it. */
  readonly isOptional?: boolean;
}

/** The files to write for a limit, in this order. Nothing goes to swap, as in a cluster whose nodes have none. */
function settingsOf({ resource, version, amount }: Place): Setting[] {
  const quota = Math.max(Math.round((amount * PERIOD_US) / 1000), MIN_QUOTA_US);
  if (resource === "cpu")
    return version === 2
      ? [{ file: "cpu.max", text: `${quota} ${PERIOD_US}` }]
      : [
          { file: "cpu.cfs_period_us", text: String(PERIOD_US) },
          { file: "cpu.cfs_quota_us", text: String(quota) },
        ];
  const bytes = String(Math.floor(amount));
  return version === 2
    ? [
        { file: "memory.max", text: bytes },
        { file: "memory.swap.max", text: "0", isOptional: true },
        { file: "memory.oom.group", text: "1", isOptional: true },
      ]
    : [
        { file: "memory.limit_in_bytes", text: bytes },
        { file: "memory.memsw.limit_in_bytes", text: bytes, isOptional: true },
      ];
}

function pidsIn(files: GroupFiles, path: string): number[] {
  return files.read(join(path, "cgroup.procs")).split("\n").filter(Boolean).map(Number);
}
