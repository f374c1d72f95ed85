/** What the page asks of whoever keeps the history of a run. Leaves out what a world tells it: RunRecorder. */
import type { Query, View } from "./messages.ts";
import type { Chunk } from "./records.ts";
import type { RunRecorder } from "../cluster/simulation/recorder.ts";

export interface ShownRecorder extends RunRecorder {
  /** What is new since the last call. */
  take(): Chunk;
  look(query: Query): View;
}
