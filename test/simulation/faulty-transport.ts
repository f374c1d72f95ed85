/**
 * One controller's way to the API server: requests and answers that take their time, overtake one another and get lost,
 * watches that lag, stutter and break. A watch keeps its order, as one connection does. Everything that is sent,
 * refused or delivered is sent to a listener, which is how the invariants know what a controller could know. Answers
 * that are lies (lies.ts) are reported to it as none: no controller learns from them.
 *
 * Invariant: a request is answered exactly once, unless the controller has crashed, and then never.
 */
import type { ApiRequest, ApiResponse, Clock, StreamSink, Timer, Transport } from "../../bindings/js/host.ts";
import type { StreamingResponse } from "../../cluster/apiserver/server.ts";
import { NO_ANSWER } from "../../host-node/transport/no-answer.ts";
import type { Chance } from "./chance.ts";
import { REFUSALS, type Weather } from "./faults.ts";
import { errorPage, isRefusal, wrongAnswer, wrongLine, wrongPage } from "./lies.ts";
import { isLastPage, type Resource } from "./view.ts";

/** Watch lines under way to one controller. More means that they are not taken. */
const MAX_LAGGING_LINES = 100_000;
/** How far back a stale list looks, in versions. */
const MAX_STALENESS = 40;
/** When a lost request is given up: the time-out of its connection. */
const MAX_TIMEOUT_MS = 10_000;
/** How long after that, or after the first time, a request may still arrive. */
const MAX_LATENESS_MS = 20_000;
/** Of what a confused proxy answers, the share that it has handed on. */
const HANDED_ON = 0.5;
/** Requests of a process that is stopped: the share that has not left it. */
const NOT_GONE = 0.5;
/** Where there are caches that lag: the share of the first lists of pods that show an older state. */
const OLD_FIRST_LISTS = 0.5;

const LIST_OF_ALL =
  /^\/(?:api\/v1|apis\/batch\/v1|apis\/scheduling\.k8s\.io\/v1beta1)\/(pods|jobs|workloads|podgroups)\?/;

const KINDS: Readonly<Record<Resource, string>> = {
  jobs: "Job",
  pods: "Pod",
  workloads: "Workload",
  podgroups: "PodGroup",
};
/** Where documents may be wrong: the share of the watches that break with a line that is none. */
const WRONG_ENDS = 0.6;

/** Gives an answer after a delay. `told`: what it says to the listener, where that is something else. */
type Answer = (response: ApiResponse, delayMs: number, told?: ApiResponse) => void;

const decoder = new TextDecoder();

/** What is known of a request besides its bytes. */
export interface Traffic {
  readonly request: ApiRequest;
  readonly body: string;
}

export interface TrafficListener {
  /** The controller hands it to its network. */
  sent(traffic: Traffic): void;
  /** The API server itself has answered; it did not have to be asked when a fault answers. */
  handled(traffic: Traffic, response: ApiResponse): void;
  /** The controller is about to read this answer; one that is a lie is reported as none. */
  answered(traffic: Traffic, response: ApiResponse): void;
  /** In place of an answer or a line the controller gets something else. */
  lied(what: string): void;
  /** A list begins that comes as the first lines of a watch. */
  streamBegan(resource: Resource, isList: boolean): void;
  /** The controller has been given this line, or this page. */
  lineShown(resource: Resource, line: string): void;
  pageShown(resource: Resource, body: string, isFirst: boolean): void;
}

export interface FaultyTransportOptions {
  readonly handle: (request: ApiRequest) => ApiResponse | StreamingResponse;
  /** Of the network. */
  readonly clock: Clock;
  /** Of the controller, which reads nothing while it is stopped. */
  readonly ownClock: Clock;
  readonly chance: Chance;
  readonly weather: () => Weather;
  /** The first list of pods may come from a cache that lags. */
  readonly hasOldPodLists: boolean;
  readonly listener: TrafficListener;
}

export class FaultyTransport implements Transport {
  readonly #options: FaultyTransportOptions;
  readonly #streams = new Set<LaggingStream>();
  readonly #listed = new Set<Resource>();
  #hasCrashed = false;
  #isStopped = false;
  /** Requests that have not left the process, as it is stopped. */
  #waiting: (() => void)[] = [];

  constructor(options: FaultyTransportOptions) {
    this.#options = options;
  }

  /** The controller's process is gone: requests on their way may still arrive, but nothing comes back. */
  crash(): void {
    this.#hasCrashed = true;
    for (const stream of this.#streams) stream.close();
  }

  /** The process stands still: some of the requests that it has sent have not left it. */
  halt(): void {
    this.#isStopped = true;
  }

  /** It continues: what has not left does so now. */
  proceed(): void {
    this.#isStopped = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const leave of waiting) leave();
  }

  /** Breaks every open watch. */
  breakStreams(): void {
    for (const stream of this.#streams) stream.break();
  }

  send(request: ApiRequest, done: (response: ApiResponse) => void): void {
    const { chance, clock, ownClock, listener } = this.#options;
    const weather = this.#options.weather();
    const traffic: Traffic = { request, body: textOf(request.body ?? "") };
    listener.sent(traffic);
    const answer: Answer = (response, delayMs, told = response) => {
      ownClock.setTimer(delayMs, () => {
        if (this.#hasCrashed) return;
        this.#show(traffic, told);
        done(response);
      });
    };
    const arrive = (): void => {
      if (chance.isHit(weather.lostRequests)) answer(NO_ANSWER, chance.integer(1, MAX_TIMEOUT_MS));
      else if (isCreationOfPod(request) && chance.isHit(weather.quota))
        answer(failure(403, "Forbidden"), chance.integer(1, weather.maxDelayMs));
      else if (chance.isHit(weather.refusals)) answer(refusal(chance), chance.integer(1, weather.maxDelayMs));
      else if (weather.lateRequests > 0 && chance.isHit(weather.lateRequests)) this.#carryOutLate(traffic, answer);
      else if (weather.errorPages > 0 && chance.isHit(weather.errorPages))
        this.#answerWithPage(traffic, weather, answer);
      else if (weather.wrongDocuments > 0 && chance.isHit(weather.wrongDocuments))
        this.#answerWrongly(traffic, weather, answer);
      else this.#carryOut(traffic, weather, answer);
    };
    clock.setTimer(chance.integer(1, weather.maxDelayMs), () => {
      if (this.#isStopped && chance.isHit(NOT_GONE)) this.#waiting.push(arrive);
      else arrive();
    });
  }

  stream(request: ApiRequest, sink: StreamSink): () => void {
    const { ownClock, chance, handle, listener } = this.#options;
    let stream: LaggingStream | undefined;
    let isClosed = false;
    ownClock.setTimer(chance.integer(1, this.#options.weather().maxDelayMs), () => {
      if (isClosed || this.#hasCrashed) return;
      const response = handle(request);
      if (!("subscribe" in response)) {
        sink.end(response);
        return;
      }
      const resource = resourceOf(request);
      const opened = new LaggingStream(resource, sink, this.#options, () => this.#streams.delete(opened));
      stream = opened;
      this.#streams.add(opened);
      listener.streamBegan(resource, request.path.includes("sendInitialEvents=true"));
      sink.open(response);
      opened.start(response);
    });
    return () => {
      isClosed = true;
      stream?.close();
    };
  }

  #carryOut(traffic: Traffic, weather: Weather, answer: Answer): void {
    const { chance, clock } = this.#options;
    const isList = isListOfAll(traffic.request);
    const response = this.#handle(traffic, isList && chance.isHit(weather.staleLists));
    if (!isList && weather.doubledRequests > 0 && chance.isHit(weather.doubledRequests))
      clock.setTimer(chance.integer(1, MAX_LATENESS_MS), () => void this.#handle(traffic));
    if (chance.isHit(weather.lostAnswers)) answer(NO_ANSWER, chance.integer(1, MAX_TIMEOUT_MS));
    else if (!isList && chance.isHit(weather.falseRefusals))
      answer(failure(504, "Timeout"), chance.integer(1, weather.maxDelayMs));
    else answer(response, chance.integer(1, weather.maxDelayMs));
  }

  // By the API server itself.
  #handle(traffic: Traffic, isOld = false): ApiResponse {
    const { handle, listener } = this.#options;
    const response = handle(
      isListOfAll(traffic.request) && (isOld || this.#isOldFirst(traffic.request))
        ? this.#anOlder(traffic.request)
        : traffic.request,
    );
    if (!("body" in response))
      throw new Error(`${traffic.request.method} ${traffic.request.path} was answered with a stream`);
    listener.handled(traffic, response);
    return response;
  }

  #carryOutLate(traffic: Traffic, answer: Answer): void {
    const { chance, clock } = this.#options;
    const timeoutMs = chance.integer(1, MAX_TIMEOUT_MS);
    answer(NO_ANSWER, timeoutMs);
    if (traffic.request.method !== "GET")
      clock.setTimer(timeoutMs + chance.integer(1, MAX_LATENESS_MS), () => void this.#handle(traffic));
  }

  #answerWithPage(traffic: Traffic, { maxDelayMs }: Weather, answer: Answer): void {
    const { chance, listener } = this.#options;
    const isHandedOn = chance.isHit(HANDED_ON);
    if (isHandedOn) this.#handle(traffic);
    const page = errorPage(chance, { isHandedOn });
    listener.lied(`${page.status} without a Status, for ${traffic.request.method} ${traffic.request.path}`);
    answer(page, chance.integer(1, maxDelayMs), isRefusal(traffic.request, page) ? page : NO_ANSWER);
  }

  #answerWrongly(traffic: Traffic, { maxDelayMs }: Weather, answer: Answer): void {
    const { request } = traffic;
    const { chance, listener } = this.#options;
    const isPage = isListOfAll(request);
    const truth = isPage || chance.isHit(HANDED_ON) ? this.#handle(traffic) : undefined;
    // What is refused is refused.
    if (truth !== undefined && truth.status >= 300) return answer(truth, chance.integer(1, maxDelayMs));
    const text = truth === undefined ? "" : textOf(truth.body);
    const { name, response } = isPage ? wrongPage(text, chance) : wrongAnswer(request, text, chance);
    listener.lied(`${name}, for ${request.method} ${request.path}`);
    answer(response, chance.integer(1, maxDelayMs), NO_ANSWER);
  }

  #isOldFirst({ path }: ApiRequest): boolean {
    const { hasOldPodLists, chance } = this.#options;
    return (
      hasOldPodLists && path.startsWith("/api/v1/pods?") && !this.#listed.has("pods") && chance.isHit(OLD_FIRST_LISTS)
    );
  }

  // The first list of a controller is a consistent read, as Kubernetes promises for a list that asks for no version;
  // that of pods may come from a cache that lags, for nothing makes sure that two lists are answered by the same
  // server.
  #anOlder(request: ApiRequest): ApiRequest {
    const resource = resourceOf(request);
    const mayBeOld = this.#listed.has(resource) || (resource === "pods" && this.#options.hasOldPodLists);
    if (!mayBeOld || request.path.includes("continue=")) return request;
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
  #isSilent = false;
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

  /** The controller hears nothing more of it. */
  close(): void {
    this.#isSilent = true;
    this.#detach();
  }

  #detach(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#timer?.cancel();
    this.#unsubscribe();
    this.#closed();
  }

  /** Lines on their way are lost; the controller hears of it in one of the ways there are. */
  break(): void {
    if (!this.#isOpen) return;
    this.#detach();
    const { chance } = this.#options;
    if (this.#options.weather().wrongDocuments > 0 && chance.isHit(WRONG_ENDS)) {
      const { name, line } = wrongLine(KINDS[this.#resource], chance);
      this.#options.listener.lied(`${name}, in the watch of ${this.#resource}`);
      this.#sink.data(line);
      // Mostly the controller has closed it.
      if (!this.#isSilent) this.#sink.end();
      return;
    }
    const ways: readonly (() => void)[] = [
      () => this.#sink.end(),
      () => this.#sink.end(NO_ANSWER),
      () => {
        // Half a line, and then nothing.
        this.#sink.data('{"type":"MODIFIED","object":{"kind":');
        this.#sink.end(NO_ANSWER);
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
    if (this.#lines.length >= MAX_LAGGING_LINES)
      throw new Error(`${MAX_LAGGING_LINES} watch lines of ${this.#resource} are under way, which is the limit`);
    const atMs = Math.max(
      this.#lines.at(-1)?.atMs ?? 0,
      clock.now() + chance.integer(1, this.#options.weather().maxWatchLagMs),
    );
    this.#lines.push({ atMs, line });
    this.#arm();
  }

  #arm(): void {
    const { clock, ownClock } = this.#options;
    if (!this.#isOpen || this.#timer !== undefined) return;
    const next = this.#lines[0];
    if (next === undefined && !this.#hasEnded) return;
    this.#timer = ownClock.setTimer(next === undefined ? 0 : Math.max(0, next.atMs - clock.now()), () => {
      this.#timer = undefined;
      this.#deliver();
    });
  }

  #deliver(): void {
    const { clock, chance } = this.#options;
    const weather = this.#options.weather();
    if (this.#lines.length === 0) {
      this.#detach();
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
  return {
    status,
    headers,
    body: JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "a fault of the simulation",
      reason,
      code: status,
    }),
  };
}

/** A body as text. */
export function textOf(body: Uint8Array | string): string {
  return typeof body === "string" ? body : decoder.decode(body);
}
