/**
 * A flight recorder: it wraps an engine and writes down each call that changes it, as it happens. recording.ts has the
 * format.
 *
 * Invariant: the engine does the same as without a recorder, and one line is written after each call, in order. The
 * recorder keeps only the last check, so a recording may continue as long as the host has space for it. Calls that only
 * read the engine are not recorded. Leaves out where the lines go, and reading them: replay.ts.
 */
import {
  type Engine,
  type EngineConfiguration,
  EngineError,
  ErrorCode,
  type IngestKind,
  type PollResult,
} from "./engine.ts";
import {
  pollOutcome,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  type RecordedCall,
  type RecordedEnd,
  recordedBytes,
  type RecordingHeader,
  Sealer,
  type Sha256,
} from "./recording.ts";

/** The functions of an engine that are recorded, and the others that a controller needs. */
export type RecordableEngine = Pick<
  Engine,
  "configure" | "setClockOffset" | "ingest" | "poll" | "settle" | "watchVersion" | "listContinue"
>;

export interface RecorderOptions {
  /** Gets each line, without its newline. Must not throw. */
  readonly write: (line: string) => void;
  readonly sha256: Sha256;
}

/** Records one engine at a time. Call `end` when the run is over. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #sealer: Sealer;
  /** The recorded engine: the one that was configured last. */
  #engine: Engine | undefined;
  #isOver = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#sealer = new Sealer(options.sha256);
  }

  /**
   * The same engine, recorded. It must be new. Only one is recorded at a time: a later one replaces it when it is
   * configured, as after a trap.
   */
  record(engine: Engine): RecordableEngine {
    return {
      configure: (configuration: EngineConfiguration): void => {
        const isFirst = this.#engine === undefined;
        this.#engine = engine;
        if (isFirst)
          this.#append(engine, {
            format: RECORDING_FORMAT,
            version: RECORDING_VERSION,
            module: engine.moduleSha256,
            abi: engine.abiVersion,
          });
        this.#coded(
          engine,
          () => (engine.configure(configuration), ErrorCode.ok),
          (end) => ({ call: "configure", configuration, ...end }),
        );
      },
      setClockOffset: (offsetMs: number): void => {
        engine.setClockOffset(offsetMs);
        this.#append(engine, { call: "clock", offsetMs });
      },
      ingest: (source: number, kind: IngestKind, bytes: Uint8Array | string, now: number): ErrorCode =>
        this.#coded(
          engine,
          () => engine.ingest(source, kind, bytes, now),
          (end) => ({ call: "ingest", now, source, kind, ...recordedBytes(bytes), ...end }),
        ),
      settle: (id: number, status: number, retryAfterMs: number, body: Uint8Array | string, now: number): ErrorCode =>
        this.#coded(
          engine,
          () => engine.settle(id, status, retryAfterMs, body, now),
          (end) => ({ call: "settle", now, id, status, retryAfterMs, ...recordedBytes(body), ...end }),
        ),
      poll: (now: number, max: number): PollResult => this.#poll(engine, now, max),
      watchVersion: (source: number): number => engine.watchVersion(source),
      listContinue: (source: number): string => engine.listContinue(source),
    };
  }

  /** Marks the recording as complete; nothing is recorded afterwards. */
  end(): void {
    if (this.#engine !== undefined) this.#append(this.#engine, { call: "end" });
    this.#isOver = true;
  }

  #poll(engine: Engine, now: number, max: number): PollResult {
    try {
      const result = engine.poll(now, max);
      this.#append(engine, { call: "poll", now, max, ...pollOutcome(result, this.#options.sha256) });
      return result;
    } catch (error) {
      this.#append(engine, { call: "poll", now, max, ...endOf(error) });
      throw error;
    }
  }

  #coded(engine: Engine, run: () => ErrorCode, entry: (end: RecordedEnd) => RecordedCall): ErrorCode {
    try {
      const code = run();
      this.#append(engine, entry({ code }));
      return code;
    } catch (error) {
      this.#append(engine, entry(endOf(error)));
      throw error;
    }
  }

  /** An engine that was replaced may still get answers. They are not recorded as calls of the new engine. */
  #append(engine: Engine, content: RecordingHeader | RecordedCall): void {
    if (!this.#isOver && engine === this.#engine) this.#options.write(this.#sealer.seal(content));
  }
}

/** The end of a call that threw. @throws the error itself, if it is not an EngineError */
export function endOf(error: unknown): RecordedEnd {
  if (!(error instanceof EngineError)) throw error;
  return error.code < 0 ? { trap: error.message } : { code: error.code };
}
