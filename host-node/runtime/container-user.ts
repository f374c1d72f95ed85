/**
 * As whom containers run inside bubblewrap: as the user who started this program, but never as root. Root's containers run as nobody,
 * because the kernel trusts root's user id in places where it asks for no capability: sysctls in /proc, files, peers of sockets.
 *
 * Leaves out access control lists: who may reach a path is read from its mode alone.
 */
import { chownSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
}

/** nobody and nogroup of every Linux; also what the kernel shows for ids that a user namespace does not have. */
const NOBODY: ContainerUser = { uid: 65534, gid: 65534 };

const READ = 4;
const SEARCH = 1;

/** Undefined: the user who runs this program. */
export function containerUser(): ContainerUser | undefined {
  return process.getuid?.() === 0 ? NOBODY : undefined;
}

/** Hands a file over to the containers' user. */
export function giveTo(user: ContainerUser | undefined, path: string): void {
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}

/** Whether this user may open a path: read it, and search every folder above it. Always true for the user who runs this program. */
export function canReach(user: ContainerUser | undefined, path: string): boolean {
  if (user === undefined) return true;
  const real = realpathSync(path);
  if (!allows(user, real, statSync(real).isDirectory() ? READ | SEARCH : READ)) return false;
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    if (!allows(user, folder, SEARCH)) return false;
    if (folder === dirname(folder)) return true;
  }
}

function allows({ uid, gid }: ContainerUser, path: string, wanted: number): boolean {
  const { mode, uid: owner, gid: group } = statSync(path);
  const granted = owner === uid ? mode >> 6 : group === gid ? mode >> 3 : mode;
  return (granted & wanted) === wanted;
}
