/**
 * Chance that repeats, with the draws that a simulation makes. Each part of the world draws from a separate stream,
 * so that one more draw in one part does not change what the others do. Leaves out any other source of chance: there is
 * none.
 */
import { seededRandom } from "../../cluster/values/random.ts";

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export class Chance {
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly #seed: number;

  /** @param seed an integer @param stream names what the draws are for */
  constructor(seed: number, stream: string) {
    let hash = FNV_OFFSET;
    for (const byte of new TextEncoder().encode(`${seed}/${stream}`)) hash = Math.imul(hash ^ byte, FNV_PRIME);
    this.#seed = hash >>> 0;
    this.random = seededRandom(this.#seed);
  }

  /** A separate stream, the same for the same name whatever was drawn here before. */
  fork(stream: string): Chance {
    return new Chance(this.#seed, stream);
  }

  isHit(probability: number): boolean {
    return this.random() < probability;
  }

  /** A whole number from `first` to `last`, both included. */
  integer(first: number, last: number): number {
    return first + Math.floor(this.random() * (last - first + 1));
  }

  /** @param items not empty */
  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)]!;
  }

  /** One of the items, each as often as its weight says. @param items at least one with a weight above 0 */
  weighted<T extends { readonly weight: number }>(items: readonly T[]): T {
    let left = this.random() * items.reduce((sum, { weight }) => sum + weight, 0);
    return items.find(({ weight }) => (left -= weight) < 0) ?? items.at(-1)!;
  }
}
