/** Code that is loaded on first use. Invariant: after a failed load, the next use loads it again. */
export class Lazy<T> {
  /** Undefined: not loaded yet. */
  value: T | undefined;
  readonly #load: () => Promise<T>;
  #loading: Promise<void> | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  load(): Promise<void> {
    return (this.#loading ??= this.#load()
      .then((value) => void (this.value = value))
      .finally(() => (this.#loading = undefined)));
  }
}
