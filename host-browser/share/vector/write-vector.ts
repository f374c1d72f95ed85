/**
 * A run as a vector in the format of test/vectors/: objects and what becomes of them, the requests that the engine must
 * make, and their answers. A run becomes a test that any language's runner plays.
 *
 * Invariant: the engine gets the same inputs in the same order at the same times, so it must make the same requests.
 * Names are those of the run, UIDs those of the vectors (`uid-<name>`), and of a pod's spec only what the Job's
 * template does not say. A run that the format cannot express is refused with the reason. Leaves out decisions.
 */
import { type EngineRequest, IngestKind } from "../../../bindings/js/engine.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";
import { SharedDataError } from "../fields.ts";
import type { Call } from "./calls.ts";
import { difference } from "./difference.ts";
import { expectedRequest, keyOf } from "./expected-request.ts";
import { Names } from "./names.ts";
import { RunnersServer } from "./server.ts";
import type { Answer, ChangeStep, ExpectedRequest, RunStep, SourceName, Step } from "./steps.ts";

/** Where the format's zero is: 2026-01-01T00:00:00Z. */
const ZERO_MS = Date.UTC(2026, 0, 1);
/** The time of a vector's first step, at which its run must begin. In milliseconds since 1970. */
export const FIRST_MS = ZERO_MS + 2000;
/** The section of the specification that every timeline illustrates. */
const SPEC = "controller.md 14.6";

/** @param name says what the vector shows */
export function writeVector(name: string, calls: readonly Call[]): string {
  const steps = new Writer(calls).steps();
  const lines = steps.map((step) => `        ${JSON.stringify(step)}`).join(",\n");
  const head = `{\n  "cases": [\n    {\n      "name": ${JSON.stringify(name)},\n      "spec": "${SPEC}",\n`;
  return `${head}      "steps": [\n${lines}\n      ]\n    }\n  ]\n}\n`;
}

type Settle = Extract<Call, { call: "settle" }>;

/** A request that has no answer yet. */
interface UnderWay {
  readonly request: EngineRequest;
  readonly expected: ExpectedRequest;
  /** Its answer, further on. Absent: it gets none. */
  readonly answer: Answered | undefined;
}

/** An answer that comes further on, read. */
interface Answered {
  readonly settle: Settle;
  readonly body: JsonObject;
}

class Writer {
  readonly #calls: readonly Call[];
  readonly #names: Names;
  readonly #server = new RunnersServer(ZERO_MS);
  readonly #steps: Step[] = [];
  readonly #underWay = new Map<number, UnderWay>();
  /** By engine and id: the answers of the whole run. */
  readonly #answers = new Map<string, Answered>();
  /** By name and version of the run: what the runner's server held when the watch showed it. */
  readonly #shown = new Map<string, JsonObject>();
  /** By name: the newest version of the run that the engine knows. */
  readonly #newest = new Map<string, number>();
  #engines = 0;
  #sources: readonly { readonly id: number; readonly resource: string }[] = [];
  /** The lists under way, with their items so far. */
  readonly #lists = new Map<SourceName, JsonObject[]>();
  /** Whether anything was listed a second time. */
  #hasRelisted = false;
  /** Sources of a new engine that are not listed yet. */
  #awaited = new Set<SourceName>();
  #hasStarted = false;
  #now = 0;

  constructor(calls: readonly Call[]) {
    this.#calls = calls;
    this.#names = new Names(calls);
    let engines = 0;
    for (const call of calls) {
      if (call.call === "configure") engines++;
      if (call.call !== "settle") continue;
      const body = call.text === "" ? {} : this.#names.parse(call.text);
      this.#answers.set(`${engines} ${call.id}`, { settle: call, body });
    }
  }

  steps(): readonly Step[] {
    for (const call of this.#calls) this.#take(call);
    if (!this.#hasStarted) throw new SharedDataError("the controller has not begun in this run");
    return this.#steps;
  }

  #take(call: Call): void {
    if ("now" in call) this.#now = call.now - ZERO_MS;
    switch (call.call) {
      case "configure":
        this.#engines++;
        this.#sources = call.sources;
        this.#awaited = new Set(["jobs", "pods"]);
        this.#lists.clear();
        this.#underWay.clear();
        return;
      case "ingest":
        this.#ingest(this.#sourceOf(call.source), call.kind, call.text);
        return;
      case "poll":
        this.#poll(call);
        return;
      case "settle":
        this.#settle(call.id);
    }
  }

  #sourceOf(id: number): SourceName {
    const resource = this.#sources.find((source) => source.id === id)?.resource;
    if (resource !== "jobs" && resource !== "pods") throw new SharedDataError(`a vector has no source ${resource}`);
    return resource;
  }

  #ingest(source: SourceName, kind: IngestKind, text: string): void {
    if (kind === IngestKind.listBegin) this.#lists.set(source, []);
    else if (kind === IngestKind.page)
      this.#lists.get(source)?.push(...((this.#names.parse(text)["items"] ?? []) as JsonObject[]));
    else if (kind === IngestKind.listEnd) this.#listed(source);
    else if (kind === IngestKind.streamLost) this.#steps.push({ ingest: source, kind: "streamLost" });
    else for (const line of text.split("\n")) if (line !== "") this.#watched(source, this.#names.parse(line));
  }

  /** A list is complete. What it shows, but no watch has shown, happened in the meantime. */
  #listed(source: SourceName): void {
    const items = (this.#lists.get(source) ?? []).map((item) => withKind(source, item));
    this.#lists.delete(source);
    const listed = new Set(items.map(nameOf));
    if (this.#hasStarted) {
      const kind = source === "jobs" ? "Job" : "Pod";
      const gone = [...this.#server.objects].filter(([name, object]) => object["kind"] === kind && !listed.has(name));
      for (const [name] of gone) this.#change({ delete: [name], silent: true });
      for (const item of items) this.#silently(item);
    } else for (const item of items) this.#server.add(nameOf(item), withoutVersion(item));
    const isFirstList = this.#awaited.delete(source);
    this.#hasRelisted ||= this.#hasStarted;
    if (!isFirstList) this.#steps.push({ relist: source });
    else if (this.#awaited.size === 0) this.#begin();
  }

  #begin(): void {
    if (this.#hasStarted) this.#steps.push({ restart: true });
    else {
      const start = [...this.#server.objects].map(([name, object]) => [name, withoutVersion(object)] as const);
      this.#steps.push({ start: Object.fromEntries(start) });
    }
    this.#hasStarted = true;
  }

  #watched(source: SourceName, { type, object }: JsonObject): void {
    if (type === "BOOKMARK") {
      this.#steps.push({ bookmark: source });
      return;
    }
    if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED")
      throw new SharedDataError(`a vector cannot say the watch event ${String(type)}`);
    const shown = withKind(source, object as JsonObject);
    const name = nameOf(shown);
    if (versionOf(shown) < (this.#newest.get(name) ?? 0)) return;
    this.#newest.set(name, versionOf(shown));
    const there = this.#server.objects.get(name);
    if (type === "DELETED") {
      if (there === undefined) return;
      this.#silently(shown);
      this.#change({ delete: [name] });
    } else if (there === undefined) this.#change({ add: { [name]: withoutVersion(shown) } });
    else {
      const patch = difference(there, shown);
      if (patch === undefined) this.#change({ show: [name] });
      else this.#change({ change: { [name]: patch } });
    }
    const held = this.#server.objects.get(name);
    if (held !== undefined) this.#shown.set(`${name} ${versionOf(shown)}`, held);
  }

  /** Writes a change that the engine has not seen. */
  #silently(object: JsonObject): void {
    const name = nameOf(object);
    const there = this.#server.objects.get(name);
    const patch = there === undefined ? undefined : difference(there, object);
    if (there === undefined) this.#change({ add: { [name]: withoutVersion(object) }, silent: true });
    else if (patch !== undefined) this.#change({ change: { [name]: patch }, silent: true });
  }

  #change(step: ChangeStep): void {
    if ("add" in step) for (const [name, object] of Object.entries(step.add)) this.#server.add(name, object);
    else if ("change" in step)
      for (const [name, patch] of Object.entries(step.change)) this.#server.change(name, patch);
    else if ("delete" in step) for (const name of step.delete) this.#server.delete(name);
    this.#steps.push({ ...step, at: this.#now });
  }

  #poll({ requests, room }: Extract<Call, { call: "poll" }>): void {
    if (!this.#hasStarted || this.#awaited.size > 0) {
      if (requests.length > 0) throw new SharedDataError("the controller asks for something before it has listed all");
      return;
    }
    if (requests.length >= room && room > 0)
      throw new SharedDataError(
        `${requests.length} requests are sent at once at ${this.#now} ms, as many as may be under way: export a smaller run`,
      );
    const isEvent = ({ path }: EngineRequest): boolean => /\/events(\/|$)/.test(path);
    const expected = requests.filter((request) => !isEvent(request)).map((request) => this.#expect(request));
    const inOrder = this.#hasRelisted ? withFreeStrips(expected) : expected;
    this.#steps.push({ run: this.#now, requests: inOrder, ...this.#told(requests.filter(isEvent)) });
  }

  #expect(request: EngineRequest): ExpectedRequest {
    const answer = this.#answers.get(`${this.#engines} ${request.id}`);
    // A pod whose creation failed gets a placeholder name.
    const created = isTaken(answer) ? nameOf(answer.body) : `not-made-${request.id}`;
    const expected = expectedRequest(request, this.#names.bodyOf(request), this.#names, created);
    this.#underWay.set(request.id, { request, expected, answer });
    return expected;
  }

  /** The texts of the events, which the runner answers at once. */
  #told(requests: readonly EngineRequest[]): Pick<RunStep, "events" | "eventAnswers"> {
    const answers = requests.map(({ id }) => this.#answers.get(`${this.#engines} ${id}`));
    if (answers.some((answer) => answer !== undefined && answer.settle.now - ZERO_MS !== this.#now))
      throw new SharedDataError(`an event is answered late at ${this.#now} ms, which a vector cannot say`);
    const isRefused = answers.some((answer) => answer !== undefined && !isTaken(answer));
    return {
      events: requests.map((request) => {
        const body = this.#names.bodyOf(request);
        return request.method === "POST" ? toldBy(body) : body;
      }),
      ...(isRefused ? { eventAnswers: answers.map((answer) => eventAnswer(answer)) } : {}),
    };
  }

  #settle(id: number): void {
    const underWay = this.#underWay.get(id);
    if (underWay?.answer === undefined) return;
    this.#underWay.delete(id);
    const { request, expected } = underWay;
    const answer = this.#answerOf(underWay, underWay.answer);
    this.#steps.push({ settle: keyOf(expected, request), at: this.#now, ...(answer === undefined ? {} : { answer }) });
  }

  /** Undefined: what the runner's server answers. */
  #answerOf({ request, expected }: UnderWay, { settle, body }: Answered): Answer | undefined {
    const { retryAfterMs, status } = settle;
    if (status === 0) return "lost";
    const name = nameOf(body);
    // What the watch has shown before the answer exists already, and must not be created again.
    const shown = this.#shown.get(`${name} ${versionOf(body)}`);
    const isSaidAgain = shown !== undefined && shown === this.#server.objects.get(name) && isIdempotent(expected);
    if (isTaken({ settle }) && (shown === undefined || isSaidAgain)) {
      this.#newest.set(name, Math.max(versionOf(body), this.#newest.get(name) ?? 0));
      const { method, path } = request;
      const given = this.#names.bodyOf(request);
      if (this.#server.handle(method, path, expected.create ?? "", given, this.#now) === status) return undefined;
    }
    return { status, ...(retryAfterMs < 0 ? {} : { retryAfterMs }), body: shown ?? body };
  }
}

/**
 * Those that take off finalizers one after another may come in any order: pods that a list has shown are counted in its
 * order, and the runner lists them as they were made, where an API server lists them by name.
 */
function withFreeStrips(requests: readonly ExpectedRequest[]): (ExpectedRequest | ExpectedRequest[])[] {
  const inOrder: (ExpectedRequest | ExpectedRequest[])[] = [];
  let strips: ExpectedRequest[] = [];
  for (const request of requests) {
    if (request.strip === undefined) strips = [];
    else strips.push(request);
    if (request.strip === undefined) inOrder.push(request);
    else if (strips.length === 1) inOrder.push(strips);
  }
  return inOrder.map((entry) => (Array.isArray(entry) && entry.length === 1 ? entry[0]! : entry));
}

function isTaken(answer: Pick<Answered, "settle"> | undefined): answer is Answered {
  return answer !== undefined && answer.settle.status >= 200 && answer.settle.status < 300;
}

function eventAnswer(answer: Answered | undefined): Answer {
  return { status: answer?.settle.status ?? 201, body: answer?.body ?? {} };
}

/** 0: it has none. */
function versionOf({ metadata }: JsonObject): number {
  return Number((metadata as JsonObject | undefined)?.["resourceVersion"] ?? 0);
}

function nameOf(object: JsonObject): string {
  return String((object["metadata"] as JsonObject | undefined)?.["name"] ?? "");
}

/** The runner's server changes nothing on a second request. */
function isIdempotent({ strip, delete: deleted, remove, list, read }: ExpectedRequest): boolean {
  return [strip, deleted, remove, list, read].some((name) => name !== undefined);
}

/** Lists leave out what all of their items are. */
function withKind(source: SourceName, object: JsonObject): JsonObject {
  const [apiVersion, kind] = source === "jobs" ? ["batch/v1", "Job"] : ["v1", "Pod"];
  return { apiVersion, kind, ...object };
}

/** The runner gives versions. */
function withoutVersion(object: JsonObject): JsonObject {
  const { resourceVersion: _version, managedFields: _managed, ...metadata } = object["metadata"] as JsonObject;
  return { ...object, metadata };
}

function toldBy({ type, reason, message, note }: JsonObject): readonly [string, string, string] {
  return [String(type), String(reason), String(message ?? note)];
}
