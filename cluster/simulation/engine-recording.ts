/** How a world records what its engine is given, for `stint replay`. */
import type { Recorder } from "../../bindings/js/recorder.ts";

export interface EngineRecording {
  readonly recorder: Pick<Recorder, "record">;
  /** When the run begins, in milliseconds since 1970; absent: when every run does. */
  readonly startMs?: number;
  /** Of the engine's module, in lower-case hex. */
  readonly moduleSha256: string;
}
