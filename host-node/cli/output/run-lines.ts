/** The lines of `stint run --output json`: `type` says what a line is. The last one is the report. */
import type { Decision, Hold } from "../../../bindings/js/engine.ts";
import type { JobView, LastFailure } from "../../words/job-view.ts";
import type { Document } from "../json/document.ts";

export type RunLine = RunWarning | RunNote | RunLog | RunEvent | RunPodLine | RunJobLine | RunDecision | RunReport;

interface Line<Type extends string> {
  readonly type: Type;
  /** RFC 3339 with milliseconds, by the clock of the run. */
  readonly time: string;
}

/** About the manifests. */
export interface RunWarning extends Line<"warning"> {
  readonly message: string;
}

/** About the run itself: it is being stopped, for example. */
export interface RunNote extends Line<"note"> {
  readonly message: string;
}

/** A pod of the run. */
export interface RunPod {
  readonly namespace: string;
  readonly job: string;
  readonly pod: string;
  /** The completion index; null: the Job is not Indexed. */
  readonly index: number | null;
}

/** What a container has printed. */
export interface RunLog extends Line<"log">, RunPod {
  readonly container: string;
  /** Which start of the container: 0 is the first. */
  readonly attempt: number;
  readonly stream: "stdout" | "stderr";
  readonly line: string;
}

/** An Event of Kubernetes. */
export interface RunEvent extends Line<"event"> {
  /** The kind of the object. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Normal or Warning. */
  readonly eventType: string;
  readonly reason: string;
  readonly message: string;
}

/** A pod has another phase. */
export interface RunPodLine extends Line<"pod">, RunPod {
  readonly phase: string;
  /** Who or what ended it; empty: it has not failed. */
  readonly failure: string;
}

/** What is shown of a Job. */
export interface RunJob extends Omit<JobView, "uid" | "startTimeMs" | "endTimeMs"> {}

/** The status of a Job has changed. */
export interface RunJobLine extends Line<"job">, RunJob {}

/** With --explain: a decision of the controller. */
export interface RunDecision extends Line<"decision">, Decision {}

/** How the run ended. */
export interface RunReport extends Line<"result">, Document<"RunReport"> {
  readonly exitStatus: number;
  /** Why it ended, if not because all Jobs had ended. */
  readonly reason: string | null;
  readonly durationMs: number;
  /** Time was simulated. */
  readonly simulated: boolean;
  readonly jobs: readonly EndedRunJob[];
}

/** A Job at the end of the run. */
export interface EndedRunJob extends RunJob {
  /** Of a Job that has not ended: what it waited for when the run was stopped. */
  readonly sentence?: string;
  /** And what held it then, the most important first. */
  readonly holds?: readonly Hold[];
  /** Of a Job that never had a pod and is not complete: why the last one was refused. */
  readonly withoutPods?: string;
  /** Of a Job that is not complete: the pod that failed last. */
  readonly lastFailure?: LastFailure;
}
