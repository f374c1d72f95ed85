/**
 * One run of a scenario with another seed, played to its end and remembered by a few numbers alone.
 *
 * Invariant: the run is that which the page plays for the scenario with this seed, to the millisecond. Leaves out what
 * many runs say together (odds.ts).
 */
import type { Write } from "../../cluster/apiserver/server.ts";
import * as lazyParts from "../../cluster/simulation/lazy-parts.ts";
import type { RunRecorder } from "../../cluster/simulation/recorder.ts";
import type { Scenario } from "../../cluster/simulation/scenario.ts";
import type { Tools } from "../../cluster/simulation/tools.ts";
import { World } from "../../cluster/simulation/world.ts";
import { endOf } from "../../cluster/values/job-conditions.ts";
import type { Job, Pod } from "../../cluster/values/kinds.ts";
import { memoize } from "../../cluster/values/memoize.ts";
import { readYaml } from "../../cluster/yaml/yaml-library.ts";

export interface SeedRun {
  readonly seed: number;
  /** Of all Jobs of the run: `failed` when one has failed, `open` when one has not ended and none has failed. */
  readonly end: "complete" | "failed" | "open";
  /** When the last Job ended, in milliseconds since the run began; for `open` the end of the run. */
  readonly endMs: number;
  /** How many pods were created. */
  readonly pods: number;
  /** How long pods held a place on a node, all together: from their binding to their end or deletion. */
  readonly podMs: number;
}

/** A run is stopped after this many writes: it is one of hundreds. */
export const MAX_WRITES_OF_A_SEED = 200_000;

/** The manifest is the same for all seeds, and is read once. */
const TOOLS: Tools = { readYaml: memoize(readYaml), lazyParts: () => lazyParts, checks: () => lazyParts };

/** @throws Error when the manifest has mistakes, which the page shows before it asks, or the run is too large */
export function seedRun(engine: WebAssembly.Module, scenario: Scenario, seed: number): SeedRun {
  const counter = new Counter();
  const world = new World(engine, { ...scenario, seed }, counter, TOOLS);
  if (world.isRefused) throw new Error("the manifest has mistakes");
  while (!world.isFinished() && counter.writes < MAX_WRITES_OF_A_SEED) world.runNext();
  if (!world.isFinished())
    throw new Error(`a run of this Job makes more than ${MAX_WRITES_OF_A_SEED} writes, too many for hundreds of runs`);
  return { seed, ...counter.total(world.now()) };
}

class Counter implements RunRecorder {
  writes = 0;
  #pods = 0;
  #podMs = 0;
  /** When each pod that holds a place was bound. */
  readonly #boundMs = new Map<string, number>();
  /** Those that have ended, by uid. */
  readonly #ends = new Map<string, { readonly isComplete: boolean; readonly atMs: number }>();
  readonly #open = new Set<string>();

  // The object of a write is built when it is read.
  onWrite(write: Write, nowMs: number): void {
    this.writes++;
    if (write.resource === "pods") this.#onPod(write.type, write.object as Pod, nowMs);
    else if (write.resource === "jobs") this.#onJob(write.type, write.object as Job, nowMs);
  }

  #onPod(type: Write["type"], { metadata: { uid }, spec, status }: Pod, nowMs: number): void {
    if (type === "ADDED") this.#pods++;
    const boundMs = this.#boundMs.get(uid);
    const isOver = type === "DELETED" || status?.phase === "Succeeded" || status?.phase === "Failed";
    if (boundMs === undefined) {
      if (!isOver && spec?.nodeName !== undefined) this.#boundMs.set(uid, nowMs);
    } else if (isOver) {
      this.#boundMs.delete(uid);
      this.#podMs += nowMs - boundMs;
    }
  }

  #onJob(type: Write["type"], job: Job, nowMs: number): void {
    const { uid } = job.metadata;
    if (this.#ends.has(uid)) return;
    const end = endOf(job);
    if (end !== undefined) {
      this.#open.delete(uid);
      this.#ends.set(uid, { isComplete: end.type === "Complete", atMs: nowMs });
    } else if (type === "DELETED") this.#open.delete(uid);
    else this.#open.add(uid);
  }

  total(nowMs: number): Omit<SeedRun, "seed"> {
    const ends = [...this.#ends.values()];
    const end = ends.some(({ isComplete }) => !isComplete)
      ? "failed"
      : this.#open.size > 0 || ends.length === 0
        ? "open"
        : "complete";
    const stillBound = [...this.#boundMs.values()].reduce((sum, boundMs) => sum + nowMs - boundMs, 0);
    return {
      end,
      endMs: end === "open" ? nowMs : Math.max(...ends.map(({ atMs }) => atMs)),
      pods: this.#pods,
      podMs: this.#podMs + stillBound,
    };
  }

  onDecisions(): void {}
  onRequest(): void {}
  onSent(): void {}
  onAnswer(): void {}
  onFlag(): void {}
  onInstant(): void {}
}
