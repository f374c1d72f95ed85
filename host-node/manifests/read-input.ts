/**
 * Reads manifest files, or standard input for `-`, up to a limit.
 *
 * Invariant: nothing longer than the limit is ever held in memory. Leaves out what the text means.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { InputText } from "../../cluster/manifests/manifests.ts";
import { readProblem, UsageError } from "../usage-error.ts";
import { printable } from "../words/printable.ts";

/** More than an API server takes for one object (3 MiB), far less than hurts. */
export const MAX_INPUT_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const STANDARD_INPUT = 0;
const POLL_MS = 20;

/** @throws UsageError when it cannot be read, is too long, or is no UTF-8. */
export function readInput(path: string): InputText {
  const file = path === "-" ? "<stdin>" : path;
  let descriptor: number;
  try {
    descriptor = path === "-" ? STANDARD_INPUT : openSync(path, "r");
  } catch (error) {
    throw new UsageError(`cannot read ${printable(file)}: ${readProblem(error)}`);
  }
  try {
    return { file, text: decode(file, readAll(file, descriptor)) };
  } finally {
    if (descriptor !== STANDARD_INPUT) closeSync(descriptor);
  }
}

function readAll(file: string, descriptor: number): Buffer {
  const { size } = fstatSync(descriptor);
  if (size > MAX_INPUT_BYTES) throw tooLong(file, `is ${size} bytes long`);
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readSome(file, descriptor, chunk);
    if (read === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, read));
    length += read;
    // The size of a pipe is not known beforehand.
    if (length > MAX_INPUT_BYTES) throw tooLong(file, "is longer than that");
  }
}

/** Waits for input that is not there yet: standard input may have been left non-blocking by another program. */
function readSome(file: string, descriptor: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, chunk, 0, chunk.length, null);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN")
        throw new UsageError(`cannot read ${printable(file)}: ${readProblem(error)}`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
    }
  }
}

function tooLong(file: string, given: string): UsageError {
  return new UsageError(
    `${printable(file)} ${given}; allowed are at most ${MAX_INPUT_BYTES} bytes (${MAX_INPUT_BYTES / 1024 / 1024} MiB) a file`,
  );
}

function decode(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${printable(file)} is not UTF-8 text; allowed are YAML and JSON in UTF-8`);
  }
}
