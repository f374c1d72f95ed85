/** Code that is loaded when it is first needed. Invariant: what could not be loaded is loaded again when asked for. */
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
