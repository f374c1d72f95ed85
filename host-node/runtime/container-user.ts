/**
 * The user of containers inside bubblewrap: the user who started this program, but never root. If root starts it,
 * containers run under a user id that no other process has; inside it appears as `nobody` (65534). The reason: in some
 * places the kernel trusts root's user id without asking for a capability: sysctls in /proc, files, peers of sockets.
 * The id is unique because processes of one user share its limits and can end each other.
 *
 * Leaves out access control lists: only the mode decides who may reach a path.
 */
import { randomInt } from "node:crypto";
import { chownSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` and `nogroup` on every Linux. The kernel also shows these for ids that a user namespace does not have. */
export const SHOWN_AS: ContainerUser = { uid: 65534, gid: 65534 };
/** From here to 2^31 no system hands out user ids (systemd's UIDS-GIDS.md). Some programs cannot handle larger ones. */
const FIRST_UNUSED_ID = 0x70000000;
const UNUSED_IDS = 0x10000000;

const READ = 4;
const WRITE = 2;
const SEARCH = 1;

/** The user for the containers of this process. Undefined: the user who runs it. */
export function containerUser(): ContainerUser | undefined {
  return process.getuid?.() === 0 ? (unused ??= unusedUser()) : undefined;
}

let unused: ContainerUser | undefined;
function unusedUser(): ContainerUser {
  const id = FIRST_UNUSED_ID + randomInt(UNUSED_IDS);
  return { uid: id, gid: id };
}

/** Gives a file to the containers' user. */
export function giveTo(user: ContainerUser | undefined, path: string): void {
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}

/**
 * Whether this user may open a path: read it, and search every folder above it. Always true for the user who runs this
 * program.
 */
export function canReach(user: ContainerUser | undefined, path: string): boolean {
  if (user === undefined) return true;
  const real = realpathSync(path);
  return allows(user, real, statSync(real).isDirectory() ? READ | SEARCH : READ) && canEnter(user, dirname(real));
}

/** Whether this user may search a folder and every one above it. */
export function canEnter(user: ContainerUser | undefined, path: string): boolean {
  if (user === undefined) return true;
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    if (!allows(user, folder, SEARCH)) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Whether this user may change a file, or the entries of a folder. */
export function canWriteTo(user: ContainerUser | undefined, path: string): boolean {
  if (user === undefined) return true;
  const real = realpathSync(path);
  return allows(user, real, statSync(real).isDirectory() ? WRITE | SEARCH : WRITE);
}

function allows({ uid, gid }: ContainerUser, path: string, wanted: number): boolean {
  const { mode, uid: owner, gid: group } = statSync(path);
  const granted = owner === uid ? mode >> 6 : group === gid ? mode >> 3 : mode;
  return (granted & wanted) === wanted;
}
