/**
 * How controllers are run: here one at a time, the next one when the one before is gone. replicas.ts has several at
 * once.
 */
import type { ControllerProcess } from "./controller-process.ts";
import type { World } from "./world.ts";

export interface Deployment {
  /** Those that have an engine, the latest last. */
  readonly processes: readonly ControllerProcess[];
  /** The one that does the work is gone at once; another one may come after the gap. */
  crash(gapMs: number): void;
  /** The one that does the work ends in good order, and another one takes over. */
  handOver(gapMs: number): void;
  /** One of the processes stands still. */
  halt(): void;
  /** Those that stand still continue. */
  proceed(): void;
}

export class SingleController implements Deployment {
  readonly #world: World;
  #controller: ControllerProcess;

  constructor(world: World) {
    this.#world = world;
    this.#controller = world.startController();
  }

  get processes(): readonly ControllerProcess[] {
    return [this.#controller];
  }

  crash(gapMs: number): void {
    this.#controller.crash();
    this.#next(gapMs);
  }

  /**
   * As with a lease: the old one sends nothing more when the new one starts, but its requests may still be on their
   * way. Two that send at once may count a pod twice, upstream's too: a status has no fence against a pod watch that is
   * late.
   */
  handOver(gapMs: number): void {
    this.#controller.stop();
    this.#next(gapMs);
  }

  /** No replica would take over: that equals a long pause of the network, which the weather has. */
  halt(): void {}

  proceed(): void {}

  #next(gapMs: number): void {
    this.#world.clock.advance(gapMs);
    this.#controller = this.#world.startController();
  }
}
