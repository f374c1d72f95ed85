/**
 * What happens in a run, step by step: time passes, users act, the weather changes, and controllers crash, hand over, move
 * and lose their clocks. One entry of the table a step, by chance.
 */
import type { Chance } from "./chance.ts";
import type { ControllerProcess } from "./controller-process.ts";
import { CALM, WEATHERS } from "./faults.ts";
import type { World } from "./world.ts";

const MAX_PAUSE_MS = 20_000;
/** Below 1: longer pauses come more often. */
const PAUSE_SKEW = 0.6;
const MAX_GAP_MS = 15_000;
const MAX_CLOCK_ERROR_MS = 2 * 3600_000;

interface Turn {
  readonly name: string;
  readonly weight: number;
  run(course: Course): void;
}

const TURNS: readonly Turn[] = [
  { name: "time passes", weight: 12, run: (course) => course.pass() },
  { name: "a user acts", weight: 8, run: (course) => course.world.users.act() },
  { name: "the weather changes", weight: 2, run: (course) => course.changeWeather() },
  { name: "watches break", weight: 1, run: (course) => course.controller.breakWatches() },
  { name: "the controller crashes", weight: 1, run: (course) => course.crash() },
  { name: "the controller hands over", weight: 0.7, run: (course) => course.handOver() },
  { name: "the engine moves", weight: 1, run: (course) => course.move() },
  { name: "the wall clock jumps", weight: 0.5, run: (course) => course.jump() },
];

export class Course {
  readonly world: World;
  readonly #chance: Chance;
  #controller: ControllerProcess;

  constructor(world: World, chance: Chance) {
    this.world = world;
    this.#chance = chance;
    this.#controller = world.startController();
    world.users.createJob();
  }

  /** The one that is to do the work. */
  get controller(): ControllerProcess {
    return this.#controller;
  }

  step(): void {
    const turn = this.#chance.weighted(TURNS);
    this.world.trace.add("—", turn.name);
    turn.run(this);
    // What was sent at this instant is on its way.
    this.world.clock.advance(1);
    this.world.judge.measure(this.#controller);
  }

  /** The faults stop, whatever was lost is found, and every clock is right. */
  calm(): void {
    this.world.trace.add("—", "the faults stop");
    this.world.weather = CALM;
    this.world.pods.calm();
    this.#controller.setClockError(0);
  }

  pass(): void {
    // Short pauses and long ones, by their order of magnitude.
    this.world.clock.advance(Math.ceil(MAX_PAUSE_MS ** this.#chance.random() ** PAUSE_SKEW));
  }

  changeWeather(): void {
    this.world.weather = this.#chance.weighted(WEATHERS);
    this.world.trace.add("—", this.world.weather.name);
  }

  crash(): void {
    this.#controller.crash();
    this.world.clock.advance(this.#chance.integer(0, MAX_GAP_MS));
    this.#controller = this.world.startController();
  }

  /**
   * As with a lease: the old one sends nothing more when the new one starts, but its requests may still be on their way.
   * Two that send at once may count a pod twice, upstream's too: a status has no fence against a pod watch that is late.
   */
  handOver(): void {
    this.#controller.stop();
    this.world.clock.advance(this.#chance.integer(0, MAX_GAP_MS));
    this.#controller = this.world.startController();
  }

  move(): void {
    this.#controller.moveTo(this.world.takeFreshEngine());
  }

  jump(): void {
    this.#controller.setClockError(this.#chance.integer(-MAX_CLOCK_ERROR_MS, MAX_CLOCK_ERROR_MS));
  }
}
