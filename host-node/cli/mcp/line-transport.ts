/**
 * JSON-RPC messages as lines: from standard input, to standard output.
 *
 * Invariant: no line ends the connection. One that is too long, no JSON or no message gets an error, and the next one
 * is read. Nothing longer than the limit is held. When the input ends, requests that are under way still get their
 * answers, but the connection stays open for these only for a moment.
 */
import type { Readable } from "node:stream";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import type { Clock, Timer } from "../../../bindings/js/host.ts";

/** A manifest of the greatest size as a JSON string, whose line breaks and quotes take two bytes each. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** An API server has this long to answer. */
const LAST_ANSWERS_MS = 10_000;
const NEW_LINE = 0x0a;
/** Codes of JSON-RPC 2.0. */
const NOT_JSON = -32_700;
const NO_MESSAGE = -32_600;

export class LineTransport implements Transport {
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Resolves when the connection is closed, by either side. */
  readonly closed: Promise<void>;
  readonly #input: Readable;
  readonly #write: (text: string) => void;
  readonly #clock: Clock;
  readonly #settle: () => void;
  #parts: Buffer[] = [];
  #length = 0;
  /** Requests without an answer. */
  readonly #open = new Set<RequestId>();
  #isClosed = false;
  #hasInputEnded = false;
  #lastAnswers: Timer | undefined;

  constructor(input: Readable, write: (text: string) => void, clock: Clock) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#input = input;
    this.#write = write;
    this.#clock = clock;
    this.closed = promise;
    this.#settle = resolve;
  }

  async start(): Promise<void> {
    this.#input.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onEnd).on("error", this.#onEnd);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    this.#write(serializeMessage(message));
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined)
      this.#answered(message.id);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lastAnswers?.cancel();
    this.#input.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd).pause();
    this.#settle();
    this.onclose?.();
  }

  readonly #onData = (chunk: Buffer): void => {
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(NEW_LINE, from);
      this.#keep(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1) return;
      this.#take();
      from = end + 1;
    }
  };

  /** The last line may have no line break. */
  readonly #onEnd = (): void => {
    if (this.#hasInputEnded) return;
    this.#hasInputEnded = true;
    this.#take();
    this.#lastAnswers = this.#clock.setTimer(LAST_ANSWERS_MS, () => void this.close());
    this.#closeIfAnswered();
  };

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > MAX_LINE_BYTES) this.#parts = [];
    else this.#parts.push(part);
  }

  #take(): void {
    const [line, length] = [Buffer.concat(this.#parts).toString(), this.#length];
    this.#parts = [];
    this.#length = 0;
    if (length > MAX_LINE_BYTES)
      this.#refuse(null, NO_MESSAGE, `a message has ${length} bytes; allowed are at most ${MAX_LINE_BYTES} (8 MiB)`);
    else if (line.trim() !== "") this.#read(line);
  }

  #read(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      this.#refuse(null, NOT_JSON, `a line is no JSON: ${(error as Error).message}; allowed is one message a line`);
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      this.#refuse(idOf(value), NO_MESSAGE, 'a line is no message of JSON-RPC 2.0; allowed is {"jsonrpc":"2.0",…}');
      return;
    }
    if (isJSONRPCRequest(message)) this.#open.add(message.id);
    // The SDK gives a request that was cancelled no answer.
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
      this.#answered(message.params?.["requestId"] as RequestId);
    this.onmessage?.(message);
  }

  /** @param id null: it is not known */
  #refuse(id: RequestId | null, code: number, message: string): void {
    this.#write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`);
  }

  #answered(id: RequestId): void {
    this.#open.delete(id);
    this.#closeIfAnswered();
  }

  #closeIfAnswered(): void {
    if (this.#hasInputEnded && this.#open.size === 0) void this.close();
  }
}

function idOf(value: unknown): RequestId | null {
  const id = (value as { readonly id?: unknown } | null)?.id;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
