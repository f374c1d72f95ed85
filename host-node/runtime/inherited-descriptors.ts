/**
 * What the caller of this program has left open, and every child would get: a directory among it would lead a container
 * out of its sandbox. Node closes what it opened itself, and what it inherited with a low number. Children get
 * /dev/null in place of the rest. Leaves out systems without /proc.
 */
import { openSync, readdirSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import type { IOType } from "node:child_process";

const FIRST_BEYOND_STANDARD = 3;
const O_CLOEXEC = 0o2000000;

/** The descriptors that children of this process inherit, beyond the standard ones. */
export function inheritedDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((fd) => fd >= FIRST_BEYOND_STANDARD && isInherited(fd));
  } catch {
    return [];
  }
}

/** The `stdio` of a child that gets these descriptors and, of those that it would inherit, none. */
export function closingInherited(
  stdio: readonly (IOType | number)[],
  inherited: readonly number[],
): (IOType | number)[] {
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
