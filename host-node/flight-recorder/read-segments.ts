/**
 * Reads the segments of a flight recorder from files: one, or all of a folder in their order.
 *
 * Invariant: at most one segment is in memory at a time. Leaves out what the lines are: segment-parts.ts.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { checkFoundFile } from "../found-file.ts";
import { linesIn, type RecordedLine, type SegmentPart, segmentParts } from "../../cluster/observed/segment-parts.ts";
import { readRecording } from "../recording-file.ts";
import { readProblem, UsageError } from "../usage-error.ts";
import { COMPRESSED, FLIGHT_FORMAT, segmentsAmong } from "../../cluster/observed/segment-format.ts";

/** An eighth of a line's limit in recordings: no segment is larger. */
const MAX_LINE_BYTES = 32 * 1024 ** 2;
const MAX_UNPACKED_BYTES = 64 * 1024 ** 2;
/** Every header has its format within as many bytes. */
const HEAD_BYTES = 64;
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
export function readSegment(path: string): Generator<SegmentPart> {
  return segmentParts(linesOf(path), basename(path));
}

/** @param path of a folder or a segment. @throws UsageError with file and line */
export function* readSegments(path: string): Generator<SegmentPart> {
  for (const segment of segmentsAt(path)) yield* readSegment(segment);
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
  yield* linesIn(text);
}
