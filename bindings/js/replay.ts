/**
 * Plays a recording on a new engine, line by line, and describes the first difference.
 *
 * Invariant: the engine gets exactly the recorded bytes and times, so the same module must do the same, byte for byte.
 * A recording of another module is refused, because that may rightly do something else. Leaves out reading files, and
 * output.
 */
import {
  type Decision,
  type Engine,
  type EngineConfiguration,
  EngineError,
  ErrorCode,
  type IngestKind,
} from "./engine.ts";
import { endOf } from "./recorder.ts";
import {
  inputBytes,
  pollOutcome,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  type RecordedEnd,
  type RecordedPoll,
  RecordingError,
  Sealer,
  type Sha256,
} from "./recording.ts";

/** The functions of an engine that a recording has calls of. */
export type ReplayedEngine = Pick<Engine, "configure" | "setClockOffset" | "ingest" | "poll" | "settle">;

export interface ReplayOptions {
  readonly newEngine: () => Promise<ReplayedEngine>;
  /** SHA-256 of the module that `newEngine` runs. */
  readonly moduleSha256: string;
  readonly sha256: Sha256;
  /** The decisions of a poll, and the recorded time of that poll. */
  readonly onDecisions?: (nowMs: number, decisions: readonly Decision[]) => void;
}

/** The members, with their types, that a line must have in addition to `call`. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, "number" | "object">>>> = {
  configure: { configuration: "object" },
  clock: { offsetMs: "number" },
  ingest: { now: "number", source: "number", kind: "number" },
  poll: { now: "number", max: "number" },
  settle: { now: "number", id: "number", status: "number", retryAfterMs: "number" },
  end: {},
};

/** One replay. Give it the lines in order, and end at the first difference. */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #sealer: Sealer;
  #engine: ReplayedEngine | undefined;
  #hasHeader = false;
  #hasEnded = false;
  /** How much was replayed so far. */
  readonly counts = { engines: 0, calls: 0, requests: 0, decisions: 0 };

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#sealer = new Sealer(options.sha256);
  }

  /** Whether the recording said that it is complete. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Plays the next line, without its newline. Returns the difference in one sentence; undefined: there is none.
   * @throws RecordingError if this is not a recording, was changed or damaged, or is of another version or module
   */
  async take(line: string): Promise<string | undefined> {
    const isIntact = this.#sealer.holds(line);
    const isHeader = !this.#hasHeader;
    if (isHeader) {
      this.#checkHeader(line);
      this.#hasHeader = true;
    }
    if (!isIntact) throw new RecordingError("the line is not as it was written: the recording was changed or damaged");
    if (isHeader) return undefined;
    const entry = parsed(line);
    if (this.#hasEnded) throw new RecordingError("it comes after the end of the recording");
    if (entry["call"] === "end") {
      this.#hasEnded = true;
      return undefined;
    }
    this.counts.calls++;
    if (entry["call"] === "configure") {
      this.#engine = await this.#options.newEngine();
      this.counts.engines++;
    }
    if (this.#engine === undefined) throw new RecordingError("no engine was configured before it");
    return this.#play(this.#engine, entry);
  }

  #checkHeader(line: string): void {
    const { moduleSha256 } = this.#options;
    const { format, version, module } = objectIn(line) ?? {};
    if (format !== RECORDING_FORMAT)
      throw new RecordingError(`it is no header of a recording, which has "format":"${RECORDING_FORMAT}"`);
    if (version !== RECORDING_VERSION)
      throw new RecordingError(
        `it is a recording of version ${JSON.stringify(version)}; this program reads version ${RECORDING_VERSION}`,
      );
    if (module !== moduleSha256)
      throw new RecordingError(
        `it is a recording of engine module ${String(module)}, and this program has module ${moduleSha256}; only the same module must do the same`,
      );
  }

  #play(engine: ReplayedEngine, entry: Entry): string | undefined {
    const { call, now, source, kind, id, status, retryAfterMs, offsetMs } = entry as Record<string, number | string>;
    switch (call) {
      case "configure":
        return this.#compareEnd(
          entry,
          () => (engine.configure(entry["configuration"] as EngineConfiguration), ErrorCode.ok),
        );
      case "clock":
        engine.setClockOffset(offsetMs as number);
        return undefined;
      case "ingest":
        return this.#compareEnd(entry, () =>
          engine.ingest(source as number, kind as IngestKind, inputBytes(entry), now as number),
        );
      case "settle":
        return this.#compareEnd(entry, () =>
          engine.settle(id as number, status as number, retryAfterMs as number, inputBytes(entry), now as number),
        );
      default:
        return this.#poll(engine, entry);
    }
  }

  #compareEnd(entry: Entry, run: () => ErrorCode): string | undefined {
    const recorded = textOfEnd(entry as unknown as RecordedEnd);
    const actual = textOfEnd(attempt(() => ({ code: run() })));
    return actual === recorded ? undefined : `${entry["call"]} ended with ${actual}; recorded is ${recorded}`;
  }

  #poll(engine: ReplayedEngine, entry: Entry): string | undefined {
    const now = entry["now"] as number;
    const outcome = attempt(() => {
      const result = engine.poll(now, entry["max"] as number);
      this.counts.requests += result.requests.length;
      this.counts.decisions += result.decisions.length;
      if (result.decisions.length > 0) this.#options.onDecisions?.(now, result.decisions);
      return pollOutcome(result, this.#options.sha256);
    });
    if (!("requests" in outcome)) {
      const recorded = "requests" in entry ? "an answer" : textOfEnd(entry as unknown as RecordedEnd);
      return recorded === textOfEnd(outcome)
        ? undefined
        : `poll ended with ${textOfEnd(outcome)}; recorded is ${recorded}`;
    }
    if (!("requests" in entry)) return `poll was answered; recorded is ${textOfEnd(entry as unknown as RecordedEnd)}`;
    return pollDifference(outcome, entry as unknown as RecordedPoll);
  }
}

type Entry = Readonly<Record<string, unknown>>;

function pollDifference(actual: RecordedPoll, recorded: RecordedPoll): string | undefined {
  const count = Math.max(actual.requests.length, recorded.requests.length);
  for (let i = 0; i < count; i++) {
    const [method, path, sha256, decision = 0] = actual.requests[i] ?? [];
    const [recordedMethod, recordedPath, recordedSha256, recordedDecision = decision] = recorded.requests[i] ?? [];
    const is = method === undefined ? "missing" : `${method} ${path}`;
    const was = recordedMethod === undefined ? "none" : `${recordedMethod} ${recordedPath}`;
    if (is !== was) return `request ${i + 1} of the poll is ${is}; recorded is ${was}`;
    if (sha256 !== recordedSha256)
      return `request ${i + 1} of the poll, ${is}, has another id, header or body than the recorded one`;
    if (decision !== recordedDecision)
      return `request ${i + 1} of the poll, ${is}, carries out decision ${decision}; recorded is ${recordedDecision}`;
  }
  if (actual.wakeUp !== recorded.wakeUp)
    return `the next wake-up is ${actual.wakeUp ?? "none"}; recorded is ${recorded.wakeUp ?? "none"}`;
  return actual.decisions === recorded.decisions
    ? undefined
    : "the decisions of the poll are others than the recorded ones";
}

function attempt<T>(run: () => T): T | RecordedEnd {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return endOf(error);
  }
}

function textOfEnd(end: RecordedEnd): string {
  if ("trap" in end) return `a trap (${end.trap})`;
  const name = Object.entries(ErrorCode).find(([, code]) => code === end.code)?.[0];
  return `code ${end.code}${name === undefined ? "" : ` (${name})`}`;
}

function parsed(line: string): Entry {
  const entry = objectIn(line);
  const members =
    typeof entry?.["call"] === "string" && Object.hasOwn(MEMBERS, entry["call"]) ? MEMBERS[entry["call"]] : undefined;
  if (entry === undefined || members === undefined)
    throw new RecordingError(`it is no call; allowed are ${Object.keys(MEMBERS).join(", ")}`);
  const { requests = [] } = entry;
  if (!Array.isArray(requests) || !requests.every(Array.isArray))
    throw new RecordingError('its member "requests" must be an array of arrays');
  for (const [name, type] of Object.entries(members)) {
    if (typeof entry[name] !== type || entry[name] === null)
      throw new RecordingError(`its member "${name}" must be ${type === "number" ? "a number" : "an object"}`);
  }
  return entry;
}

function objectIn(line: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Entry) : undefined;
  } catch {
    return undefined;
  }
}
