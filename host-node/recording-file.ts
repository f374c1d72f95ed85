/**
 * A recording as a file: written line by line as things happen, read line by line.
 *
 * Invariant: the file is new. It replaces another one only if the user asked for that, and only when there is something
 * to record. Only its owner can read it, because it holds everything that is in the pods. Every line goes to the
 * operating system at once: a process that is killed loses no line, but may cut the last one. If the file cannot be
 * written any more, the recording ends and the run continues.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, unlinkSync, writeFileSync } from "node:fs";
import { Recorder } from "../bindings/js/recorder.ts";
import type { Sha256 } from "../bindings/js/recording.ts";
import type { RecordedLine } from "../cluster/observed/segment-parts.ts";
import { readProblem, UsageError, writeError, writeProblem } from "./usage-error.ts";

export const MAX_RECORDING_BYTES = 4 * 1024 ** 3;
/** Enough for a page of 64 MiB with escapes; also less than the longest string of JavaScript. */
export const MAX_LINE_BYTES = 256 * 1024 ** 2;
const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;

export const sha256: Sha256 = (...parts) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};

export interface RecordingFileOptions {
  readonly path: string;
  /** Replaces an existing file. */
  readonly force: boolean;
  /** The recording has ended early, in one sentence; the run continues. */
  readonly onProblem: (problem: string) => void;
  /** MAX_RECORDING_BYTES unless given. */
  readonly maxBytes?: number;
}

export class RecordingFile {
  readonly recorder: Recorder;
  readonly #options: RecordingFileOptions;
  #descriptor: number | undefined;
  /** The file exists, and is replaced as soon as there is something to record. */
  #isReplacing: boolean;
  #bytes = 0;

  /** @throws UsageError when the file exists already, or cannot be made */
  constructor(options: RecordingFileOptions) {
    this.#options = options;
    this.#isReplacing = options.force && isRegularFile(options.path);
    if (!this.#isReplacing) this.#descriptor = create(options.path, options.force);
    this.recorder = new Recorder({ write: (line) => this.#write(line), sha256 });
  }

  /** Ends the recording. An empty file is removed. */
  close(): void {
    this.recorder.end();
    if (this.#descriptor === undefined) return;
    if (this.#bytes === 0) unlinkSync(this.#options.path);
    this.#closeFile();
  }

  #write(line: string): void {
    if (this.#isReplacing && !this.#replace()) return;
    if (this.#descriptor === undefined) return;
    const { path, onProblem, maxBytes = MAX_RECORDING_BYTES } = this.#options;
    const bytes = Buffer.from(`${line}\n`);
    const isTooLong = this.#bytes + bytes.length > maxBytes;
    try {
      if (isTooLong) throw new Error(`it would grow beyond ${maxBytes} bytes`);
      writeFileSync(this.#descriptor, bytes);
      this.#bytes += bytes.length;
    } catch (error) {
      this.#closeFile();
      if (this.#bytes === 0) unlinkSync(path);
      onProblem(`the recording ${path} ends here: ${writeProblem(error)}`);
    }
  }

  /** @returns whether there is a file to write to */
  #replace(): boolean {
    const { path, onProblem } = this.#options;
    this.#isReplacing = false;
    try {
      unlinkSync(path);
      this.#descriptor = create(path, true);
      return true;
    } catch (error) {
      const why = error instanceof UsageError ? error.message : `${path} cannot be replaced: ${writeProblem(error)}`;
      onProblem(`nothing is recorded: ${why}`);
      return false;
    }
  }

  #closeFile(): void {
    closeSync(this.#descriptor!);
    this.#descriptor = undefined;
  }
}

function isRegularFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function create(path: string, force: boolean): number {
  try {
    // Exclusive creation also refuses a symbolic link, wherever that leads.
    return openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    if (isThere && force)
      throw new UsageError(`${path} is there and is no regular file; --force replaces regular files only`);
    if (isThere)
      throw new UsageError(
        `${path} exists already and is not overwritten; remove it, name another file with --record, or add --force`,
      );
    throw writeError(`cannot write the recording ${path}`, error);
  }
}

/** The lines of a recording. Only one is in memory at a time. @throws UsageError when it cannot be read */
export function* readRecording(path: string, maxLineBytes = MAX_LINE_BYTES): Generator<RecordedLine> {
  const descriptor = open(path);
  try {
    let parts: Buffer[] = [];
    let length = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(descriptor, chunk, 0, CHUNK_BYTES, null);
      if (read === 0) break;
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0 && end < read; end = chunk.indexOf(NEWLINE, start)) {
        yield { text: decode(Buffer.concat([...parts, chunk.subarray(start, end)])), isWhole: true };
        parts = [];
        length = 0;
        start = end + 1;
      }
      parts.push(chunk.subarray(start, read));
      length += read - start;
      if (length > maxLineBytes) {
        yield { text: undefined, isWhole: true };
        return;
      }
    }
    if (length > 0) yield { text: undefined, isWhole: false };
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string): number {
  try {
    const descriptor = openSync(path, "r");
    if (fstatSync(descriptor).isDirectory()) throw new Error("it is a directory");
    return descriptor;
  } catch (error) {
    throw new UsageError(`cannot read the recording ${path}: ${readProblem(error)}`);
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
