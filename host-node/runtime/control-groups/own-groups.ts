/**
 * Finds the control groups in which this program itself runs: of version 2, of version 1, or of both on one machine.
 * What it runs as containers gets groups below these, and no others are ever touched.
 *
 * Leaves out whether this program may make groups there: control-groups.ts tries that.
 */
import { join, relative } from "node:path";

/** What a control group can limit here. */
export type Resource = "cpu" | "memory";
export const RESOURCES: readonly Resource[] = ["cpu", "memory"];

export interface OwnGroup {
  readonly version: 1 | 2;
  /** Its folder. */
  readonly path: string;
}

export interface KernelTexts {
  /** /proc/self/cgroup */
  readonly groups: string;
  /** /proc/self/mountinfo */
  readonly mounts: string;
  /** cgroup.controllers in the folder of a group of version 2; empty where there is none. */
  controllersOf(path: string): string;
}

interface Hierarchy {
  readonly type: string;
  /** The group that is mounted. */
  readonly root: string;
  readonly mountPoint: string;
  readonly options: readonly string[];
}

/** The group that can limit this resource for this program; or why none can. */
export function ownGroupOf(resource: Resource, texts: KernelTexts): OwnGroup | { readonly problem: string } {
  const hierarchies = hierarchiesOf(texts.mounts);
  // A controller is in one hierarchy only: that of version 1 if it exists there.
  const first = hierarchies.find(({ type, options }) => type === "cgroup" && options.includes(resource));
  if (first !== undefined) return placeIn(first, 1, membership(texts.groups, resource), resource);
  const second = hierarchies.find(({ type }) => type === "cgroup2");
  if (second === undefined) return { problem: `no control group for ${resource} is mounted` };
  const own = placeIn(second, 2, membership(texts.groups, ""), resource);
  if ("problem" in own || texts.controllersOf(own.path).split(/\s+/).includes(resource)) return own;
  return { problem: `the control group ${own.path} was not given the controller ${resource}` };
}

/** @param controller of version 1; empty: version 2. @returns the group as the kernel names it */
function membership(groups: string, controller: string): string | undefined {
  for (const line of groups.split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers?.split(",").includes(controller)) return path;
  }
  return undefined;
}

function placeIn(
  { root, mountPoint }: Hierarchy,
  version: OwnGroup["version"],
  own: string | undefined,
  resource: Resource,
): OwnGroup | { readonly problem: string } {
  // With `..` the kernel names a group above the one that this program sees as the root.
  if (own === undefined || [root, own, relative(root, own)].some((path) => path.split("/").includes("..")))
    return { problem: `the control group for ${resource} is not mounted` };
  return { version, path: join(mountPoint, relative(root, own)) };
}

/** The lines of proc_pid_mountinfo(5) that show control groups. */
function hierarchiesOf(mounts: string): Hierarchy[] {
  return mounts.split("\n").flatMap((line) => {
    const [before, after] = line.split(" - ");
    const [type = "", , options = ""] = after?.split(" ") ?? [];
    if (type !== "cgroup" && type !== "cgroup2") return [];
    const [, , , root = "", mountPoint = ""] = before!.split(" ");
    return [{ type, root: unescaped(root), mountPoint: unescaped(mountPoint), options: options.split(",") }];
  });
}

/** Spaces and the like are written as three octal digits. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
