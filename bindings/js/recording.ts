/**
 * The format of a recording: JSON Lines, one line for each call that changes an engine. A line has the whole input. Of
 * the outcome it has enough to compare it with another one: requests by method and path, everything else by SHA-256.
 *
 * Invariant: each line ends with a check over itself and all lines before it, so that accidental damage is always
 * found. The check is not a signature: any user can write another recording. Leaves out files and hashing itself.
 */
import type { EngineConfiguration, EngineRequest, PollResult } from "./engine.ts";

export const RECORDING_FORMAT = "stint.recording";
/** The version of the format. A reader refuses every other one. */
export const RECORDING_VERSION = 1;

/** SHA-256 of the concatenated parts as lower-case hex; text is taken as UTF-8. */
export type Sha256 = (...parts: readonly (string | Uint8Array)[]) => string;

/** The first line. */
export interface RecordingHeader {
  readonly format: typeof RECORDING_FORMAT;
  readonly version: typeof RECORDING_VERSION;
  /** SHA-256 of the engine module. A replay on another module would prove nothing. */
  readonly module: string;
  /** `1.1`; for people. */
  readonly abi: string;
}

/** The bytes of an input; as text if they are UTF-8. */
export type RecordedBytes = { readonly text: string } | { readonly base64: string };

/** How a call ended: the code of the ABI, or the message of the trap that ended the engine. */
export type RecordedEnd = { readonly code: number } | { readonly trap: string };

/** The outcome of a poll, in the short form that a recording has. */
export interface RecordedPoll {
  /**
   * Method, path, the SHA-256 of `requestText` and the body, and the number of the decision that the request carries
   * out. The number is left out if there is none, and in older recordings.
   */
  readonly requests: readonly (readonly [method: string, path: string, sha256: string, decision?: number])[];
  /** Null: Infinity. */
  readonly wakeUp: number | null;
  /** SHA-256 of the decisions as JSON; only if there are any. */
  readonly decisions?: string;
}

/** Every other line. `configure` begins a new engine; `end` says that the recording is complete. */
export type RecordedCall =
  | ({ readonly call: "configure"; readonly configuration: EngineConfiguration } & RecordedEnd)
  | { readonly call: "clock"; readonly offsetMs: number }
  | ({ readonly call: "ingest"; readonly now: number; readonly source: number; readonly kind: number } & RecordedBytes &
      RecordedEnd)
  | ({ readonly call: "poll"; readonly now: number; readonly max: number } & (RecordedPoll | RecordedEnd))
  | ({
      readonly call: "settle";
      readonly now: number;
      readonly id: number;
      readonly status: number;
      readonly retryAfterMs: number;
    } & RecordedBytes &
      RecordedEnd)
  | { readonly call: "end" };

/** A line is invalid. `message` says why, without the name of the file. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
}

/** The short form of a poll's outcome. */
export function pollOutcome({ requests, nextWakeUpMs, decisions }: PollResult, sha256: Sha256): RecordedPoll {
  return {
    requests: requests.map((request) => {
      const { method, path, body, decision } = request;
      const shown = [method, path, sha256(requestText(request), body)] as const;
      return decision === 0 ? shown : ([...shown, decision] as const);
    }),
    wakeUp: Number.isFinite(nextWakeUpMs) ? nextWakeUpMs : null,
    ...(decisions.length === 0 ? {} : { decisions: sha256(JSON.stringify(decisions)) }),
  };
}

// None of these parts has a newline.
function requestText({ id, accept, contentType }: EngineRequest): string {
  return `${id}\n${accept}\n${contentType}\n`;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The form of an input in a recording; `inputBytes` reads it back. */
export function recordedBytes(input: Uint8Array | string): RecordedBytes {
  const bytes = typeof input === "string" ? encoder.encode(input) : input;
  try {
    return { text: decoder.decode(bytes) };
  } catch {
    return { base64: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) };
  }
}

/** Exactly the recorded bytes. @throws RecordingError */
export function inputBytes(recorded: { readonly text?: unknown; readonly base64?: unknown }): Uint8Array {
  if (typeof recorded.text === "string") return encoder.encode(recorded.text);
  try {
    return Uint8Array.from(atob(String(recorded.base64)), (character) => character.charCodeAt(0));
  } catch {
    throw new RecordingError("it has neither text nor base64");
  }
}

const CHECK_DIGITS = 16;
const CHECK = new RegExp(`,"check":"([0-9a-f]{${CHECK_DIGITS}})"\\}$`);

/** Writes lines, each with its check. */
export class Sealer {
  readonly #sha256: Sha256;
  #check = "";

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  /** A line without its newline. */
  seal(content: RecordingHeader | RecordedCall): string {
    const text = JSON.stringify(content);
    this.#check = this.#next(text);
    return `${text.slice(0, -1)},"check":"${this.#check}"}`;
  }

  /** Whether the line is byte for byte the one that was written at this position. */
  holds(line: string): boolean {
    const check = CHECK.exec(line);
    if (check === null) return false;
    const expected = this.#next(`${line.slice(0, check.index)}}`);
    this.#check = check[1]!;
    return check[1] === expected;
  }

  #next(text: string): string {
    return this.#sha256(this.#check, text).slice(0, CHECK_DIGITS);
  }
}
