/**
 * The parts of one segment of a flight recorder, from its lines.
 *
 * Invariant: a segment may end anywhere, because the process may have been killed, or may write at this moment: half a
 * last line is left out. Everything else that is no line of a segment is an error with file and line. Leaves out where
 * the lines come from, and what they mean together.
 */
import { isObject } from "../values/json.ts";
import { UsageError } from "../values/usage-error.ts";
import { shapeProblem } from "./object-shape.ts";
import { FLIGHT_FORMAT, FLIGHT_VERSION, type SegmentHeader, type SegmentLine } from "./segment-format.ts";

/** A line of a file. */
export interface RecordedLine {
  /**
   * Undefined: this cannot be a line of a recording, because it is not UTF-8 or is too long. It is the last one then.
   */
  readonly text: string | undefined;
  /** False: the file ends in the middle of the line. */
  readonly isWhole: boolean;
}

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

/** @param name of the file, for errors. @throws UsageError with file and line */
export function* segmentParts(lines: Iterable<RecordedLine>, name: string): Generator<SegmentPart> {
  let number = 0;
  let isKnown = true;
  let isWhole = false;
  for (const { text, isWhole: isLine } of lines) {
    number++;
    if (!isLine) break;
    const refuse = (problem: string): never => {
      throw new UsageError(`${name}:${number}: ${problem}`);
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

/** The lines of a text. */
export function linesIn(text: string): RecordedLine[] {
  const lines = text.split("\n");
  const rest = lines.pop();
  return [
    ...lines.map((line) => ({ text: line, isWhole: true })),
    ...(rest === "" ? [] : [{ text: undefined, isWhole: false }]),
  ];
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
