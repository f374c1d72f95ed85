/**
 * One simulated cluster: the in-memory API server with the engine's review as admission, a garbage collector, scripted
 * kubelets, users, and one controller process after another, each behind a network that fails. Everything runs on one
 * virtual clock and draws from one seed. Leaves out the course of events, which run.ts decides.
 */
import { readFileSync } from "node:fs";
import { Engine } from "../../bindings/js/engine.ts";
import type { ApiRequest } from "../../bindings/js/host.ts";
import { VirtualClock } from "../../cluster/time/clock.ts";
import { Cluster } from "../../cluster/cluster.ts";
import { formatTime } from "../../cluster/values/times.ts";
import { GarbageCollector } from "../../cluster/controllers/garbage-collector/garbage-collector.ts";
import { NamespaceController } from "../../cluster/controllers/namespace-controller/namespace-controller.ts";
import { buildModule, modulePath } from "../../scripts/build-engine.ts";
import type { Chance } from "./chance.ts";
import { ControllerProcess, type ControllerProcessOptions, type Plant } from "./controller-process.ts";
import { CALM, type Weather } from "./faults.ts";
import { isFinished } from "./facts.ts";
import { Judge } from "./invariants/judge.ts";
import { Ledger } from "./ledger.ts";
import { PodDriver } from "./pod-driver.ts";
import { drawPlan, type Plan } from "./plan.ts";
import { drawRole, type Role } from "./role.ts";
import { Trace } from "./trace.ts";
import { Users } from "./users.ts";

const START_MS = Date.UTC(2026, 0, 1);
/** A livelock shows long before. */
const MAX_CALLBACKS_AT_ONE_INSTANT = 50_000;
/** Few, so that watches and tokens of lists expire by themselves. */
const MAX_HISTORY_EVENTS = 150;

/** For a step: one that hands over takes one, and so does each replica that begins to lead. */
const FRESH_ENGINES = 4;

const { sha256 } = await buildModule("engine");
const engineModule = await WebAssembly.compile(readFileSync(modulePath("engine")));
// Admission keeps no state: one instance serves every world.
const admissionEngine = await Engine.create(engineModule, sha256);

export interface WorldOptions {
  readonly chance: Chance;
  readonly plant?: Plant;
  readonly print?: (line: string) => void;
}

export class World {
  readonly clock = new VirtualClock(START_MS, { maxCallbacksAtOneInstant: MAX_CALLBACKS_AT_ONE_INSTANT });
  readonly plan: Plan;
  readonly role: Role;
  readonly trace: Trace;
  readonly ledger: Ledger;
  readonly judge: Judge;
  readonly pods: PodDriver;
  readonly users: Users;
  weather: Weather = CALM;
  readonly #options: WorldOptions;
  readonly #processes: ControllerProcess[] = [];
  readonly #freshEngines: Engine[] = [];

  constructor(options: WorldOptions) {
    const { chance, print } = options;
    const { clock } = this;
    this.#options = options;
    this.plan = drawPlan(chance.fork("plan"));
    this.role = drawRole(chance.fork("role"));
    this.trace = new Trace(() => clock.now(), print);
    const cluster = new Cluster({
      clock,
      random: chance.fork("cluster").random,
      admission: (review) => admissionEngine.review(review),
      gangScheduling: this.role.gangScheduling,
      limits: { maxHistoryEvents: MAX_HISTORY_EVENTS },
    });
    this.ledger = new Ledger(cluster, clock, this.role);
    this.judge = new Judge(this.ledger, clock, this.trace, (name) =>
      this.#processes.find((process) => process.name === name),
    );
    this.ledger.listen(this.judge);
    this.users = new Users({
      ledger: this.ledger,
      plan: this.plan,
      chance: chance.fork("users"),
      say: (text) => this.trace.add("user", text),
      now: () => formatTime(clock.now()),
    });
    this.pods = new PodDriver({
      clock,
      chance: chance.fork("pods"),
      send: (request) => this.#sendAsKubelet(request),
      habitsOf: (jobUid) => this.users.habitsOf(jobUid),
    });
    this.ledger.listen(this.pods);
    new GarbageCollector({
      transport: this.ledger.transport("collector"),
      clock,
      random: chance.fork("collector").random,
    }).start();
    new NamespaceController({
      transport: this.ledger.transport("namespaces"),
      clock,
      random: chance.fork("namespaces").random,
    }).start();
  }

  /** Making an engine takes a turn of the event loop, which a step on the virtual clock cannot wait for. */
  async stockEngines(): Promise<void> {
    while (this.#freshEngines.length < FRESH_ENGINES)
      this.#freshEngines.push(await Engine.create(engineModule, sha256));
  }

  takeFreshEngine(): Engine {
    const engine = this.#freshEngines.pop();
    if (engine === undefined) throw new Error("no fresh engine is left in this step; stockEngines makes them");
    return engine;
  }

  /** A new controller process, started. @param as one of several replicas */
  startController(as: Pick<ControllerProcessOptions, "ownClock" | "leadership"> = {}): ControllerProcess {
    const number = this.#processes.length + 1;
    const process = new ControllerProcess({
      number,
      engine: this.takeFreshEngine(),
      clock: this.clock,
      chance: this.#options.chance.fork(`controller ${number}`),
      ledger: this.ledger,
      plan: this.plan,
      ...as,
      weather: () => this.weather,
      listener: this.judge,
      ...(this.#options.plant === undefined ? {} : { plant: this.#options.plant }),
    });
    this.#processes.push(process);
    process.start();
    return process;
  }

  /**
   * What is not yet as it must be in the end, as sentences: Jobs without an end, and pods that keep their finalizer
   * without need.
   */
  unfinished(): string[] {
    const problems: string[] = [];
    const { removes } = this.role;
    for (const { facts: job, isGone } of this.ledger.jobs.values()) {
      if (isGone) continue;
      const isRemoved = removes === "everybody's" || (removes === "its own" && !job.isForeign);
      // Another controller may keep a pod, and its Job with it.
      if (isRemoved && isFinished(job) && !(job.isForeign && job.isDeleting) && job.ttlSeconds !== undefined)
        problems.push(`Job ${job.name} (${job.uid}) has outlived its ttlSecondsAfterFinished of ${job.ttlSeconds}`);
      if (job.isForeign) continue;
      if (job.isDeleting) problems.push(`Job ${job.name} (${job.uid}) is being deleted and is not gone`);
      else if (!isFinished(job))
        problems.push(
          `Job ${job.name} (${job.uid}) has not ended: ${this.#processes.at(-1)?.explain(job.namespace, job.name).sentence}`,
        );
    }
    for (const { facts: pod, isGone } of this.ledger.pods.values()) {
      if (!isGone && pod.holdsFinalizer && !this.ledger.isOthers(pod))
        problems.push(`pod ${pod.name} (${pod.phase}) keeps its finalizer`);
    }
    return problems;
  }

  #sendAsKubelet(request: ApiRequest): boolean {
    const response = this.ledger.handle("kubelet", request);
    return response.status >= 200 && response.status < 300;
  }
}
