/**
 * The manifest in the editor while it differs from what is shown. Invariant: the latest draft outlives a reload, for
 * the lesson that it was made of; running another scenario does not lose it.
 */
import type { Memory } from "./storage.ts";

const KEY = "draft";

interface Kept {
  readonly origin: string;
  readonly yaml: string;
}

export class Drafts {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** @param origin id of the lesson; empty: none */
  read(origin: string): string | undefined {
    const kept = parse(this.#memory.read(KEY));
    return kept?.origin === origin ? kept.yaml : undefined;
  }

  keep(origin: string, yaml: string): void {
    this.#memory.write(KEY, JSON.stringify({ origin, yaml }));
  }

  /** Only the draft of this lesson. */
  forget(origin: string): void {
    if (this.read(origin) !== undefined) this.#memory.write(KEY, undefined);
  }
}

function parse(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  try {
    const { origin, yaml } = JSON.parse(text) as Partial<Record<keyof Kept, unknown>>;
    return typeof origin === "string" && typeof yaml === "string" ? { origin, yaml } : undefined;
  } catch {
    return undefined;
  }
}
