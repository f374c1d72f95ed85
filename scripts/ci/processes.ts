/**
 * What a stage has started, found by a variable in the environment that all of its processes inherit, and the processor
 * time that it took. Linux only.
 */
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

/** The kernel counts processor time in hundredths of a second for every program. */
const TICKS_PER_SECOND = 100;

/** The processor time of all processes that this one has started and that have ended, with those that they started. */
export function processorSecondsOfEnded(): number {
  // The name of the program, in parentheses, may have spaces. The 16th and 17th field are those of children.
  const fields = read(process.pid, "stat").replace(/^.*\)/s, "").trim().split(" ");
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / TICKS_PER_SECOND;
}

/** Empty: the process has ended, or belongs to another user. */
function read(pid: number, file: "environ" | "cmdline" | "stat"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
