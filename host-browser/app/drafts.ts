/**
 * The manifest in the editor while it differs from the shown one. Invariant: the latest draft of each lesson, and of a
 * scenario without a lesson, survives a reload; running another scenario does not lose it.
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
   * @param base the manifest that is shown; absent: any. Only a draft made from this manifest is returned
   */
  read(origin: string, base?: string): string | undefined {
    const kept = parse(this.#memory.read(KEY + origin));
    return base === undefined || kept?.base === base ? kept?.yaml : undefined;
  }

  /** @param base the manifest from which the draft was made */
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
