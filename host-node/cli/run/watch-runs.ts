/**
 * `stint run --watch`: runs again whenever a file of the run has changed, until Ctrl-C.
 *
 * Invariant: each run begins in a new cluster, so a Job that is gone from the files is gone, and a changed template
 * needs no deletion by hand. When a file changes during a run, that run is stopped first. Bad input is reported, and
 * then the command waits for the next change.
 */
import { InputError } from "../../../cluster/manifests/diagnostic.ts";
import { UsageError } from "../../usage-error.ts";
import type { Console, StopSignal } from "../console.ts";
import { errorText, outputEndStatus, SIGNAL_NUMBERS } from "../exit-status.ts";
import { InputWatch, type WatchedInputs } from "../input/input-watch.ts";
import { printable } from "../../words/printable.ts";
import { styleFor } from "../../words/style.ts";

/** Calls back with the reason when the run has to stop. */
export type OnStop = (stop: (reason: string) => void) => void;

/**
 * @param runOnce one whole run
 * @returns the exit status after a signal
 * @throws UsageError for what no change of a file could fix
 */
export async function watchRuns(
  inputs: WatchedInputs,
  console: Console,
  runOnce: (console: Console, onStop: OnStop) => Promise<number>,
): Promise<number> {
  const shared = new SharedConsole(console);
  const style = styleFor(console.terminal !== undefined, console.environment);
  const watch = new InputWatch(inputs);
  try {
    for (let runs = 1; ; runs++) {
      shared.begin();
      try {
        await runOnce(shared, (stop) => watch.onChange((file) => stop(`${printable(file)} has changed`)));
      } catch (error) {
        const isFirst = runs === 1;
        if (!(error instanceof InputError) && (isFirst || !(error instanceof UsageError))) throw error;
        console.writeError(errorText(error as Error).text);
      }
      if (shared.endStatus !== undefined) return shared.endStatus;
      if (!watch.hasChanged) console.writeOut(`\n${style.dim("waiting for a change of the files; Ctrl-C ends")}\n`);
      await Promise.race([new Promise<void>((resolve) => watch.onChange(() => resolve())), shared.ended]);
      if (shared.endStatus !== undefined) return shared.endStatus;
      const file = watch.take() ?? "";
      console.writeOut(`\n${style.bold(`── run ${runs + 1}: ${printable(file)} has changed ──`)}\n\n`);
    }
  } finally {
    shared.close();
    watch.close();
  }
}

/** The console of all runs: each run may listen; its listeners are dropped when the next run begins. */
class SharedConsole implements Console {
  readonly #console: Console;
  readonly #stopListening: () => void;
  #drained = (): void => {};
  #closed = (): void => {};
  /** The exit status with which the command has to end. */
  endStatus: number | undefined;
  readonly ended: Promise<void>;

  constructor(console: Console) {
    this.#console = console;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    const end = (status: number): void => {
      this.endStatus ??= status;
      resolve();
    };
    this.#stopListening = console.onSignal((signal) => end(128 + SIGNAL_NUMBERS[signal]));
    console.onDrain(() => this.#drained());
    console.onOutputClosed(() => {
      end(outputEndStatus(console));
      this.#closed();
    });
  }

  begin(): void {
    this.#drained = () => {};
    this.#closed = () => {};
  }

  close(): void {
    this.#stopListening();
  }

  onDrain(callback: () => void): void {
    this.#drained = callback;
  }

  onOutputClosed(callback: () => void): void {
    this.#closed = callback;
  }

  onInputClosed(callback: () => void): () => void {
    return this.#console.onInputClosed(callback);
  }

  onSignal(callback: (signal: StopSignal) => void): () => void {
    return this.#console.onSignal(callback);
  }

  writeOut(text: string): boolean {
    return this.#console.writeOut(text);
  }

  writeError(text: string): void {
    this.#console.writeError(text);
  }

  get outputProblem(): string | undefined {
    return this.#console.outputProblem;
  }

  get terminal(): Console["terminal"] {
    return this.#console.terminal;
  }

  get isErrorTerminal(): boolean {
    return this.#console.isErrorTerminal;
  }

  get environment(): Console["environment"] {
    return this.#console.environment;
  }

  get command(): string {
    return this.#console.command;
  }

  get workingDirectory(): string {
    return this.#console.workingDirectory;
  }
}
