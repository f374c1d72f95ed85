/**
 * Rounds of hostile inputs. A round starts from a fresh engine and plays a fixed number of inputs on it; what it does
 * depends on the seed and its number alone, so any round can be repeated alone.
 *
 * After each input the canary must be known as before; at the end of the round its pod succeeds, and what the engine
 * asks for then must be what it asks for when nothing else has ever happened.
 */
import { Chance } from "../simulation/chance.ts";
import { type Entry, entries } from "./entries.ts";
import { START_MS, Subject } from "./subject.ts";

/**
 * An engine that has seen a high version believes no older object any more, so it starts over after this many inputs.
 */
export const INPUTS_A_ROUND = 25;
const STEP_MS = 1500;

export interface Failure {
  readonly seed: number;
  readonly round: number;
  /** What the round had played by then, the last of which failed. */
  readonly played: readonly string[];
  readonly message: string;
}

export class Fuzzer {
  readonly #module: WebAssembly.Module;
  readonly #entries: readonly Entry[];
  readonly #canary: string;
  readonly #canarysRequests: readonly string[];

  constructor(module: WebAssembly.Module, played: readonly Entry[] = entries) {
    this.#module = module;
    this.#entries = played;
    const untouched = new Subject(module);
    this.#canary = untouched.canaryNow();
    this.#canarysRequests = untouched.canarysRequests(START_MS + INPUTS_A_ROUND * STEP_MS);
  }

  /** Plays one round. */
  play(seed: number, round: number): Failure | undefined {
    const chance = new Chance(seed, `round ${round}`);
    const played: string[] = [];
    try {
      const subject = new Subject(this.#module);
      for (let input = 0; input < INPUTS_A_ROUND; input++) {
        const entry = chance.weighted(this.#entries);
        played.push(entry.name);
        entry.play(subject, chance, START_MS + input * STEP_MS, this.#module);
        const canary = subject.canaryNow();
        if (canary !== this.#canary)
          throw new Error(`what is known of the canary has changed\n  from ${this.#canary}\n  to   ${canary}`);
      }
      played.push("the end of the canary's pod");
      const requests = subject.canarysRequests(START_MS + INPUTS_A_ROUND * STEP_MS);
      if (requests.join("\n") !== this.#canarysRequests.join("\n")) {
        throw new Error(
          `the canary's requests have changed\n  from ${this.#canarysRequests.join("\n       ")}\n  to   ${requests.join("\n       ")}`,
        );
      }
      return undefined;
    } catch (error) {
      return { seed, round, played, message: (error as Error).message };
    }
  }
}
