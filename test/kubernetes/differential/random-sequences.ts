/**
 * Random sequences from a seed: writes and reads of two objects of a kind, in any order, with versions that fit and
 * versions that are stale. Leaves out bodies that cannot be read, for which the hand-written sequences are better.
 */
import type { JsonObject } from "../../../cluster/index.ts";
import { numbersOf } from "../seeded-numbers.ts";
import type { Ask } from "./ask.ts";
import { KINDS, objectOf, type TriedKind } from "./kinds.ts";
import type { Sequence } from "./play.ts";
import { SERVED_KINDS } from "./served-kinds/served-kinds.ts";

const STEPS = 20;
const ALL_KINDS = [...KINDS, ...SERVED_KINDS];
const PATCHES = ["application/merge-patch+json", "application/strategic-merge-patch+json"];

export function randomSequences(seed: number, count: number): readonly Sequence[] {
  const choices = new Choices(numbersOf(seed));
  return Array.from({ length: count }, (_, index) => {
    const tried = choices.of(ALL_KINDS);
    return { name: `random ${index} ${tried.kind}: seed ${seed}`, asks: choices.asks(tried) };
  });
}

class Choices {
  readonly #next: () => number;

  constructor(next: () => number) {
    this.#next = next;
  }

  asks(tried: TriedKind): readonly Ask[] {
    return Array.from({ length: STEPS }, () => this.#ask(tried));
  }

  of<T>(values: readonly T[]): T {
    return values[Math.floor(this.#next() * values.length)]!;
  }

  #ask(tried: TriedKind): Ask {
    const { collection, isOfCluster, changes, statusChanges = [] } = tried;
    const short = this.of(["a", "b"]);
    const name = isOfCluster ? `<ns>-${short}` : short;
    const path = `${collection}/${name}`;
    const query = this.#is(0.15) ? "?dryRun=All" : "";
    const asks: readonly (() => Ask)[] = [
      () => ({ method: "POST", path: collection + query, body: objectOf(tried, name, this.#metadata(name)) }),
      () => ({ method: "PUT", path: path + query, body: objectOf(tried, name, this.#metadata(name)) }),
      () => ({ method: "PATCH", path: path + query, type: this.of(PATCHES), body: this.of(changes) }),
      () => ({ method: "PATCH", path: path + query, type: this.of(PATCHES), body: this.#metadata(name) }),
      () => ({
        method: "PATCH",
        path: statusChanges.length === 0 ? path : `${path}/status`,
        type: this.of(PATCHES),
        body: statusChanges.length === 0 ? this.of(changes) : this.of(statusChanges),
      }),
      () => ({ method: "GET", path }),
      () => ({ method: "DELETE", path: path + query, ...(this.#is(0.5) && { body: this.#deletion(name) }) }),
    ];
    return this.of(asks)();
  }

  #metadata(name: string): JsonObject {
    return {
      metadata: {
        ...(this.#is(0.5) && { labels: { a: this.of(["1", "2"]) } }),
        ...(this.#is(0.3) && { annotations: { b: this.of(["1", "2"]) } }),
        ...(this.#is(0.2) && { finalizers: ["x/y"] }),
        ...(this.#is(0.3) && { resourceVersion: this.of([`<rv:${name}>`, `<rv0:${name}>`]) }),
        ...(this.#is(0.1) && { uid: `<uid:${name}>` }),
      },
    };
  }

  #deletion(name: string): JsonObject {
    return {
      ...(this.#is(0.5) && { propagationPolicy: this.of(["Foreground", "Background", "Orphan"]) }),
      ...(this.#is(0.3) && { gracePeriodSeconds: this.of([0, 5]) }),
      ...(this.#is(0.3) && { preconditions: { uid: this.of([`<uid:${name}>`, "other"]) } }),
    };
  }

  #is(chance: number): boolean {
    return this.#next() < chance;
  }
}
