/**
 * The runs of many seeds that the page shows, and those that the reader has pinned to compare them with.
 *
 * Invariant: all runs that are shown are of one scenario. What is pinned stays until the reader lets it go.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Scenario } from "../../cluster/simulation/scenario.ts";
import { askSeeds, type SeedWorker } from "../odds/ask-seeds.ts";
import type { SeedRun } from "../odds/seed-run.ts";

export type OddsStatus = "idle" | "running" | "stopped" | "done";

export interface OddsOptions {
  readonly loadEngine: () => Promise<WebAssembly.Module>;
  /** Starts a Worker for each processor. */
  readonly startWorkers: () => readonly SeedWorker[];
}

export class OddsState {
  readonly #options: OddsOptions;
  readonly #runs = signal<readonly SeedRun[]>([]);
  readonly #status = signal<OddsStatus>("idle");
  readonly #problem = signal("");
  readonly #pinned = signal<readonly SeedRun[]>([]);
  #engine: Promise<WebAssembly.Module> | undefined;
  #question = "";
  /** Of the present question; a later one does not wait for what an earlier one loads. */
  #asked = 0;
  #stop = (): void => {};

  constructor(options: OddsOptions) {
    this.#options = options;
  }

  get runs(): ReadonlySignal<readonly SeedRun[]> {
    return this.#runs;
  }

  get status(): ReadonlySignal<OddsStatus> {
    return this.#status;
  }

  /** Empty: none. */
  get problem(): ReadonlySignal<string> {
    return this.#problem;
  }

  /** Empty: nothing is pinned. */
  get pinned(): ReadonlySignal<readonly SeedRun[]> {
    return this.#pinned;
  }

  /** Runs the scenario with so many seeds, unless that has been done. Its seed does not matter. */
  ask(scenario: Scenario, seeds: number): void {
    const question = JSON.stringify([{ ...scenario, seed: 0 }, seeds]);
    if (question === this.#question && this.#status.value !== "idle") return;
    this.#question = question;
    this.#begin(scenario, seeds);
  }

  /** Stops, and keeps what has been run. */
  stop(): void {
    if (this.#status.value !== "running") return;
    this.#asked++;
    this.#stop();
    this.#status.value = "stopped";
  }

  /** Stops when the reader leaves; the next {@link ask} begins again. */
  leave(): void {
    this.stop();
    if (this.#status.value === "stopped") this.#status.value = "idle";
  }

  pin(): void {
    this.#pinned.value = this.#runs.value;
  }

  /** Pins what all seeds have said, unless something is pinned: what follows is compared with it. */
  pinDone(): void {
    if (this.#status.value === "done" && this.#pinned.value.length === 0) this.pin();
  }

  unpin(): void {
    this.#pinned.value = [];
  }

  #begin(scenario: Scenario, seeds: number): void {
    this.#stop();
    const asked = ++this.#asked;
    this.#runs.value = [];
    this.#problem.value = "";
    this.#status.value = "running";
    const fail = (problem: string): void => {
      if (asked !== this.#asked) return;
      this.#problem.value = problem;
      this.#status.value = "stopped";
    };
    const start = (engine: WebAssembly.Module): void => {
      if (asked !== this.#asked) return;
      this.#stop = askSeeds(engine, scenario, seeds, this.#options.startWorkers(), {
        onRuns: (runs, isLast) => {
          this.#runs.value = [...this.#runs.value, ...runs];
          if (isLast) this.#status.value = "done";
        },
        onProblem: fail,
      });
    };
    this.#loadEngine()
      .then(start)
      .catch((error: unknown) => fail(String(error)));
  }

  /** Once; after a failure, again. */
  #loadEngine(): Promise<WebAssembly.Module> {
    this.#engine ??= this.#options.loadEngine().catch((error: unknown) => {
      this.#engine = undefined;
      throw error;
    });
    return this.#engine;
  }
}
