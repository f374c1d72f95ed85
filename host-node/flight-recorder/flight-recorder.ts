/**
 * The flight recorder of `stint controller`: it wraps an engine, and keeps the inputs of the engine, its decisions and
 * requests, and the answers to them.
 *
 * Invariant: the engine does the same as without it, at the same time. A call only puts its input into a queue of
 * bounded size; parsing, redaction and writing come later, a part at a time. Input for a full queue is dropped and
 * counted as lost. If the disk is full or fails, the recording ends, and the controller continues. Leaves out files:
 * segment-ring.ts.
 */
import {
  type Engine,
  type EngineConfiguration,
  type ErrorCode,
  IngestKind,
  type PollResult,
} from "../../bindings/js/engine.ts";
import type { RecordableEngine } from "../../bindings/js/recorder.ts";
import { textOf } from "../../cluster/values/text.ts";
import { shapeProblem } from "../../cluster/observed/object-shape.ts";
import { redact } from "../../cluster/observed/redact.ts";
import { redactedMessage } from "./redact-message.ts";
import type { ChangeType, Resource, SegmentLine } from "../../cluster/observed/segment-format.ts";
import type { SegmentRing } from "./segment-ring.ts";
import type { Job, Pod } from "../../cluster/values/kinds.ts";

/** Bytes of calls that are not written yet. */
const MAX_QUEUE_BYTES = 32 * 1024 ** 2;
/** The bytes that a call costs besides its input. */
const CALL_BYTES = 200;
/** After this many bytes of calls have become lines, they are written, and other work gets its turn. */
const BATCH_BYTES = 256 * 1024;
const MAX_MESSAGE_LENGTH = 1_000;
/** The bookmark that ends a list which comes as a stream. */
const LIST_ENDS = "k8s.io/initial-events-end";
const SUCCESS = { min: 200, max: 299 };

export interface FlightRecorderOptions {
  readonly ring: SegmentRing;
  readonly isRedacted: boolean;
  /** Wall time in milliseconds since 1970. */
  readonly wallTime: () => number;
  /** The recording has ended early, in one sentence. */
  readonly onProblem: (problem: string) => void;
}

type Input = Uint8Array | string;
/** Makes the lines of a call, later. */
type Call = { readonly bytes: number; readonly lines: () => Iterable<SegmentLine> };
interface Source {
  readonly resource: Resource;
  readonly namespace?: string;
}

/** Records one engine at a time. Call `close` at the end. */
export class FlightRecorder {
  readonly #options: FlightRecorderOptions;
  #engine: Engine | undefined;
  #sources = new Map<number, Source>();
  #queue: Call[] = [];
  #queueBytes = 0;
  /** Calls lost since the last line about it. */
  #lost = 0;
  #lostInAll = 0;
  #isRecording = true;
  #writing: Promise<void> | undefined;

  constructor(options: FlightRecorderOptions) {
    this.#options = options;
  }

  /** Calls that are not in the recording. */
  get lost(): number {
    return this.#lostInAll;
  }

  /** False: the disk was full or failed. */
  get isRecording(): boolean {
    return this.#isRecording;
  }

  /** Bytes on disk. */
  get bytes(): number {
    return this.#options.ring.bytes;
  }

  /** The same engine, recorded. A later one replaces it when it is configured, as after a trap. */
  record(engine: Engine): RecordableEngine {
    return {
      configure: (configuration: EngineConfiguration): void => {
        engine.configure(configuration);
        this.#engine = engine;
        const sources = configuration.sources ?? [];
        this.#sources = new Map(sources.map(({ id, resource, namespace }) => [id, { resource, namespace } as Source]));
        this.#offer(engine, 0, (at) => [{ at, engine: configuration }]);
      },
      setClockOffset: (offsetMs: number): void => engine.setClockOffset(offsetMs),
      ingest: (source: number, kind: IngestKind, bytes: Input, now: number): ErrorCode => {
        const code = engine.ingest(source, kind, bytes, now);
        const place = this.#sources.get(source);
        if (place !== undefined)
          this.#offer(engine, bytes.length, (at) => this.#linesOfInput(at, source, place, kind, bytes));
        return code;
      },
      poll: (now: number, max: number): PollResult => {
        const result = engine.poll(now, max);
        const { requests, decisions } = result;
        if (requests.length + decisions.length > 0)
          this.#offer(engine, CALL_BYTES * (requests.length + decisions.length), (at) => [
            ...(decisions.length === 0 ? [] : [{ at, decisions: decisions.map(this.#withoutSecrets) }]),
            ...requests.map(({ id, method, path, decision }) => ({ at, request: id, method, path, decision })),
          ]);
        return result;
      },
      settle: (id: number, status: number, retryAfterMs: number, body: Input, now: number): ErrorCode => {
        const code = engine.settle(id, status, retryAfterMs, body, now);
        this.#offer(engine, 0, (at) => [this.#withoutSecrets({ at, answer: id, status, ...refusalIn(status, body) })]);
        return code;
      },
      watchVersion: (source: number): number => engine.watchVersion(source),
      listContinue: (source: number): string => engine.listContinue(source),
    };
  }

  /** Everything that was recorded until now is written. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    await this.written();
    const isComplete = this.#isRecording;
    this.#isRecording = false;
    const { ring, wallTime } = this.#options;
    try {
      for (const line of isComplete ? this.#takeLost(wallTime()) : []) await ring.append(line);
      await ring.close(isComplete);
    } catch (error) {
      this.#options.onProblem(`the recording lacks its end: ${(error as Error).message}`);
    }
  }

  #offer(engine: Engine, length: number, lines: (at: number) => Iterable<SegmentLine>): void {
    if (engine !== this.#engine) return;
    const bytes = CALL_BYTES + length;
    if (!this.#isRecording || this.#queueBytes + bytes > MAX_QUEUE_BYTES) {
      this.#lose(1);
      return;
    }
    const at = this.#options.wallTime();
    const lost = this.#takeLost(at);
    this.#queue.push({ bytes, lines: () => [...lost, ...lines(at)] });
    this.#queueBytes += bytes;
    this.#writing ??= this.#writeAll();
  }

  #lose(calls: number): void {
    this.#lost += calls;
    this.#lostInAll += calls;
  }

  /** The line about what was lost since the last one, if anything was. */
  #takeLost(at: number): SegmentLine[] {
    const lost = this.#lost;
    this.#lost = 0;
    return lost === 0 ? [] : [{ at, lost }];
  }

  async #writeAll(): Promise<void> {
    const { ring, onProblem } = this.#options;
    try {
      // The call that was recorded last returns first.
      await new Promise((resolve) => setImmediate(resolve));
      while (this.#queue.length > 0) {
        const count = await this.#appendBatch();
        await ring.flush();
        this.#queue.splice(0, count);
      }
    } catch (error) {
      this.#isRecording = false;
      this.#lose(this.#queue.length);
      this.#queue = [];
      onProblem(`the recording ends here, and the controller continues: ${(error as Error).message}`);
    } finally {
      this.#writing = undefined;
    }
  }

  /** @returns how many calls of the queue were appended */
  async #appendBatch(): Promise<number> {
    const { ring } = this.#options;
    let count = 0;
    for (let bytes = 0; bytes < BATCH_BYTES && count < this.#queue.length; count++) {
      const call = this.#queue[count]!;
      bytes += call.bytes;
      this.#queueBytes -= call.bytes;
      let isWhole = true;
      for (const line of call.lines()) isWhole = (await ring.append(line)) && isWhole;
      if (!isWhole) this.#lose(1);
    }
    return count;
  }

  *#linesOfInput(at: number, source: number, place: Source, kind: IngestKind, bytes: Input): Generator<SegmentLine> {
    const { resource } = place;
    if (kind === IngestKind.listBegin) yield { at, list: "begin", source, ...place };
    if (kind === IngestKind.listEnd) yield { at, list: "end", source, ...place };
    if (kind === IngestKind.page) {
      const { items } = (parsed(textOf(bytes)) ?? {}) as { readonly items?: unknown };
      for (const object of Array.isArray(items) ? items : []) yield* this.#change(at, resource, "LISTED", object);
    }
    if (kind !== IngestKind.watchLines) return;
    for (const text of textOf(bytes).split("\n")) {
      const { type, object } = (text === "" ? undefined : (parsed(text) as WatchEvent | undefined)) ?? {};
      if (type === "ADDED" || type === "MODIFIED" || type === "DELETED")
        yield* this.#change(at, resource, type, object);
      else if (object?.metadata?.annotations?.[LIST_ENDS] === "true") yield { at, list: "end", source, ...place };
    }
  }

  /** The messages of answers, and of decisions that quote them. */
  readonly #withoutSecrets = <T extends { readonly message?: string }>(told: T): T =>
    this.#options.isRedacted && told.message !== undefined ? { ...told, message: redactedMessage(told.message) } : told;

  /** Leaves out objects that no API server would send. */
  *#change(at: number, resource: Resource, type: ChangeType, object: unknown): Generator<SegmentLine> {
    if (shapeProblem(object) !== undefined) return;
    if (this.#options.isRedacted) redact(object);
    yield { at, resource, type, object: object as Job | Pod };
  }
}

interface WatchEvent {
  readonly type?: string;
  readonly object?: Job | Pod | null;
}

/** Text that the engine cannot read either is left out. */
function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Why the server refused; the object of an answer comes with the watch. */
function refusalIn(status: number, body: Input): { readonly message?: string } {
  if (status >= SUCCESS.min && status <= SUCCESS.max) return {};
  const { message } = (parsed(textOf(body)) ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? { message: message.slice(0, MAX_MESSAGE_LENGTH) } : {};
}
