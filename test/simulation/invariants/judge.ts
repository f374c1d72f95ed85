/**
 * All invariants of a run, fed with what happens in it. The first rule that is broken ends the run; its name, and what
 * is wrong, are kept here, for the loop of a controller may have caught the error.
 */
import { createHash } from "node:crypto";
import type { Decision, PollResult } from "../../../bindings/js/engine.ts";
import type { ApiResponse, Clock } from "../../../bindings/js/host.ts";
import type { ControllerListener, ControllerProcess } from "../controller-process.ts";
import type { JobFacts, PodFacts } from "../facts.ts";
import type { Traffic } from "../faulty-transport.ts";
import type { GangFacts, Ledger, LedgerListener, Write } from "../ledger.ts";
import type { Trace } from "../trace.ts";
import { Backoff } from "./backoff.ts";
import { type Check, Violation, violate } from "./check.ts";
import { Claiming } from "./claims.ts";
import { Counting } from "./counting.ts";
import { Effort } from "./effort.ts";
import { Endings } from "./endings.ts";
import { Events } from "./events.ts";
import { Explanations } from "./explanations.ts";
import { Gangs } from "./gangs.ts";
import { Leadership } from "./leadership.ts";
import { Limits } from "./limits.ts";
import { PodRequests } from "./pods.ts";
import { Metrics } from "./metrics.ts";
import { Removals } from "./removals.ts";
import { classify } from "./requests.ts";
import { StatusRules } from "./status-rules.ts";

export class Judge implements LedgerListener, ControllerListener {
  readonly #checks: readonly Check[];
  readonly #trace: Trace;
  #violation: Violation | undefined;
  #writes = 0;
  readonly #deeds = createHash("sha256");
  /** Documents that a controller got and must not be able to read. */
  readonly #lies = new Map<ControllerProcess, number>();

  constructor(
    ledger: Ledger,
    clock: Clock,
    trace: Trace,
    processNamed: (name: string) => ControllerProcess | undefined,
  ) {
    const counting = new Counting(ledger);
    const backoff = new Backoff(ledger);
    const endings = new Endings({ ledger, processNamed });
    this.#checks = [
      ...[
        counting,
        endings,
        new StatusRules(ledger),
        new Removals(ledger),
        new Claiming(ledger, clock),
        new Gangs(ledger),
        new Metrics(),
        new Events(),
        new Explanations(),
        backoff,
      ],
      ...[
        new PodRequests({ ledger, clock, counting, backoff }),
        new Effort(clock),
        new Leadership(ledger),
        new Limits(),
      ],
    ];
    this.#trace = trace;
  }

  /** The first rule that was broken. */
  get violation(): Violation | undefined {
    return this.#violation;
  }

  /** Requests of controllers other than GET. */
  get writes(): number {
    return this.#writes;
  }

  /** SHA-256, lower-case hexadecimal, of all that controllers sent and decided, in its order. The run is over then. */
  digest(): string {
    return this.#deeds.digest("hex");
  }

  #addDeed(...parts: readonly string[]): void {
    for (const part of parts) this.#deeds.update(`${part.length}:`).update(part);
  }

  /** Calls, and keeps the violation that this throws. */
  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (error instanceof Violation) this.#violation ??= error;
      throw error;
    }
  }

  podWritten(write: Write<PodFacts>): void {
    this.#trace.add(
      write.actor,
      () => `  pod ${write.after.name} ${write.type} @${write.after.version} ${describePod(write.after)}`,
    );
    this.#each((check) => check.podWritten?.(write));
  }

  gangWritten(write: Write<GangFacts>): void {
    this.#trace.add(write.actor, () => `  ${write.after.resource} ${write.after.name} ${write.type}`);
    this.#each((check) => check.gangWritten?.(write));
  }

  /** Between two steps. */
  measure(process: ControllerProcess): void {
    const metrics = process.metrics();
    this.#each((check) => check.measured?.(process, metrics));
  }

  /** In calm: what it says about the Jobs that are there, unless it waits for an answer. */
  explain(process: ControllerProcess, jobs: Iterable<JobFacts>): void {
    if (process.isHalted || process.metrics().requestsUnderWay > 0) return;
    for (const { namespace, name } of jobs) {
      const explanation = process.explain(namespace, name);
      if (explanation.found) this.#each((check) => check.explained?.(process, explanation));
    }
  }

  jobWritten(write: Write<JobFacts>): void {
    this.#trace.add(
      write.actor,
      () => `  Job ${write.after.name} ${write.type} @${write.after.version} ${describeJob(write.after)}`,
    );
    this.#each((check) => check.jobWritten?.(write));
  }

  sent(process: ControllerProcess, traffic: Traffic): void {
    const { request, body } = traffic;
    if (request.method !== "GET") this.#writes++;
    this.#addDeed(process.name, request.method, request.path, body);
    if (request.method !== "GET" && !request.path.endsWith("/events"))
      this.#trace.add(
        process.name,
        () => `→ ${request.method} ${request.path} ${request.method === "POST" ? "" : body}`,
      );
    const sent = classify(traffic);
    this.#each((check) => check.sent?.(process, sent));
  }

  left(process: ControllerProcess, traffic: Traffic): void {
    this.#each((check) => check.left?.(process, traffic));
  }

  lied(process: ControllerProcess, what: string): void {
    this.#lies.set(process, (this.#lies.get(process) ?? 0) + 1);
    this.#trace.add(process.name, `~ gets ${what}`);
  }

  handled(process: ControllerProcess, traffic: Traffic, response: ApiResponse): void {
    const sent = classify(traffic);
    this.#each((check) => check.handled?.(process, sent, response));
  }

  answered(process: ControllerProcess, traffic: Traffic, response: ApiResponse): void {
    const { request } = traffic;
    if (response.status < 200 || response.status >= 300)
      this.#trace.add(process.name, `← ${response.status} to ${request.method} ${request.path}`);
    const sent = classify(traffic);
    this.#each((check) => check.answered?.(process, sent, response));
  }

  polled(process: ControllerProcess, result: PollResult): void {
    this.#each((check) => check.polled?.(process, result));
  }

  decided(process: ControllerProcess, decisions: readonly Decision[]): void {
    for (const { job, code, message } of decisions) {
      this.#trace.add(process.name, `* ${job} ${code}: ${message}`);
      this.#addDeed(process.name, job, code, message);
      // What the engine itself takes for illegal it should not have wanted.
      if (code === "StatusNotSent")
        this.#guard(() =>
          violate("statuses are as the API demands", `${process.name} wants a status of Job ${job}: ${message}`),
        );
    }
  }

  problem(process: ControllerProcess, problem: string): void {
    this.#trace.add(process.name, `! ${problem}`);
    if (!problem.includes("cannot be read")) return;
    const lies = this.#lies.get(process) ?? 0;
    this.#lies.set(process, lies - 1);
    if (lies <= 0) this.#guard(() => violate("every object can be read", problem));
  }

  fatal(process: ControllerProcess, error: Error): void {
    this.#guard(() => {
      if (error instanceof Violation) throw error;
      violate("the engine lives", `${process.name}: ${error.message}`);
    });
  }

  #each(run: (check: Check) => void): void {
    this.#guard(() => {
      for (const check of this.#checks) run(check);
    });
  }
}

function describePod({ phase, index, isDeleting, holdsFinalizer, isBound, restarts }: PodFacts): string {
  return [
    phase,
    index < 0 ? "" : `index ${index}`,
    isBound ? "" : "unbound",
    isDeleting ? "deleting" : "",
    holdsFinalizer ? "" : "no finalizer",
    restarts > 0 ? `restarts ${restarts}` : "",
  ]
    .filter((part) => part !== "")
    .join(", ");
}

function describeJob(job: JobFacts): string {
  const {
    parallelism,
    completions,
    active,
    ready,
    terminating,
    succeeded,
    failed,
    completedText,
    uncountedSucceeded,
    uncountedFailed,
    conditions,
    isDeleting,
  } = job;
  const status = {
    parallelism,
    completions,
    active,
    ready,
    terminating,
    succeeded,
    failed,
    completedText,
    uncountedSucceeded,
    uncountedFailed,
    conditions: conditions.map(({ type, reason }) => `${type}/${reason}`),
    isDeleting,
  };
  return JSON.stringify(status);
}
