/**
 * What happens in a run, step by step: time passes, users act, the weather changes, and controllers crash, hand over,
 * move, stand still and lose their clocks. One entry of the table a step, by chance. How controllers are run is
 * deployment.ts and replicas.ts.
 */
import type { Chance } from "./chance.ts";
import type { ControllerProcess } from "./controller-process.ts";
import { type Deployment, SingleController } from "./deployment.ts";
import { CALM, type Weather, weathersOf } from "./faults.ts";
import type { FaultKind } from "./plan.ts";
import { Replicas } from "./replicas.ts";
import type { World } from "./world.ts";

const MAX_PAUSE_MS = 20_000;
/** Below 1: longer pauses come more often. */
const PAUSE_SKEW = 0.6;
const MAX_GAP_MS = 15_000;
const MAX_CLOCK_ERROR_MS = 2 * 3600_000;

interface Turn {
  readonly name: string;
  readonly weight: number;
  /** Only in runs with it. */
  readonly fault?: FaultKind;
  run(course: Course): void;
}

const TURNS: readonly Turn[] = [
  { name: "time passes", weight: 12, run: (course) => course.pass() },
  { name: "a user acts", weight: 8, run: (course) => course.world.users.act() },
  { name: "the weather changes", weight: 2, run: (course) => course.changeWeather() },
  { name: "watches break", weight: 1, run: (course) => course.breakWatches() },
  { name: "the controller crashes", weight: 1, run: (course) => course.crash() },
  { name: "the controller hands over", weight: 0.7, run: (course) => course.handOver() },
  { name: "the engine moves", weight: 1, run: (course) => course.move() },
  { name: "the wall clock jumps", weight: 0.5, run: (course) => course.jump() },
  { name: "a replica is stopped", weight: 1.5, fault: "two replicas", run: (course) => course.deployment.halt() },
  { name: "stopped replicas continue", weight: 1, fault: "two replicas", run: (course) => course.deployment.proceed() },
];

export class Course {
  readonly world: World;
  readonly #chance: Chance;
  readonly #weathers: readonly Weather[];
  readonly #turns: readonly Turn[];
  readonly deployment: Deployment;

  constructor(world: World, chance: Chance) {
    this.world = world;
    this.#chance = chance;
    this.#weathers = weathersOf(world.plan);
    this.deployment = world.plan.faults.has("two replicas")
      ? new Replicas(world, chance.fork("replicas"))
      : new SingleController(world);
    this.#turns = TURNS.filter(({ fault }) => fault === undefined || world.plan.faults.has(fault));
    world.users.createJob();
  }

  step(): void {
    const turn = this.#chance.weighted(this.#turns);
    this.world.trace.add("—", turn.name);
    turn.run(this);
    // What was sent at this instant is on its way.
    this.world.clock.advance(1);
    this.measure();
  }

  measure(): void {
    for (const process of this.deployment.processes) this.world.judge.measure(process);
  }

  /** In calm: what the controllers say about the Jobs. */
  explain(): void {
    const jobs = [...this.world.ledger.jobs.values()].filter(({ isGone }) => !isGone).map(({ facts }) => facts);
    for (const process of this.deployment.processes) this.world.judge.explain(process, jobs);
  }

  /** The faults stop, whatever was lost is found, and every clock is right. */
  calm(): void {
    this.world.trace.add("—", "the faults stop");
    this.world.weather = CALM;
    this.world.pods.calm();
    this.deployment.proceed();
    for (const process of this.deployment.processes) process.setClockError(0);
  }

  pass(): void {
    // Short pauses and long ones, by their order of magnitude.
    this.world.clock.advance(Math.ceil(MAX_PAUSE_MS ** (this.#chance.random() ** PAUSE_SKEW)));
  }

  changeWeather(): void {
    this.world.weather = this.#chance.weighted(this.#weathers);
    this.world.trace.add("—", this.world.weather.name);
  }

  crash(): void {
    this.deployment.crash(this.#gapMs());
  }

  handOver(): void {
    this.deployment.handOver(this.#gapMs());
  }

  breakWatches(): void {
    this.#anyProcess()?.breakWatches();
  }

  move(): void {
    this.#anyProcess()?.moveTo(this.world.takeFreshEngine());
  }

  jump(): void {
    this.#anyProcess()?.setClockError(this.#chance.integer(-MAX_CLOCK_ERROR_MS, MAX_CLOCK_ERROR_MS));
  }

  #gapMs(): number {
    return this.#chance.integer(0, MAX_GAP_MS);
  }

  // One that runs.
  #anyProcess(): ControllerProcess | undefined {
    const running = this.deployment.processes.filter((process) => !process.isHalted);
    return running.length > 1 ? this.#chance.pick(running) : running[0];
  }
}
