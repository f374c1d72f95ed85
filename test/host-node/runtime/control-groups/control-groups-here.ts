/**
 * Whether this machine lets containers have control groups, for tests of what happens in them. They are skipped with a
 * message where it does not; with STINT_REQUIRE_CONTROL_GROUPS=1 that is an error.
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { RESOURCES } from "../../../../host-node/runtime/control-groups/own-groups.ts";
import { controlGroups } from "../../../../host-node/runtime/control-groups/join-group.ts";
import { hasBubblewrap } from "../bubblewrap-here.ts";

const problem = RESOURCES.map((resource) => controlGroups().problemOf(resource)).find((each) => each !== undefined);
if (problem !== undefined) {
  if (process.env["STINT_REQUIRE_CONTROL_GROUPS"] === "1")
    throw new Error(`STINT_REQUIRE_CONTROL_GROUPS is 1, and ${problem}`);
  console.warn(`tests of control groups are skipped: ${problem}`);
}

export const hasControlGroups = problem === undefined && hasBubblewrap;

/** The folders of all groups that a process has made for containers. */
export function foldersOf(pid: number = process.pid): string[] {
  const parents = new Set(controlGroups().prefixes("any").map(dirname));
  return [...parents].flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name.startsWith(`stint-${pid}-`) && !name.endsWith("-host"))
      .map((name) => join(parent, name)),
  );
}

/** Waits until there is none; the test's own time limit is the limit. */
export async function noFoldersOf(pid?: number): Promise<void> {
  while (foldersOf(pid).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
