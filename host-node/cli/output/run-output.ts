/** What a run reports, whatever the format. Times are the clock's of the run, in milliseconds since 1970. */
import type { Decision, Explanation } from "../../../bindings/js/engine.ts";
import type { JobView, LastFailure, PodView } from "./job-view.ts";

export interface LogLine {
  readonly pod: PodView;
  readonly container: string;
  /** Whether the pod has other containers too. */
  readonly isOneOfSeveral: boolean;
  readonly attempt: number;
  readonly stream: "stdout" | "stderr";
  readonly line: string;
}

export interface EventView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Normal or Warning. */
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** A Job at the end of the run. */
export interface EndedJob extends JobView {
  /** Of one that has not ended: what it waited for when the run was stopped, as `stint why` says it. */
  readonly sentence?: string | undefined;
  /** Of one that is not complete: the pod that failed last. */
  readonly lastFailure?: LastFailure | undefined;
}

export interface RunSummary {
  readonly jobs: readonly EndedJob[];
  /** The exit status of the command. */
  readonly exitStatus: number;
  /** Why it ended, when not because all Jobs were finished. */
  readonly reason?: string;
  readonly durationMs: number;
  /** Time was simulated. */
  readonly isSimulated: boolean;
}

/** What an output needs to know of its run. */
export interface OutputContext {
  /** When it began, on its clock. */
  readonly startMs: number;
  /** Whether there are several Jobs, whose names then tell their lines apart. */
  readonly hasSeveralJobs: boolean;
  /**
   * What the engine says of a Job at this moment; undefined: nothing. Not to be asked while the engine tells of a
   * decision.
   */
  explain(job: JobView): Explanation | undefined;
}

export interface RunOutput {
  /** One sentence that begins with the place it is about. */
  warning(nowMs: number, text: string): void;
  log(nowMs: number, line: LogLine): void;
  event(nowMs: number, event: EventView): void;
  job(nowMs: number, job: JobView): void;
  pod(nowMs: number, pod: PodView): void;
  /** The engine has decided something; only of a run that is to be explained. */
  decision(nowMs: number, decision: Decision): void;
  /** What the user should know about the run itself: it is being stopped. */
  note(nowMs: number, text: string): void;
  /** Time has passed, the user's if not that of the run, and nothing else happened. */
  tick(nowMs: number): void;
  end(nowMs: number, summary: RunSummary): void;
}
