/**
 * One process of the Job controller, as a host runs it: an engine, the loop of bindings/js around it, and a clock that
 * counts from its start while its wall clock may be wrong and may jump. It can be stopped, crash, or have its engine
 * replaced by a saved and restored one, which must not show. Leaves out when that happens, which the run decides, and
 * leader election, which is replicas.ts: with it writes go through the host's fence.
 */
import { EngineLoop, type LoopedEngine } from "../../bindings/js/engine-loop.ts";
import type { Decision, Engine, EngineConstants, Explanation, PollResult } from "../../bindings/js/engine.ts";
import type { EngineMetrics } from "../../bindings/js/metrics.ts";
import type { ApiResponse, Clock, Transport } from "../../bindings/js/host.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { FencedTransport } from "../../host-node/transport/fenced-transport.ts";
import type { Chance } from "./chance.ts";
import type { Weather } from "./faults.ts";
import { FaultyTransport, textOf, type Traffic } from "./faulty-transport.ts";
import { classify } from "./invariants/requests.ts";
import type { Ledger } from "./ledger.ts";
import type { Plan, Tuning } from "./plan.ts";
import { configurationOf, type Role } from "./role.ts";
import { View } from "./view.ts";

const SOURCES = [
  { id: 1, resource: "jobs", path: "/apis/batch/v1/jobs" },
  { id: 2, resource: "pods", path: "/api/v1/pods" },
] as const;
const GANG_SOURCES = [
  { id: 3, resource: "workloads", path: "/apis/scheduling.k8s.io/v1beta1/workloads" },
  { id: 4, resource: "podgroups", path: "/apis/scheduling.k8s.io/v1beta1/podgroups" },
] as const;
/** More are not looked back at. */
const MAX_PAST_MOMENTS = 100;

/** Gets what a controller does and receives; the invariants are one. */
export interface ControllerListener {
  polled(process: ControllerProcess, result: PollResult): void;
  decided(process: ControllerProcess, decisions: readonly Decision[]): void;
  problem(process: ControllerProcess, problem: string): void;
  fatal(process: ControllerProcess, error: Error): void;
  /** Its engine asks for it. */
  sent(process: ControllerProcess, traffic: Traffic): void;
  /** It is handed to the network, which may be later. */
  left(process: ControllerProcess, traffic: Traffic): void;
  lied(process: ControllerProcess, what: string): void;
  /** By the API server itself. */
  handled(process: ControllerProcess, traffic: Traffic, response: ApiResponse): void;
  /** Called just before the engine reads the answer. */
  answered(process: ControllerProcess, traffic: Traffic, response: ApiResponse): void;
}

/** What a canary puts between the parts of a process. */
export interface Plant {
  readonly transport?: (transport: Transport, process: ControllerProcess) => Transport;
  readonly engine?: (engine: LoopedEngine) => LoopedEngine;
  readonly metrics?: (metrics: EngineMetrics) => EngineMetrics;
  readonly explanation?: (explanation: Explanation) => Explanation;
  /** Other constants than those that the run has drawn. */
  readonly constants?: Partial<EngineConstants>;
  /** Whether a replica may write. */
  readonly fence?: (mayWrite: () => boolean) => () => boolean;
}

/** What makes a process one of several replicas. */
export interface Leadership {
  /** In the Lease. */
  readonly identity: string;
  readonly mayWrite: () => boolean;
}

/** A controller as it was when it may have decided what it sends only now. */
export interface Seen {
  readonly name: string;
  readonly view: View;
  readonly wallNowMs: number;
  readonly highestWallMs: number;
  readonly hasBeenWrong: boolean;
  readonly tuning: Tuning;
  /** Of moments: later ones have higher numbers. */
  readonly moment: number;
}

export interface ControllerProcessOptions {
  readonly number: number;
  readonly engine: Engine;
  /** Of the network and of the API server. */
  readonly clock: Clock;
  /** Its own, which may be stopped; left out: it never is. */
  readonly ownClock?: Clock;
  /** Left out: it runs alone, and always writes. */
  readonly leadership?: Leadership;
  readonly chance: Chance;
  readonly ledger: Ledger;
  readonly plan: Plan;
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
  readonly #fence: FencedTransport | undefined;
  readonly #ownClock: Clock;
  #isHalted = false;
  #moment = 0;
  #past: Seen[] = [];
  readonly #loop: EngineLoop;
  #engine: Engine;
  #offsetMs: number;
  /** Before the last jump. */
  #highestWallMs = 0;
  #hasBeenWrong = false;

  constructor(options: ControllerProcessOptions) {
    const { number, engine, clock, ownClock = clock, chance, ledger, plan, weather, listener, plant } = options;
    const { constants, maxInFlight, pageLimit, streamsLists } = plan.tuning;
    this.name = `controller ${number}`;
    this.#options = options;
    this.#engine = engine;
    this.#ownClock = ownClock;
    this.#startMs = clock.now();
    this.#offsetMs = this.#startMs;
    this.view = new View(ledger);
    this.#transport = new FaultyTransport({
      handle: (request) => ledger.handle(this.name, request),
      clock,
      ownClock,
      chance: chance.fork("network"),
      weather,
      hasOldPodLists: plan.faults.has("old pod lists"),
      listener: {
        sent: (traffic) => listener.left(this, traffic),
        handled: (traffic, response) => listener.handled(this, traffic, response),
        answered: (traffic, response) => {
          this.#learn(traffic, response);
          listener.answered(this, traffic, response);
        },
        lied: (what) => listener.lied(this, what),
        streamBegan: (resource, isList) => this.view.streamBegan(resource, isList),
        lineShown: (resource, line) => this.view.takeLine(resource, line),
        pageShown: (resource, body, isFirst) => this.view.takePage(resource, body, isFirst),
      },
    });
    this.#fence = this.#fenceOf(options);
    const outlet = this.#announcing(this.#fence ?? this.#transport);
    const sources = ledger.role.gangScheduling ? [...SOURCES, ...GANG_SOURCES] : SOURCES;
    engine.configure({
      ...configurationOf(ledger.role),
      constants: { ...constants, ...plant?.constants },
      instance: `s${number}`,
      sources: sources.map(({ id, resource }) => ({ id, resource })),
    });
    engine.setClockOffset(this.#offsetMs);
    this.#loop = new EngineLoop({
      engine: this.#watched(plant?.engine?.(this.#exchangeableEngine()) ?? this.#exchangeableEngine()),
      transport: plant?.transport?.(outlet, this) ?? outlet,
      clock: this.#processClock(),
      sources: sources.map(({ id, path }) => ({ id, path })),
      random: chance.fork("jitter").random,
      maxInFlight,
      pageLimit,
      streamsLists,
      onDecisions: (decisions) => listener.decided(this, decisions),
      onProblem: (problem) => listener.problem(this, problem),
      onFatal: (error) => listener.fatal(this, error),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Sends nothing more; what is under way is still settled, and `settled` is called then. */
  stop(settled: () => void = () => {}): void {
    this.#loop.stop(settled);
    this.#fence?.close();
  }

  /** Its Lease has been renewed: what waited for that may go. */
  release(): void {
    this.#fence?.release();
  }

  /**
   * Its process stands still, and some of what it has sent has not left it; the owner of its clock stops that.
   */
  halt(): void {
    this.#isHalted = true;
    this.#transport.halt();
  }

  proceed(): void {
    this.#isHalted = false;
    this.#transport.proceed();
  }

  get isHalted(): boolean {
    return this.#isHalted;
  }

  /** Gone at once, with everything it knew. */
  crash(): void {
    this.#loop.stop();
    this.#transport.crash();
  }

  breakWatches(): void {
    this.#transport.breakStreams();
  }

  /** Continues in another instance, from a save. @param fresh an engine of the same module, not used yet */
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

  /** Counts the moments at which it may have decided something. */
  get moment(): number {
    return this.#moment;
  }

  /**
   * Itself, now and as it was at each moment since which it has always had as many requests under way as it may have:
   * what it sends now it may have decided then. The latest first.
   */
  seen(): Seen[] {
    return [this.#asNow(this.view, this.#moment + 1), ...this.#past.toReversed()];
  }

  /** It has as many requests under way as it may have. */
  get isFull(): boolean {
    return this.#past.length > 0;
  }

  #asNow(view: View, moment: number): Seen {
    const { name, wallNowMs, highestWallMs, hasBeenWrong, tuning } = this;
    return { name, view, wallNowMs, highestWallMs, hasBeenWrong, tuning, moment };
  }

  // Of what it decides in a poll that hands out all that there is room for, some may wait.
  #remember(isFull: boolean): void {
    this.#moment++;
    if (isFull) this.#past = [...this.#past, this.#asNow(this.view.copy(), this.#moment)].slice(-MAX_PAST_MOMENTS);
    else this.#past = [];
  }

  /** In the Lease; undefined: it runs alone. */
  get identity(): string | undefined {
    return this.#options.leadership?.identity;
  }

  get tuning(): Tuning {
    return this.#options.plan.tuning;
  }

  /** Who it is. */
  get role(): Role {
    return this.#options.ledger.role;
  }

  /** What its engine says about a Job. */
  explain(namespace: string, job: string): Explanation {
    const explanation = this.#engine.explain(namespace, job, this.monotonicNowMs);
    return this.#options.plant?.explanation?.(explanation) ?? explanation;
  }

  // Whether the release took the last finalizer off a pod that was being deleted. Its answer then bears the version
  // before, which is stored as the Job's. A pod that was deleted since has its release stored.
  #wentWithRelease(podUid: string, body: ApiResponse["body"]): boolean {
    const { pods, podVersions } = this.#options.ledger;
    return pods.get(podUid)?.isGone === true && podVersions.get(versionOf(body))?.isControlled === true;
  }

  // What an answer says is known from then on.
  #learn(traffic: Traffic, { status, body }: ApiResponse): void {
    const sent = classify(traffic);
    const isFound = status >= 200 && status < 300;
    if ((sent.kind === "status" || sent.kind === "read job") && isFound) this.view.takeAnswer("jobs", String(body));
    else if ((sent.kind === "create" || sent.kind === "list pods of") && isFound)
      this.view.takeAnswer("pods", String(body));
    if (sent.kind === "adopt" || sent.kind === "release") {
      if (status === 404) this.view.missed(sent.podUid, Infinity);
      else if (isFound && sent.kind === "release" && this.#wentWithRelease(sent.podUid, body))
        this.view.missed(sent.podUid, versionOf(body));
      else if (isFound) this.view.takeAnswer("pods", String(body));
    }
    if (sent.kind !== "strip" && sent.kind !== "delete") return;
    const uid = this.#options.ledger.podNamed(sent.namespace, sent.pod)?.facts.uid ?? "";
    if (isFound) this.view.takeAnswer("pods", String(body));
    if (isFound) this.view.learnt(uid, sent.kind === "strip" ? { holdsFinalizer: false } : { isDeleting: true });
    if (status === 404) this.view.missed(uid, Infinity);
  }

  // As in host-node/controller/controller-replica.ts.
  #fenceOf({ leadership, plant }: ControllerProcessOptions): FencedTransport | undefined {
    if (leadership === undefined) return undefined;
    const { mayWrite } = leadership;
    return new FencedTransport({
      transport: this.#transport,
      clock: this.#ownClock,
      mayWrite: plant?.fence?.(mayWrite) ?? mayWrite,
    });
  }

  // Announces a request before the fence may delay it.
  #announcing(transport: Transport): Transport {
    return {
      send: (request, done) => {
        this.#options.listener.sent(this, { request, body: textOf(request.body ?? "") });
        transport.send(request, done);
      },
      stream: (request, sink) => transport.stream(request, sink),
    };
  }

  // Behind a name that stays.
  #exchangeableEngine(): LoopedEngine {
    return {
      ingest: (...input) => this.#engine.ingest(...input),
      listContinue: (source) => this.#engine.listContinue(source),
      watchVersion: (source) => this.#engine.watchVersion(source),
      settle: (...outcome) => this.#engine.settle(...outcome),
      poll: (nowMs, maxRequests) => this.#engine.poll(nowMs, maxRequests),
    };
  }

  #watched(engine: LoopedEngine): LoopedEngine {
    return {
      ...engine,
      poll: (nowMs, maxRequests) => {
        const result = engine.poll(nowMs, maxRequests);
        this.#remember(result.requests.length >= maxRequests);
        this.#options.listener.polled(this, result);
        return result;
      },
    };
  }

  // Monotonic from its start, as engines are promised; wall time is the offset's business.
  #processClock(): Clock {
    const clock = this.#ownClock;
    return {
      now: () => this.monotonicNowMs,
      setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
      defer: (callback) => clock.defer(callback),
    };
  }
}

function versionOf(body: ApiResponse["body"]): number {
  return Number((JSON.parse(String(body)) as KubeObject).metadata.resourceVersion);
}
