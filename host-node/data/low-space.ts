/**
 * Refuses to store more when the disk is nearly full, as etcd does beyond its quota. Reads go on, and deletions, which
 * make room. The refusal names no time after which to try again, or kubectl would try for minutes and say nothing.
 *
 * What is kept free is enough for the commits that are under way and for the log of SQLite, so none of them fails
 * half-way. Leaves out disks that are full for other reasons, such as a quota of the user: there the commit fails and
 * the server ends (durable-writes.ts).
 */
import { statfsSync } from "node:fs";
import type { AdmissionPlugin } from "../../cluster/apiserver/admission-plugins/chain.ts";
import { failure } from "../../cluster/apiserver/contract/status-errors.ts";

/** What stays free. */
export const RESERVE_BYTES = 32 * 1024 * 1024;

/** A plugin that comes first. @param freeBytes what this user may still write */
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
