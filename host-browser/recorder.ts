/** What the page asks of the keeper of a run's history. Leaves out what a world reports to it: RunRecorder. */
import type { Query } from "./messages.ts";
import type { Chunk } from "./records.ts";
import type { RunRecorder } from "../cluster/simulation/recorder.ts";

export interface ShownRecorder extends RunRecorder {
  /** What is new since the last call. */
  take(): Chunk;
  /** The view of history/view.ts, which travels to the page as it is. */
  look(query: Query): unknown;
}
