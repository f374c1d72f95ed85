/**
 * The loop around an engine: it feeds lists and watches in, sends requests, reports their outcomes, and keeps one
 * timer. It carries bytes and time, and decides nothing. The only JSON that it reads is the message of a refusal, for
 * the log. Every request that `poll` hands out is settled exactly once; if its answer is lost, with status 0. It runs
 * on any Clock and Transport, so a real cluster, an in-memory cluster and a simulation on a virtual clock run the same
 * code. Leaves out leader election and rate limits: hosts wrap the Transport.
 */
import { type Decision, type Engine, ErrorCode, EngineError, IngestKind } from "./engine.ts";
import type { ApiRequest, ApiResponse, Clock, Timer, Transport } from "./host.ts";
import { LineBuffer } from "./line-buffer.ts";
import { refusalMessage } from "./refusal.ts";

/** A collection that the loop lists and watches for the engine. */
export interface EngineLoopSource {
  /** The source's number in the engine's configuration. */
  readonly id: number;
  /** Collection path with its selectors: `/api/v1/pods`, `/apis/batch/v1/namespaces/ci/jobs?labelSelector=a%3Db`. */
  readonly path: string;
}

/** The functions of an engine that the loop needs. */
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
  /** The most objects in a page of a list. */
  readonly pageLimit?: number;
  /**
   * Lists come as the first events of a watch (`sendInitialEvents`). If the server refuses that, they come in pages.
   */
  readonly streamsLists?: boolean;
  readonly userAgent?: string;
  readonly onDecisions?: (decisions: readonly Decision[]) => void;
  /**
   * Reports a problem that the loop has overcome, in one sentence: a broken watch, an object that could not be read.
   */
  readonly onProblem?: (problem: string) => void;
  /** The engine has trapped and the loop has stopped. Start again with a new engine. */
  readonly onFatal?: (error: Error) => void;
}

const DEFAULT_MAX_IN_FLIGHT = 64;
const DEFAULT_PAGE_LIMIT = 500;
const RELIST_BASE_MS = 800;
const RELIST_MAX_MS = 30_000;
/**
 * A watch that ends sooner than this, without any progress, is a fault, even if it ended cleanly. Upstream: "very short
 * watch" of client-go's reflector.
 */
const MIN_WATCH_MS = 1_000;
/** A watch line longer than this cannot be an object that the API server stores. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** A server may ask its client to wait. Five minutes at most, because nothing makes the next try come earlier. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;
const STATUS_GONE = 410;
/** The answers of a server that cannot send lists as a stream. */
const REFUSALS: ReadonlySet<number> = new Set([400, 422]);
/** The query for a list as a stream: the present state as events, then a bookmark, then the changes. */
const INITIAL_EVENTS = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

const encoder = new TextEncoder();

/** Connects one engine with its host, from `start` to `stop`. */
export class EngineLoop {
  readonly #options: EngineLoopOptions;
  readonly #sources: SourceReader[];
  #inFlight = 0;
  #wakeUp: Timer | undefined;
  /** When the timer fires; Infinity: it does not. */
  #wakeUpMs = Infinity;
  #pumpIsDeferred = false;
  #running = false;
  #onSettled: (() => void) | undefined;
  /** After a trap the engine must not be called any more. */
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
        ...(request.decision === 0 ? {} : { decision: request.decision }),
      };
      transport.send(sent, (response) => this.#settle(request.id, response));
    }
    for (const source of this.#sources) source.listIfAsked();
    this.#wakeUpAt(nextWakeUpMs);
  }

  /** Sets the timer. Usually the moment has not changed. */
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

  /** A trap ends this engine. Every other error is a bug of this loop, and ends it as well. */
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

/** Lists one collection and watches it. Lists it again whenever the engine asks for that. */
class SourceReader {
  readonly #source: EngineLoopSource;
  readonly #options: EngineLoopOptions;
  readonly #changed: () => void;
  readonly #fail: (error: Error) => void;
  #close: (() => void) | undefined;
  #retry: Timer | undefined;
  #failures = 0;
  #refusesStreams = false;
  /** A list is complete. From then on a version of −1 means that the engine wants another list. */
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
   * Lists again if the engine asks for it. It may do so even while the watch works: for pods, when a Job's status
   * mentions some that the watch has not shown.
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

  /** Watches from the version that the engine has reached, or lists if it asks for that. */
  #watch(): void {
    const version = this.#options.engine.watchVersion(this.#source.id);
    if (version < 0) {
      this.#list();
      return;
    }
    this.#follow(`resourceVersion=${version}`, version);
  }

  /** Opens a watch with this query. `version` is the engine's present version. */
  #follow(query: string, version: number): void {
    const beganMs = this.#options.clock.now();
    const buffer = new LineBuffer();
    this.#close = this.#options.transport.stream(this.#get(`watch=true&allowWatchBookmarks=true&${query}`), {
      open: () => {},
      data: (chunk) => {
        // A fast path for whole lines, which an API server in this process sends.
        if (buffer.waiting === 0 && typeof chunk === "string" && chunk.endsWith("\n")) {
          this.#ingest(IngestKind.watchLines, chunk);
          return;
        }
        const lines = buffer.push(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
        if (lines.length > 0 && !this.#ingest(IngestKind.watchLines, lines)) return;
        if (buffer.waiting > MAX_LINE_BYTES) {
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

  /**
   * Tries again after a wait that doubles with each failure in a row, or after a longer one that the answer asks for.
   */
  #tryAgain(problem: string, answer?: ApiResponse): void {
    const message = answer === undefined ? "" : refusalMessage(answer);
    this.#options.onProblem?.(message === "" ? problem : `${problem}: ${message}`);
    const ceilingMs = Math.min(RELIST_MAX_MS, RELIST_BASE_MS * 2 ** Math.min(this.#failures++, 10));
    const jitteredMs = Math.round(ceilingMs * (0.5 + this.#options.random() / 2));
    const askedMs = answer === undefined ? -1 : retryAfterMs(answer);
    // 410 as the status of a watch, and not as an event in it. The engine has not seen it, and would continue from the
    // expired version, so list again.
    const isGone = answer?.status === STATUS_GONE;
    this.#retry = this.#options.clock.setTimer(Math.max(jitteredMs, askedMs), () =>
      isGone ? this.#list() : this.#watch(),
    );
  }

  /** Feeds the engine. False: it refused the bytes, or is gone. */
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
    // Set this before the next poll, which may already ask for another list.
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

/**
 * How long the answer asks to wait, at most {@link MAX_RETRY_AFTER_MS}. Of several values the first counts, as in
 * client-go. -1: it has no Retry-After in seconds.
 */
function retryAfterMs(response: ApiResponse): number {
  const header = response.headers["retry-after"];
  if (header === undefined) return -1;
  const seconds = typeof header === "string" ? header : header[0]!;
  return /^\d{1,6}$/.test(seconds) ? Math.min(Number(seconds) * 1000, MAX_RETRY_AFTER_MS) : -1;
}
