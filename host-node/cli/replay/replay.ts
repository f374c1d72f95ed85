/**
 * `stint replay`: plays a recording of `--record` on the engine of this program, and says whether it did the same. A
 * flight recording is shown as it is: replay-flight.ts.
 *
 * Invariant: nothing is sent and nothing is written to disk; only the engine works.
 */
import { resolve } from "node:path";
import { type Decision, Engine } from "../../../bindings/js/engine.ts";
import { RecordingError } from "../../../bindings/js/recording.ts";
import { Replay } from "../../../bindings/js/replay.ts";
import { loadEngineModule } from "../../engine-module.ts";
import { isFlight } from "../../flight-recorder/read-segments.ts";
import { readRecording, sha256 } from "../../recording-file.ts";
import { UsageError } from "../../usage-error.ts";
import type { Console } from "../console.ts";
import { formatDuration } from "../../words/duration.ts";
import { outputEndStatus } from "../exit-status.ts";
import { jobFilter } from "../job-filter.ts";
import { decisionText } from "../../words/explanation.ts";
import { printable } from "../../words/printable.ts";
import { BackpressureOutput } from "../backpressure-output.ts";
import { documentLine, head } from "../json/document.ts";
import type { ReplayReport } from "./document.ts";
import { replayFlight } from "./replay-flight.ts";

const EXIT_SAME = 0;
const EXIT_DIFFERENT = 1;

export interface ReplayCommandOptions {
  readonly file: string;
  /** Shows the decisions. */
  readonly explain: boolean;
  /** Shows the decisions about this Job alone: `pi`, `team/pi`. */
  readonly job?: string | undefined;
  /** Text unless given. */
  readonly output?: "text" | "json";
}

/** @returns the exit status. @throws UsageError for a file that is not a recording of this engine */
export async function replay(options: ReplayCommandOptions, console: Console): Promise<number> {
  const { file, job, output = "text" } = options;
  const explain = options.explain || job !== undefined;
  const isShown = jobFilter(job);
  if (isFlight(resolve(console.workingDirectory, file)))
    return replayFlight({ path: file, explain, isShown, output }, console);
  const { module, sha256: moduleSha256 } = await loadEngineModule();
  const writer = new BackpressureOutput(console);
  const kept: Decision[] = [];
  let startMs: number | undefined;
  const played = new Replay({
    newEngine: () => Engine.create(module, moduleSha256),
    moduleSha256,
    sha256,
    onDecisions: (nowMs, decisions) => {
      startMs ??= nowMs;
      const time = formatDuration(nowMs - startMs).padStart(6);
      const shown = explain ? decisions.filter(({ namespace, job }) => isShown(namespace, job)) : [];
      if (output === "json") kept.push(...shown);
      else for (const decision of shown) writer.writeText(`${time}  ${decisionText(decision, nowMs)}\n`);
    },
  });
  let line = 0;
  let cutLine = 0;
  try {
    for (const { text, isWhole } of readRecording(resolve(console.workingDirectory, file))) {
      line++;
      if (!isWhole) {
        cutLine = line;
        break;
      }
      // A recording has no empty lines.
      const difference = await played.take(text ?? "");
      if (!(await writer.isRead())) return outputEndStatus(console);
      if (difference === undefined) continue;
      if (output === "json") writer.write(reportOf(file, played, { line, sentence: difference }, explain, kept));
      else writer.writeText(`${file}:${line}: not the same: ${printable(difference)}\n`);
      return EXIT_DIFFERENT;
    }
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    throw new UsageError(`${file}:${line}: ${printable(error.message)}`);
  }
  if (line === 0 || cutLine === 1) throw new UsageError(`${file} holds no whole line: it is not a recording`);
  const { calls, requests, decisions } = played.counts;
  if (calls === 0)
    throw new UsageError(
      `${file} holds no call: ${played.hasEnded ? "nothing was recorded" : "it was cut off before the first"}`,
    );
  if (output === "json") {
    writer.write(reportOf(file, played, null, explain, kept));
    return EXIT_SAME;
  }
  const same = played.hasEnded ? "the same, byte for byte" : "the same as far as it goes";
  const cut = played.hasEnded ? "" : `; it was cut off${cutLine === 0 ? "" : ` in the middle of line ${cutLine}`}`;
  writer.writeText(`${file}: ${same}: ${calls} calls, ${requests} requests, ${decisions} decisions${cut}\n`);
  return EXIT_SAME;
}

function reportOf(
  file: string,
  { counts, hasEnded }: Pick<Replay, "counts" | "hasEnded">,
  difference: ReplayReport["difference"],
  explain: boolean,
  decisions: readonly Decision[],
): string {
  const { calls, requests, decisions: decided } = counts;
  return documentLine({
    ...head("ReplayReport"),
    file,
    isSame: difference === null,
    difference,
    isWhole: hasEnded,
    calls,
    requests,
    decided,
    decisions: explain ? decisions : undefined,
  } satisfies ReplayReport);
}
