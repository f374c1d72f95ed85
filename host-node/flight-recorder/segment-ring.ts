/**
 * The files of a flight recorder: segments of bounded size in one folder, the oldest removed before a new one begins.
 * All but the one that is being written are compressed. One process at a time has the folder.
 *
 * Invariant: all segments together never take more than `maxBytes`. A segment is only ever appended to, and a line goes
 * to the operating system whole: a process that is killed loses what is in its memory, and may cut the last line. Only
 * their owner can read the files. Nothing is synced to the device, because a machine that crashes is not what this
 * recorder is for. Leaves out what is recorded, and what happens after an error: the caller stops.
 */
import { constants, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { lockFolder } from "../data/folder-lock.ts";
import { RESERVE_BYTES } from "../data/low-space.ts";
import { problemOfFolder } from "../data/private-folder.ts";
import { UsageError, writeError } from "../usage-error.ts";
import { KnownObjects } from "./known-objects.ts";
import {
  COMPRESSED,
  FLIGHT_FORMAT,
  FLIGHT_VERSION,
  type SegmentHeader,
  type SegmentLine,
  segmentName,
  segmentNumber,
  segmentsAmong,
} from "../../cluster/observed/segment-format.ts";

/** The suffix of a file that is being compressed. */
const PART = ".part";
/** Segments that the whole size is divided into; a smaller part is lost when the oldest goes. */
const SEGMENTS = 8;
/** The playground reads this much with ease. */
const MAX_SEGMENT_BYTES = 32 * 1024 ** 2;
/** The part of a segment that the earlier objects may take. */
const SNAPSHOT_PART = 0.5;
/** A longer line is left out. */
const MAX_LINE_PART = 0.25;
/** Room for the last line. */
const END_BYTES = 100;

export interface SegmentRingOptions {
  readonly folder: string;
  /** Of all segments together. */
  readonly maxBytes: number;
  readonly isRedacted: boolean;
  readonly version: string;
  /** Wall time in milliseconds since 1970. */
  readonly wallTime: () => number;
  /** Free bytes of the folder's disk. */
  readonly freeBytes?: () => number;
}

interface Segment {
  readonly path: string;
  bytes: number;
}

/** Call `append` one at a time, and `close` at the end. */
export class SegmentRing {
  readonly #options: SegmentRingOptions;
  readonly #segmentBytes: number;
  readonly #freeBytes: () => number;
  readonly #unlock: () => void;
  /** Closed segments; the oldest is first. */
  readonly #closed: Segment[];
  readonly #known = new KnownObjects();
  #number: number;
  #current: (Segment & { readonly file: FileHandle }) | undefined;
  /** Lines that are not written yet. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** The engine that runs. A later segment must name it, too. */
  #engine: SegmentLine | undefined;

  /** Locks the folder. @throws UsageError, MachineError, when it cannot be used, or another process has it */
  constructor(options: SegmentRingOptions) {
    this.#options = options;
    this.#segmentBytes = Math.min(MAX_SEGMENT_BYTES, Math.floor(options.maxBytes / SEGMENTS));
    this.#freeBytes = options.freeBytes ?? (() => bytesFree(options.folder));
    makeFolder(options.folder);
    this.#unlock = lockFolder(options.folder, { command: "stint controller", option: "--record" });
    try {
      this.#closed = takeOver(options.folder);
    } catch (error) {
      this.#unlock();
      throw error;
    }
    this.#number = segmentNumber(basename(this.#closed.at(-1)?.path ?? "")) ?? 0;
  }

  /** Of all segments, with what is not written yet. */
  get bytes(): number {
    return this.#closed.reduce((sum, { bytes }) => sum + bytes, this.#current?.bytes ?? 0);
  }

  /** Adds a line; `flush` writes it. @returns false: it is too long for a segment, and is left out */
  async append(line: SegmentLine): Promise<boolean> {
    const bytes = lineBytes(line);
    if (bytes.length > this.#segmentBytes * MAX_LINE_PART) return false;
    if (this.#current === undefined || this.#current.bytes + bytes.length > this.#segmentBytes - END_BYTES)
      await this.#turn(line.at);
    const offset = this.#push(bytes);
    if ("engine" in line) this.#engine = line;
    this.#follow(line, offset, bytes.length);
    return true;
  }

  /** Writes what was appended. @throws Error when that is impossible */
  async flush(): Promise<void> {
    if (this.#current === undefined || this.#pendingBytes === 0) return;
    const free = this.#freeBytes();
    if (free - this.#pendingBytes < RESERVE_BYTES)
      throw new Error(`the disk of ${this.#options.folder} has ${free} bytes left, and ${RESERVE_BYTES} stay free`);
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    for (let at = 0; at < bytes.length;) at += (await this.#current.file.write(bytes, at)).bytesWritten;
  }

  /**
   * Ends the present segment, and releases the folder. @param isComplete whether everything was recorded; else the file
   * just ends
   */
  async close(isComplete: boolean): Promise<void> {
    try {
      if (isComplete && this.#current !== undefined) await this.#end("ended");
    } finally {
      await this.#current?.file.close();
      this.#current = undefined;
      this.#unlock();
    }
  }

  /** Ends the present segment, removes the oldest ones, and begins the next one with the known objects. */
  async #turn(at: number): Promise<void> {
    const previous = this.#current;
    if (previous !== undefined) {
      await this.#end("continued");
      await previous.file.close();
      this.#closed.push({ path: previous.path, bytes: previous.bytes });
    }
    await this.#makeRoom();
    const content = previous === undefined ? undefined : await readFile(previous.path);
    await this.#begin(at, content);
    if (content !== undefined) this.#closed.push(await compressed(this.#closed.pop()!, content));
  }

  async #begin(at: number, previous: Buffer | undefined): Promise<void> {
    const { folder, isRedacted, version } = this.#options;
    const path = join(folder, segmentName(++this.#number));
    // Exclusive creation also refuses a symbolic link, wherever that leads.
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
    this.#current = { path, bytes: 0, file: await open(path, flags, 0o600) };
    const segment = this.#number;
    this.#push(lineBytes({ format: FLIGHT_FORMAT, version: FLIGHT_VERSION, segment, at, stint: version, isRedacted }));
    const { kept, leftOut } = this.#known.keep(this.#segmentBytes * SNAPSHOT_PART);
    for (const { uid, offset, length } of kept)
      this.#known.move(uid, this.#push(previous!.subarray(offset, offset + length)));
    if (this.#engine !== undefined) this.#push(lineBytes({ ...this.#engine, at }));
    this.#push(lineBytes({ at, snapshot: { objects: kept.length, leftOut } }));
  }

  async #makeRoom(): Promise<void> {
    // Beside the next segment the last one must fit, while it is compressed.
    const room = this.#options.maxBytes - 2 * this.#segmentBytes;
    while (this.#closed.length > 0 && this.#closed.reduce((sum, { bytes }) => sum + bytes, 0) > room)
      await rm(this.#closed.shift()!.path, { force: true });
  }

  async #end(end: "continued" | "ended"): Promise<void> {
    this.#push(lineBytes({ at: this.#options.wallTime(), end }));
    await this.flush();
  }

  /** @returns the place in the file */
  #push(bytes: Buffer): number {
    const offset = this.#current!.bytes;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#current!.bytes += bytes.length;
    return offset;
  }

  #follow(line: SegmentLine, offset: number, length: number): void {
    if ("object" in line) {
      const { uid } = line.object.metadata;
      if (line.type === "DELETED") this.#known.remove(uid);
      else this.#known.put(line.resource, line.object, offset, length);
    } else if ("list" in line) {
      if (line.list === "begin") this.#known.beginList(line.source);
      else this.#known.endList(line.source, line.resource, line.namespace);
    }
  }
}

function lineBytes(line: SegmentHeader | SegmentLine): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

function bytesFree(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Replaces the segment by a smaller file, which is complete before the other one goes. */
async function compressed({ path }: Segment, content: Buffer): Promise<Segment> {
  const bytes = await promisify(gzip)(content);
  const part = `${path}${PART}`;
  await writeFile(part, bytes, { mode: 0o600, flag: "wx" });
  await rename(part, `${path}${COMPRESSED}`);
  await rm(path);
  return { path: `${path}${COMPRESSED}`, bytes: bytes.length };
}

/** The segments of an earlier process. Leftovers of a killed process are removed. */
function takeOver(folder: string): Segment[] {
  const names = readdirSync(folder);
  const segments = segmentsAmong(names);
  const isLeft = (name: string): boolean =>
    segmentNumber(name.endsWith(PART) ? name.slice(0, -PART.length) : name) !== undefined && !segments.includes(name);
  for (const name of names.filter(isLeft)) rmSync(join(folder, name));
  return segments.map((name) => {
    const path = join(folder, name);
    return { path, bytes: statSync(path).size };
  });
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw writeError(`cannot make the folder ${path}`, error);
  }
  const problem = problemOfFolder(statSync(path), process.getuid?.());
  if (problem !== undefined) throw new UsageError(`the folder of recordings ${path} ${problem}`);
}
