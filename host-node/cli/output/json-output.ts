/** The run as JSON lines, one object a line, for programs. run-lines.ts has the form of each. */
import type { Decision } from "../../../bindings/js/engine.ts";
import type { JobView, PodView } from "../../words/job-view.ts";
import { documentLine, head } from "../json/document.ts";
import type { EndedRunJob, RunJob, RunLine, RunPod } from "./run-lines.ts";
import type { EndedJob, EventView, LogLine, RunOutput, RunSummary } from "./run-output.ts";

export class JsonOutput implements RunOutput {
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  warning(nowMs: number, message: string): void {
    this.#line("warning", nowMs, { message });
  }

  log(nowMs: number, { pod, container, attempt, stream, line }: LogLine): void {
    this.#line("log", nowMs, { ...podFields(pod), container, attempt, stream, line });
  }

  event(nowMs: number, { type, ...event }: EventView): void {
    this.#line("event", nowMs, {
      kind: event.kind,
      namespace: event.namespace,
      name: event.name,
      eventType: type,
      reason: event.reason,
      message: event.message,
    });
  }

  job(nowMs: number, job: JobView): void {
    this.#line("job", nowMs, jobFields(job));
  }

  pod(nowMs: number, pod: PodView): void {
    this.#line("pod", nowMs, { ...podFields(pod), phase: pod.phase, failure: pod.failure });
  }

  decision(nowMs: number, decision: Decision): void {
    this.#line("decision", nowMs, decision);
  }

  note(nowMs: number, message: string): void {
    this.#line("note", nowMs, { message });
  }

  tick(): void {}

  end(nowMs: number, { jobs, exitStatus, reason, durationMs, isSimulated, notes }: RunSummary): void {
    for (const note of notes) this.note(nowMs, note);
    const result = { exitStatus, reason: reason ?? null, durationMs, simulated: isSimulated };
    this.#line("result", nowMs, { ...head("RunReport"), ...result, jobs: jobs.map(endedFields) });
  }

  #line<Type extends RunLine["type"]>(type: Type, nowMs: number, fields: FieldsOf<Type>): void {
    this.#write(documentLine({ type, time: new Date(nowMs).toISOString(), ...fields }));
  }
}

type FieldsOf<Type> = Omit<Extract<RunLine, { readonly type: Type }>, "type" | "time">;

function jobFields({
  namespace,
  name,
  state,
  completions,
  active,
  ready,
  succeeded,
  failed,
  terminating,
  completedIndexes,
  failedIndexes,
  conditions,
}: JobView): RunJob {
  return {
    namespace,
    name,
    state,
    completions,
    active,
    ready,
    succeeded,
    failed,
    terminating,
    ...(completedIndexes === undefined ? {} : { completedIndexes }),
    ...(failedIndexes === undefined ? {} : { failedIndexes }),
    conditions,
  };
}

function endedFields({
  sentence,
  holds,
  lastFailure,
  withoutPods,
  retriedIndexes: _shown,
  ...job
}: EndedJob): EndedRunJob {
  const why = {
    ...(sentence === undefined ? {} : { sentence }),
    ...(holds === undefined ? {} : { holds }),
    ...(withoutPods === undefined ? {} : { withoutPods }),
  };
  return { ...jobFields(job), ...why, ...(lastFailure === undefined ? {} : { lastFailure }) };
}

function podFields({ namespace, job, name, completionIndex }: PodView): RunPod {
  return { namespace, job, pod: name, index: completionIndex ?? null };
}
