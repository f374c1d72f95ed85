/**
 * The versions of pods: of each pod its latest version, as the cluster stores it, and reverse diffs from version to
 * version, which take some tens of bytes each (version-steps.ts).
 *
 * Invariant: at most `maxKept` reverse diffs are kept, and of each pod in the API the newest version. The oldest go
 * first, many at once, and with them the pods that are gone since. Leaves out what a version says.
 */
import type { Write } from "../../cluster/index.ts";
import type { Pod } from "../../cluster/values/kinds.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { Column } from "../columns.ts";
import { NONE } from "../records.ts";
import { type Kept, VersionSteps } from "./version-steps.ts";

/** Versions are dropped in blocks of this size. */
const BLOCK = 256;

/** The reverse diffs of the versions of a block, one after the other. */
interface Block {
  values: Kept[];
  /** Pods that are gone, and had their last version here. */
  readonly gone: number[];
}

export class PodVersions {
  readonly #maxKept: number;
  readonly #atMs = new Column("float64");
  readonly #previous = new Column("int32");
  /** The step back to the previous version, and where in the block its values begin. */
  readonly #step = new Column("int32");
  readonly #from = new Column("int32");
  /** Of each pod its newest version. */
  readonly #newest = new Column("int32");
  readonly #isGone = new Column("uint8");
  /** Of each pod the latest version; undefined: dropped. */
  readonly #latest: (Write["stored"] | undefined)[] = [];
  /** Undefined: dropped. */
  readonly #blocks: (Block | undefined)[] = [];
  #firstBlock = 0;
  readonly #steps = new VersionSteps();

  constructor(maxKept: number) {
    this.#maxKept = Math.max(BLOCK, maxKept);
  }

  /** What is kept beside the latest versions, for tests: values, and ways to differ. */
  get kept(): { readonly versions: number; readonly values: number; readonly steps: number } {
    const values = this.#blocks.reduce((sum, block) => sum + (block?.values.length ?? 0), 0);
    return { versions: this.#atMs.length, values, steps: this.#steps.count };
  }

  /** Pods come in the order of their ids. */
  add(pod: number, stored: Write["stored"], atMs: number): void {
    const version = this.#atMs.length;
    if (version % BLOCK === 0) this.#addBlock(version);
    const { values } = this.#blocks.at(-1)!;
    const isNew = pod === this.#newest.length;
    const before = this.#latest[pod]?.object;
    this.#atMs.push(atMs);
    this.#previous.push(isNew ? NONE : this.#newest.at(pod));
    this.#from.push(values.length);
    this.#step.push(before === undefined ? NONE : this.#steps.back(before, stored.object, values));
    this.#latest[pod] = stored;
    if (isNew) {
      this.#newest.push(version);
      this.#isGone.push(0);
      return;
    }
    this.#newest.set(pod, version);
    this.#isGone.set(pod, 0);
  }

  /** The pod is gone. */
  remove(pod: number): void {
    this.#isGone.set(pod, 1);
    const block = this.#blocks[Math.floor(this.#newest.at(pod) / BLOCK)];
    if (block === undefined) this.#latest[pod] = undefined;
    else block.gone.push(pod);
  }

  /** The pod as it is now; undefined: it is gone. */
  newest(pod: number): Pod | undefined {
    return this.#isGone.at(pod) === 1 ? undefined : (this.#latest[pod]?.object as Pod | undefined);
  }

  /** The pod as it was at the instant; undefined: it did not exist yet, or this version is not kept. */
  at(pod: number, atMs: number): Pod | undefined {
    let object = this.#latest[pod]?.object;
    let version = this.#newest.at(pod);
    for (; version !== NONE && this.#atMs.at(version) > atMs; version = this.#previous.at(version))
      object &&= this.#before(object, version);
    return version === NONE ? undefined : (object as Pod | undefined);
  }

  /** The version before this one; `object` is this one. */
  #before(object: KubeObject, version: number): KubeObject | undefined {
    const values = this.#blocks[Math.floor(version / BLOCK)]?.values;
    const step = this.#step.at(version);
    return values === undefined || step === NONE
      ? undefined
      : this.#steps.apply(object, step, values, this.#from.at(version));
  }

  #addBlock(version: number): void {
    const full = this.#blocks.at(-1);
    // A growing list has spare capacity.
    if (full !== undefined) full.values = full.values.slice();
    this.#blocks.push({ values: [], gone: [] });
    if (version - this.#firstBlock * BLOCK < this.#maxKept) return;
    for (const pod of this.#blocks[this.#firstBlock]!.gone)
      if (this.#isGone.at(pod) === 1 && Math.floor(this.#newest.at(pod) / BLOCK) === this.#firstBlock)
        this.#latest[pod] = undefined;
    this.#blocks[this.#firstBlock++] = undefined;
  }
}
