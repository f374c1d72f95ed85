/**
 * Plays one vector: steps go into the engine as bytes, its requests are compared with what the step expects and
 * answered from the server of the vectors. Every mismatch is an Error that says which step and what was there instead.
 * Leaves out where engines come from: a `replaceEngine` may hand back another one between two steps.
 */
import { isDeepStrictEqual } from "node:util";
import {
  Engine,
  type EngineConfiguration,
  type EngineRequest,
  ErrorCode,
  IngestKind,
} from "../../../bindings/js/engine.ts";
import type { MetricFamily } from "../../../bindings/js/metrics.ts";
import type { Json, JsonObject } from "../../../cluster/values/types.ts";
import { CLOCK_OFFSET_MS, failure, NAMESPACE, type Reply, TRACKING_FINALIZER, VectorServer } from "./vector-server.ts";
import type {
  Answer,
  ExpectedRequest,
  ObjectsByName,
  RunStep,
  Shown,
  SourceName,
  Step,
  VectorCase,
} from "./vector-types.ts";

const GANG_API = "scheduling.k8s.io/v1beta1";
const SOURCES: Readonly<
  Record<SourceName, { readonly id: number; readonly kind: string; readonly apiVersion: string }>
> = {
  jobs: { id: 0, kind: "Job", apiVersion: "batch/v1" },
  pods: { id: 1, kind: "Pod", apiVersion: "v1" },
  workloads: { id: 2, kind: "Workload", apiVersion: GANG_API },
  podgroups: { id: 3, kind: "PodGroup", apiVersion: GANG_API },
};
const MAX_POLLS_A_RUN = 2000;
const MAX_REQUESTS = 4096;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What a run needs beside the vector. */
export interface RunOptions {
  readonly newEngine: () => Promise<Engine>;
  /** Called between two steps and between two polls: the run continues with the engine that it returns. */
  readonly replaceEngine?: (engine: Engine) => Promise<Engine>;
  /** Sees what the server has after the last step. */
  readonly atEnd?: (server: VectorServer) => void;
  /** Sees everything that the engine hands out. */
  readonly observe?: (output: unknown) => void;
}

/** Plays the vector to its end; rejects at the first thing that is not as it says. */
export async function runVector(
  vector: VectorCase,
  templates: Readonly<Record<string, JsonObject>>,
  options: RunOptions,
): Promise<void> {
  const run = new VectorRun(vector, templates, options);
  await run.begin();
  for (const [i, step] of vector.steps.entries()) {
    try {
      await run.play(step);
    } catch (error) {
      throw new Error(
        `step ${i + 1} (${Object.keys(step)[0]}): ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }
  options.atEnd?.(run.server);
}

class VectorRun {
  readonly #configuration: EngineConfiguration;
  readonly #sources: readonly SourceName[];
  readonly #options: RunOptions;
  readonly #server: VectorServer;
  /** Requests that wait for a `settle` step, with what the server would answer. */
  readonly #later = new Map<string, { readonly request: EngineRequest; readonly podName: string }>();
  #engine!: Engine;

  constructor(vector: VectorCase, templates: Readonly<Record<string, JsonObject>>, options: RunOptions) {
    this.#sources =
      vector.configuration?.["gangScheduling"] === true ? ["jobs", "pods", "workloads", "podgroups"] : ["jobs", "pods"];
    const sources = this.#sources.map((resource) => ({ id: SOURCES[resource].id, resource }));
    this.#configuration = { instance: "vector", sources, constants: vector.constants ?? {}, ...vector.configuration };
    this.#options = options;
    this.#server = new VectorServer(templates);
  }

  get server(): VectorServer {
    return this.#server;
  }

  async begin(): Promise<void> {
    this.#engine = await this.#options.newEngine();
    this.#engine.configure(this.#configuration);
    this.#engine.setClockOffset(CLOCK_OFFSET_MS);
  }

  async play(step: Step): Promise<void> {
    await this.#replaceEngine();
    if ("at" in step && step.at !== undefined) this.#server.nowMs = step.at;
    if ("start" in step) this.#start(step.start);
    else if ("restart" in step) await this.#restart();
    else if ("add" in step)
      this.#eachOf(step.add, (name, object) => this.#show("ADDED", this.#server.add(name, object), step));
    else if ("change" in step)
      this.#eachOf(step.change, (name, patch) => this.#show("MODIFIED", this.#server.change(name, patch), step));
    else if ("delete" in step) step.delete.forEach((name) => this.#show("DELETED", this.#server.delete(name), step));
    else if ("show" in step) step.show.forEach((name) => this.#show("MODIFIED", this.#server.get(name), step));
    else if ("replay" in step) step.replay.forEach((name) => this.#show(step.type, this.#server.first(name), {}));
    else if ("bookmark" in step) this.#bookmark(step.bookmark, step.endsInitialEvents);
    else if ("relist" in step) this.#list(step.relist, step.stale, step.result);
    else if ("ingest" in step) this.#ingest(step.ingest, step.kind, step.text ?? "", step.result);
    else if ("run" in step) await this.#run(step);
    else if ("settle" in step) this.#settleLater(step.settle, step.answer);
    else if ("explain" in step) this.#explain(step.explain, step.expect);
    else if ("metrics" in step) this.#metrics(step.metrics);
    else throw new Error(`a step has none of the known members: ${JSON.stringify(step)}`);
  }

  async #replaceEngine(): Promise<void> {
    if (this.#options.replaceEngine !== undefined) this.#engine = await this.#options.replaceEngine(this.#engine);
  }

  #eachOf(objects: ObjectsByName, act: (name: string, object: JsonObject) => void): void {
    for (const [name, object] of Object.entries(objects)) act(name, object);
  }

  #start(objects: ObjectsByName): void {
    this.#eachOf(objects, (name, object) => this.#server.add(name, object));
    for (const source of this.#sources) this.#list(source);
  }

  async #restart(): Promise<void> {
    this.#later.clear();
    await this.begin();
    for (const source of this.#sources) this.#list(source);
  }

  #list(source: SourceName, stale?: true, result = "ok"): void {
    const { kind, apiVersion } = SOURCES[source];
    // A stale list is that of a server which has seen nothing but the first object.
    const [resourceVersion, items] = stale
      ? ["1", this.#server.firstOf(kind)]
      : [this.#server.version, this.#server.all(kind)];
    const list = { kind: `${kind}List`, apiVersion, metadata: { resourceVersion }, items };
    this.#ingest(source, "listBegin", "");
    this.#ingest(source, "page", JSON.stringify(list), result);
    if (!stale) this.#ingest(source, "listEnd", "");
  }

  #bookmark(source: SourceName, endsInitialEvents?: true): void {
    const annotations = endsInitialEvents ? { "k8s.io/initial-events-end": "true" } : {};
    const object = { kind: SOURCES[source].kind, metadata: { resourceVersion: this.#server.version, annotations } };
    this.#ingest(source, "watchLines", `${JSON.stringify({ type: "BOOKMARK", object })}\n`);
  }

  #show(type: string, object: JsonObject, { silent, result }: Shown): void {
    if (silent) return;
    const source = this.#sources.find((name) => SOURCES[name].kind === object["kind"])!;
    this.#ingest(source, "watchLines", `${JSON.stringify({ type, object })}\n`, result);
  }

  #ingest(source: SourceName, kind: keyof typeof IngestKind, text: string, result: string = "ok"): void {
    const code = codeOf(() =>
      this.#engine.ingest(SOURCES[source].id, IngestKind[kind], encoder.encode(text), this.#server.nowMs),
    );
    this.#options.observe?.(code);
    this.#expectCode(code, result, `ingest of ${kind}`);
  }

  #expectCode(code: number, result: string, what: string): void {
    if (code !== ErrorCode[result as keyof typeof ErrorCode])
      throw new Error(`${what} returned code ${code}, expected ${result}`);
  }

  async #run(step: RunStep): Promise<void> {
    this.#server.nowMs = step.run;
    const requests = this.#server.expand((step.requests ?? []) as unknown as Json);
    const expected = new ExpectedRequests(
      requests as unknown as NonNullable<RunStep["requests"]>,
      this.#configuration.finalizer ?? TRACKING_FINALIZER,
    );
    const events: JsonObject[] = [];
    for (let polls = 0; ; polls++) {
      if (polls === MAX_POLLS_A_RUN) throw new Error(`requests come without end at ${step.run} ms`);
      const result = this.#engine.poll(step.run, step.maxRequests ?? MAX_REQUESTS);
      this.#options.observe?.(result);
      if (result.requests.length === 0 && result.nextWakeUpMs > step.run) {
        expected.end();
        this.#expectEvents(events, step.events);
        if (step.nextWakeUp !== undefined)
          expectEqual(result.nextWakeUpMs, step.nextWakeUp ?? Infinity, "the next wake-up");
        return;
      }
      expectEventsApart(result.requests);
      for (const request of result.requests) this.#answer(request, expected, events, step.eventAnswers);
      await this.#replaceEngine();
    }
  }

  #answer(
    request: EngineRequest,
    expected: ExpectedRequests,
    events: JsonObject[],
    eventAnswers: RunStep["eventAnswers"],
  ): void {
    if (/\/events(\/|$)/.test(request.path)) {
      const answer = eventAnswers?.[events.length];
      events.push(bodyOf(request));
      this.#settle(
        request,
        answer === undefined ? { status: 201, retryAfterMs: -1, body: "{}" } : this.#replyTo(request, "", answer),
      );
      return;
    }
    const match = expected.take(request);
    const podName = match.create ?? "";
    if (match.answer === "later") {
      const verb = verbOf(match);
      this.#later.set(`${verb} ${verb === "status" ? (match.job ?? "j") : match[verb]}`, { request, podName });
      return;
    }
    this.#settle(request, this.#replyTo(request, podName, match.answer), resultOf(match.answer));
  }

  #settleLater(key: string, answer: Answer | undefined): void {
    const waiting = this.#later.get(key);
    if (waiting === undefined)
      throw new Error(`no request "${key}" is under way: ${[...this.#later.keys()].join(", ")} are`);
    this.#later.delete(key);
    this.#settle(waiting.request, this.#replyTo(waiting.request, waiting.podName, answer), resultOf(answer));
  }

  #replyTo(request: EngineRequest, podName: string, answer: Answer | undefined): Reply {
    if (answer === "lost") return { status: 0, retryAfterMs: -1, body: "" };
    if (typeof answer === "object") {
      const body =
        answer.text ??
        JSON.stringify(
          answer.body ?? JSON.parse(failure(answer.status, "Failure", `refused with ${answer.status}`).body),
        );
      return { status: answer.status, retryAfterMs: answer.retryAfterMs ?? -1, body };
    }
    const reply = this.#server.handle(request, podName);
    return answer === "lostAfter" ? { status: 0, retryAfterMs: -1, body: "" } : reply;
  }

  #settle(request: EngineRequest, reply: Reply, result = "ok"): void {
    const code = this.#engine.settle(request.id, reply.status, reply.retryAfterMs, reply.body, this.#server.nowMs);
    this.#options.observe?.(code);
    this.#expectCode(code, result, `settle of ${describe(request)}`);
  }

  #expectEvents(events: readonly JsonObject[], expected: RunStep["events"]): void {
    if (expected === undefined) return;
    const seen = events.map((event, i) =>
      Array.isArray(expected[i]) || expected[i] === undefined
        ? [event["type"], event["reason"], event["message"]]
        : event,
    );
    if (!matches(seen as Json, expected as unknown as Json))
      throw new Error(`events are\n  ${show(seen)}\nexpected are\n  ${show(expected)}`);
  }

  #explain(name: string, expected: JsonObject): void {
    const explanation = this.#engine.explain(NAMESPACE, name, this.#server.nowMs);
    this.#options.observe?.(explanation);
    this.#expectMembers(explanation, expected);
  }

  #metrics({ families, ...expected }: JsonObject): void {
    const metrics = this.#engine.metrics();
    this.#expectMembers(metrics, expected);
    if (families !== undefined)
      this.#expectMembers(samplesByName(metrics.families, Object.keys(families as JsonObject)), families as JsonObject);
  }

  #expectMembers(actual: Readonly<Record<string, unknown>>, expected: JsonObject): void {
    for (const [key, value] of Object.entries(expected)) expectEqual(actual[key], value, `"${key}"`);
  }
}

/** The samples that are asked for by `name{label=value,…}`; null for one that is not there. */
function samplesByName(families: readonly MetricFamily[], names: readonly string[]): Record<string, unknown> {
  const samples = new Map<string, unknown>();
  for (const { name, labels, samples: ofFamily } of families) {
    for (const { labels: values, value, ...histogram } of ofFamily) {
      const label = labels.map((key, i) => `${key}=${values[i]}`).join(",");
      samples.set(label === "" ? name : `${name}{${label}}`, value ?? histogram);
    }
  }
  const unknown = names.find((asked) => families.every(({ name }) => name !== asked.split("{")[0]));
  if (unknown !== undefined) throw new Error(`"${unknown}" is of no family that the engine has`);
  return Object.fromEntries(names.map((name) => [name, samples.get(name) ?? null]));
}

/** The requests that a step expects, in order; a list among them may come in any order. */
class ExpectedRequests {
  readonly #groups: ExpectedRequest[][];

  readonly #finalizer: string;

  constructor(requests: NonNullable<RunStep["requests"]>, finalizer: string) {
    this.#finalizer = finalizer;
    this.#groups = requests.map((entry) =>
      Array.isArray(entry) ? [...(entry as readonly ExpectedRequest[])] : [entry as ExpectedRequest],
    );
  }

  take(request: EngineRequest): ExpectedRequest {
    const group = this.#groups[0];
    if (group === undefined) throw new Error(`one request too many: ${describe(request)}`);
    const differences = group.map((expected) => difference(request, expected, this.#finalizer));
    const found = differences.indexOf(undefined);
    if (found < 0)
      throw new Error(`the request is ${describe(request)}\n${differences.map((text) => `  ${text}`).join("\n")}`);
    const [match] = group.splice(found, 1);
    if (group.length === 0) this.#groups.shift();
    return match!;
  }

  end(): void {
    const missing = this.#groups.flat();
    if (missing.length > 0) throw new Error(`missing: ${missing.map(show).join(", ")}`);
  }
}

const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;
const REMOVE_OPTIONS: Json = {
  kind: "DeleteOptions",
  apiVersion: "v1",
  preconditions: { uid: "<any>" },
  propagationPolicy: "Foreground",
};
const GANGS = `/apis/${GANG_API}/namespaces/${NAMESPACE}`;
const INDEX_KEY = "batch.kubernetes.io/job-completion-index";
const STRATEGIC_PATCH = "application/strategic-merge-patch+json";
const CONTENT_TYPES = {
  create: "application/json",
  strip: STRATEGIC_PATCH,
  adopt: STRATEGIC_PATCH,
  release: STRATEGIC_PATCH,
  status: "application/merge-patch+json",
  delete: "",
  list: "",
  read: "",
  remove: "application/json",
  createWorkload: "application/json",
  createPodGroup: "application/json",
  readWorkload: "",
  readPodGroup: "",
  patchWorkload: STRATEGIC_PATCH,
  patchPodGroup: STRATEGIC_PATCH,
} as const;

function verbOf(expected: ExpectedRequest): keyof typeof CONTENT_TYPES {
  const verb = (Object.keys(CONTENT_TYPES) as (keyof typeof CONTENT_TYPES)[]).find(
    (key) => expected[key] !== undefined,
  );
  if (verb === undefined)
    throw new Error(`an expected request says none of ${Object.keys(CONTENT_TYPES).join(", ")}: ${show(expected)}`);
  return verb;
}

// What is different, in words; undefined: nothing.
function difference(request: EngineRequest, expected: ExpectedRequest, finalizer: string): string | undefined {
  const verb = verbOf(expected);
  const job = expected.job ?? "j";
  const next = expected.continue === undefined ? "" : `&continue=${encodeURIComponent(expected.continue)}`;
  const line = {
    create: `POST ${PODS}`,
    strip: `PATCH ${PODS}/${expected.strip}`,
    adopt: `PATCH ${PODS}/${expected.adopt}`,
    release: `PATCH ${PODS}/${expected.release}`,
    delete: `DELETE ${PODS}/${expected.delete}`,
    status: `PATCH ${JOBS}/${job}/status`,
    list: `GET ${PODS}?labelSelector=batch.kubernetes.io%2Fcontroller-uid%3Duid-${expected.list}&limit=500${next}`,
    read: `GET ${JOBS}/${expected.read}`,
    remove: `DELETE ${JOBS}/${expected.remove}`,
    createWorkload: `POST ${GANGS}/workloads`,
    createPodGroup: `POST ${GANGS}/podgroups`,
    readWorkload: `GET ${GANGS}/workloads/${expected.readWorkload}`,
    readPodGroup: `GET ${GANGS}/podgroups/${expected.readPodGroup}`,
    patchWorkload: `PATCH ${GANGS}/workloads/${expected.patchWorkload}`,
    patchPodGroup: `PATCH ${GANGS}/podgroups/${expected.patchPodGroup}`,
  }[verb];
  if (`${request.method} ${request.path}` !== line) return `expected ${line}`;
  if (request.contentType !== CONTENT_TYPES[verb])
    return `content type "${request.contentType}", expected "${CONTENT_TYPES[verb]}"`;
  if (request.accept !== "application/json") return `accept "${request.accept}", expected "application/json"`;
  const body = request.body.length === 0 ? null : (JSON.parse(decoder.decode(request.body)) as JsonObject);
  if (CONTENT_TYPES[verb] === "") return body === null ? undefined : "expected no body";
  if (verb === "remove") return matches(body!, REMOVE_OPTIONS) ? undefined : `expected ${show(REMOVE_OPTIONS)}`;
  if (verb === "strip" || verb === "adopt" || verb === "release") {
    const patch = podPatches(expected, job, finalizer)[verb];
    return matches(body, patch) ? undefined : `expected ${show(patch)}`;
  }
  if (verb === "status") {
    const metadata = body?.["metadata"] as JsonObject;
    if (Object.keys(metadata).sort().join() !== "resourceVersion,uid")
      return "expected metadata with uid and resourceVersion alone";
    return matches(body!["status"]!, expected.status!, true) ? undefined : `expected status ${show(expected.status)}`;
  }
  if (verb === "create") return createDifference(body!, expected, job);
  if (expected.body !== undefined && !matches(body!, expected.body)) return `expected ${show(expected.body)}`;
  if (verb === "patchWorkload" || verb === "patchPodGroup") return undefined;
  return (body!["metadata"] as JsonObject)["name"] === expected[verb]
    ? undefined
    : `expected the name ${expected[verb]}`;
}

// The patches of a pod that controller.md 4.7 and 2.7 spell out; an adoption names the version of the pod, too
// (docs/differences.md).
function podPatches(
  { adopt, release, uid }: ExpectedRequest,
  job: string,
  finalizer: string,
): Readonly<Record<"strip" | "adopt" | "release", Json>> {
  const owner = {
    apiVersion: "batch/v1",
    kind: "Job",
    name: job,
    uid: uid ?? `uid-${job}`,
    controller: true,
    blockOwnerDeletion: true,
  };
  const finalizers = { "$deleteFromPrimitiveList/finalizers": [finalizer] };
  return {
    strip: { metadata: finalizers },
    adopt: {
      metadata: { ownerReferences: [owner], uid: `uid-${adopt}`, resourceVersion: "<any>", finalizers: [finalizer] },
    },
    release: {
      metadata: { uid: `uid-${release}`, ownerReferences: [{ $patch: "delete", uid: owner.uid }], ...finalizers },
    },
  };
}

function createDifference(body: JsonObject, expected: ExpectedRequest, job: string): string | undefined {
  if (expected.body !== undefined && !matches(body, expected.body)) return `expected ${show(expected.body)}`;
  const metadata = body["metadata"] as JsonObject;
  const owner = (metadata["ownerReferences"] as JsonObject[])[0]!["name"];
  if (owner !== job) return `expected a pod of ${job}`;
  for (const [kind, marks] of [
    ["annotation", metadata["annotations"]],
    ["label", metadata["labels"]],
  ] as const) {
    const index = (marks as JsonObject)[INDEX_KEY];
    const wanted = expected.index === undefined ? undefined : String(expected.index);
    if (expected.body === undefined && index !== wanted)
      return `expected the ${kind} of completion index ${wanted ?? "(none)"}`;
  }
  return undefined;
}

// `<any>` stands for any value. `asSets`: the order of strings in a list is free.
function matches(actual: Json | undefined, expected: Json | undefined, asSets = false): boolean {
  if (expected === "<any>") return actual !== undefined;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const [left, right] = asSets ? [sorted(actual), sorted(expected)] : [actual, expected];
    return left.length === right.length && right.every((item, i) => matches(left[i] as Json, item as Json, asSets));
  }
  if (isObject(expected) && isObject(actual)) {
    const keys = new Set([...Object.keys(actual), ...Object.keys(expected)]);
    return [...keys].every((key) => matches(actual[key], expected[key], asSets));
  }
  return actual === expected;
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return list.every((item) => typeof item === "string") ? [...list].sort() : list;
}

function resultOf(answer: Answer | undefined): string {
  return typeof answer === "object" ? (answer.result ?? "ok") : "ok";
}

function codeOf(ingest: () => number): number {
  try {
    return ingest();
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (typeof code === "number" && code > 0) return code;
    throw error;
  }
}

/**
 * Requests of one poll are under way together, and a server takes them in any order: a count that goes up must not be
 * among them with the event itself.
 */
function expectEventsApart(requests: readonly EngineRequest[]): void {
  const names = requests
    .filter(({ path }) => /\/events(\/|$)/.test(path))
    .map((request) =>
      request.method === "POST"
        ? (bodyOf(request) as { metadata: { name: string } }).metadata.name
        : request.path.split("/").at(-1)!,
    );
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two writes of the event ${twice} are under way together`);
}

function expectEqual(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected)) throw new Error(`${what} is ${show(actual)}, expected ${show(expected)}`);
}

function bodyOf(request: EngineRequest): JsonObject {
  return JSON.parse(decoder.decode(request.body)) as JsonObject;
}

function describe(request: EngineRequest): string {
  return `${request.method} ${request.path} ${decoder.decode(request.body)}`;
}

function show(value: unknown): string {
  return typeof value === "number" ? String(value) : JSON.stringify(value);
}
