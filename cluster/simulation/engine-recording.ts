/** Records the inputs of a world's engine, for `stint replay`. */
import type { Recorder } from "../../bindings/js/recorder.ts";

export interface EngineRecording {
  readonly recorder: Pick<Recorder, "record">;
  /** When the run begins, in milliseconds since 1970; absent: START_MS. */
  readonly startMs?: number;
  /** Of the engine's module, in lower-case hex. */
  readonly moduleSha256: string;
}
