/**
 * A run as a file. A recording has the inputs of the engine, line by line, as `stint run --record` writes it: `stint
 * replay` and every binding play it, and the page imports it. A vector is a test of the engine in any language.
 *
 * Invariant: it is the run that the page shows, because a scenario repeats to the millisecond. Leaves out what other
 * parts of the cluster did, except for the engine's inputs.
 */
import { Recorder } from "../../bindings/js/recorder.ts";
import type { ExportForm } from "../messages.ts";
import type { EngineRecording } from "../../cluster/simulation/engine-recording.ts";
import type { RunRecorder } from "../../cluster/simulation/recorder.ts";
import { DISCARDING } from "../../cluster/simulation/discarding-recorder.ts";
import { SharedDataError } from "./fields.ts";
import { sha256 } from "./sha256.ts";
import { CallLog } from "./vector/calls.ts";
import { FIRST_MS, writeVector } from "./vector/write-vector.ts";

/** A longer one would fill the memory, and no user would read it. */
export const MAX_EXPORT_LENGTH = 128 * 1024 * 1024;

/** What is recorded: a world. */
export interface Recordable {
  readonly isRefused: boolean;
  isFinished(): boolean;
  runNext(): void;
}

type CreateRun = (recorder: RunRecorder, recording: EngineRecording) => Recordable;

/** @throws SharedDataError when the run is too long for a file, or the form cannot say it */
export function exportRun(form: ExportForm, engineBytes: Uint8Array, createRun: CreateRun): string {
  return form.as === "recording" ? recordRun(engineBytes, createRun) : vectorOfRun(form.name, engineBytes, createRun);
}

export function recordRun(engineBytes: Uint8Array, createRun: CreateRun): string {
  const lines: string[] = [];
  let length = 0;
  const write = (line: string): void => {
    lines.push(`${line}\n`);
    length += line.length + 1;
  };
  const recorder = new Recorder({ write, sha256 });
  playAll(createRun(DISCARDING, { recorder, moduleSha256: sha256(engineBytes) }), () => length);
  recorder.end();
  return lines.join("");
}

export function vectorOfRun(name: string, engineBytes: Uint8Array, createRun: CreateRun): string {
  const recorder = new CallLog();
  const recording = { recorder, moduleSha256: sha256(engineBytes), startMs: FIRST_MS };
  playAll(createRun(DISCARDING, recording), () => recorder.length);
  return writeVector(name, recorder.calls);
}

function playAll(run: Recordable, length: () => number): void {
  while (!run.isRefused && !run.isFinished()) {
    run.runNext();
    if (length() > MAX_EXPORT_LENGTH)
      throw new SharedDataError(`the file is longer than ${MAX_EXPORT_LENGTH} characters; export a smaller run`);
  }
}
