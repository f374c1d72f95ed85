/**
 * Reports when the files of a run have changed: their texts, or the list of files in a folder.
 *
 * Invariant: a change is reported once, when the files have been still for a moment. A file that was rewritten with the
 * same text has not changed. The folders around the files are watched, because editors replace files. Leaves out
 * standard input, which cannot be read again.
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { UsageError } from "../../usage-error.ts";
import { inputFiles } from "./input-files.ts";
import { readInput } from "../../manifests/read-input.ts";

/** An editor writes a file in several steps. */
const DEBOUNCE_MS = 200;

export interface WatchedInputs {
  readonly files: readonly string[];
  readonly recursive: boolean;
}

export class InputWatch {
  readonly #inputs: WatchedInputs;
  readonly #watchers: readonly FSWatcher[];
  /** By the name of the file, its text, or why it cannot be read. */
  #known: ReadonlyMap<string, string>;
  #debounceTimer: NodeJS.Timeout | undefined;
  #changed: string | undefined;
  #listener: ((file: string) => void) | undefined;

  /** @throws UsageError for what cannot be watched */
  constructor(inputs: WatchedInputs) {
    if (inputs.files.includes("-"))
      throw new UsageError("--watch is given with -, but standard input cannot be read again; name files or folders");
    this.#inputs = inputs;
    this.#known = this.#read();
    this.#watchers = inputs.files.map((path) => this.#watch(path));
  }

  /** Calls back once, with a file that has changed since `take` was called last. */
  onChange(listener: (file: string) => void): void {
    this.#listener = listener;
    if (this.#changed !== undefined) listener(this.#changed);
  }

  /** A file has changed since `take` was called last. */
  get hasChanged(): boolean {
    return this.#changed !== undefined;
  }

  /** A file that has changed; from now on the next change counts. Undefined: none has. */
  take(): string | undefined {
    const changed = this.#changed;
    this.#changed = undefined;
    this.#listener = undefined;
    return changed;
  }

  close(): void {
    clearTimeout(this.#debounceTimer);
    for (const watcher of this.#watchers) watcher.close();
  }

  #watch(path: string): FSWatcher {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    try {
      const watcher = watch(isFolder ? path : dirname(path), { recursive: isFolder && this.#inputs.recursive });
      watcher.on("change", (_type, name) => {
        if (!isFolder && name !== null && String(name) !== basename(path)) return;
        clearTimeout(this.#debounceTimer);
        this.#debounceTimer = setTimeout(() => this.#compare(), DEBOUNCE_MS);
      });
      // The folder is gone: the next run reports what is wrong with the files.
      return watcher.on("error", () => {});
    } catch (error) {
      throw new UsageError(`cannot watch ${path}: ${(error as Error).message}`);
    }
  }

  #compare(): void {
    const before = this.#known;
    this.#known = this.#read();
    const changed = [...new Set([...before.keys(), ...this.#known.keys()])].find(
      (file) => before.get(file) !== this.#known.get(file),
    );
    if (changed === undefined) return;
    this.#changed ??= changed;
    this.#listener?.(changed);
  }

  #read(): ReadonlyMap<string, string> {
    const { files, recursive } = this.#inputs;
    const textOf = (file: string): string => {
      try {
        return readInput(file).text;
      } catch (error) {
        return (error as Error).message;
      }
    };
    try {
      return new Map(inputFiles(files, recursive).map((file) => [file, textOf(file)]));
    } catch (error) {
      return new Map([[files.join(" "), (error as Error).message]]);
    }
  }
}
