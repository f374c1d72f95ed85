/**
 * Reads the segments of a flight recorder: one, or all of a folder in their order.
 *
 * Invariant: at most one segment is in memory at a time. It may end anywhere, because the process may have been
 * killed, or may write at this moment: half a last line is left out. Everything else that is no line of a segment is an
 * error with file and line. Leaves out what the lines mean together.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { isObject } from "../../cluster/values/json.ts";
import { checkFoundFile } from "../found-file.ts";
import { shapeProblem } from "../object-shape.ts";
import { type RecordedLine, readRecording } from "../recording-file.ts";
import { readProblem, UsageError } from "../usage-error.ts";
import {
  COMPRESSED,
  FLIGHT_FORMAT,
  FLIGHT_VERSION,
  type SegmentHeader,
  type SegmentLine,
  segmentsAmong,
} from "./segment-format.ts";

/** An eighth of a line's limit in recordings: no segment is larger. */
const MAX_LINE_BYTES = 32 * 1024 ** 2;
const MAX_UNPACKED_BYTES = 64 * 1024 ** 2;
/** Every header has its format within as many bytes. */
const HEAD_BYTES = 64;
/** The members of which a line has one. */
const MEMBERS = ["object", "snapshot", "engine", "list", "decisions", "request", "answer", "lost", "end"] as const;

/** Members of lines whose values are shown or compared. */
const TYPES = {
  request: "number",
  decision: "number",
  answer: "number",
  status: "number",
  lost: "number",
  source: "number",
  method: "string",
  path: "string",
  message: "string",
  resource: "string",
  type: "string",
  namespace: "string",
} as const;
const DECISION_TEXTS = ["namespace", "job", "code", "message"];
/** The latest time of a Date. */
const MAX_TIME_MS = 8.64e15;

/** What a segment holds, in its order. */
export type SegmentPart =
  | { readonly is: "header"; readonly header: SegmentHeader }
  /** Known when the segment began. */
  | { readonly is: "known"; readonly line: SegmentLine }
  | { readonly is: "line"; readonly line: SegmentLine }
  /** The last part. A segment that is not whole was cut off, or is being written. */
  | { readonly is: "over"; readonly isWhole: boolean };

/** Whether this is a folder, or a file with the name or the beginning of a segment. */
export function isFlight(path: string): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  try {
    if (statSync(path).isDirectory()) return true;
    if (path.endsWith(`.jsonl${COMPRESSED}`)) return true;
    const descriptor = openSync(path, "r");
    try {
      readSync(descriptor, head, 0, HEAD_BYTES, 0);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
  return head.toString("latin1").startsWith(`{"format":"${FLIGHT_FORMAT}"`);
}

/** The segments of a folder, or the file itself. @throws UsageError when there are none, or one is no regular file */
export function segmentsAt(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const files = segmentsAmong(readdirSync(path)).map((name) => join(path, name));
    if (files.length === 0) throw new UsageError(`${path} has no segment of a flight recorder, flight-….jsonl`);
    for (const file of files) checkFoundFile(file);
    return files;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${path}: ${readProblem(error)}`);
  }
}

/** @throws UsageError with file and line */
export function* readSegment(path: string): Generator<SegmentPart> {
  let number = 0;
  let isKnown = true;
  let isWhole = false;
  for (const { text, isWhole: isLine } of linesOf(path)) {
    number++;
    if (!isLine) break;
    const refuse = (problem: string): never => {
      throw new UsageError(`${basename(path)}:${number}: ${problem}`);
    };
    const value = text === undefined ? undefined : objectIn(text);
    if (value === undefined) return refuse("it is no JSON object");
    if (number === 1) {
      yield { is: "header", header: checkedHeader(value, refuse) };
      continue;
    }
    if (isWhole) refuse("it comes after the end of the segment");
    const line = checkedLine(value, refuse);
    if ("snapshot" in line) isKnown = false;
    isWhole = "end" in line;
    yield { is: isKnown ? "known" : "line", line };
  }
  yield { is: "over", isWhole };
}

/** A compressed segment is read whole; its size is limited. */
function* linesOf(path: string): Generator<RecordedLine> {
  if (!path.endsWith(COMPRESSED)) return yield* readRecording(path, MAX_LINE_BYTES);
  let text: string;
  try {
    text = gunzipSync(readFileSync(path), { maxOutputLength: MAX_UNPACKED_BYTES }).toString();
  } catch (error) {
    throw new UsageError(`cannot read ${basename(path)}: ${readProblem(error)}`);
  }
  const lines = text.split("\n");
  const rest = lines.pop();
  for (const line of lines) yield { text: line, isWhole: true };
  if (rest !== "") yield { text: undefined, isWhole: false };
}

type Value = Readonly<Record<string, unknown>>;

function checkedHeader(value: Value, refuse: (problem: string) => never): SegmentHeader {
  if (value["format"] !== FLIGHT_FORMAT) refuse(`it is no header of a segment, which has "format":"${FLIGHT_FORMAT}"`);
  if (value["version"] !== FLIGHT_VERSION)
    refuse(
      `the segment is of version ${JSON.stringify(value["version"])}; this program reads version ${FLIGHT_VERSION}`,
    );
  return value as unknown as SegmentHeader;
}

function checkedLine(value: Value, refuse: (problem: string) => never): SegmentLine {
  if (typeof value["at"] !== "number" || !MEMBERS.some((member) => member in value))
    refuse(`it is no line of a segment, which has "at" and one of ${MEMBERS.join(", ")}`);
  if (Math.abs(value["at"]) > MAX_TIME_MS) refuse('its member "at" is no time');
  if ("object" in value) {
    const problem = shapeProblem(value["object"]);
    if (problem !== undefined) refuse(`its object ${problem}`);
  }
  for (const [name, type] of Object.entries(TYPES))
    if (name in value && typeof value[name] !== type) refuse(`its member "${name}" must be a ${type}`);
  if ("engine" in value && !isObject(value["engine"])) refuse('its member "engine" must be an object');
  const { decisions = [] } = value;
  if (!Array.isArray(decisions)) refuse('its member "decisions" must be an array');
  if (!(decisions as unknown[]).every(isDecision)) refuse("one of its decisions lacks a member, or has another type");
  return value as unknown as SegmentLine;
}

function isDecision(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { nextMs = null } = value;
  return (
    DECISION_TEXTS.every((name) => typeof value[name] === "string") &&
    isObject(value["numbers"]) &&
    (nextMs === null || typeof nextMs === "number")
  );
}

function objectIn(text: string): Value | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
