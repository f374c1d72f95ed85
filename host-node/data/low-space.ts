/**
 * Refuses to store more when the disk is nearly full, as etcd does beyond its quota. Reads still work, and so do
 * deletions, which free space. The refusal names no retry time, or kubectl would silently retry for minutes.
 *
 * The reserved space is enough for the commits that are under way and for the log of SQLite, so none of them fails
 * half-way. Leaves out disks that are full for other reasons, such as a quota of the user: there the commit fails and
 * the server ends (durable-writes.ts).
 */
import { statfsSync } from "node:fs";
import type { AdmissionPlugin } from "../../cluster/apiserver/admission-plugins/chain.ts";
import { failure } from "../../cluster/apiserver/contract/status-errors.ts";

/** The bytes that stay free. */
export const RESERVE_BYTES = 32 * 1024 * 1024;

/** A plugin that runs first. @param freeBytes how much this user may still write */
export function refuseWhenLow(folder: string, freeBytes = () => bytesFree(folder)): AdmissionPlugin {
  return {
    mutate(object) {
      const free = freeBytes();
      if (free >= RESERVE_BYTES) return object;
      throw failure({
        code: 507,
        reason: "InsufficientStorage",
        message: `the disk of ${folder} has ${free} bytes left, and nothing more is stored below ${RESERVE_BYTES}; make room there, or delete objects`,
      });
    },
  };
}

function bytesFree(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
