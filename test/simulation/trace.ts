/**
 * The last things that happened in a run, as lines for the report of a failure. Lines are made on demand.
 */

/** Entries that are kept. */
const MAX_ENTRIES = 400;

interface Entry {
  readonly atMs: number;
  readonly actor: string;
  readonly text: string | (() => string);
}

export class Trace {
  readonly #startMs: number;
  readonly #now: () => number;
  readonly #print: ((line: string) => void) | undefined;
  #entries: Entry[] = [];

  /** @param print is given every line at once, when there is one */
  constructor(now: () => number, print?: (line: string) => void) {
    this.#startMs = now();
    this.#now = now;
    this.#print = print;
  }

  add(actor: string, text: string | (() => string)): void {
    const entry: Entry = { atMs: this.#now(), actor, text };
    this.#print?.(this.#lineOf(entry));
    this.#entries.push(entry);
    // Cut rarely: a slice for each entry would cost all of them each time.
    if (this.#entries.length > 2 * MAX_ENTRIES) this.#entries = this.#entries.slice(-MAX_ENTRIES);
  }

  /** The last lines, oldest first. */
  lines(count: number): string[] {
    return this.#entries.slice(-Math.min(count, MAX_ENTRIES)).map((entry) => this.#lineOf(entry));
  }

  #lineOf({ atMs, actor, text }: Entry): string {
    const seconds = ((atMs - this.#startMs) / 1000).toFixed(3).padStart(10);
    return `${seconds}  ${actor.padEnd(14)}  ${typeof text === "string" ? text : text()}`;
  }
}
