/**
 * What a test does to a cluster beside using its API: it moves time, says how containers end, drains and loses nodes,
 * crashes components, and asks what a Job waits for.
 *
 * Invariant: everything that goes in and comes out is plain data, so each operation can be one HTTP request. After each
 * operation everything that was due has happened. Leaves out how the cluster is made (cluster-core.ts).
 */
import type { Explanation } from "../../bindings/js/engine.ts";
import { JOBS, resourcePath } from "../../cluster/client/client.ts";
import type { Job } from "../../cluster/values/kinds.ts";
import type { TypedObject } from "../../cluster/values/types.ts";
import type { EmbeddedCluster } from "../embedded/embedded.ts";
import { AwaitedCondition } from "./awaited-condition.ts";
import { checkedDuration } from "./check-input.ts";
import { ClusterApi } from "./cluster-api.ts";
import { ControlError } from "./control-error.ts";
import { isSettled } from "./job-state.ts";
import { type Drained, NodeControls } from "./nodes.ts";
import { PodControls, type PodFilter, type Said, setOutcomes } from "./pods.ts";
import { IdleDetector } from "./idle-detector.ts";
import type { ScriptedRuntime } from "./scripted-runtime.ts";
import { findJob, jobName, qualified } from "./targets.ts";
import type { Pace, Time } from "./time.ts";
import type { WhyTexts } from "./why-text.ts";

/** Milliseconds, or a text such as `10m` or `1h30m`. */
export type Duration = number | string;

/** What {@link Controls.until} waits for. */
export interface JobCondition {
  /** `pi`, `team-a/pi` */
  readonly job: string;
  /** A condition that becomes True: `Complete`, `Failed`, `Suspended`, `FailureTarget`, `SuccessCriteriaMet`. */
  readonly condition: string;
}

/** A Job that has not ended, and what it waits for. */
export interface Unfinished {
  readonly job: string;
  readonly why: string;
}

export interface Idle {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Jobs that wait for something that no component of the cluster does. */
  readonly waiting: readonly Unfinished[];
}

export interface Limit {
  /** How much time may pass; 24 hours unless given. */
  readonly limit?: Duration;
}

export const COMPONENTS = ["controller", "scheduler"] as const;
export type Component = (typeof COMPONENTS)[number];

export interface Controls {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs everything that is due now. Time does not move. */
  settle(): Promise<void>;
  /** Moves time, and runs everything that is due until then. @returns the time. @throws ControlError on a real clock */
  advance(duration: Duration): Promise<number>;
  /**
   * Moves time until every Job has ended, is suspended or left to another controller, and no container will end without
   * help; or until the remaining Jobs wait for something from outside.
   * @throws ControlError when the limit comes first, with the reason of each Job
   */
  untilIdle(limit?: Limit): Promise<Idle>;
  /**
   * Moves time until the condition is true, or the function returns something true.
   * @throws ControlError when the limit comes first, or nothing will happen any more; at once when the condition can no
   * longer come: the Job has ended otherwise, or was deleted
   */
  until(wanted: JobCondition | (() => unknown), limit?: Limit): Promise<number>;
  /** The existing pods of a selector: `job/pi`, `pod/web-0`, `app=web`. */
  pods(selector: string, filter?: PodFilter): PodControls;
  /**
   * How later containers of these pods end; this overrides the annotation of their pod. The fields are those of the
   * annotation stint.dev/simulate. The latest script counts first; null removes the script of the selector.
   */
  outcomes(selector: string, script: object | null): void;
  /** The scheduler binds no further pod to the node. */
  cordon(node: string): Promise<void>;
  uncordon(node: string): Promise<void>;
  /** Cordons the node and evicts its pods, as kubectl drain does, but tries each of them once. */
  drain(node: string): Promise<Drained>;
  /** The machine is gone and does not report it: the cluster has to find out. */
  loseNode(node: string): Promise<void>;
  /** The component ends, and a new one lists everything. */
  crash(component: Component): Promise<void>;
  /** What the Job waits for, in the words of `stint why`. @throws ControlError 404 */
  why(job: string): string;
  /** The same as data. @throws ControlError 404 */
  explain(job: string): Explanation;
  /** The inputs of the controller until now, for `stint replay`. @throws ControlError 409 when nothing is recorded */
  recording(): Uint8Array;
}

export interface ControlsOptions {
  readonly embedded: EmbeddedCluster;
  readonly runtime: ScriptedRuntime;
  readonly time: Time;
  readonly nodes: readonly string[];
  /** The texts about what a Job waits for. */
  readonly texts: WhyTexts;
  /** Undefined: nothing is recorded. */
  readonly recording: (() => Uint8Array) | undefined;
}

const DEFAULT_LIMIT = "24h";
const NO_CONTROLLER = "no controller of this cluster runs it";

export class ClusterControls implements Controls {
  readonly #options: ControlsOptions;
  readonly #api: ClusterApi;
  readonly #nodes: NodeControls;
  readonly #idle: IdleDetector;
  #said: readonly Said[] = [];

  constructor(options: ControlsOptions) {
    const { embedded, nodes, time } = options;
    this.#options = options;
    this.#api = new ClusterApi(embedded.cluster);
    this.#nodes = new NodeControls(this.#api, embedded, nodes);
    this.#idle = new IdleDetector(embedded.cluster, () => time.now());
  }

  now(): number {
    return this.#options.time.now();
  }

  settle(): Promise<void> {
    return this.#options.time.settle();
  }

  async advance(duration: Duration): Promise<number> {
    const { time } = this.#options;
    await time.advanceTo(time.now() + checkedDuration(duration, "the duration"));
    return time.now();
  }

  async untilIdle({ limit = DEFAULT_LIMIT }: Limit = {}): Promise<Idle> {
    const { time, runtime } = this.#options;
    const endMs = time.now() + checkedDuration(limit, "the limit");
    await time.settle();
    let seen = -1;
    let lookAgainMs = 0;
    for (;;) {
      const isNews = this.#idle.writes !== seen || time.now() >= lookAgainMs;
      if (isNews && !runtime.hasWork) {
        seen = this.#idle.writes;
        const open = this.#openJobs();
        lookAgainMs = this.#idle.restsAt(open, (job) => this.#nextMs(job));
        if (lookAgainMs <= time.now()) return { now: time.now(), waiting: open.map((job) => this.#unfinished(job)) };
      }
      if (!(await time.step(endMs, "every instant")))
        throw this.#tooLong(`the cluster is not idle after ${limitText(limit)}`);
    }
  }

  async until(wanted: JobCondition | (() => unknown), { limit = DEFAULT_LIMIT }: Limit = {}): Promise<number> {
    const endMs = this.#options.time.now() + checkedDuration(limit, "the limit");
    if (typeof wanted === "function") {
      await this.#stepUntil(
        wanted,
        endMs,
        "every instant",
        `what is waited for has not come after ${limitText(limit)}`,
      );
      return this.now();
    }
    const awaited = new AwaitedCondition(this.#api, this.#options.embedded.cluster, wanted);
    const isOver = (): boolean => {
      if (awaited.isReached) return true;
      const missed = awaited.missed((job) => this.why(job));
      if (missed !== undefined) throw missed;
      return false;
    };
    try {
      await this.#stepUntil(isOver, endMs, "brisk", `${awaited.text} has not come after ${limitText(limit)}`);
    } finally {
      awaited.stop();
    }
    return this.now();
  }

  pods(selector: string, filter: PodFilter = {}): PodControls {
    const { runtime, time } = this.#options;
    return new PodControls({ api: this.#api, runtime, settle: () => time.settle() }, selector, filter);
  }

  outcomes(selector: string, script: object | null): void {
    this.#said = setOutcomes(this.#said, selector, script);
    this.#options.runtime.scripts = this.#said.map((each) => each.script);
  }

  async cordon(node: string): Promise<void> {
    await this.#nodes.setUnschedulable(node, true);
    await this.settle();
  }

  async uncordon(node: string): Promise<void> {
    await this.#nodes.setUnschedulable(node, false);
    await this.settle();
  }

  async drain(node: string): Promise<Drained> {
    const drained = await this.#nodes.drain(node);
    await this.settle();
    return drained;
  }

  async loseNode(node: string): Promise<void> {
    this.#nodes.lose(node);
    await this.settle();
  }

  async crash(component: Component): Promise<void> {
    if (!COMPONENTS.includes(component))
      throw new ControlError(
        400,
        `the component is ${JSON.stringify(component)}; allowed are ${COMPONENTS.join(", ")}`,
      );
    if (!this.#options.embedded.crash(component))
      throw new ControlError(409, `this cluster runs no ${component}; start one that does`);
    await this.settle();
  }

  why(job: string): string {
    const { embedded, time, texts } = this.#options;
    const found = findJob(this.#api, jobName(job));
    if (!embedded.hasController) return `job ${found.metadata.name}  ${NO_CONTROLLER}`;
    return texts.text(embedded.engine, found, time.now());
  }

  explain(job: string): Explanation {
    const found = findJob(this.#api, jobName(job));
    if (!this.#options.embedded.hasController)
      throw new ControlError(409, `job ${found.metadata.name} is not explained: ${NO_CONTROLLER}`);
    return this.#explain(found);
  }

  recording(): Uint8Array {
    const { recording } = this.#options;
    if (recording === undefined)
      throw new ControlError(409, "nothing is recorded in this cluster; start one that records, with a controller");
    return recording();
  }

  /** @throws ControlError with the sentence when the end comes first, or nothing will happen any more */
  async #stepUntil(isOver: () => unknown, endMs: number, pace: Pace, sentence: string): Promise<void> {
    const { time } = this.#options;
    await time.settle();
    while (!(await isOver())) if (!(await time.step(endMs, pace))) throw this.#tooLong(sentence);
  }

  #explain({ metadata: { namespace, name } }: TypedObject): Explanation {
    const { embedded, time } = this.#options;
    return embedded.engine.explain(namespace!, name, time.now());
  }

  #unfinished(job: Job): Unfinished {
    return { job: qualified({ namespace: job.metadata.namespace!, name: job.metadata.name }), why: this.#why(job) };
  }

  #why(job: Job): string {
    const { embedded, time, texts } = this.#options;
    return embedded.hasController ? texts.sentence(embedded.engine, job, time.now()) : NO_CONTROLLER;
  }

  /** When the controller acts on it next; null: it has nothing to do. */
  #nextMs(job: Job): number | null {
    return this.#options.embedded.hasController ? this.#explain(job).nextMs : null;
  }

  #openJobs(): readonly Job[] {
    return this.#api.list(resourcePath(JOBS)).filter((job) => !isSettled(job));
  }

  #tooLong(sentence: string): ControlError {
    const jobs = this.#openJobs()
      .map((job) => this.#unfinished(job))
      .map(({ job, why }) => `  job ${job}: ${why}`);
    return new ControlError(409, [sentence, ...jobs].join("\n"));
  }
}

function limitText(limit: Duration): string {
  return typeof limit === "number" ? `${limit} ms` : limit;
}
