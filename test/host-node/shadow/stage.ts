/**
 * An embedded cluster on a virtual clock with its own Job controller in the place of the built-in one, and a shadow
 * that looks on. What the controller sends can be tampered with on its way.
 */
import type { ApiRequest, ApiResponse, Transport } from "../../../bindings/js/host.ts";
import { ApiClient } from "../../../cluster/client/client.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { SimulatedRuntime } from "../../../cluster/kubelet/simulated-runtime.ts";
import { nodeFor } from "../../../host-node/runtime/node.ts";
import { JobController } from "../../../host-node/controller/job-controller.ts";
import { sourcesOf } from "../../../host-node/controller/sources.ts";
import { EmbeddedCluster } from "../../../host-node/embedded/embedded.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import type { Divergence } from "../../../host-node/shadow/divergence.ts";
import { Oracle } from "../../../host-node/shadow/oracle.ts";
import { Shadow } from "../../../host-node/shadow/shadow.ts";
import { watchJobs } from "../../../host-node/shadow/watch-jobs.ts";
import { seeded } from "../../cluster/component-harness.ts";
import { Stall } from "./stall.ts";

const START_MS = Date.UTC(2026, 0, 1);
export const WINDOW_MS = 10_000;

export type Done = (response: ApiResponse) => void;
export type Send = (request: ApiRequest, done: Done) => void;
/** What becomes of a write of the controller. */
export type Tampering = (request: ApiRequest, done: Done, send: Send) => void;

export interface StageOptions {
  readonly tampering?: Tampering;
  /** Of the built-in controller. */
  readonly constants?: object;
  readonly seed?: number;
}

export class Stage {
  readonly clock = new VirtualClock(START_MS);
  readonly divergences: Divergence[] = [];
  readonly problems: string[] = [];
  readonly shadow: Shadow;
  readonly #stall: Stall;
  readonly #embedded: EmbeddedCluster;
  readonly #stops: (() => void)[] = [];

  private constructor(shadow: Shadow, stall: Stall, embedded: EmbeddedCluster) {
    this.shadow = shadow;
    this.#stall = stall;
    this.#embedded = embedded;
  }

  static async open({ tampering, constants = {}, seed = 1 }: StageOptions = {}): Promise<Stage> {
    const clock = new VirtualClock(START_MS);
    const random = seeded(seed);
    const fail = (error: Error): never => {
      throw error;
    };
    const engineModule = await loadEngineModule();
    const embedded = await EmbeddedCluster.create({
      clock,
      random,
      jobController: false,
      onFatal: fail,
      nodes: [nodeFor(new SimulatedRuntime({ clock, random }), true)],
    });
    const { transport } = embedded.cluster;
    const tampered: Transport = {
      send: (request, done) =>
        request.method === "GET" || tampering === undefined
          ? transport.send(request, done)
          : tampering(request, done, (changed, answered) => transport.send(changed, answered)),
      stream: (request, sink) => transport.stream(request, sink),
    };
    const controller = await JobController.create({
      engineModule,
      clock,
      random,
      onFatal: fail,
      transport: tampered,
      sources: sourcesOf({ namespaces: [], allPods: false, gangScheduling: false }),
      configuration: { instance: "built-in", constants: { syncBurst: 0, ...constants } },
    });
    const divergences: Divergence[] = [];
    const problems: string[] = [];
    const stall = new Stall();
    const shadow = new Shadow({
      clock: stall.clock(clock),
      oracle: new Oracle(engineModule),
      windowMs: WINDOW_MS,
      onDivergence: (divergence) => divergences.push(divergence),
      onProblem: (problem) => problems.push(problem),
    });
    const stage = new Stage(shadow, stall, embedded);
    Object.assign(stage, { clock, divergences, problems });
    embedded.start();
    controller.start();
    shadow.start();
    const unwatch = watchJobs({
      shadow,
      clock,
      random,
      onProblem: (problem: string) => problems.push(problem),
      client: new ApiClient(stall.transport(transport), { userAgent: "shadow" }),
      sources: sourcesOf({ namespaces: [], allPods: false, gangScheduling: false }),
    });
    stage.#stops.push(
      unwatch,
      () => shadow.stop(),
      () => controller.stop(),
      () => embedded.stop(),
    );
    return stage;
  }

  /** @throws Error with the answer when it is no success */
  api(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object): any {
    const response = this.#embedded.cluster.handle({
      method,
      path,
      headers: { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!("body" in response) || response.status >= 300)
      throw new Error(`${method} ${path}: ${response.status} ${"body" in response ? String(response.body) : ""}`);
    return JSON.parse(String(response.body));
  }

  createJob(name: string, spec: object, outcome: object = { runMs: 4_000 }): void {
    const { template, ...rest } = spec as {
      readonly template?: { readonly metadata?: object; readonly spec?: object };
    };
    this.api("POST", "/apis/batch/v1/namespaces/default/jobs", {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name },
      spec: {
        ...rest,
        template: {
          metadata: { ...template?.metadata, annotations: { "stint.dev/simulate": JSON.stringify(outcome) } },
          spec: { restartPolicy: "Never", containers: [{ name: "main", image: "app" }], ...template?.spec },
        },
      },
    });
  }

  pods(): any[] {
    return this.api("GET", "/api/v1/namespaces/default/pods").items;
  }

  /** Lets time pass. */
  pass(seconds: number): void {
    this.clock.advance(seconds * 1000);
  }

  /** Lets time pass in which the shadow stands still. */
  passUnseen(seconds: number): void {
    this.#stall.begin();
    this.pass(seconds);
    this.#stall.end();
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }
}
