/**
 * One controller's way to the API server: requests and answers that take their time, overtake one another and get lost,
 * watches that lag, stutter and break. A watch keeps its order, as one connection does. Everything that is sent,
 * refused or delivered is told to a listener, which is how the invariants know what a controller could know.
 *
 * Invariant: a request is answered exactly once, unless the controller has crashed, and then never.
 */
import type { ApiRequest, ApiResponse, Clock, StreamSink, Timer, Transport } from "../../bindings/js/host.ts";
import type { StreamingResponse } from "../../cluster/apiserver/server.ts";
import type { Chance } from "./chance.ts";
import { REFUSALS, type Weather } from "./faults.ts";
import { isLastPage, type Resource } from "./view.ts";

/** Watch lines under way to one controller. More means that nobody takes them. */
const MAX_LAGGING_LINES = 100_000;
/** How far back a stale list looks, in versions. */
const MAX_STALENESS = 40;
/** When a lost request is given up: the time-out of its connection. */
const MAX_TIMEOUT_MS = 10_000;

const LIST_OF_ALL = /^\/(?:api\/v1|apis\/batch\/v1|apis\/scheduling\.k8s\.io\/v1alpha2)\/(pods|jobs|workloads|podgroups)\?/;

const decoder = new TextDecoder();

/** What is known of a request besides its bytes. */
export interface Traffic {
  readonly request: ApiRequest;
  readonly body: string;
}

export interface TrafficListener {
  sent(traffic: Traffic): void;
  /** The API server itself has answered; it did not have to be asked when a fault answers. */
  handled(traffic: Traffic, response: ApiResponse): void;
  /** The controller is about to read this answer. */
  answered(traffic: Traffic, response: ApiResponse): void;
  /** The controller has been given this line, or this page. */
  lineShown(resource: Resource, line: string): void;
  pageShown(resource: Resource, body: string, isFirst: boolean): void;
}

export interface FaultyTransportOptions {
  readonly handle: (request: ApiRequest) => ApiResponse | StreamingResponse;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly weather: () => Weather;
  readonly listener: TrafficListener;
}

export class FaultyTransport implements Transport {
  readonly #options: FaultyTransportOptions;
  readonly #streams = new Set<LaggingStream>();
  readonly #listed = new Set<Resource>();
  #hasCrashed = false;

  constructor(options: FaultyTransportOptions) {
    this.#options = options;
  }

  /** The controller's process is gone: requests on their way may still arrive, but nothing comes back. */
  crash(): void {
    this.#hasCrashed = true;
    for (const stream of this.#streams) stream.close();
  }

  /** Breaks every open watch. */
  breakStreams(): void {
    for (const stream of this.#streams) stream.break();
  }

  send(request: ApiRequest, done: (response: ApiResponse) => void): void {
    const { chance, clock, listener } = this.#options;
    const weather = this.#options.weather();
    const traffic: Traffic = { request, body: textOf(request.body ?? "") };
    listener.sent(traffic);
    const answer = (response: ApiResponse, delayMs: number): void => {
      clock.setTimer(delayMs, () => {
        if (this.#hasCrashed) return;
        this.#show(traffic, response);
        done(response);
      });
    };
    clock.setTimer(chance.integer(1, weather.maxDelayMs), () => {
      if (chance.isHit(weather.lostRequests)) answer(noAnswer(), chance.integer(1, MAX_TIMEOUT_MS));
      else if (isCreationOfPod(request) && chance.isHit(weather.quota)) answer(failure(403, "Forbidden"), chance.integer(1, weather.maxDelayMs));
      else if (chance.isHit(weather.refusals)) answer(refusal(chance), chance.integer(1, weather.maxDelayMs));
      else this.#carryOut(traffic, weather, answer);
    });
  }

  stream(request: ApiRequest, sink: StreamSink): () => void {
    const { clock, chance, handle } = this.#options;
    let stream: LaggingStream | undefined;
    let isClosed = false;
    clock.setTimer(chance.integer(1, this.#options.weather().maxDelayMs), () => {
      if (isClosed || this.#hasCrashed) return;
      const response = handle(request);
      if (!("subscribe" in response)) {
        sink.end(response);
        return;
      }
      const opened = new LaggingStream(resourceOf(request), sink, this.#options, () => this.#streams.delete(opened));
      stream = opened;
      this.#streams.add(opened);
      sink.open(response);
      opened.start(response);
    });
    return () => {
      isClosed = true;
      stream?.close();
    };
  }

  #carryOut(traffic: Traffic, weather: Weather, answer: (response: ApiResponse, delayMs: number) => void): void {
    const { chance, handle, listener } = this.#options;
    const isList = isListOfAll(traffic.request);
    const response = handle(isList && chance.isHit(weather.staleLists) ? this.#anOlder(traffic.request) : traffic.request);
    if (!("body" in response)) throw new Error(`${traffic.request.method} ${traffic.request.path} was answered with a stream`);
    listener.handled(traffic, response);
    if (chance.isHit(weather.lostAnswers)) answer(noAnswer(), chance.integer(1, MAX_TIMEOUT_MS));
    else if (!isList && chance.isHit(weather.falseRefusals)) answer(failure(504, "Timeout"), chance.integer(1, weather.maxDelayMs));
    else answer(response, chance.integer(1, weather.maxDelayMs));
  }

  // The first list of a controller is a consistent read, as Kubernetes promises for a list that asks for no version.
  #anOlder(request: ApiRequest): ApiRequest {
    const resource = resourceOf(request);
    if (!this.#listed.has(resource) || request.path.includes("continue=")) return request;
    const response = this.#options.handle({ ...request, path: `${request.path.split("?")[0]!}?limit=1` });
    const version = "body" in response ? Number(/"resourceVersion":"(\d+)"/.exec(textOf(response.body))?.[1] ?? 0) : 0;
    const older = Math.max(1, version - this.#options.chance.integer(0, MAX_STALENESS));
    return { ...request, path: `${request.path}&resourceVersion=${older}&resourceVersionMatch=Exact` };
  }

  #show(traffic: Traffic, response: ApiResponse): void {
    const { listener } = this.#options;
    listener.answered(traffic, response);
    if (response.status !== 200 || !isListOfAll(traffic.request)) return;
    const resource = resourceOf(traffic.request);
    const body = textOf(response.body);
    if (isLastPage(body)) this.#listed.add(resource);
    listener.pageShown(resource, body, !traffic.request.path.includes("continue="));
  }
}

class LaggingStream {
  readonly #resource: Resource;
  readonly #sink: StreamSink;
  readonly #options: FaultyTransportOptions;
  readonly #closed: () => void;
  readonly #lines: { readonly atMs: number; readonly line: string }[] = [];
  #unsubscribe = (): void => {};
  #timer: Timer | undefined;
  #isOpen = true;
  #hasEnded = false;

  constructor(resource: Resource, sink: StreamSink, options: FaultyTransportOptions, closed: () => void) {
    this.#resource = resource;
    this.#sink = sink;
    this.#options = options;
    this.#closed = closed;
  }

  start(response: StreamingResponse): void {
    this.#unsubscribe = response.subscribe({
      data: (line) => this.#take(textOf(line)),
      end: () => {
        this.#hasEnded = true;
        this.#arm();
      },
    });
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#timer?.cancel();
    this.#unsubscribe();
    this.#closed();
  }

  /** Lines on their way are lost; the controller hears of it in one of the ways there are. */
  break(): void {
    if (!this.#isOpen) return;
    this.close();
    const { chance } = this.#options;
    const ways: readonly (() => void)[] = [
      () => this.#sink.end(),
      () => this.#sink.end(noAnswer()),
      () => {
        // Half a line, and then nothing.
        this.#sink.data('{"type":"MODIFIED","object":{"kind":');
        this.#sink.end(noAnswer());
      },
      () => {
        this.#sink.data(`{"type":"ERROR","object":${textOf(failure(410, "Expired").body)}}\n`);
        this.#sink.end();
      },
      () => this.#sink.end(failure(410, "Expired")),
    ];
    chance.pick(ways)();
  }

  #take(line: string): void {
    const { clock, chance } = this.#options;
    if (this.#lines.length >= MAX_LAGGING_LINES) throw new Error(`${MAX_LAGGING_LINES} watch lines of ${this.#resource} are under way, which is the limit`);
    const atMs = Math.max(this.#lines.at(-1)?.atMs ?? 0, clock.now() + chance.integer(1, this.#options.weather().maxWatchLagMs));
    this.#lines.push({ atMs, line });
    this.#arm();
  }

  #arm(): void {
    const { clock } = this.#options;
    if (!this.#isOpen || this.#timer !== undefined) return;
    const next = this.#lines[0];
    if (next === undefined && !this.#hasEnded) return;
    this.#timer = clock.setTimer(next === undefined ? 0 : Math.max(0, next.atMs - clock.now()), () => {
      this.#timer = undefined;
      this.#deliver();
    });
  }

  #deliver(): void {
    const { clock, chance } = this.#options;
    const weather = this.#options.weather();
    if (this.#lines.length === 0) {
      this.close();
      this.#sink.end();
      return;
    }
    if (chance.isHit(weather.watchBreaks)) {
      this.break();
      return;
    }
    const lines: string[] = [];
    while (this.#lines.length > 0 && this.#lines[0]!.atMs <= clock.now()) lines.push(this.#lines.shift()!.line);
    for (const line of lines) this.#options.listener.lineShown(this.#resource, line);
    const text = lines.map((line) => (chance.isHit(weather.duplicates) ? line + line : line)).join("");
    const cut = chance.integer(0, text.length);
    if (cut > 0) this.#sink.data(text.slice(0, cut));
    if (this.#isOpen && cut < text.length) this.#sink.data(text.slice(cut));
    this.#arm();
  }
}

function isListOfAll({ method, path }: ApiRequest): boolean {
  return method === "GET" && LIST_OF_ALL.test(path);
}

function isCreationOfPod({ method, path }: ApiRequest): boolean {
  return method === "POST" && path.endsWith("/pods");
}

function resourceOf({ path }: ApiRequest): Resource {
  return LIST_OF_ALL.exec(path)![1] as Resource;
}

function refusal(chance: Chance): ApiResponse {
  const { status, reason, retryAfterSeconds } = chance.pick(REFUSALS);
  return failure(status, reason, retryAfterSeconds);
}

function failure(status: number, reason: string, retryAfterSeconds?: number): ApiResponse {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
  return { status, headers, body: JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: "a fault of the simulation", reason, code: status }) };
}

function noAnswer(): ApiResponse {
  return { status: 0, headers: {}, body: "" };
}

/** A body as text. */
export function textOf(body: Uint8Array | string): string {
  return typeof body === "string" ? body : decoder.decode(body);
}
