/**
 * Lets simulated time pass: play at a speed, pause, step to the next decision.
 *
 * Invariant: it works in slices of limited wall time, so a pause takes effect within one slice, however much there is
 * to simulate. If the simulation cannot keep the speed, time passes more slowly, and nothing is skipped. Leaves out
 * what is simulated: the player only sees a clock, a count of decisions, and whether everything has finished.
 */
import type { Mode } from "./protocol.ts";

/** Wall time of one slice, and the pause after it at finite speeds. */
const SLICE_BUDGET_MS = 12;
const SLICE_PERIOD_MS = 40;
/** Reading the wall clock costs more than most timers. */
const TIMERS_BETWEEN_LOOKS = 16;
/** A step that meets no decision within this much simulated time ends and says so. */
export const MAX_STEP_MS = 7 * 24 * 3600 * 1000;

/** The simulation that is played. */
export interface Playable {
  /** Starts the simulation. Later calls have no effect. */
  begin(): void;
  now(): number;
  /** Infinity: nothing will happen any more. */
  nextTimerAt(): number;
  /** Moves to the next timer and runs it, with everything that it causes at that instant. */
  step(): void;
  /** Moves to an instant before the next timer. */
  advanceTo(ms: number): void;
  decisionCount(): number;
  isFinished(): boolean;
}

/** The wall clock. */
export interface Wall {
  now(): number;
  /** Calls back once after the delay; for 0, as soon as pending messages were handled. */
  schedule(delayMs: number, callback: () => void): () => void;
}

export class Player {
  readonly #world: Playable;
  readonly #wall: Wall;
  readonly #onChange: () => void;
  #mode: Mode = "paused";
  #note = "";
  #cancelSlice: (() => void) | undefined;

  /** @param onChange is called after each slice and each change of mode. */
  constructor(world: Playable, wall: Wall, onChange: () => void) {
    this.#world = world;
    this.#wall = wall;
    this.#onChange = onChange;
  }

  get mode(): Mode {
    return this.#mode;
  }

  /** Why the last step found no decision; empty when it found one. */
  get note(): string {
    return this.#note;
  }

  /** @param speed simulated time for wall time, above 0; Infinity: without waiting. */
  play(speed: number): void {
    if (!(speed > 0)) throw new RangeError(`play: speed is ${speed}; allowed are numbers above 0`);
    this.#enter("playing");
    if (speed === Infinity) this.#repeat(() => this.#runSlice(() => false, Infinity), 0);
    else this.#playAt(speed);
  }

  pause(): void {
    this.#dropSlice();
    if (this.#mode !== "finished") this.#mode = "paused";
    this.#onChange();
  }

  step(): void {
    this.#enter("stepping");
    const before = this.#world.decisionCount();
    const until = this.#world.now() + MAX_STEP_MS;
    const isThere = (): boolean => this.#world.decisionCount() > before;
    this.#repeat(() => {
      // `begin` may already have led to a decision.
      if (isThere() || (this.#runSlice(isThere, until) && isThere())) this.#mode = "paused";
      else if (this.#mode === "stepping" && this.#world.nextTimerAt() > until) this.#giveUp();
    }, 0);
  }

  #giveUp(): void {
    this.#mode = "paused";
    this.#note = `no decision in ${MAX_STEP_MS / 86_400_000} days of simulated time`;
  }

  #dropSlice(): void {
    this.#cancelSlice?.();
    this.#cancelSlice = undefined;
  }

  #enter(mode: Mode): void {
    this.#dropSlice();
    this.#note = "";
    this.#mode = mode;
    this.#world.begin();
  }

  /** Runs slices until the mode changes. */
  #repeat(slice: () => void, periodMs: number): void {
    slice();
    this.#cancelSlice =
      this.#mode === "playing" || this.#mode === "stepping"
        ? this.#wall.schedule(periodMs, () => this.#repeat(slice, periodMs))
        : undefined;
    this.#onChange();
  }

  #playAt(speed: number): void {
    let wallMs = this.#wall.now();
    let simulatedMs = this.#world.now();
    this.#repeat(() => {
      const target = Math.floor(simulatedMs + (this.#wall.now() - wallMs) * speed);
      if (this.#runSlice(() => false, target)) {
        if (this.#mode === "playing" && this.#world.now() < target) this.#world.advanceTo(target);
      } else {
        // The speed is too high for the work. Go on from here instead of catching up.
        wallMs = this.#wall.now();
        simulatedMs = this.#world.now();
      }
    }, SLICE_PERIOD_MS);
  }

  /** Runs the timers due until the instant. @returns false when the budget ended first. */
  #runSlice(isDone: () => boolean, untilMs: number): boolean {
    const deadline = this.#wall.now() + SLICE_BUDGET_MS;
    for (let ran = 1; ; ran++) {
      if (this.#world.isFinished()) {
        this.#mode = "finished";
        return true;
      }
      const next = this.#world.nextTimerAt();
      if (isDone() || next > untilMs || next === Infinity) return true;
      if (ran % TIMERS_BETWEEN_LOOKS === 0 && this.#wall.now() >= deadline) return false;
      this.#world.step();
    }
  }
}
