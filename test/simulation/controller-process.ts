/**
 * One process of the Job controller, as a host runs it: an engine of its own, the loop of bindings/js round it, and a clock
 * that counts from its start while its wall clock may be wrong and may jump. It can be stopped, crash, or have its
 * engine replaced by a saved and restored one, which nobody may notice.
 * Leaves out when that happens, which the run decides, and leader election: who may run is the run's decision too.
 */
import { Controller, type ControllerEngine } from "../../bindings/js/controller.ts";
import type { Decision, Engine, PollResult } from "../../bindings/js/engine.ts";
import type { EngineMetrics } from "../../bindings/js/metrics.ts";
import type { ApiResponse, Clock, Transport } from "../../bindings/js/host.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Chance } from "./chance.ts";
import type { Weather } from "./faults.ts";
import { FaultyTransport, type Traffic } from "./faulty-transport.ts";
import { classify } from "./invariants/requests.ts";
import type { Ledger } from "./ledger.ts";
import { configurationOf, type Role } from "./role.ts";
import { View } from "./view.ts";

const SOURCES = [
  { id: 1, resource: "jobs", path: "/apis/batch/v1/jobs" },
  { id: 2, resource: "pods", path: "/api/v1/pods" },
] as const;
const GANG_SOURCES = [
  { id: 3, resource: "workloads", path: "/apis/scheduling.k8s.io/v1alpha2/workloads" },
  { id: 4, resource: "podgroups", path: "/apis/scheduling.k8s.io/v1alpha2/podgroups" },
] as const;
/** Small, so that lists have several pages. */
const PAGE_LIMIT = 7;

/** Told what a controller does and is told; the invariants are one. */
export interface ControllerListener {
  polled(process: ControllerProcess, result: PollResult): void;
  decided(process: ControllerProcess, decisions: readonly Decision[]): void;
  problem(process: ControllerProcess, problem: string): void;
  fatal(process: ControllerProcess, error: Error): void;
  sent(process: ControllerProcess, traffic: Traffic): void;
  /** By the API server itself. */
  handled(process: ControllerProcess, traffic: Traffic, response: ApiResponse): void;
  /** Called just before the engine reads the answer. */
  answered(process: ControllerProcess, traffic: Traffic, response: ApiResponse): void;
}

/** What a canary puts between the parts of a process. */
export interface Plant {
  readonly transport?: (transport: Transport, process: ControllerProcess) => Transport;
  readonly engine?: (engine: ControllerEngine) => ControllerEngine;
  readonly metrics?: (metrics: EngineMetrics) => EngineMetrics;
}

export interface ControllerProcessOptions {
  readonly number: number;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly ledger: Ledger;
  readonly weather: () => Weather;
  readonly listener: ControllerListener;
  readonly plant?: Plant;
}

export class ControllerProcess {
  readonly name: string;
  readonly view: View;
  readonly #options: ControllerProcessOptions;
  readonly #startMs: number;
  readonly #transport: FaultyTransport;
  readonly #controller: Controller;
  #engine: Engine;
  #offsetMs: number;
  /** Before the last jump. */
  #highestWallMs = 0;
  #hasBeenWrong = false;

  constructor(options: ControllerProcessOptions) {
    const { number, engine, clock, chance, ledger, weather, listener, plant } = options;
    this.name = `controller ${number}`;
    this.#options = options;
    this.#engine = engine;
    this.#startMs = clock.now();
    this.#offsetMs = this.#startMs;
    this.view = new View(ledger);
    this.#transport = new FaultyTransport({
      handle: (request) => ledger.handle(this.name, request),
      clock,
      chance: chance.fork("network"),
      weather,
      listener: {
        sent: (traffic) => listener.sent(this, traffic),
        handled: (traffic, response) => listener.handled(this, traffic, response),
        answered: (traffic, response) => {
          this.#learn(traffic, response);
          listener.answered(this, traffic, response);
        },
        lineShown: (resource, line) => this.view.takeLine(resource, line),
        pageShown: (resource, body, isFirst) => this.view.takePage(resource, body, isFirst),
      },
    });
    const sources = ledger.role.gangScheduling ? [...SOURCES, ...GANG_SOURCES] : SOURCES;
    engine.configure({ ...configurationOf(ledger.role), instance: `s${number}`, sources: sources.map(({ id, resource }) => ({ id, resource })) });
    engine.setClockOffset(this.#offsetMs);
    this.#controller = new Controller({
      engine: this.#watched(plant?.engine?.(this.#exchangeableEngine()) ?? this.#exchangeableEngine()),
      transport: plant?.transport?.(this.#transport, this) ?? this.#transport,
      clock: this.#processClock(),
      sources: sources.map(({ id, path }) => ({ id, path })),
      random: chance.fork("jitter").random,
      pageLimit: PAGE_LIMIT,
      onDecisions: (decisions) => listener.decided(this, decisions),
      onProblem: (problem) => listener.problem(this, problem),
      onFatal: (error) => listener.fatal(this, error),
    });
  }

  start(): void {
    this.#controller.start();
  }

  /** Sends nothing more; what is under way is still settled. */
  stop(): void {
    this.#controller.stop();
  }

  /** Gone at once, with everything it knew. */
  crash(): void {
    this.#controller.stop();
    this.#transport.crash();
  }

  breakWatches(): void {
    this.#transport.breakStreams();
  }

  /** Goes on in another instance, from a save. @param fresh an engine of the same module that nobody has used */
  moveTo(fresh: Engine): void {
    fresh.restore(this.#engine.save());
    this.#engine = fresh;
  }

  /** This machine's wall clock jumps. @param errorMs how far it is off from now on */
  setClockError(errorMs: number): void {
    this.#highestWallMs = this.highestWallMs;
    this.#hasBeenWrong ||= errorMs !== 0;
    this.#offsetMs = this.#startMs + errorMs;
    this.#engine.setClockOffset(this.#offsetMs);
  }

  /** Its engine's clock. */
  get monotonicNowMs(): number {
    return this.#options.clock.now() - this.#startMs;
  }

  get wallNowMs(): number {
    return this.monotonicNowMs + this.#offsetMs;
  }

  /** Its wall clock is or was not that of the API server. */
  get hasBeenWrong(): boolean {
    return this.#hasBeenWrong;
  }

  /** The latest that its wall clock has ever shown: a deadline may have passed by that. */
  get highestWallMs(): number {
    return Math.max(this.#highestWallMs, this.wallNowMs);
  }

  /** What its engine has counted. */
  metrics(): EngineMetrics {
    const metrics = this.#engine.metrics();
    return this.#options.plant?.metrics?.(metrics) ?? metrics;
  }

  /** Who it is. */
  get role(): Role {
    return this.#options.ledger.role;
  }

  explain(namespace: string, job: string): string {
    return this.#engine.explain(namespace, job).sentence;
  }

  // What an answer says is known from then on.
  #learn(traffic: Traffic, { status, body }: ApiResponse): void {
    const sent = classify(traffic);
    const isFound = status >= 200 && status < 300;
    if ((sent.kind === "status" || sent.kind === "read job") && isFound) this.view.takeAnswer("jobs", String(body));
    else if ((sent.kind === "create" || sent.kind === "list pods of") && isFound) this.view.takeAnswer("pods", String(body));
    if (sent.kind === "adopt" || sent.kind === "release") {
      // The answer of a release that took the last finalizer off bears the version before, which is stored as the Job's.
      const isGone = sent.kind === "release" && isFound && this.#options.ledger.pods.get(sent.podUid)?.isGone === true;
      if (status === 404) this.view.missed(sent.podUid, Infinity);
      else if (isGone) this.view.missed(sent.podUid, Number((JSON.parse(String(body)) as KubeObject).metadata.resourceVersion));
      else if (isFound) this.view.takeAnswer("pods", String(body));
    }
    if (sent.kind !== "strip" && sent.kind !== "delete") return;
    const uid = this.#options.ledger.podNamed(sent.namespace, sent.pod)?.facts.uid ?? "";
    if (isFound) this.view.takeAnswer("pods", String(body));
    if (isFound) this.view.learnt(uid, sent.kind === "strip" ? { holdsFinalizer: false } : { isDeleting: true });
    if (status === 404) this.view.missed(uid, Infinity);
  }

  // Behind a name that stays.
  #exchangeableEngine(): ControllerEngine {
    return {
      ingest: (...input) => this.#engine.ingest(...input),
      listContinue: (source) => this.#engine.listContinue(source),
      watchVersion: (source) => this.#engine.watchVersion(source),
      settle: (...outcome) => this.#engine.settle(...outcome),
      poll: (nowMs, maxRequests) => this.#engine.poll(nowMs, maxRequests),
    };
  }

  #watched(engine: ControllerEngine): ControllerEngine {
    return {
      ...engine,
      poll: (nowMs, maxRequests) => {
        const result = engine.poll(nowMs, maxRequests);
        this.#options.listener.polled(this, result);
        return result;
      },
    };
  }

  // Monotonic from its start, as engines are promised; wall time is the offset's business.
  #processClock(): Clock {
    const { clock } = this.#options;
    return {
      now: () => this.monotonicNowMs,
      setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
      defer: (callback) => clock.defer(callback),
    };
  }
}

