/**
 * The playhead: the instant that the page shows. The page moves it, anywhere in the recorded history; "live" means that
 * it stays on the newest instant.
 *
 * Invariant: 0 ≤ atMs ≤ newest instant. Playing from the past moves the playhead over what is recorded, and only when
 * that is used up is the Worker asked to continue. An instant that the run has not reached is kept until it does.
 * Leaves out wall time: the frame loop passes how much of it has elapsed.
 */
import { batch, signal } from "@preact/signals";
import type { Mode } from "../messages.ts";

/** What the playhead moves over. */
export interface Track {
  readonly nowMs: number;
  readonly mode: Mode | "starting";
  nextDecisionMs(afterMs: number): number | undefined;
  previousDecisionMs(beforeMs: number): number | undefined;
  nextEventMs(afterMs: number): number | undefined;
  play(speed: number): void;
  pause(): void;
  step(): void;
  /** The user has moved the playhead, or has let it go. */
  moved(): void;
}

/** Times as fast as wall time. */
export const SPEEDS: readonly number[] = [1, 2, 10, 60, 600, Infinity];

export class Playhead {
  readonly atMs = signal(0);
  readonly isLive = signal(true);
  readonly isPlaying = signal(false);
  /** The instant ahead of the run to which the playhead goes when the run gets there. */
  readonly aheadMs = signal<number | undefined>(undefined);
  readonly speed = signal(10);
  readonly #track: Track;

  constructor(track: Track) {
    this.#track = track;
  }

  /** At the end of a finished run it begins again. */
  play(): void {
    const isAtEnd = this.atMs.value >= this.#track.nowMs;
    this.#track.moved();
    batch(() => {
      this.#stayHere();
      if (isAtEnd && this.#track.mode === "finished") this.#put(0);
      this.isPlaying.value = true;
      if (isAtEnd && this.#track.mode !== "finished") this.#goLive();
      else this.isLive.value = false;
    });
  }

  pause(): void {
    this.isPlaying.value = false;
    this.aheadMs.value = undefined;
    if (this.#isWorkerMoving) this.#track.pause();
  }

  toggle(): void {
    if (this.isPlaying.value) this.pause();
    else this.play();
  }

  setSpeed(speed: number): void {
    this.speed.value = speed;
    if (this.isPlaying.value && this.isLive.value) this.#track.play(speed);
  }

  /** The next speed of the list, up or down. */
  changeSpeed(by: 1 | -1): void {
    const at = SPEEDS.indexOf(this.speed.value);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))]!);
  }

  /** Moves the playhead there, and pauses. */
  seek(atMs: number): void {
    this.#track.moved();
    batch(() => {
      this.#stayHere();
      if (this.isPlaying.value) this.pause();
      this.#put(atMs);
    });
  }

  /** The same, also to an instant that the run has not reached: then the playhead goes there as soon as it is there. */
  seekAhead(atMs: number): void {
    if (atMs <= this.#track.nowMs || this.#track.mode === "finished") {
      this.seek(atMs);
      return;
    }
    this.#track.moved();
    batch(() => {
      this.isPlaying.value = false;
      this.#put(this.#track.nowMs);
      this.aheadMs.value = atMs;
      if (this.#track.mode !== "loading") this.#track.play(Infinity);
    });
  }

  toStart(): void {
    this.seek(0);
  }

  toEnd(): void {
    batch(() => {
      this.seek(this.#track.nowMs);
      this.isLive.value = true;
    });
  }

  /** Past the last recorded decision the Worker computes the next one. */
  toNextDecision(): void {
    const next = this.#track.nextDecisionMs(this.atMs.value);
    if (next !== undefined) {
      this.seek(next);
      return;
    }
    this.toEnd();
    if (this.#track.mode === "paused") this.#track.step();
  }

  toPreviousDecision(): void {
    this.seek(this.#track.previousDecisionMs(this.atMs.value) ?? 0);
  }

  toNextEvent(): void {
    const next = this.#track.nextEventMs(this.atMs.value);
    if (next === undefined) this.toEnd();
    else this.seek(next);
  }

  /** Wall time has passed. */
  tick(passedMs: number): void {
    if (!this.isPlaying.value || this.isLive.value) return;
    const { nowMs } = this.#track;
    const speed = this.speed.value;
    // The first frame passes no time, and 0 * Infinity is no number.
    const next = speed === Infinity ? Infinity : this.atMs.value + passedMs * speed;
    batch(() => {
      this.#put(Math.min(next, nowMs));
      if (next < nowMs) return;
      if (this.#track.mode === "finished") this.#stop();
      else this.#goLive();
    });
  }

  /** The run has grown, or the Worker has changed what it does. */
  follow(): void {
    const { nowMs, mode } = this.#track;
    const { value: aheadMs } = this.aheadMs;
    batch(() => {
      if (aheadMs !== undefined) this.#put(aheadMs);
      if (aheadMs !== undefined && (nowMs >= aheadMs || mode === "finished")) this.#stayHere();
      if (this.isLive.value || this.atMs.value > nowMs) this.atMs.value = nowMs;
      if (this.isLive.value && this.isPlaying.value && (mode === "finished" || mode === "paused")) this.#stop();
    });
  }

  get #isWorkerMoving(): boolean {
    return this.#track.mode === "playing" || this.#track.mode === "stepping" || this.#track.mode === "loading";
  }

  #put(atMs: number): void {
    const { nowMs } = this.#track;
    this.atMs.value = Math.min(nowMs, Math.max(0, atMs));
    this.isLive.value = false;
  }

  /** No instant is waited for any more. A run that is being made goes on to its end. */
  #stayHere(): void {
    if (this.aheadMs.value !== undefined && this.#track.mode === "playing") this.#track.pause();
    this.aheadMs.value = undefined;
  }

  #stop(): void {
    this.isPlaying.value = false;
    this.isLive.value = true;
  }

  #goLive(): void {
    this.isLive.value = true;
    this.#track.play(this.speed.value);
  }
}
