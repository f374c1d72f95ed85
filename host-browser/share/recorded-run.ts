/**
 * Plays a recording in place of a run: the session passes it the page's commands, and it answers as a finished run
 * does. Time does not pass in it, and the user cannot act on it; the page forks its scenario for that.
 */
import type { Command, Notice, Query } from "../messages.ts";
import type { Chunk } from "../records.ts";
import type { Scenario } from "../../cluster/simulation/scenario.ts";
import { SharedDataError } from "./fields.ts";
import { type ImportedRun, importRecording } from "./import-recording.ts";
import { exportRun } from "./record-run.ts";
import { sha256 } from "./sha256.ts";
import type { Told } from "./watched-engine.ts";

/** What keeps the history of a run. */
export interface Recorder extends Told {
  take(): Chunk;
  look(query: Query): unknown;
}

export interface RecordedRunOptions {
  /** The module, as it was fetched: its digest must be that of the recording. */
  readonly engineBytes: Uint8Array<ArrayBuffer>;
  createRecorder(startMs: number, scenario: Scenario): Recorder;
  /** Sends the chunk of a notice with its buffers. */
  post(notice: Notice): void;
}

export class RecordedRun {
  /** The reverse: a run as a file. Here because both are loaded together, on first use. */
  static readonly export = exportRun;

  readonly number: number;
  readonly #options: RecordedRunOptions;
  #imported: ImportedRun<Recorder> | undefined;
  #isOver = false;

  constructor(run: number, options: RecordedRunOptions) {
    this.number = run;
    this.#options = options;
  }

  async play(recording: string): Promise<void> {
    const { engineBytes, createRecorder } = this.#options;
    try {
      const imported = await importRecording({ recording, engine: engineBytes, createRecorder });
      this.#imported = imported;
      const { nowMs, note, scenario, recorder } = imported;
      const digest = sha256(recording).slice(0, 16);
      const about = { run: this.number, mode: "finished", nowMs, note, digest, scenario } as const;
      this.#post({ kind: "progress", ...about, chunk: recorder.take() });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof SharedDataError)
        this.#post({ kind: "refused", run: this.number, problems: [{ severity: "error", message }] });
      else this.#post({ kind: "fatal", run: this.number, message });
    }
  }

  obey(command: Command): void {
    if (command.kind !== "look" || this.#imported === undefined) return;
    const view = this.#imported.recorder.look(command.query);
    this.#post({ kind: "view", run: this.number, look: command.look, view });
  }

  /** Stops it for good: it says nothing any more. */
  end(): void {
    this.#isOver = true;
  }

  #post(notice: Notice): void {
    if (!this.#isOver) this.#options.post(notice);
  }
}
