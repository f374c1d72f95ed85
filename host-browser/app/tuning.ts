/**
 * Numbers that are turned many times a second, and the runs that follow them.
 *
 * Invariant: at most one run is on its way; while it is, newer turns replace each other, and the latest one is always
 * run. The shadow behind all runs of one turning is the run before it. Leaves out which numbers there are (knobs.ts).
 */
import { effect, type ReadonlySignal, signal, untracked } from "@preact/signals";
import type { Scenario } from "../../cluster/simulation/scenario.ts";
import type { Branch, Session } from "./session.ts";

/** What it needs of the playground. */
export interface Tuned {
  readonly session: Pick<Session, "branch" | "mode" | "revision" | "isLoading">;
  tune(scenario: Scenario, before: Branch): void;
}

export class Tuning {
  readonly #playground: Tuned;
  readonly #turned = signal<Scenario | undefined>(undefined);
  #before: Branch | undefined;
  #isAsked = true;
  #isHeld = false;
  readonly #stop: () => void;

  constructor(playground: Tuned) {
    this.#playground = playground;
    const { session } = playground;
    this.#stop = effect(() => {
      void session.revision.value;
      void session.mode.value;
      untracked(() => this.#run());
    });
  }

  /** What was turned and is not shown yet; undefined: what is shown. */
  get turned(): ReadonlySignal<Scenario | undefined> {
    return this.#turned;
  }

  turn(scenario: Scenario): void {
    this.#before ??= this.#playground.session.branch.value;
    this.#isHeld = true;
    this.#turned.value = scenario;
    this.#isAsked = false;
    this.#run();
  }

  /** The reader has let go: the next turn is compared with the run that is shown then. */
  rest(): void {
    this.#isHeld = false;
    if (this.#turned.value === undefined) this.#before = undefined;
  }

  /** No turn is run any more. */
  end(): void {
    this.#stop();
  }

  #run(): void {
    const { session } = this.#playground;
    const turned = this.#turned.value;
    if (turned === undefined || session.isLoading) return;
    if (this.#isAsked) {
      // It is shown, or was refused.
      this.#turned.value = undefined;
      if (!this.#isHeld) this.#before = undefined;
      return;
    }
    const before = this.#before ?? session.branch.value;
    if (before === undefined) return;
    this.#isAsked = true;
    this.#playground.tune(turned, before);
  }
}
