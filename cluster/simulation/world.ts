/**
 * A whole Kubernetes on a virtual clock: the in-memory cluster with simulated kubelets, the engine as Job controller,
 * and the users who act on them.
 *
 * Invariant: the scenario determines everything that happens, to the millisecond. Time moves only in `runNext` and
 * `advanceTo`. An input acts after everything that happens automatically at its millisecond. Leaves out speed
 * (host-browser/worker/player.ts) and what is remembered (the recorder).
 */
import type { ObservedWrite } from "../apiserver/server.ts";
import { VirtualClock } from "../time/clock.ts";
import { PODS, resourcePath } from "../client/client.ts";
import { BareCluster } from "../bare-cluster.ts";
import type { PartsOf } from "../profiles.ts";
import { ClusterComponents } from "../components.ts";
import { SimulatedRuntime } from "../kubelet/simulated-runtime.ts";
import { type Action, type Input, LOST_PODS_MS, MAX_INPUTS, MAX_RUN_MS, type Scenario } from "./scenario.ts";
import { Api } from "./api.ts";
import type { Applied } from "./apply.ts";
import type { EngineRecording } from "./engine-recording.ts";
import { Controller } from "./controller.ts";
import { Digest } from "./digest.ts";
import { endNote, triesAgain } from "./end-note.ts";
import { allProblems, loadManifest, reviewsAs } from "./load-manifest.ts";
import type { LoadedManifest, Problem } from "./loaded-manifest.ts";
import { NeverScheduled, type PodName } from "./never-scheduled.ts";
import { nodesOf } from "./nodes.ts";
import { ObservedTransport } from "./observed-transport.ts";
import type { PodOutcomes } from "./pod-outcomes.ts";
import { keyedRandom, seededRandom } from "../values/random.ts";
import type { Explain, RunRecorder } from "./recorder.ts";
import { NO_PROGRESS_MS, Repetition } from "./repetition.ts";
import type { LazyParts, Tools } from "./tools.ts";
import type { Pod } from "../values/kinds.ts";

/** A fixed start time, so that a run always repeats to the millisecond. */
export const START_MS = Date.UTC(2026, 0, 1);
/**
 * A run ends after this many writes: memory for what is remembered has an end. One takes some 1.4 KiB, and Chromium
 * gives a page 3.5 GiB. A Job of 100,000 completions makes 1.2 million.
 */
export const MAX_WRITES = 2_000_000;
/**
 * After an action of the user, kubelets continue their retries for this time, because the next one may succeed: the
 * longest delay between two of them, and a little for what follows.
 */
const RETRIES_MS = 310_000;
const DAY_MS = 86_400_000;
/**
 * Periodic work lies beyond the end of every run, so that idle time costs nothing. Watchers here get changes at once
 * and need little history: a small part of what the cluster keeps for clients that come back later, for each event
 * keeps a version of an object and its texts. With more history, these are old when they are dropped, and wait much
 * longer as garbage. maxEvents is the number of Events that the history keeps.
 */
const LIMITS = {
  bookmarkIntervalMs: 9e12,
  minWatchTimeoutMs: 4 * MAX_RUN_MS,
  maxHistoryEvents: 300,
  maxEvents: 50_000,
};

export class World {
  readonly #clock: VirtualClock;
  /** Milliseconds since 1970. */
  readonly #startMs: number;
  readonly #recorder: RunRecorder;
  readonly #tools: Tools;
  readonly #controller: Controller;
  readonly #components: ClusterComponents;
  readonly #transport: ObservedTransport;
  /** Undefined: no rule is about whole pods. */
  readonly #podOutcomes: PodOutcomes | undefined;
  readonly #api: Api;
  readonly #digest = new Digest();
  readonly #explain: Explain = (namespace, name) => this.#controller.explain(namespace, name);
  #scenario: Scenario;
  /** The first input that has not been done. */
  #nextInput = 0;
  #decisionCount = 0;
  #writes = 0;
  readonly #neverScheduled = new NeverScheduled();
  readonly #repetition: Repetition;
  #isEndless = false;
  #noSchedulerUntilMs = -Infinity;
  #retriesUntilMs = -Infinity;
  /** Whether a kubelet retries to start something; undefined: to be computed. */
  #triesAgain: boolean | undefined;
  /** Something has happened at this instant, and `onInstant` has not reported its end to the recorder yet. */
  #isInstantOpen = true;
  readonly #manifest: LoadedManifest;
  #applied: Applied | undefined;

  /**
   * @param engineModule the compiled engine
   * @param scenario within its limits (scenario-limits.ts)
   * @param recording records the inputs of the engine; absent: no recording
   */
  constructor(
    engineModule: WebAssembly.Module,
    scenario: Scenario,
    recorder: RunRecorder,
    tools: Tools,
    recording?: EngineRecording,
  ) {
    this.#startMs = recording?.startMs ?? START_MS;
    const clock = (this.#clock = new VirtualClock(this.#startMs));
    const random = seededRandom(scenario.seed);
    const { kubernetes } = scenario;
    const cluster = new BareCluster({
      clock,
      random,
      admission: reviewsAs(kubernetes, engineModule),
      kubernetes,
      limits: LIMITS,
      quotas: tools.checks(scenario)?.startQuotas,
    } satisfies PartsOf<"simulation">);
    this.#repetition = new Repetition(scenario.outcomes, clock.now());
    this.#scenario = scenario;
    this.#recorder = recorder;
    this.#tools = tools;
    this.#api = new Api(cluster);
    cluster.observe((write) => this.#onWrite(write));
    this.#podOutcomes = this.#podOutcomesOf(scenario);
    const runtime = this.#runtimeOf(scenario, random);
    const nodes = nodesOf(scenario.nodes).map((node) => ({ ...node, runtime }));
    // Load before anything starts, so that a refusal leaves nothing half done.
    this.#manifest = loadManifest(cluster, scenario.yaml, nodes, {
      readYaml: tools.readYaml,
      lazyParts: tools.checks(scenario),
    });
    this.#components = new ClusterComponents({
      cluster,
      clock,
      random,
      nodes,
      // No user deletes a namespace here.
      emptiesNamespaces: false,
      placing: { fitsNowhere: (pod) => this.#fitsNowhere(pod) },
    });
    this.#transport = this.#observed(cluster);
    this.#controller = this.#controllerOf(engineModule, random, recording);
    if (this.isRefused) return;
    this.#components.start();
    this.#controller.start();
  }

  #podOutcomesOf({ outcomes: rules, seed }: Scenario): PodOutcomes | undefined {
    if (!rules.some(({ pod }) => pod !== undefined)) return undefined;
    return new (this.#tools.lazyParts().PodOutcomes)({
      clock: this.#clock,
      seed,
      rules,
      evict: (namespace, name, uid) => this.#evict(namespace, name, uid),
    });
  }

  #runtimeOf({ outcomes: rules, seed }: Scenario, random: () => number): SimulatedRuntime {
    const podOutcomes = this.#podOutcomes;
    return new SimulatedRuntime({
      clock: this.#clock,
      random,
      rules,
      chanceOf: (key) => keyedRandom(seed, key),
      ...(podOutcomes === undefined ? {} : { decided: (request, rule) => podOutcomes.decided(request, rule) }),
    });
  }

  #observed(cluster: BareCluster): ObservedTransport {
    return new ObservedTransport(cluster.transport, this.#clock, {
      onRequest: (id, request) => this.#recorder.onRequest(id, request, this.now()),
      onSent: () => this.#recorder.onSent(),
      onAnswer: (id, response) => this.#recorder.onAnswer(id, response, this.now()),
    });
  }

  #controllerOf(
    engineModule: WebAssembly.Module,
    random: () => number,
    recording: EngineRecording | undefined,
  ): Controller {
    return new Controller({
      engineModule,
      clock: this.#clock,
      random,
      transport: this.#transport,
      ...(recording === undefined ? {} : { recording }),
      onStart: () => this.#recorder.onController?.(),
      onDecisions: (decisions) => {
        this.#decisionCount += decisions.length;
        this.#digest.decisions(decisions);
        this.#recorder.onDecisions(decisions, this.now());
      },
    });
  }

  #onWrite(write: ObservedWrite): void {
    const nowMs = this.now();
    this.#writes++;
    this.#digest.write(write, nowMs);
    this.#repetition.onWrite(write, this.#clock.now());
    if (write.resource === "pods") this.#triesAgain = undefined;
    this.#podOutcomes?.onWrite(write);
    this.#recorder.onWrite(write, nowMs);
  }

  #fitsNowhere(pod: Pod): boolean {
    return (
      this.#podOutcomes?.fitsNowhere(pod) === true || this.#neverScheduled.asks(pod, this.#scenario.inputs, this.now())
    );
  }

  /** The manifest has mistakes, so nothing runs. */
  get isRefused(): boolean {
    return this.#manifest.errors.length > 0;
  }

  /** Mistakes and warnings, in the order of the lines. */
  problems(lazyParts: LazyParts): readonly Problem[] {
    return allProblems(this.#manifest, lazyParts);
  }

  /** With everything that was done to the run. */
  get scenario(): Scenario {
    return this.#scenario;
  }

  get digest(): string {
    return this.#digest.hex();
  }

  get explain(): Explain {
    return this.#explain;
  }

  /** Milliseconds since the run began. */
  now(): number {
    return this.#clock.now() - this.#startMs;
  }

  decisionCount(): number {
    return this.#decisionCount;
  }

  nextAt(): number {
    if (this.#clock.hasDeferred()) return this.now();
    return Math.min(this.#clock.nextTimerAt() - this.#startMs, this.#inputAt());
  }

  runNext(): void {
    const inputAtMs = this.#inputAt();
    const nextMs = this.nextAt();
    if (nextMs > this.now()) this.#closeInstant();
    this.#isInstantOpen = true;
    if (inputAtMs === nextMs && !this.#clock.hasDeferred() && this.#clock.nextTimerAt() - this.#startMs > nextMs) {
      this.#clock.advanceTo(this.#startMs + nextMs);
      this.#act(this.#scenario.inputs[this.#nextInput++]!);
    } else {
      this.#clock.runNext();
    }
    if (this.nextAt() > this.now()) this.#closeInstant();
  }

  advanceTo(ms: number): void {
    this.#clock.advanceTo(this.#startMs + ms);
  }

  isFinished(): boolean {
    if (this.#writes > MAX_WRITES) return true;
    if (this.#nextInput < this.#scenario.inputs.length) return false;
    if (this.nextAt() > MAX_RUN_MS) return true;
    this.#isEndless ||= this.#repetition.isEndless(this.#api, this.#clock.now());
    if (this.#isEndless) return true;
    if (this.#clock.hasWork()) return false;
    return this.nextAt() > this.#retriesUntilMs || !(this.#triesAgain ??= triesAgain(this.#api));
  }

  endNote(): string {
    if (this.#writes > MAX_WRITES)
      return `The run was stopped here: it has made ${MAX_WRITES} writes, and a browser has no memory for many more.`;
    if (this.#isEndless)
      return `The run was stopped here: it would never end. For ${NO_PROGRESS_MS / DAY_MS} days pods have failed or could not be created, and were tried again, ${this.#repetition.tries} times, and nothing else has happened.`;
    if (this.#clock.hasWork()) return "The run ends here: nothing happens in its first ten years any more.";
    return endNote(this.#api);
  }

  /** Acts at the newest instant, or as soon as what has begun there is over. */
  act(action: Action): void {
    const { inputs } = this.#scenario;
    const atMs = this.now();
    const { kind } = action;
    const [problem] =
      inputs.length >= MAX_INPUTS
        ? [`a run has at most ${MAX_INPUTS} inputs; this one was not done`]
        : kind === "never-schedule"
          ? this.#neverScheduled.problems(this.#api, action)
          : [];
    if (problem !== undefined) {
      this.#recorder.onFlag({ atMs, kind, label: kind, problem });
      return;
    }
    const later = inputs.findIndex((input, i) => i >= this.#nextInput && input.atMs > atMs);
    this.#scenario = {
      ...this.#scenario,
      inputs: inputs.toSpliced(later < 0 ? inputs.length : later, 0, { atMs, action }),
    };
  }

  #inputAt(): number {
    return this.#scenario.inputs[this.#nextInput]?.atMs ?? Infinity;
  }

  #act({ action }: Input): void {
    this.#isEndless = false;
    this.#repetition.news(this.#clock.now());
    this.#retriesUntilMs = this.now() + RETRIES_MS;
    const theatre = {
      api: this.#api,
      applied: (this.#applied ??= new (this.#tools.lazyParts().Applied)(
        this.#manifest.read.inputs.map(({ manifest }) => manifest),
      )),
      readYaml: this.#tools.readYaml,
      restartController: (downMs: number) => this.#controller.restart(downMs),
      failRequests: (status: number, forMs: number) => this.#transport.fail(status, forMs),
      delayAnswers: (delayMs: number, forMs: number) => this.#transport.delay(delayMs, forMs),
      stopScheduler: (forMs: number) => this.#stopScheduler(forMs),
      neverSchedule: (pod: PodName) => this.#neverScheduled.problems(this.#api, pod),
      loseNode: (node: string) => this.#loseNode(node),
    };
    this.#recorder.onFlag(this.#tools.lazyParts().perform(theatre, action, this.now()));
  }

  #loseNode(node: string): void {
    this.#components.stopKubelet(node);
    this.#clock.setTimer(LOST_PODS_MS, () => this.#tools.lazyParts().collectLost(this.#api, node, this.#clock.now()));
  }

  /** Evicts the pod, unless it has ended or another pod has its name by now. */
  #evict(namespace: string, name: string, uid: string): void {
    const pod = this.#api.get(resourcePath(PODS, namespace, name));
    if (pod.ok && pod.object.metadata.uid === uid && !["Succeeded", "Failed"].includes(pod.object.status.phase!))
      this.#tools.lazyParts().evict(this.#api, namespace, name);
  }

  #stopScheduler(forMs: number): void {
    this.#noSchedulerUntilMs = Math.max(this.#noSchedulerUntilMs, this.now() + forMs);
    this.#components.stopScheduler();
    this.#clock.setTimer(forMs, () => {
      if (this.now() >= this.#noSchedulerUntilMs) this.#components.startScheduler();
    });
  }

  #closeInstant(): void {
    if (!this.#isInstantOpen) return;
    this.#isInstantOpen = false;
    this.#recorder.onInstant(this.now(), this.#explain);
  }
}
