/**
 * A run as a recording: what the engine was told, line by line, as `stint run --record` writes it. `stint replay` plays
 * it, every binding can, and the page imports it.
 *
 * Invariant: it is the run that the page shows, because a scenario repeats to the millisecond. Leaves out what other
 * parts of the cluster did, but for what the engine was told of it.
 */
import { Recorder } from "../../bindings/js/recorder.ts";
import type { EngineRecording } from "../simulation/controller.ts";
import type { RunRecorder } from "../simulation/recorder.ts";
import { SharedDataError } from "./fields.ts";
import { sha256 } from "./sha256.ts";

/** A longer one would fill the memory, and nobody would read it. */
export const MAX_EXPORT_LENGTH = 128 * 1024 * 1024;

/** What is recorded: a world. */
export interface Recordable {
  readonly isRefused: boolean;
  isFinished(): boolean;
  runNext(): void;
}

const nothing = (): void => {};
const never = (): never => {
  throw new Error("nobody looks at a run that is only recorded");
};
/** The page has the history of this run already. */
const NOBODY: RunRecorder = {
  ...{ onWrite: nothing, onDecisions: nothing, onRequest: nothing, onSent: nothing, onAnswer: nothing },
  ...{ onFlag: nothing, onInstant: nothing, take: never, look: never },
};

/** @throws SharedDataError when the run is too long for a file */
export function recordRun(
  engineBytes: Uint8Array,
  createRun: (recorder: RunRecorder, recording: EngineRecording) => Recordable,
): string {
  const lines: string[] = [];
  let length = 0;
  const write = (line: string): void => {
    lines.push(`${line}\n`);
    length += line.length + 1;
  };
  const recorder = new Recorder({ write, sha256 });
  const run = createRun(NOBODY, { recorder, moduleSha256: sha256(engineBytes) });
  while (!run.isRefused && !run.isFinished()) {
    run.runNext();
    if (length > MAX_EXPORT_LENGTH)
      throw new SharedDataError(`the recording is longer than ${MAX_EXPORT_LENGTH} characters; export a smaller run`);
  }
  recorder.end();
  return lines.join("");
}
