/** What a process has used so far, as Linux says it in /proc. */
import { readFileSync, writeFileSync } from "node:fs";

/** USER_HZ, which is 100 on every Linux. */
const TICKS_A_SECOND = 100;

export interface ProcessUsage {
  /** User and system time of all its threads. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** The most it ever was, or since {@link forgetPeak}. */
  readonly peakResidentBytes: number;
}

/** @throws Error when there is no such process */
export function usageOf(pid: number): ProcessUsage {
  // The second field is the name in parentheses, which may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND,
    residentBytes: kilobytes("VmRSS") * 1024,
    peakResidentBytes: kilobytes("VmHWM") * 1024,
  };
}

/** The peak counts from what it is now. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
