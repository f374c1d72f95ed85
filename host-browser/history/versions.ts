/**
 * The versions of pods, by reference: versions of an object share what did not change, and pods that are alike share
 * most. Invariant: at most `maxKept` versions are kept, and of each pod in the API the newest as well. The oldest go
 * first, many at once. Leaves out what a version says.
 */
import type { KubeObject } from "../../cluster/types.ts";
import { NONE } from "../records.ts";
import { Column } from "../columns.ts";

/** Versions are dropped in blocks of so many. */
const BLOCK = 4096;

export class PodVersions {
  readonly #maxKept: number;
  readonly #atMs = new Column("float64");
  readonly #previous = new Column("int32");
  /** Of each pod its newest version. */
  readonly #newest = new Column("int32");
  /** Of each pod that is in the API. */
  readonly #present: (KubeObject | undefined)[] = [];
  /** Undefined: dropped. */
  readonly #blocks: (KubeObject[] | undefined)[] = [];
  #firstBlock = 0;

  constructor(maxKept: number) {
    this.#maxKept = Math.max(BLOCK, maxKept);
  }

  /** Pods come in the order of their ids. */
  add(pod: number, object: KubeObject, atMs: number): void {
    const version = this.#atMs.length;
    this.#atMs.push(atMs);
    this.#previous.push(pod < this.#newest.length ? this.#newest.at(pod) : NONE);
    if (pod < this.#newest.length) this.#newest.set(pod, version);
    else this.#newest.push(version);
    this.#present[pod] = object;
    if (version % BLOCK === 0) this.#addBlock(version);
    this.#blocks.at(-1)!.push(object);
  }

  /** The pod is gone. */
  remove(pod: number): void {
    this.#present[pod] = undefined;
  }

  /** The pod as it is now; undefined: it is gone. */
  newest(pod: number): KubeObject | undefined {
    return this.#present[pod];
  }

  /** The pod as it was at the instant; undefined: it was not yet there, or this version is not kept. */
  at(pod: number, atMs: number): KubeObject | undefined {
    const newest = this.#newest.at(pod);
    let version = newest;
    while (version !== NONE && this.#atMs.at(version) > atMs) version = this.#previous.at(version);
    if (version === NONE) return undefined;
    return (
      this.#blocks[Math.floor(version / BLOCK)]?.[version % BLOCK] ??
      (version === newest ? this.#present[pod] : undefined)
    );
  }

  #addBlock(version: number): void {
    this.#blocks.push([]);
    if (version - this.#firstBlock * BLOCK >= this.#maxKept) this.#blocks[this.#firstBlock++] = undefined;
  }
}
