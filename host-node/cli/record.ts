/** `--record` of the commands that run an engine. */
import { resolve } from "node:path";
import type { Recorder } from "../../bindings/js/recorder.ts";
import { RecordingFile } from "../recording-file.ts";
import { UsageError } from "../usage-error.ts";
import type { Console } from "./console.ts";
import { printable } from "../words/printable.ts";

export interface RecordOptions {
  /** Undefined: nothing is recorded. */
  readonly record: string | undefined;
  /** Replaces an existing file. */
  readonly force: boolean;
}

/**
 * Calls `run` with a recorder if one was asked for, and closes its file however the run ends.
 * @throws UsageError when the file cannot be made
 */
export async function recorded(
  { record, force }: RecordOptions,
  console: Console,
  run: (recorder: Recorder | undefined) => Promise<number>,
): Promise<number> {
  if (record === undefined) {
    if (force) throw new UsageError("--force is given without --record; it lets --record replace a file");
    return run(undefined);
  }
  const file = new RecordingFile({
    path: resolve(console.workingDirectory, record),
    force,
    onProblem: (problem) => console.writeError(`stint: ${printable(problem)}\n`),
  });
  try {
    return await run(file.recorder);
  } finally {
    file.close();
  }
}
