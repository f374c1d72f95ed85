/**
 * The manifest in the editor while it differs from what is shown. Invariant: the latest draft of each lesson, and of a
 * scenario that is of none, outlives a reload; running another scenario does not lose it.
 */
import type { Memory } from "./storage.ts";

const KEY = "draft.";

interface Kept {
  readonly base: string;
  readonly yaml: string;
}

export class Drafts {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /**
   * @param origin id of the lesson; empty: none
   * @param base the manifest that is shown; absent: any. A draft of another one is none of it
   */
  read(origin: string, base?: string): string | undefined {
    const kept = parse(this.#memory.read(KEY + origin));
    return base === undefined || kept?.base === base ? kept?.yaml : undefined;
  }

  /** @param base the manifest that was shown when this one was made of it */
  keep(origin: string, base: string, yaml: string): void {
    this.#memory.write(KEY + origin, JSON.stringify({ base, yaml }));
  }

  /** Only the draft of this lesson. */
  forget(origin: string): void {
    this.#memory.write(KEY + origin, undefined);
  }
}

function parse(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  try {
    const { base, yaml } = JSON.parse(text) as Partial<Record<keyof Kept, unknown>>;
    return typeof base === "string" && typeof yaml === "string" ? { base, yaml } : undefined;
  } catch {
    return undefined;
  }
}
