/** What a stage has started, found by a variable in the environment that all of its processes inherit. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

/** Its value is the name of the stage. */
export const MARK = "CI_STAGE";

/** The ids of processes that a stage has started, directly or through others, and that have not ended. */
export function startedBy(stage: string): readonly number[] {
  const mark = `${MARK}=${stage}`;
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => read(pid, "environ").split("\0").includes(mark));
}

/** The command line, for people. */
export function commandLine(pid: number): string {
  return read(pid, "cmdline").replaceAll("\0", " ").trim();
}

/** Empty: the process has ended, or belongs to another user. */
function read(pid: number, file: "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
