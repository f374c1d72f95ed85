/**
 * A segment of the controller's flight recorder as a recording: an engine gets what the controller saw, and makes its
 * requests, as `stint import` has it.
 *
 * Invariant: nothing is sent, and the same segment gives the same recording. Leaves out playing it.
 */
import { Recorder } from "../../bindings/js/recorder.ts";
import { flightStory } from "../../cluster/observed/flight-story.ts";
import { type OfflineConfiguration, OfflineEngine } from "../../cluster/observed/offline-engine.ts";
import { Reconstruction } from "../../cluster/observed/reconstruction.ts";
import { redactStory } from "../../cluster/observed/redact.ts";
import { FLIGHT_FORMAT } from "../../cluster/observed/segment-format.ts";
import { linesIn, segmentParts } from "../../cluster/observed/segment-parts.ts";
import type { Story } from "../../cluster/observed/story.ts";
import { UsageError } from "../../cluster/values/usage-error.ts";
import { SharedDataError } from "./fields.ts";
import { sha256 } from "./sha256.ts";

export function isSegment(text: string): boolean {
  return text.startsWith(`{"format":"${FLIGHT_FORMAT}"`);
}

/** @throws SharedDataError with the sentence for the page */
export function recordingOfSegment(segment: string, module: WebAssembly.Module, moduleSha256: string): string {
  try {
    const told = flightStory(segmentParts(linesIn(segment), "the segment"));
    return recordingOfStory(told, module, moduleSha256).recording;
  } catch (error) {
    if (error instanceof UsageError) throw new SharedDataError(error.message);
    throw error;
  }
}

export interface StoryRecording {
  readonly recording: string;
  /** How many writes the Job controller made, and how many of them the engine did not ask for. */
  readonly writes: number;
  readonly unexplained: number;
}

/**
 * What a controller saw, as a recording. The story loses what may be secret: the page's address has the recording.
 *
 * @throws UsageError for a story that cannot be read
 */
export function recordingOfStory(
  { story, configuration }: { readonly story: Story; readonly configuration: object | undefined },
  module: WebAssembly.Module,
  moduleSha256: string,
): StoryRecording {
  redactStory(story);
  const lines: string[] = [];
  const recorder = new Recorder({ write: (line) => lines.push(`${line}\n`), sha256 });
  const engine = new OfflineEngine(
    { module, sha256: moduleSha256 },
    { ...(configuration as OfflineConfiguration | undefined), instance: "import" },
    recorder,
  );
  const asked = [...new Reconstruction(engine, story).run()].map(({ isAsked }) => isAsked);
  recorder.end();
  return { recording: lines.join(""), writes: asked.length, unexplained: asked.filter((is) => !is).length };
}
