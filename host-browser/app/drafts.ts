/**
 * The manifest in the editor while it differs from the shown one. Invariant: the latest draft of each lesson, and of a
 * scenario without a lesson, survives a reload; running another scenario does not lose it. A tab comes back to the
 * draft that was made in it, whatever other tabs have made since; a new tab gets the latest one of all.
 */
import { Memory } from "./storage.ts";

const KEY = "draft.";

interface Kept {
  readonly base: string;
  readonly yaml: string;
}

export class Drafts {
  /** That of all tabs. */
  readonly #memory: Memory;
  readonly #ofTab: Memory;

  constructor(memory: Memory, ofTab: Memory) {
    this.#memory = memory;
    this.#ofTab = ofTab;
  }

  /**
   * @param origin id of the lesson; empty: none
   * @param base the manifest that is shown; absent: any. Only a draft made from this manifest is returned
   */
  read(origin: string, base?: string): string | undefined {
    const kept = [this.#ofTab, this.#memory].map((memory) => parse(memory.read(KEY + origin)));
    return kept.find((draft) => draft !== undefined && (base === undefined || draft.base === base))?.yaml;
  }

  /** @param base the manifest from which the draft was made */
  keep(origin: string, base: string, yaml: string): void {
    const text = JSON.stringify({ base, yaml });
    this.#ofTab.write(KEY + origin, text);
    this.#memory.write(KEY + origin, text);
  }

  /** Only the draft of this lesson, and not one that another tab has made since. */
  forget(origin: string): void {
    const key = KEY + origin;
    const own = this.#ofTab.read(key);
    if (own === undefined || own === this.#memory.read(key)) this.#memory.write(key, undefined);
    this.#ofTab.write(key, undefined);
  }

  /** @param name of what another tab has changed in the store. @returns whether this tab has another draft of that */
  differsFromOther(origin: string, name: string | null): boolean {
    const own = this.#ofTab.read(KEY + origin);
    const other = this.#memory.read(KEY + origin);
    return Memory.isNameOf(name, KEY + origin) && own !== undefined && other !== undefined && own !== other;
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
