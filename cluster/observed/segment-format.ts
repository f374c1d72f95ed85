/**
 * The lines of a segment of the flight recorder. docs/flight-recorder.md describes them for people.
 *
 * A segment can be read alone. After its header it has the objects that mattered when it began, then a line that says
 * how many they are, and then what happened. Leaves out writing (segment-ring.ts) and reading (read-segments.ts).
 */
import type { Decision, EngineConfiguration, EngineSource } from "../../bindings/js/engine.ts";
import type { Job, Pod } from "../values/kinds.ts";

export const FLIGHT_FORMAT = "stint.flight";
/** The version of the format. A reader refuses every other one. */
export const FLIGHT_VERSION = 1;

export type Resource = EngineSource["resource"];

/** The first line. Times are wall time in milliseconds since 1970. */
export interface SegmentHeader {
  readonly format: typeof FLIGHT_FORMAT;
  readonly version: typeof FLIGHT_VERSION;
  readonly segment: number;
  readonly at: number;
  /** The version of stint that wrote it. */
  readonly stint: string;
  readonly isRedacted: boolean;
}

/** LISTED: an item of a list; the others are what a watch says. */
export type ChangeType = "LISTED" | "ADDED" | "MODIFIED" | "DELETED";

export interface ChangeLine {
  readonly at: number;
  readonly resource: Resource;
  readonly type: ChangeType;
  readonly object: Job | Pod;
}

/** Every other line. */
export type SegmentLine =
  | ChangeLine
  /** The end of what was known when the segment began. `leftOut`: objects for which there was no space. */
  | { readonly at: number; readonly snapshot: { readonly objects: number; readonly leftOut: number } }
  /** A new engine begins. It knows nothing. */
  | { readonly at: number; readonly engine: EngineConfiguration }
  /** A list of a source begins, or is complete: what it did not name is gone. */
  | {
      readonly at: number;
      readonly list: "begin" | "end";
      readonly source: number;
      readonly resource: Resource;
      /** Of the source; left out: all namespaces. */
      readonly namespace?: string;
    }
  | { readonly at: number; readonly decisions: readonly Decision[] }
  /** A request of the engine; `decision` is the number of the decision that it carries out, 0 if there is none. */
  | {
      readonly at: number;
      readonly request: number;
      readonly method: string;
      readonly path: string;
      readonly decision: number;
    }
  /** The answer to the request with that number. Status 0: none came. */
  | { readonly at: number; readonly answer: number; readonly status: number; readonly message?: string }
  /** This many calls of the engine were not recorded here. */
  | { readonly at: number; readonly lost: number }
  /** The segment is complete; another one follows, or the recorder was ended. */
  | { readonly at: number; readonly end: "continued" | "ended" };

/** The suffix of a compressed segment's name. */
export const COMPRESSED = ".gz";
const FILE_NAME = /^flight-(\d{8})\.jsonl(\.gz)?$/;

export function segmentName(number: number): string {
  return `flight-${String(number).padStart(8, "0")}.jsonl`;
}

/** The number in a segment's file name; undefined: it is another file. */
export function segmentNumber(fileName: string): number | undefined {
  const digits = FILE_NAME.exec(fileName)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The segments among these files, in their order. A process that is killed while it compresses one leaves both files;
 * the compressed one is complete.
 */
export function segmentsAmong(fileNames: readonly string[]): string[] {
  const byNumber = new Map<number, string>();
  // The compressed one has the longer name.
  for (const name of fileNames.toSorted()) {
    const number = segmentNumber(name);
    if (number !== undefined) byNumber.set(number, name);
  }
  return [...byNumber].sort(([a], [b]) => a - b).map(([, name]) => name);
}
