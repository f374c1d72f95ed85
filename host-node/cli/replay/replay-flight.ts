/**
 * `stint replay` of a flight recording: the controller's decisions, the requests that the API server refused, and what
 * is missing.
 *
 * Invariant: the output is what was recorded then. No engine decides again, so it reads recordings of every engine.
 * Leaves out how the files are read: host-node/flight-recorder.
 */
import { basename, resolve } from "node:path";
import type { Decision } from "../../../bindings/js/engine.ts";
import { readSegment, segmentsAt } from "../../flight-recorder/read-segments.ts";
import { type SegmentLine, segmentNumber } from "../../../cluster/observed/segment-format.ts";
import type { Console } from "../console.ts";
import { outputEndStatus } from "../exit-status.ts";
import { counted } from "../../words/counted.ts";
import { decisionText } from "../../words/explanation.ts";
import { qualifiedName } from "../../words/job-name.ts";
import { printable } from "../../words/printable.ts";
import { BackpressureOutput } from "../backpressure-output.ts";
import { documentLine, head } from "../json/document.ts";
import type { FlightEvent, FlightReport } from "./document.ts";

/** Requests under way are far fewer. */
const MAX_REMEMBERED = 10_000;
const FIRST_REFUSAL = 400;

export interface ReplayFlightOptions {
  readonly path: string;
  /** Shows what happened, and not only how much. */
  readonly explain: boolean;
  /** Undefined: all Jobs. */
  readonly isShown: (namespace: string, job: string) => boolean;
  readonly output: "text" | "json";
}

/** @returns the exit status. @throws UsageError with file and line */
export async function replayFlight(options: ReplayFlightOptions, console: Console): Promise<number> {
  const writer = new BackpressureOutput(console);
  const { path, explain, output } = options;
  const happened: FlightEvent[] = [];
  const story = new FlightStory(options, (event) => {
    if (output === "json") happened.push(event);
    else writer.writeText(`${timeText(event.atMs)}  ${event.sentence}\n`);
  });
  const segments = segmentsAt(resolve(console.workingDirectory, path));
  for (const segment of segments) {
    for (const part of readSegment(segment)) {
      if (part.is === "header") story.begin(basename(segment));
      if (part.is === "line") story.tell(part.line);
      if (part.is === "over") story.end(part.isWhole);
      if (!(await writer.isRead())) return outputEndStatus(console);
    }
  }
  const report = story.report(path, segments.length);
  if (output === "json") writer.write(documentLine({ ...report, happened: explain ? happened : undefined }));
  else writer.writeText(`${path}: ${summaryOf(report)}\n`);
  return 0;
}

/** The events, one after another. */
class FlightStory {
  readonly #options: ReplayFlightOptions;
  readonly #tell: (event: FlightEvent) => void;
  readonly #counts = { changes: 0, requests: 0, refused: 0, decisions: 0, lost: 0 };
  /** Decisions and requests, by number. A new engine begins again with 1. */
  readonly #decisions = new Map<number, Decision>();
  readonly #requests = new Map<number, { readonly text: string; readonly decision: Decision | undefined }>();
  #firstMs: number | undefined;
  #lastMs = 0;
  #lastNumber: number | undefined;
  #isWhole = true;

  constructor(options: ReplayFlightOptions, tell: (event: FlightEvent) => void) {
    this.#options = options;
    this.#tell = tell;
  }

  begin(file: string): void {
    const number = segmentNumber(file);
    const isGap = number !== undefined && this.#lastNumber !== undefined && number !== this.#lastNumber + 1;
    if (isGap) this.#say(this.#lastMs, `segments are missing before ${file}`);
    this.#lastNumber = number;
  }

  end(isWhole: boolean): void {
    this.#isWhole = isWhole;
  }

  tell(line: SegmentLine): void {
    const { at } = line;
    this.#firstMs ??= at;
    this.#lastMs = at;
    if ("object" in line) this.#counts.changes++;
    else if ("engine" in line) this.#beginEngine(at);
    else if ("decisions" in line) for (const decision of line.decisions) this.#decide(at, decision);
    else if ("request" in line) this.#ask(line.request, `${line.method} ${line.path}`, line.decision);
    else if ("answer" in line) this.#answer(at, line.answer, line.status, line.message);
    else if ("lost" in line) this.#lose(at, line.lost);
  }

  report(file: string, segments: number): FlightReport {
    const { changes, requests, refused, decisions: decided, lost } = this.#counts;
    const isWhole = this.#isWhole;
    const [firstMs, lastMs] = this.#firstMs === undefined ? [null, null] : [this.#firstMs, this.#lastMs];
    const counts = { changes, requests, refused, decided, lost };
    return { ...head("FlightReport"), file, segments, firstMs, lastMs, ...counts, isWhole };
  }

  #beginEngine(at: number): void {
    this.#decisions.clear();
    this.#requests.clear();
    this.#say(at, "an engine runs");
  }

  #decide(at: number, decision: Decision): void {
    const { id, namespace, job } = decision;
    this.#counts.decisions++;
    if (id !== undefined) remember(this.#decisions, id, decision);
    if (this.#options.isShown(namespace, job)) this.#say(at, decisionText(decision, at), decision);
  }

  #ask(id: number, text: string, decision: number): void {
    this.#counts.requests++;
    remember(this.#requests, id, { text, decision: this.#decisions.get(decision) });
  }

  #answer(at: number, id: number, status: number, message = ""): void {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    if (status !== 0 && status < FIRST_REFUSAL) return;
    this.#counts.refused++;
    const { namespace = "", job = "" } = request?.decision ?? {};
    if (!this.#options.isShown(namespace, job)) return;
    const of = job === "" ? "" : `job ${qualifiedName(namespace, job)}: `;
    const end = status === 0 ? "had no answer" : `was refused with ${status}`;
    const why = message === "" ? "" : `: ${printable(message)}`;
    this.#say(at, `${of}${printable(request?.text ?? "a request")} ${end}${why}`);
  }

  #lose(at: number, calls: number): void {
    this.#counts.lost += calls;
    this.#say(at, `${counted(calls, "call")} of the engine were not recorded`);
  }

  #say(atMs: number, sentence: string, decision: Decision | null = null): void {
    if (this.#options.explain) this.#tell({ atMs, sentence, decision });
  }
}

function summaryOf({
  segments,
  firstMs,
  lastMs,
  changes,
  requests,
  refused,
  decided,
  lost,
  isWhole,
}: FlightReport): string {
  const times = firstMs === null ? "nothing happened" : `${timeText(firstMs)} to ${timeText(lastMs ?? firstMs)}`;
  const refusals = refused === 0 ? "" : ` (${refused} refused)`;
  const missing = lost === 0 ? "" : `; ${counted(lost, "call")} of the engine were not recorded`;
  const cut = isWhole ? "" : "; it ends in the middle: the process was killed, or it is being written";
  const happened = [
    `${counted(changes, "change")} of objects`,
    `${counted(requests, "request")}${refusals}`,
    counted(decided, "decision"),
  ];
  return `${counted(segments, "segment")}, ${times}: ${happened.join(", ")}${missing}${cut}`;
}

function remember<T>(map: Map<number, T>, id: number, value: T): void {
  if (map.size >= MAX_REMEMBERED) map.delete(map.keys().next().value!);
  map.set(id, value);
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
