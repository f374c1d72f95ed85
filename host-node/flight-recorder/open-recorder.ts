/** The flight recorder of a process: its folder, its clock, and where its problems are logged. */
import type { Log } from "../log.ts";
import { FlightRecorder } from "./flight-recorder.ts";
import { SegmentRing } from "./segment-ring.ts";

export interface OpenRecorderOptions {
  readonly folder: string;
  /** Of all files together. */
  readonly maxBytes: number;
  readonly isRedacted: boolean;
  readonly version: string;
  readonly log: Log;
}

/** @throws UsageError, MachineError, when the folder cannot be used */
export function openRecorder({ log, ...options }: OpenRecorderOptions): FlightRecorder {
  const { folder, maxBytes, isRedacted } = options;
  const wallTime = Date.now;
  const recorder = new FlightRecorder({
    isRedacted,
    wallTime,
    ring: new SegmentRing({ ...options, wallTime }),
    onProblem: (problem) => log.error(problem),
  });
  log.info({ folder, maxBytes, redacted: isRedacted }, "recording the controller's input and requests");
  return recorder;
}
