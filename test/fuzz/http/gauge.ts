/**
 * What a step costs: how long it keeps the event loop, and how much memory it takes at its peak. Where the figures come
 * from is handed in, so that a test moves them.
 */
import { readFileSync, writeFileSync } from "node:fs";

export interface Gauge {
  nowMs(): number;
  /** Bytes that the process holds now. The peak is counted from here. */
  heldBytes(): number;
  /** The most that it has held since `heldBytes` was asked last. */
  peakBytes(): number;
}

export interface Cost {
  readonly stallMs: number;
  /** Above what was held before. */
  readonly peakBytes: number;
}

export function costOf(gauge: Gauge, step: () => void): Cost {
  const held = gauge.heldBytes();
  const beganMs = gauge.nowMs();
  step();
  const stallMs = gauge.nowMs() - beganMs;
  return { stallMs, peakBytes: Math.max(0, gauge.peakBytes() - held) };
}

/** As large as either. */
export function largerCost(a: Cost, b: Cost): Cost {
  return { stallMs: Math.max(a.stallMs, b.stallMs), peakBytes: Math.max(a.peakBytes, b.peakBytes) };
}

const STATUS = "/proc/self/status";
/** Sets the peak to what is held: `man 5 proc_pid_clear_refs`. */
const CLEAR_REFS = "/proc/self/clear_refs";
const RESET_PEAK = "5";

/** Of this process. Where the system does not tell a peak, what is held after the step stands for it. */
export const processGauge: Gauge = {
  // Of this thread, so that what else runs on the machine does not count. Nothing here waits.
  nowMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1e3;
  },
  heldBytes() {
    try {
      writeFileSync(CLEAR_REFS, RESET_PEAK);
    } catch {
      // Another system than Linux.
    }
    return process.memoryUsage.rss();
  },
  peakBytes() {
    try {
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(STATUS, "utf8"))![1]) * 1024;
    } catch {
      return process.memoryUsage.rss();
    }
  },
};
