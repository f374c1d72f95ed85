/**
 * Imports a recording of production, or a segment of the flight recorder, as a run of the page: replays the recorded
 * inputs to the engine, while a recorder of the page's history watches.
 *
 * Invariant: the same module does the same, so decisions and requests are the recorded ones; a recording of another
 * module, a damaged one and one that leads to something else are refused with the line. Leaves out how the run is
 * shown: the session sends it as it sends every run.
 */
import { Engine } from "../../bindings/js/engine.ts";
import { RecordingError } from "../../bindings/js/recording.ts";
import { Replay } from "../../bindings/js/replay.ts";
import { DEFAULT_NODES, type Scenario } from "../../cluster/simulation/scenario.ts";
import { SharedDataError } from "./fields.ts";
import { openingOf } from "./recording-opening.ts";
import { RecordedObjects } from "./recorded-objects.ts";
import { isSegment, recordingOfSegment } from "./segment-recording.ts";
import { sha256 } from "./sha256.ts";
import { Teller, type Told } from "./watched-engine.ts";

/** A longer recording would fill the memory of a page: it is read whole. */
export const MAX_RECORDING_LENGTH = 256 * 1024 * 1024;

export interface ImportOptions<R extends Told> {
  readonly recording: string;
  readonly engine: Uint8Array<ArrayBuffer>;
  /** @param startMs when the recording begins, in milliseconds since 1970 */
  createRecorder(startMs: number, scenario: Scenario): R;
}

export interface ImportedRun<R extends Told> {
  readonly recorder: R;
  /** The engine's explanation at the end of the recording. */
  readonly explain: Teller["explain"];
  readonly nowMs: number;
  /** The first versions of the Jobs, on the ordinary nodes: for a simulation. */
  readonly scenario: Scenario;
  /** A sentence for the page. */
  readonly note: string;
}

/** @throws SharedDataError with the sentence for the page */
export async function importRecording<R extends Told>(options: ImportOptions<R>): Promise<ImportedRun<R>> {
  const { recording: given, engine, createRecorder } = options;
  if (given.length > MAX_RECORDING_LENGTH)
    throw new SharedDataError(`the recording is ${given.length} characters long; allowed are ${MAX_RECORDING_LENGTH}`);
  const module = await WebAssembly.compile(engine);
  const moduleSha256 = sha256(engine);
  const recording = isSegment(given) ? recordingOfSegment(given, module, moduleSha256) : given;
  const lines = recording.split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (lines.length === 0) throw new SharedDataError("the recording has no line");
  const { startMs, yaml } = openingOf(lines);
  const scenario: Scenario = { yaml, seed: 1, nodes: DEFAULT_NODES, outcomes: [], inputs: [] };
  const recorder = createRecorder(startMs, scenario);
  const teller = new Teller(recorder, new RecordedObjects(), startMs);
  const replay = new Replay({
    newEngine: async () => teller.watch(await Engine.create(module)),
    moduleSha256,
    sha256,
  });
  await playAll(replay, lines);
  recorder.onInstant(teller.nowMs, teller.explain);
  const began = `Recorded from ${new Date(startMs).toISOString()}.`;
  return {
    recorder,
    scenario,
    explain: teller.explain,
    nowMs: teller.nowMs,
    note: replay.hasEnded ? began : `${began} The recording was cut off here: its last lines are missing.`,
  };
}

async function playAll(replay: Replay, lines: readonly string[]): Promise<void> {
  for (const [i, line] of lines.entries()) {
    let difference: string | undefined;
    try {
      difference = await replay.take(line);
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      // A killed recorder leaves half a line.
      if (i > 0 && i === lines.length - 1 && !replay.hasEnded && !line.endsWith("}")) return;
      throw new SharedDataError(`line ${i + 1} of the recording: ${error.message}`);
    }
    if (difference !== undefined)
      throw new SharedDataError(`line ${i + 1} of the recording leads to something else: ${difference}`);
  }
}
