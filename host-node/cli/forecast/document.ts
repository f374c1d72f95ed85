/** What `stint forecast` says, as a document. Times of a run count from its beginning. */
import type { Forecast } from "../../../bindings/js/engine.ts";
import type { Document } from "../json/document.ts";
import type { JobEnd, PodRun } from "./run-observer.ts";

export interface ForecastReport extends Document<"ForecastReport"> {
  /** One a Job, in the order of the files. */
  readonly forecasts: readonly JobForecast[];
  /** Objects of other kinds, counted: `2 Deployments, 1 Service`; empty: there are none. */
  readonly passedOver: string;
}

/** What a Job will do. */
export interface JobForecast extends Forecast {
  readonly job: string;
  /** With an outcome: the run that follows from it. */
  readonly run?: SimulatedRun;
}

/** A run that was simulated, and where its numbers lie between the bounds of the forecast. */
export interface SimulatedRun {
  /** What its pods do, as it was given. */
  readonly outcome: object;
  /** Null: it does not end. */
  readonly end: JobEnd | null;
  /** Why it does not end; null: it does. */
  readonly note: string | null;
  readonly pods: Measured;
  readonly peak: Measured;
  readonly containerStarts: Measured;
  readonly endMs: Measured;
  readonly deletedMs: Measured;
  readonly statusBytes: Measured;
  /** In ms, of all pods. */
  readonly podTime: Measured;
  /** Its pods, in the order of their creation. */
  readonly timeline: readonly SimulatedPod[];
  /** Pods that the timeline leaves out; absent: none. */
  readonly omitted?: number;
  /** Opens the run in a playground: an address, or what follows one. */
  readonly playground?: string;
}

/** The position of a number relative to its bounds. */
export type Position = "least" | "most" | "between" | "outside";

export interface Measured {
  /** Null: the run has no such number. */
  readonly value: number | null;
  /** Null: there is no bound, or no number. */
  readonly is: Position | null;
}

export interface SimulatedPod {
  readonly pod: string;
  /** The completion index; null: it has none. */
  readonly index: number | null;
  /** Of its index, or of the Job: 1 is the first. */
  readonly attempt: number;
  readonly phase: PodRun["phase"];
  readonly createdMs: number;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly exitCode: number | null;
  /** More than one: its containers were restarted. */
  readonly runs: readonly {
    readonly startMs: number;
    readonly endMs: number | null;
    readonly exitCode: number | null;
  }[];
  /** The decision of the controller when it had ended; null: there is none. */
  readonly decision: string | null;
}
