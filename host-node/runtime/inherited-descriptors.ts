/**
 * Finds the file descriptors that the caller of this program left open. Every child would inherit them, and an open
 * directory would lead a container out of its sandbox. Node closes those that it opened itself, and inherited ones with
 * low numbers. Children get /dev/null in place of the others. Leaves out systems without /proc.
 */
import { openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import type { IOType } from "node:child_process";

const FIRST_BEYOND_STANDARD = 3;
const O_CLOEXEC = 0o2000000;

/** The descriptors that children of this process inherit, beyond the standard ones. */
function inheritedDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((fd) => fd >= FIRST_BEYOND_STANDARD && isInherited(fd));
  } catch {
    return [];
  }
}

/** Looked up once. Node marks descriptors that it opens later, so children do not inherit them. */
let inherited: readonly number[] | undefined;

/** The `stdio` of a child that gets only these descriptors, and inherits no other. */
export function closingInherited(stdio: readonly (IOType | number)[]): (IOType | number)[] {
  inherited ??= inheritedDescriptors();
  const complete = [...stdio];
  for (const fd of inherited) {
    while (complete.length < fd) complete.push("ignore");
    if (complete.length === fd || complete[fd] === "ignore") complete[fd] = nullDescriptor();
  }
  return complete;
}

let opened: number | undefined;
function nullDescriptor(): number {
  return (opened ??= openSync(devNull, "r+"));
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
    return flags !== undefined && (parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false; // It was the one of the listing itself.
  }
}
