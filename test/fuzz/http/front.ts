/**
 * What `stint serve` has behind its socket, populated and on a virtual clock: the API with its explanations and
 * metrics, the components, the controller. What a request costs is its answer, and the longest thing that it makes the
 * others do afterwards.
 */
import type { ApiResponse, Clock } from "../../../bindings/js/host.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import type { StreamingResponse } from "../../../cluster/index.ts";
import { SimulatedRuntime } from "../../../cluster/kubelet/simulated-runtime.ts";
import { nodeFor } from "../../../host-node/runtime/node.ts";
import { EmbeddedCluster } from "../../../host-node/embedded/embedded.ts";
import { withExplanations } from "../../../host-node/server/explanations.ts";
import type { RequestHandler } from "../../../host-node/server/https-server.ts";
import { withMetrics } from "../../../host-node/server/metrics.ts";
import { Chance } from "../../simulation/chance.ts";
import { type Cost, costOf, type Gauge, largerCost } from "./gauge.ts";
import { type HttpRequest, JOB_NAMES, NAMESPACES } from "./requests.ts";

const START_MS = Date.UTC(2026, 0, 1);
/** Long enough for pods to come, run and go while requests are sent. */
const POPULATING_MS = 20_000;
/** Between two requests. */
const STEP_MS = 100;
/** Steps after which a watch is closed again. */
const WATCH_STEPS = 20;
const CANARY = "/apis/batch/v1/namespaces/canary/jobs/canary";

export interface Asked {
  readonly status: number;
  readonly answerBytes: number;
  /** Of the answer. */
  readonly cost: Cost;
  /** Of what followed from it, the longest callback of a component or the controller. */
  readonly aftermath: Cost;
}

/** In front of the cluster; a test plants a fault here. */
export type Wrap = (handler: RequestHandler) => RequestHandler;

export class Front {
  readonly clock: MeteredClock;
  /** What went wrong beside the answers. */
  readonly problems: string[] = [];
  readonly #gauge: Gauge;
  #handler!: RequestHandler;
  #canary = "";
  readonly #watches: (() => void)[] = [];

  private constructor(gauge: Gauge) {
    this.#gauge = gauge;
    this.clock = new MeteredClock(new VirtualClock(START_MS), gauge);
  }

  static async start(gauge: Gauge, wrap: Wrap = (handler) => handler): Promise<Front> {
    const front = new Front(gauge);
    const { clock, problems } = front;
    const { random } = new Chance(1, "cluster");
    const embedded = await EmbeddedCluster.create({
      clock,
      random,
      nodes: [nodeFor(new SimulatedRuntime({ clock, random }), true)],
      tracksFields: true,
      onFatal: (error) => problems.push(`the controller has ended: ${error.message}`),
      onProblem: (problem) => {
        if (/trap|engine/.test(problem)) problems.push(problem);
      },
    });
    front.#handler = wrap(
      withMetrics(
        withExplanations(
          embedded.cluster,
          () => embedded.engine,
          () => clock.now(),
        ),
        () => embedded.engine,
      ),
    );
    embedded.start();
    front.#populate();
    return front;
  }

  get handler(): RequestHandler {
    return this.#handler;
  }

  /** Sends a request and lets a moment pass. @throws Error when the server has a bug */
  ask({ method, path, headers, body }: Omit<HttpRequest, "what">): Asked {
    let answer!: ApiResponse | StreamingResponse;
    let answerBytes = 0;
    const cost = costOf(this.#gauge, () => {
      answer = this.#handler.handle({ method, path, headers, ...(body.length > 0 && { body }) });
      // Some answers are written when they are read.
      if ("body" in answer) answerBytes = Buffer.byteLength(answer.body);
      else this.#watch(answer, (chunk) => (answerBytes += chunk.length));
    });
    return { status: answer.status, answerBytes, cost, aftermath: this.pass(STEP_MS) };
  }

  /** Lets time pass. @returns the cost of the longest callback */
  pass(delayMs: number): Cost {
    while (this.#watches.length > WATCH_STEPS) this.#watches.shift()!();
    this.#watches.push(() => {});
    return this.clock.pass(delayMs);
  }

  /** What is wrong with what was left alone; undefined: nothing. */
  changeOfCanary(): string | undefined {
    const now = this.#text(CANARY);
    return now === this.#canary ? undefined : `the canary has changed\n  from ${this.#canary}\n  to   ${now}`;
  }

  #watch(stream: StreamingResponse, onData: (chunk: string | Uint8Array) => void): void {
    this.#watches.push(stream.subscribe({ data: onData, end: () => {} }));
  }

  #populate(): void {
    this.#create("/api/v1/namespaces", { metadata: { name: "canary" } });
    for (const name of NAMESPACES) if (name !== "default") this.#create("/api/v1/namespaces", { metadata: { name } });
    for (const namespace of NAMESPACES) {
      for (const [n, name] of JOB_NAMES.entries()) {
        const template = {
          metadata: {
            annotations: {
              "stint.dev/simulate": JSON.stringify({ exitCode: n % 4 === 3 ? 1 : 0, runMs: n % 4 === 1 ? 1e9 : 1_000 }),
            },
          },
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "main", image: "none", env: [{ name: "A", value: "1" }] }],
          },
        };
        this.#create(`/apis/batch/v1/namespaces/${namespace}/jobs`, {
          metadata: { name },
          spec: {
            parallelism: 4,
            completions: 8,
            completionMode: n % 2 === 0 ? "Indexed" : "NonIndexed",
            suspend: n % 3 === 0,
            template,
          },
        });
        this.#create(`/api/v1/namespaces/${namespace}/configmaps`, {
          metadata: { name, labels: { n: String(n) } },
          data: { a: "b" },
        });
        this.#create(`/api/v1/namespaces/${namespace}/pods`, {
          metadata: { name },
          spec: { containers: [{ name: "main", image: "none" }] },
        });
      }
    }
    this.#create("/apis/batch/v1/namespaces/canary/jobs", {
      metadata: { name: "canary" },
      spec: {
        suspend: true,
        template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } },
      },
    });
    this.clock.pass(POPULATING_MS);
    this.#canary = this.#text(CANARY);
  }

  #create(path: string, object: object): void {
    const answer = this.#handler.handle({ method: "POST", path, headers: {}, body: JSON.stringify(object) });
    if (answer.status !== 201)
      throw new Error(
        `the front could not be populated: POST ${path}: ${answer.status} ${"body" in answer ? answer.body : ""}`,
      );
  }

  #text(path: string): string {
    const answer = this.#handler.handle({ method: "GET", path, headers: {} });
    return "body" in answer ? `${answer.status} ${answer.body}` : "";
  }
}

/** A virtual clock that measures what it calls back. */
class MeteredClock implements Clock {
  readonly #clock: VirtualClock;
  readonly #gauge: Gauge;
  #worst: Cost = { stallMs: 0, peakBytes: 0 };
  #isMeasuring = false;

  constructor(clock: VirtualClock, gauge: Gauge) {
    this.#clock = clock;
    this.#gauge = gauge;
  }

  now(): number {
    return this.#clock.now();
  }

  setTimer(delayMs: number, callback: () => void): ReturnType<Clock["setTimer"]> {
    return this.#clock.setTimer(delayMs, () => this.#call(callback));
  }

  defer(callback: () => void): void {
    this.#clock.defer(() => this.#call(callback));
  }

  pass(delayMs: number): Cost {
    this.#worst = { stallMs: 0, peakBytes: 0 };
    this.#isMeasuring = true;
    // One figure for all: the peak is not asked for at each of thousands of callbacks.
    const { peakBytes } = costOf(this.#gauge, () => this.#clock.advance(delayMs));
    this.#isMeasuring = false;
    return largerCost(this.#worst, { stallMs: 0, peakBytes });
  }

  #call(callback: () => void): void {
    if (!this.#isMeasuring) return callback();
    const beganMs = this.#gauge.nowMs();
    callback();
    this.#worst = largerCost(this.#worst, { stallMs: this.#gauge.nowMs() - beganMs, peakBytes: 0 });
  }
}
