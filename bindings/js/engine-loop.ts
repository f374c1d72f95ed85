/**
 * The loop round an engine: list and watch in, requests out, outcomes back, and one timer. It carries bytes and time
 * and decides nothing; it reads no JSON but the message of a refusal, for the log. Every request that `poll` hands out
 * is settled exactly once, with status 0 when its answer was lost. Works on any Clock and Transport, so that a cluster,
 * an in-memory cluster and a simulation on a virtual clock run the same code. Leaves out leader election and rate
 * limits: hosts wrap the Transport.
 */
import { type Decision, type Engine, ErrorCode, EngineError, IngestKind } from "./engine.ts";
import type { ApiRequest, ApiResponse, Clock, Timer, Transport } from "./host.ts";
import { refusalMessage } from "./refusal.ts";

export interface EngineLoopSource {
  /** As in the engine's configuration. */
  readonly id: number;
  /** Collection path with its selectors: `/api/v1/pods`, `/apis/batch/v1/namespaces/ci/jobs?labelSelector=a%3Db`. */
  readonly path: string;
}

/** What the loop needs of an engine. */
export type LoopedEngine = Pick<Engine, "ingest" | "listContinue" | "watchVersion" | "poll" | "settle">;

export interface EngineLoopOptions {
  readonly engine: LoopedEngine;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly sources: readonly EngineLoopSource[];
  /** In [0,1): jitter of the delay before a list is tried again. */
  readonly random: () => number;
  /** Requests under way at once. */
  readonly maxInFlight?: number;
  /** Objects a list page. */
  readonly pageLimit?: number;
  /** Lists come as the first events of a watch (`sendInitialEvents`); from a server that refuses that, in pages. */
  readonly streamsLists?: boolean;
  readonly userAgent?: string;
  readonly onDecisions?: (decisions: readonly Decision[]) => void;
  /** Something that the loop got over: a broken watch, an object that could not be read. One sentence. */
  readonly onProblem?: (problem: string) => void;
  /** The engine is gone (a trap): the loop has stopped. Start again with a fresh engine. */
  readonly onFatal?: (error: Error) => void;
}

const DEFAULT_MAX_IN_FLIGHT = 64;
const DEFAULT_PAGE_LIMIT = 500;
const RELIST_BASE_MS = 800;
const RELIST_MAX_MS = 30_000;
/**
 * A watch that ends sooner than this without having moved on is a fault, however politely it ended. Upstream: "very
 * short watch" of client-go's reflector.
 */
const MIN_WATCH_MS = 1_000;
/** A watch line longer than this cannot be an object that the API server stores. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Nothing brings a try nearer that a server puts off, and one that asks for a day may be well in a minute. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;
const NEWLINE = 10;
const STATUS_GONE = 410;
/** What a server answers that knows no lists as a stream. */
const REFUSALS: ReadonlySet<number> = new Set([400, 422]);
/** The state at this moment as events, then a bookmark, then the changes. */
const INITIAL_EVENTS = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

const encoder = new TextEncoder();

/** Begins with `start`, and carries between one engine and its host until `stop`. */
export class EngineLoop {
  readonly #options: EngineLoopOptions;
  readonly #sources: SourceReader[];
  #inFlight = 0;
  #wakeUp: Timer | undefined;
  /** When it fires; Infinity: it does not. */
  #wakeUpMs = Infinity;
  #pumpIsDeferred = false;
  #running = false;
  #onSettled: (() => void) | undefined;
  /** After a trap: nothing may be asked of the engine any more. */
  #engineIsGone = false;

  constructor(options: EngineLoopOptions) {
    this.#options = options;
    this.#sources = options.sources.map(
      (source) =>
        new SourceReader(
          source,
          options,
          () => this.#deferPump(),
          (error) => this.#fail(error),
        ),
    );
  }

  start(): void {
    this.#running = true;
    for (const source of this.#sources) source.start();
    this.#deferPump();
  }

  /**
   * Takes no more work: closes the watches and sends nothing new. Requests under way are still settled; `settled` is
   * called when none is left.
   */
  stop(settled: () => void = () => {}): void {
    this.#running = false;
    this.#wakeUp?.cancel();
    for (const source of this.#sources) source.stop();
    this.#onSettled = settled;
    this.#options.clock.defer(() => this.#tellWhenSettled());
  }

  /** Requests sent and not yet settled. */
  get inFlight(): number {
    return this.#inFlight;
  }

  #tellWhenSettled(): void {
    if (this.#running || this.#inFlight > 0) return;
    const settled = this.#onSettled;
    this.#onSettled = undefined;
    settled?.();
  }

  #deferPump(): void {
    if (this.#pumpIsDeferred || !this.#running) return;
    this.#pumpIsDeferred = true;
    this.#options.clock.defer(() => {
      this.#pumpIsDeferred = false;
      if (this.#running) this.#attempt(() => this.#pump());
    });
  }

  #pump(): void {
    const { engine, clock, transport, onDecisions } = this.#options;
    const room = (this.#options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT) - this.#inFlight;
    const now = clock.now();
    const { requests, nextWakeUpMs, decisions } = engine.poll(now, room);
    if (decisions.length > 0) onDecisions?.(decisions);
    for (const request of requests) {
      this.#inFlight++;
      const headers: Record<string, string> = { accept: request.accept, "user-agent": this.#userAgent };
      if (request.contentType !== "") headers["content-type"] = request.contentType;
      const sent: ApiRequest = {
        method: request.method,
        path: request.path,
        headers,
        ...(request.contentType === "" ? {} : { body: request.body }),
      };
      transport.send(sent, (response) => this.#settle(request.id, response));
    }
    for (const source of this.#sources) source.listIfAsked();
    this.#wakeUpAt(nextWakeUpMs);
  }

  /** Mostly it is the moment that it was before. */
  #wakeUpAt(timeMs: number): void {
    if (timeMs === this.#wakeUpMs) return;
    this.#wakeUp?.cancel();
    this.#wakeUp = undefined;
    this.#wakeUpMs = timeMs;
    if (!Number.isFinite(timeMs)) return;
    const { clock } = this.#options;
    this.#wakeUp = clock.setTimer(Math.max(0, timeMs - clock.now()), () => {
      this.#wakeUpMs = Infinity;
      this.#deferPump();
    });
  }

  #settle(id: number, response: ApiResponse): void {
    this.#inFlight--;
    if (!this.#engineIsGone) {
      this.#attempt(() => {
        const code = this.#options.engine.settle(
          id,
          response.status,
          retryAfterMs(response),
          response.body,
          this.#options.clock.now(),
        );
        if (code === ErrorCode.unreadableObject)
          this.#options.onProblem?.(
            "the answer to a request holds no object that can be read: its outcome counts as unknown, `explain` says what its Job waits for",
          );
      });
    }
    if (this.#running) this.#deferPump();
    else this.#tellWhenSettled();
  }

  get #userAgent(): string {
    return this.#options.userAgent ?? "stint";
  }

  /** A trap ends this engine; every other error is a bug of this loop and ends it as well. */
  #attempt(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #fail(error: Error): void {
    this.#engineIsGone = true;
    this.stop();
    if (this.#options.onFatal === undefined) throw error;
    this.#options.onFatal(error);
  }
}

/** Lists one collection and watches it, and lists it again whenever the engine asks for that. */
class SourceReader {
  readonly #source: EngineLoopSource;
  readonly #options: EngineLoopOptions;
  readonly #changed: () => void;
  readonly #fail: (error: Error) => void;
  #close: (() => void) | undefined;
  #retry: Timer | undefined;
  #failures = 0;
  #refusesStreams = false;
  /** A list has ended: from then on −1 for a version is the engine's wish for another one. */
  #wasListed = false;
  #stopped = false;

  constructor(source: EngineLoopSource, options: EngineLoopOptions, changed: () => void, fail: (error: Error) => void) {
    this.#source = source;
    this.#options = options;
    this.#changed = changed;
    this.#fail = fail;
  }

  stop(): void {
    this.#stopped = true;
    this.#close?.();
    this.#retry?.cancel();
  }

  start(): void {
    this.#list();
  }

  /**
   * The engine may ask for another list while a watch is sound: for its pods, when a Job tells of some that were not
   * shown.
   */
  listIfAsked(): void {
    if (this.#stopped || this.#close === undefined || !this.#wasListed || !this.#mustBeListed) return;
    this.#close();
    this.#close = undefined;
    this.#tryAgain(`${this.#source.path} has to be listed again`);
  }

  get #mustBeListed(): boolean {
    return this.#options.engine.watchVersion(this.#source.id) < 0;
  }

  #list(): void {
    this.#wasListed = false;
    if (!this.#ingest(IngestKind.listBegin, "")) return;
    if (this.#options.streamsLists === true && !this.#refusesStreams) this.#follow(INITIAL_EVENTS, -1);
    else this.#page("");
  }

  #page(token: string): void {
    const { transport, pageLimit } = this.#options;
    const query = `limit=${pageLimit ?? DEFAULT_PAGE_LIMIT}${token === "" ? "" : `&continue=${encodeURIComponent(token)}`}`;
    transport.send(this.#get(query), (response) => {
      if (this.#stopped) return;
      if (response.status !== 200) {
        this.#tryAgain(`listing ${this.#source.path} was answered ${response.status}`, response);
        return;
      }
      if (!this.#ingest(IngestKind.page, response.body)) return;
      const next = this.#options.engine.listContinue(this.#source.id);
      if (next !== "") {
        this.#page(next);
        return;
      }
      if (this.#ingest(IngestKind.listEnd, "")) this.#watch();
    });
  }

  /** Watches from where the engine is, or lists when it asks for that. */
  #watch(): void {
    const version = this.#options.engine.watchVersion(this.#source.id);
    if (version < 0) {
      this.#list();
      return;
    }
    this.#follow(`resourceVersion=${version}`, version);
  }

  /** A watch that begins as `query` says. `version`: that of the engine now. */
  #follow(query: string, version: number): void {
    const beganMs = this.#options.clock.now();
    let rest: Uint8Array = new Uint8Array(0);
    this.#close = this.#options.transport.stream(this.#get(`watch=true&allowWatchBookmarks=true&${query}`), {
      open: () => {},
      data: (chunk) => {
        // Whole lines, as an API server in this process sends them.
        if (rest.length === 0 && typeof chunk === "string" && chunk.endsWith("\n")) {
          this.#ingest(IngestKind.watchLines, chunk);
          return;
        }
        const bytes = join(rest, typeof chunk === "string" ? encoder.encode(chunk) : chunk);
        const end = bytes.lastIndexOf(NEWLINE) + 1;
        if (end > 0 && !this.#ingest(IngestKind.watchLines, bytes.subarray(0, end))) return;
        rest = bytes.slice(end);
        if (rest.length > MAX_LINE_BYTES) {
          this.#close?.();
          this.#lost(`a watch line of ${this.#source.path} is longer than ${MAX_LINE_BYTES} bytes`);
        }
      },
      end: (error) => {
        this.#close = undefined;
        if (this.#stopped) return;
        if (query === INITIAL_EVENTS && error !== undefined && REFUSALS.has(error.status)) {
          this.#refusesStreams = true;
          this.#list();
          return;
        }
        const wasSound =
          this.#options.clock.now() - beganMs >= MIN_WATCH_MS ||
          this.#options.engine.watchVersion(this.#source.id) > version;
        if (wasSound) this.#failures = 0;
        if (error !== undefined)
          this.#lost(`the watch of ${this.#source.path} ended with status ${error.status}`, error);
        else if (wasSound) this.#watch();
        else this.#tryAgain(`the watch of ${this.#source.path} ended at once`);
      },
    });
  }

  #lost(problem: string, answer?: ApiResponse): void {
    if (this.#ingest(IngestKind.streamLost, "")) this.#tryAgain(problem, answer);
  }

  /** After a wait that doubles with each failure in a row; longer when the answer asks for it. */
  #tryAgain(problem: string, answer?: ApiResponse): void {
    const message = answer === undefined ? "" : refusalMessage(answer);
    this.#options.onProblem?.(message === "" ? problem : `${problem}: ${message}`);
    const ceilingMs = Math.min(RELIST_MAX_MS, RELIST_BASE_MS * 2 ** Math.min(this.#failures++, 10));
    const jitteredMs = Math.round(ceilingMs * (0.5 + this.#options.random() / 2));
    const askedMs = answer === undefined ? -1 : retryAfterMs(answer);
    // A version that is gone as the status of a watch, not as an event in it: the engine has not seen it and would go
    // on from there.
    const isGone = answer?.status === STATUS_GONE;
    this.#retry = this.#options.clock.setTimer(Math.max(jitteredMs, askedMs), () =>
      isGone ? this.#list() : this.#watch(),
    );
  }

  /** False when the engine is gone. */
  #ingest(kind: IngestKind, bytes: Uint8Array | string): boolean {
    const { engine, clock, onProblem } = this.#options;
    try {
      const code = engine.ingest(this.#source.id, kind, bytes, clock.now());
      if (code === ErrorCode.unreadableObject)
        onProblem?.(`an object of ${this.#source.path} cannot be read; its Job is blocked, \`explain\` says why`);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code < 0) {
        this.#fail(error as Error);
        return false;
      }
      this.#close?.();
      this.#close = undefined;
      this.#tryAgain(`${this.#source.path}: ${error.message}`);
      return false;
    }
    // Before the next poll, which may ask for another list already.
    this.#wasListed ||= !this.#mustBeListed;
    this.#changed();
    return true;
  }

  #get(query: string): ApiRequest {
    const separator = this.#source.path.includes("?") ? "&" : "?";
    return {
      method: "GET",
      path: `${this.#source.path}${separator}${query}`,
      headers: { accept: "application/json", "user-agent": this.#options.userAgent ?? "stint" },
    };
  }
}

/** -1 when the answer names no Retry-After in seconds; at most {@link MAX_RETRY_AFTER_MS}. */
function retryAfterMs(response: ApiResponse): number {
  const header = response.headers["retry-after"];
  const seconds = typeof header === "string" && /^\d{1,6}$/.test(header) ? Number(header) : -1;
  return seconds < 0 ? -1 : Math.min(seconds * 1000, MAX_RETRY_AFTER_MS);
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
