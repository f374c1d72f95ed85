/**
 * Lets simulated time pass: to an instant without waiting, at a speed, to the next decision.
 *
 * Invariant: it works in slices of limited wall time, so messages are answered between them, however much there is to
 * simulate. It never stops within an instant: what has begun at a millisecond is finished before it pauses. If the
 * simulation cannot keep the speed, time passes more slowly, and nothing is skipped. After some slices the page has
 * news to draw, and gets the processor for that. Leaves out what is simulated.
 */
import type { Mode } from "../messages.ts";

/** Wall time of one slice, and the pause after it at finite speeds. */
const SLICE_BUDGET_MS = 12;
const SLICE_PERIOD_MS = 24;
/** The wall clock is read once in this many callbacks: in a browser that takes a hundredth of most callbacks' time. */
export const CALLBACKS_A_LOOK = 8;
/** A step that meets no decision within this much simulated time ends and says so. */
export const MAX_STEP_MS = 7 * 24 * 3600 * 1000;

/** The simulation that is played. Times are milliseconds since it began. */
export interface Playable {
  now(): number;
  /** When the next thing happens, now or later; Infinity: never. */
  nextAt(): number;
  /** Moves to the next thing and lets it happen: one callback, or one input. */
  runNext(): void;
  /** Moves to an instant before the next thing. */
  advanceTo(ms: number): void;
  decisionCount(): number;
  /** Only work that repeats for ever is left. */
  isFinished(): boolean;
  /** What does not end, when the run is finished; empty: everything has ended. */
  endNote(): string;
}

/** The wall clock. */
export interface Wall {
  now(): number;
  /** Calls back once after the delay; for 0, as soon as pending messages were handled. */
  schedule(delayMs: number, callback: () => void): () => void;
}

/** Everything up to the instant has happened; the time of the slice is over; nothing is left to happen. */
type Outcome = "reached" | "budget" | "finished";

export class Player {
  readonly #world: Playable;
  readonly #wall: Wall;
  readonly #onChange: () => number;
  #mode: Mode = "paused";
  #note = "";
  /** Up to this instant the run does not wait. */
  #untilMs = -Infinity;
  /** How the latest slice ended. */
  #outcome: Outcome = "reached";
  #cancelSlice: (() => void) | undefined;

  /** @param onChange is called after each slice and each change of mode; returns the wall time that it needs */
  constructor(world: Playable, wall: Wall, onChange: () => number) {
    this.#world = world;
    this.#wall = wall;
    this.#onChange = onChange;
  }

  get mode(): Mode {
    return this.#mode;
  }

  /** It goes as fast as it can. */
  get isHurried(): boolean {
    return this.#mode === "loading" || this.#untilMs === Infinity;
  }

  /** Why the last step found no decision, or what does not end in a finished run; empty otherwise. */
  get note(): string {
    return this.#note;
  }

  /** Runs without waiting up to and including this instant, and pauses there. */
  load(untilMs: number): void {
    this.#enter("loading", untilMs);
    this.#repeat(() => this.#pauseAt(untilMs), 0);
  }

  /** @param speed simulated time for wall time, above 0; Infinity: without waiting. */
  play(speed: number): void {
    if (!(speed > 0)) throw new RangeError(`play: speed is ${speed}; allowed are numbers above 0`);
    this.#enter("playing", speed === Infinity ? Infinity : this.#world.now());
    if (speed === Infinity) this.#repeat(() => {}, 0);
    else this.#playAt(speed);
  }

  /** Finishes what has begun at this instant, and pauses. */
  pause(): void {
    if (this.#mode === "finished") return;
    this.#untilMs = this.#world.now();
    this.#dropSlice();
    this.#repeat(() => this.#pauseAt(this.#untilMs), 0);
  }

  step(): void {
    this.#enter("stepping", this.#world.now() + MAX_STEP_MS);
    const before = this.#world.decisionCount();
    const isThere = (): boolean => this.#world.decisionCount() > before;
    this.#repeat(
      () => {
        this.#mode = "paused";
        if (!isThere()) this.#note = `no decision in ${MAX_STEP_MS / 86_400_000} days of simulated time`;
      },
      0,
      isThere,
    );
  }

  /** After an action on the world: the run may continue, and the action takes effect at once. */
  acted(): void {
    if (this.#mode !== "paused" && this.#mode !== "finished") return;
    this.#mode = "paused";
    this.#note = "";
    this.pause();
  }

  /** Does nothing any more. */
  stop(): void {
    this.#dropSlice();
    this.#mode = "paused";
  }

  #dropSlice(): void {
    this.#cancelSlice?.();
    this.#cancelSlice = undefined;
  }

  #enter(mode: Mode, untilMs: number): void {
    this.#dropSlice();
    this.#note = "";
    this.#mode = mode;
    this.#untilMs = untilMs;
  }

  #pauseAt(ms: number): void {
    this.#mode = "paused";
    if (Number.isFinite(ms) && this.#world.now() < ms) this.#world.advanceTo(ms);
  }

  #playAt(speed: number): void {
    let wallMs = this.#wall.now();
    let simulatedMs = this.#world.now();
    let isLate = false;
    const aim = (): void => {
      if (this.#outcome === "budget") isLate = true;
      else this.#untilMs = Math.floor(simulatedMs + (this.#wall.now() - wallMs) * speed);
    };
    const reached = (): void => {
      if (this.#world.now() < this.#untilMs) this.#world.advanceTo(this.#untilMs);
      if (isLate) {
        // The speed is too high for the work. Continue from here instead of catching up.
        wallMs = this.#wall.now();
        simulatedMs = this.#world.now();
      }
      isLate = false;
    };
    this.#outcome = "reached";
    this.#repeat(reached, SLICE_PERIOD_MS, undefined, aim);
  }

  /**
   * Runs slices until the mode is one in which time is stopped.
   * @param reached is called when everything up to the instant has happened
   * @param periodMs wall time from then to the next slice, if the mode is still one in which time passes
   * @param isEnough ends the run at the present instant
   * @param aim is called before each slice, to say up to which instant it goes
   */
  #repeat(reached: () => void, periodMs: number, isEnough?: () => boolean, aim?: () => void): void {
    this.#cancelSlice = undefined;
    aim?.();
    const outcome = this.#runSlice(isEnough);
    this.#outcome = outcome;
    if (outcome === "finished") {
      this.#mode = "finished";
      this.#note = this.#world.endNote();
    } else if (outcome === "reached") {
      reached();
    }
    const isMoving = this.#mode !== "paused" && this.#mode !== "finished";
    const pauseMs = this.#onChange();
    if (isMoving || outcome === "budget") {
      const delayMs = outcome === "budget" ? pauseMs : periodMs;
      this.#cancelSlice = this.#wall.schedule(delayMs, () => this.#repeat(reached, periodMs, isEnough, aim));
    }
  }

  #runSlice(isEnough: (() => boolean) | undefined): Outcome {
    const world = this.#world;
    const deadline = this.#wall.now() + SLICE_BUDGET_MS;
    for (let callbacks = 1; ; callbacks++) {
      if (world.isFinished()) return "finished";
      if (isEnough?.() === true) this.#untilMs = Math.min(this.#untilMs, world.now());
      if (world.nextAt() > this.#untilMs || world.nextAt() === Infinity) return "reached";
      world.runNext();
      if (callbacks % CALLBACKS_A_LOOK === 0 && this.#wall.now() >= deadline) return "budget";
    }
  }
}
