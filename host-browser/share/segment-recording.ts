/**
 * A segment of the controller's flight recorder as a recording: an engine gets what the controller saw, and makes its
 * requests, as `stint import` has it.
 *
 * Invariant: nothing is sent, and the same segment gives the same recording. Leaves out playing it.
 */
import { Recorder } from "../../bindings/js/recorder.ts";
import { flightStory } from "../../cluster/observed/flight-story.ts";
import { OfflineEngine } from "../../cluster/observed/offline-engine.ts";
import { Reconstruction } from "../../cluster/observed/reconstruction.ts";
import { FLIGHT_FORMAT } from "../../cluster/observed/segment-format.ts";
import { linesIn, segmentParts } from "../../cluster/observed/segment-parts.ts";
import { UsageError } from "../../cluster/values/usage-error.ts";
import { SharedDataError } from "./fields.ts";
import { sha256 } from "./sha256.ts";

export function isSegment(text: string): boolean {
  return text.startsWith(`{"format":"${FLIGHT_FORMAT}"`);
}

/** @throws SharedDataError with the sentence for the page */
export function recordingOfSegment(segment: string, module: WebAssembly.Module, moduleSha256: string): string {
  const lines: string[] = [];
  const recorder = new Recorder({ write: (line) => lines.push(`${line}\n`), sha256 });
  try {
    const { story, configuration } = flightStory(segmentParts(linesIn(segment), "the segment"));
    const engine = new OfflineEngine(
      { module, sha256: moduleSha256 },
      { ...configuration, instance: "import" },
      recorder,
    );
    for (const written of new Reconstruction(engine, story).run()) void written;
  } catch (error) {
    if (error instanceof UsageError) throw new SharedDataError(error.message);
    throw error;
  }
  recorder.end();
  return lines.join("");
}
