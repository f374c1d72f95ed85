/**
 * What the page remembers over a reload, in the browser's storage. A browser may refuse storage, or have none left:
 * then the page forgets, and works on. Invariant: stored data is not trusted; the caller validates what it reads.
 */

/** The part of the Web Storage API that is used. */
export interface TextStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

const PREFIX = "stint.playground.";
/** Longer texts are not kept. */
export const MAX_KEPT_LENGTH = 1_000_000;

export class Memory {
  readonly #store: TextStore | undefined;

  /** @param open returns the store; it may throw, as `localStorage` does where it is forbidden */
  constructor(open: () => TextStore | undefined) {
    this.#store = attempt(open);
  }

  /** Whether this is the key's name in the store, as the browser's event of another page's write has it. */
  static isNameOf(name: string | null, key: string): boolean {
    return name === PREFIX + key;
  }

  read(key: string): string | undefined {
    const text = attempt(() => this.#store?.getItem(PREFIX + key) ?? undefined);
    return text === undefined || text.length > MAX_KEPT_LENGTH ? undefined : text;
  }

  /** @param value undefined forgets */
  write(key: string, value: string | undefined): void {
    attempt(() => {
      if (value === undefined || value.length > MAX_KEPT_LENGTH) this.#store?.removeItem(PREFIX + key);
      else this.#store?.setItem(PREFIX + key, value);
    });
  }
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
