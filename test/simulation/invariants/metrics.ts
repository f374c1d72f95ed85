/**
 * What an engine counts never goes down, and it counts every Job that it has brought to its end, and how long that
 * took: one for each terminal condition whose write was answered. Looked at between the steps of a run. Source:
 * docs/spec/controller.md section 9.
 */
import type { EngineMetrics } from "../../../bindings/js/metrics.ts";
import type { ApiResponse } from "../../../bindings/js/host.ts";
import type { ControllerProcess } from "../controller-process.ts";
import { isFinished, type JobFacts } from "../facts.ts";
import { type Check, violate } from "./check.ts";
import type { Sent } from "./requests.ts";

const FINISHED = "job_controller_jobs_finished_total";
const DURATION = "stint_job_duration_seconds";

export class Metrics implements Check {
  readonly #last = new Map<string, number>();
  /** Jobs whose end was stored: those that the controller still knew when it read the answer, and all. */
  readonly #ended = new Map<ControllerProcess, { sure: number; all: number }>();

  answered(process: ControllerProcess, sent: Sent, { status, body }: ApiResponse): void {
    if (sent.kind !== "status" || status < 200 || status >= 300) return;
    const job = JSON.parse(String(body)) as { status?: { conditions?: JobFacts["conditions"] } };
    if (!isFinished({ conditions: job.status?.conditions ?? [] })) return;
    const ended = this.#endedBy(process);
    ended.all++;
    if (process.view.jobs.has(sent.uid)) ended.sure++;
  }

  /** Between two steps. */
  measured(process: ControllerProcess, metrics: EngineMetrics): void {
    let finished = 0;
    let timed = 0;
    for (const { name, type, samples } of metrics.families) {
      if (name === DURATION) timed = samples.reduce((sum, { count = 0 }) => sum + count, 0);
      if (type !== "counter") continue;
      for (const { labels, value = 0 } of samples) {
        const key = `${process.name} ${name} ${labels.join(" ")}`;
        if (value < (this.#last.get(key) ?? 0))
          violate("metrics never go down", `${key} went from ${this.#last.get(key)} to ${value}`);
        this.#last.set(key, value);
        if (name === FINISHED) finished += value;
      }
    }
    const { sure, all } = this.#endedBy(process);
    // An end that was stored is counted by the sync that continues from it, which may wait for room.
    if ((finished < sure && !process.isFull) || finished > all)
      violate(
        "metrics count what was stored",
        `${process.name} has counted ${finished} finished Jobs and has brought ${sure === all ? all : `${sure} to ${all}`} to their end`,
      );
    if (timed !== finished)
      violate(
        "metrics time what they count",
        `${process.name} has counted ${finished} finished Jobs and told how long ${timed} took`,
      );
  }

  #endedBy(process: ControllerProcess): { sure: number; all: number } {
    const ended = this.#ended.get(process) ?? { sure: 0, all: 0 };
    this.#ended.set(process, ended);
    return ended;
  }
}
