/** A Job controller on an in-memory cluster with virtual time, whose flight recorder writes to a folder. */
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { FlightRecorder } from "../../../host-node/flight-recorder/flight-recorder.ts";
import { SegmentRing } from "../../../host-node/flight-recorder/segment-ring.ts";
import { START_MS, startControlled } from "../controlled-cluster.ts";

export interface RecordedController {
  readonly clock: VirtualClock;
  readonly recorder: FlightRecorder;
  /** What the recorder has complained about. */
  readonly problems: string[];
  /** Creates an object. @returns the status of the answer */
  create(collection: string, object: object): number;
  /** Lets the time pass, and waits until everything is written. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface RecordedControllerOptions {
  readonly folder: string;
  readonly maxBytes?: number;
  readonly isRedacted?: boolean;
  readonly freeBytes?: () => number;
}

export async function startRecorded(options: RecordedControllerOptions): Promise<RecordedController> {
  const { folder, maxBytes = 2 ** 24, isRedacted = true, freeBytes = () => 1e12 } = options;
  const clock = new VirtualClock(START_MS);
  const problems: string[] = [];
  const wallTime = (): number => clock.now();
  const recorder = new FlightRecorder({
    isRedacted,
    wallTime,
    ring: new SegmentRing({ folder, maxBytes, isRedacted, version: "1.2.3", wallTime, freeBytes }),
    onProblem: (problem) => problems.push(problem),
  });
  const { create, stop } = await startControlled({ clock, recorder, wallTime });
  return {
    clock,
    recorder,
    problems,
    create,
    advance: async (ms) => {
      clock.advance(ms);
      await recorder.written();
    },
    close: async () => {
      stop();
      await recorder.close();
    },
  };
}
