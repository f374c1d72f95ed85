/** Draws frames on request, and as long as the last frame asks for another one. */
export class FrameLoop {
  /** Gets the wall time since the frame before; true: draw another frame. */
  readonly #draw: (passedMs: number) => boolean;
  #frame: number | undefined;
  #lastMs: number | undefined;

  constructor(draw: (passedMs: number) => boolean) {
    this.#draw = draw;
  }

  request(): void {
    this.#frame ??= requestAnimationFrame((nowMs) => this.#run(nowMs));
  }

  stop(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }

  #run(nowMs: number): void {
    this.#frame = undefined;
    // After a pause no time has passed for the playhead.
    const passedMs = this.#lastMs === undefined ? 0 : nowMs - this.#lastMs;
    const goesOn = this.#draw(passedMs);
    this.#lastMs = goesOn ? nowMs : undefined;
    if (goesOn) this.request();
  }
}
