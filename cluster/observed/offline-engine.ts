/**
 * An engine that is asked what it would do, and controls no cluster. The caller feeds it Jobs, pods and the time. It
 * explains them, and says which requests it would send.
 *
 * Invariant: nothing is sent. The caller answers the requests, as an API server would, or leaves them open. Leaves out
 * following a server, which `EngineLoop` does, and questions about one document that need no objects before: `verdict`,
 * `lint`, `forecast` and `review` of `Engine`.
 */
import {
  type Account,
  type AccountQuestion,
  type Decision,
  Engine,
  type EngineConfiguration,
  EngineError,
  type EngineRequest,
  type Explanation,
  IngestKind,
  type PollResult,
} from "../../bindings/js/engine.ts";
import type { RecordableEngine, Recorder } from "../../bindings/js/recorder.ts";
import type { WatchEventType } from "../client/reflector.ts";
import type { AskAccount } from "./ask-account.ts";

/** What the engine knows. */
export type Resource = "jobs" | "pods";

/** The engine's settings, but for its sources, which are one of Jobs and one of pods. */
export interface OfflineConfiguration extends Omit<EngineConfiguration, "sources"> {
  /** The engine knows the objects of this namespace. Undefined: of all namespaces. */
  readonly namespace?: string;
}

/** Upstream's controller waits a batch period for more pod events, and removes Jobs when their time is over. */
export const UPSTREAM = {
  constants: { syncBurst: 0, syncCoalesceMs: 0 },
  removesFinished: true,
} as const satisfies Partial<OfflineConfiguration>;

/** The answer of the API server to a request. */
export interface Answer {
  readonly status: number;
  /** Undefined: the body is an empty object. */
  readonly object?: object | undefined;
}

/** The decisions of a moment, and when the engine would act next without any event; Infinity: never. */
export interface Run {
  readonly decisions: readonly Decision[];
  readonly nextMs: number;
}

const SOURCES: Readonly<Record<Resource, number>> = { jobs: 1, pods: 2 };
const LISTS: Readonly<Record<Resource, { readonly kind: string; readonly apiVersion: string }>> = {
  jobs: { kind: "JobList", apiVersion: "batch/v1" },
  pods: { kind: "PodList", apiVersion: "v1" },
};
/** The most requests of one poll. */
const MAX_REQUESTS = 1_000;
/** Rounds of requests and answers. A sync of a large Job has some dozens: pods are created in batches that double. */
const MAX_ROUNDS = 10_000;

/** Every method throws EngineError for what the engine cannot read; `problemOf` makes a sentence of it. */
export class OfflineEngine {
  readonly #engine: Engine;
  /** The same engine; with a recorder, each input is recorded. */
  readonly #inputs: RecordableEngine;

  /**
   * @param recorder records the inputs
   * @throws EngineError when the configuration is refused
   */
  constructor(
    { module, sha256 }: { readonly module: WebAssembly.Module; readonly sha256: string },
    { namespace, ...configuration }: OfflineConfiguration,
    recorder?: Pick<Recorder, "record">,
  ) {
    this.#engine = Engine.createSync(module, sha256);
    this.#inputs = recorder?.record(this.#engine) ?? this.#engine;
    const place = namespace === undefined ? {} : { namespace };
    const sources = (["jobs", "pods"] as const).map((resource) => ({ id: SOURCES[resource], resource, ...place }));
    this.#inputs.configure({ ...configuration, sources });
  }

  // What the engine knows.

  /** These are all objects. @param items each an object, or its JSON text as the server sent it */
  list(resource: Resource, items: readonly (object | string)[], nowMs: number, resourceVersion: string): void {
    const { kind, apiVersion } = LISTS[resource];
    const head = JSON.stringify({ kind, apiVersion, metadata: { resourceVersion }, items: [] }).slice(0, -2);
    const texts = items.map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
    this.beginList(resource, nowMs);
    this.page(resource, `${head}${texts.join(",")}]}`, nowMs);
    this.endList(resource, nowMs);
  }

  /** Begins a list in pages. Until it ends, the engine does not act on the objects. */
  beginList(resource: Resource, nowMs: number): void {
    this.#inputs.ingest(SOURCES[resource], IngestKind.listBegin, "", nowMs);
  }

  /** @param body a JobList or PodList, as the server sent it */
  page(resource: Resource, body: Uint8Array | string, nowMs: number): void {
    this.#inputs.ingest(SOURCES[resource], IngestKind.page, body, nowMs);
  }

  endList(resource: Resource, nowMs: number): void {
    this.#inputs.ingest(SOURCES[resource], IngestKind.listEnd, "", nowMs);
  }

  /** An event of a watch. */
  change(resource: Resource, type: WatchEventType, object: object, nowMs: number): void {
    this.#inputs.ingest(SOURCES[resource], IngestKind.watchLines, `${JSON.stringify({ type, object })}\n`, nowMs);
  }

  // What the engine says.

  /** The state of a Job, by the decisions so far. */
  explain(namespace: string, job: string, nowMs: number): Explanation {
    return this.#engine.explain(namespace, job, nowMs);
  }

  /** What happened to a Job, known to the engine or not. @throws EngineError when it cannot read the question */
  account(question: AccountQuestion, nowMs: number): Account {
    return this.#engine.account(question, nowMs);
  }

  /** Lets the engine take the decisions that are due. The requests stay with it. */
  decide(nowMs: number): void {
    this.#inputs.poll(nowMs, 0);
  }

  /** The next requests that the engine would send. The caller settles each once. */
  poll(nowMs: number): PollResult {
    return this.#inputs.poll(nowMs, MAX_REQUESTS);
  }

  settle({ id }: EngineRequest, { status, object = {} }: Answer, nowMs: number): void {
    this.#inputs.settle(id, status, -1, JSON.stringify(object), nowMs);
  }

  /** Answers requests until the engine has no more for this moment. @param answer called once for each request */
  run(nowMs: number, answer: (request: EngineRequest) => Answer): Run {
    const decisions: Decision[] = [];
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const polled = this.poll(nowMs);
      decisions.push(...polled.decisions);
      if (polled.requests.length === 0) return { decisions, nextMs: polled.nextWakeUpMs };
      for (const request of polled.requests) this.settle(request, answer(request), nowMs);
    }
    throw new Error(`the engine asks for more than ${MAX_ROUNDS} rounds of requests in one situation`);
  }
}

/** Asks an engine what happened to Jobs. @param now wall time, for each question */
export function accountBy(engine: Pick<Engine, "account">, now: () => number): AskAccount {
  return (question) => answerOf(() => engine.account(question, now()));
}

/** The answer to a question; undefined: the engine cannot read it. */
export function answerOf<Answer>(ask: () => Answer): Answer | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

/** Why the engine cannot read what it is fed, as a sentence of the engine; undefined: it can. */
export function problemOf(feed: () => void): string | undefined {
  try {
    feed();
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return error.message;
    throw error;
  }
}
