/**
 * The run as JSON lines, one object a line, for programs. `type` says what it is; times are RFC 3339 with milliseconds.
 *
 *     {"type":"warning","time":…,"message":…}
 *     {"type":"log","time":…,"namespace":…,"job":…,"pod":…,"index":0,"container":…,"attempt":0,"stream":"stdout",
 *      "line":…}
 *     {"type":"event","time":…,"kind":"Job","namespace":…,"name":…,"eventType":"Normal","reason":…,"message":…}
 *     {"type":"pod","time":…,"namespace":…,"job":…,"pod":…,"index":0,"phase":"Failed","failure":…}
 *     {"type":"job","time":…,"namespace":…,"name":…,"state":"Running","completions":4,"active":…,"ready":…,
 *      "succeeded":…,"failed":…,"terminating":…,"completedIndexes":"0,2","failedIndexes":"1",
 *      "conditions":[{"type":…,"status":…,"reason":…,"message":…}]}
 *     {"type":"decision","time":…,"atMs":…,"namespace":…,"job":…,"uid":…,"code":"Backoff","message":…,
 *      "nextMs":…,"numbers":{…}}
 *     {"type":"note","time":…,"message":…}
 *     {"type":"result","time":…,"exitStatus":0,"reason":…,"durationMs":…,"simulated":false,"jobs":[as above, and
 *      "sentence":…,"withoutPods":…,"lastFailure":{"pod":…,"failure":…,"endedBy":…,"log":[…]}]}
 *
 * `index` is null unless the Job is Indexed, `completions` null for a work queue; `completedIndexes` exists for an
 * Indexed Job, `failedIndexes` for one with backoffLimitPerIndex. `atMs` and `nextMs` of a decision are milliseconds
 * since 1970; `nextMs` is null when only an event moves the Job. bindings/ABI.md lists the codes and their numbers.
 * `sentence` exists for a Job that has not ended: what it waited for when the run was stopped. `lastFailure` exists
 * for a Job that is not complete and has a pod that failed; its `endedBy` is a code of bindings/ABI.md, "account", and
 * `log` are the last lines of its container. `withoutPods` exists for a Job that is not complete and never had a pod:
 * why the last one was refused. A result is always the last line.
 */
import type { Decision } from "../../../bindings/js/engine.ts";
import type { JobView, PodView } from "../../words/job-view.ts";
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
    this.#line("result", nowMs, { ...result, jobs: jobs.map(endedFields) });
  }

  #line(type: string, nowMs: number, fields: object): void {
    this.#write(`${JSON.stringify({ type, time: new Date(nowMs).toISOString(), ...fields })}\n`);
  }
}

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
}: JobView): object {
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

function endedFields({ sentence, lastFailure, withoutPods, retriedIndexes: _shown, ...job }: EndedJob): object {
  const why = {
    ...(sentence === undefined ? {} : { sentence }),
    ...(withoutPods === undefined ? {} : { withoutPods }),
  };
  return { ...jobFields(job), ...why, ...(lastFailure === undefined ? {} : { lastFailure }) };
}

function podFields({ namespace, job, name, completionIndex }: PodView): object {
  return { namespace, job, pod: name, index: completionIndex ?? null };
}
