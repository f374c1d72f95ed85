/** What a view is made from: the history, the Job, and the instant. Each panel's data is a function of it. */
import type { Query } from "../messages.ts";
import type { AskAccount } from "./account.ts";
import type { History } from "./history.ts";
import type { JobTrack } from "./job-track.ts";
import type { JobVersion } from "./job-versions.ts";
import type { PodsThen } from "./pod-scan.ts";

export interface Look {
  readonly history: History;
  readonly query: Query;
  readonly atMs: number;
  /** How many rows of each list to skip. */
  readonly skip: number;
  /** Undefined: there is no such Job. */
  readonly track: JobTrack | undefined;
  /** Undefined: the Job did not exist at the instant. */
  readonly version: JobVersion | undefined;
  /** Undefined: there is no such Job. */
  readonly pods: PodsThen | undefined;
  /** Undefined: the engine that says who ended pods is not there, or the query does not need it. */
  readonly ask: AskAccount | undefined;
}
