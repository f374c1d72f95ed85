/**
 * Something that is read from files, which are replaced while it is in use.
 *
 * Invariant: `current` can be used. If the files cannot, the last good content stays, and each problem is reported
 * once. The files are read again from time to time and not watched: when a mounted Secret or ConfigMap changes, a
 * symbolic link two levels up changes, and a watch of the file does not see that. Leaves out when to read them.
 */
import { UsageError } from "../usage-error.ts";

export interface KeptOptions<T> {
  /** @throws UsageError when the files cannot be used */
  readonly read: () => T;
  readonly isSame: (a: T, b: T) => boolean;
  /** It replaces the current one. */
  readonly onChanged: (next: T) => void;
  /** `problem` is new; the current one stays. */
  readonly onRefused: (problem: string, current: T) => void;
}

export class Kept<T> {
  readonly #options: KeptOptions<T>;
  #current: T;
  /** The problem when the files were last read; undefined: there was none. */
  #problem: string | undefined;

  /** @throws UsageError when the files cannot be used */
  constructor(options: KeptOptions<T>) {
    this.#options = options;
    this.#current = options.read();
  }

  get current(): T {
    return this.#current;
  }

  /** Reads the files again. `refused`: they cannot be used now. */
  reload(): "same" | "changed" | "refused" {
    const { read, isSame, onChanged, onRefused } = this.#options;
    try {
      const next = read();
      this.#problem = undefined;
      if (isSame(next, this.#current)) return "same";
      this.#current = next;
      onChanged(next);
      return "changed";
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      if (error.message !== this.#problem) onRefused(error.message, this.#current);
      this.#problem = error.message;
      return "refused";
    }
  }
}
