/** What a run reports, in any format. Times are those of the clock of the run, in milliseconds since 1970. */
import type { Decision, Explanation, Hold } from "../../../bindings/js/engine.ts";
import type { Position } from "../../../cluster/manifests/diagnostic.ts";
import type { JobView, LastFailure, PodView } from "../../words/job-view.ts";

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
  /** For a Job that has not ended: what it waited for when the run was stopped, in the words of `stint why`. */
  readonly sentence?: string | undefined;
  /** And what held it then, in those of `account`. */
  readonly holds?: readonly Hold[] | undefined;
  /** For a Job that is not complete: the pod that failed last. */
  readonly lastFailure?: LastFailure | undefined;
  /** For a Job that is not complete and never had a pod: that, and why the last one was refused. */
  readonly withoutPods?: string | undefined;
  /** The completion indexes that had a pod that failed. */
  readonly retriedIndexes?: ReadonlySet<number> | undefined;
}

export interface RunSummary {
  readonly jobs: readonly EndedJob[];
  /** The exit status of the command. */
  readonly exitStatus: number;
  /** Why the run ended, if not because all Jobs had ended. */
  readonly reason?: string;
  readonly durationMs: number;
  /** Time was simulated. */
  readonly isSimulated: boolean;
  /** Facts that hold for every pod of the run, and are no fault of its manifests: a sentence each. */
  readonly notes: readonly string[];
}

/** What an output needs to know of its run. */
export interface OutputContext {
  /** When the run began, on its clock. */
  readonly startMs: number;
  /** Whether there are several Jobs. Then each line has the name of its Job. */
  readonly hasSeveralJobs: boolean;
  /** The position of a Job's manifest. */
  placeOf(job: JobView): Position | undefined;
  /**
   * The engine's explanation of a Job at this moment; undefined: there is none. Do not call it while the engine reports
   * a decision.
   */
  explain(job: JobView): Explanation | undefined;
  /** What holds a Job most, in the words of `account`; undefined: nothing does. Call it as `explain`. */
  hold(job: JobView): string | undefined;
}

/** A format of output: it gets everything that happens in a run, in order. */
export interface RunOutput {
  /** One sentence that begins with the place it is about. */
  warning(nowMs: number, text: string): void;
  log(nowMs: number, line: LogLine): void;
  event(nowMs: number, event: EventView): void;
  job(nowMs: number, job: JobView): void;
  pod(nowMs: number, pod: PodView): void;
  /** The engine has decided something. Only called with `--explain`. */
  decision(nowMs: number, decision: Decision): void;
  /** What the user should know about the run itself: it is being stopped. */
  note(nowMs: number, text: string): void;
  /** Time has passed and nothing else happened. It may be only the user's time, while the run's has stopped. */
  tick(nowMs: number): void;
  end(nowMs: number, summary: RunSummary): void;
}
