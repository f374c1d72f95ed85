/**
 * The engine that is fuzzed, through its exports alone, with one Job (the canary) that no input may touch.
 *
 * Invariant: a fresh subject is the same to the byte every time, so what a run does depends on its inputs alone. A
 * trap, or a refusal without a sentence, is a Breach. Leaves out the bindings, which have separate tests.
 */
import {
  type Account,
  EndCode,
  type Forecast,
  IngestKind,
  LintCode,
  type LintReport,
  type Verdict,
  VerdictWord,
} from "../../bindings/js/engine.ts";
import type { EngineRequest } from "../../bindings/js/engine.ts";

export const JOBS = 0;
export const PODS = 1;
export const START_MS = 1000;
/**
 * Polls at one instant that neither ask for anything nor say when to come back, after which the engine is taken to go
 * round in circles.
 */
const MAX_IDLE_POLLS = 1000;
const MAX_REQUESTS_A_POLL = 100;
const METHODS = ["", "GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** The engine did what it must never do. */
export class Breach extends Error {
  override readonly name = "Breach";
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  reserve(length: number): number;
  configure(ptr: number, length: number): number;
  ingest(source: number, kind: number, ptr: number, length: number, now: number): number;
  poll(now: number, maxRequests: number): number;
  settle(id: number, status: number, retryAfterMs: number, ptr: number, length: number, now: number): number;
  review(ptr: number, length: number): number;
  explain(ptr: number, length: number): number;
  verdict(ptr: number, length: number, now: number): number;
  account(ptr: number, length: number, now: number): number;
  lint(ptr: number, length: number, now: number): number;
  forecast(ptr: number, length: number, now: number): number;
  list_continue(source: number): number;
  last_error(): number;
  trap_message(): number;
}

export type Request = Pick<EngineRequest, "id" | "method" | "path"> & { readonly body: string };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const canary = JSON.stringify({
  kind: "Job",
  metadata: { name: "canary", namespace: "quiet", uid: "uid-canary", resourceVersion: "2", generation: 1 },
  spec: {
    parallelism: 1,
    completions: 2,
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [], restartPolicy: "Never" } },
  },
  status: { startTime: "2026-01-01T00:00:00Z", active: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} },
});
const canarysPod = (version: number, phase: string): string =>
  JSON.stringify({
    kind: "Pod",
    metadata: {
      name: "canary-x",
      namespace: "quiet",
      uid: "uid-canary-x",
      resourceVersion: String(version),
      finalizers: ["batch.kubernetes.io/job-tracking"],
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "canary", uid: "uid-canary", controller: true }],
    },
    status: { phase },
  });

export class Subject {
  readonly #exports: Exports;

  /** A configured engine that watches the canary. */
  constructor(module: WebAssembly.Module, { isConfigured = true }: { readonly isConfigured?: boolean } = {}) {
    this.#exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
    if (!isConfigured) return;
    this.#mustTake(
      this.configure('{"instance":"fuzz","sources":[{"id":0,"resource":"jobs"},{"id":1,"resource":"pods"}]}'),
    );
    for (const [source, item] of [
      [JOBS, canary],
      [PODS, canarysPod(3, "Running")],
    ] as const) {
      for (const [kind, input] of [
        [IngestKind.listBegin, ""],
        [
          IngestKind.page,
          `{"kind":"${source === JOBS ? "JobList" : "PodList"}","metadata":{"resourceVersion":"4"},"items":[${item}]}`,
        ],
        [IngestKind.listEnd, ""],
      ] as const) {
        this.#mustTake(this.ingest(source, kind, input, START_MS));
      }
    }
    this.answerAll(START_MS, 50, () => ({ status: 200, body: "{}" }));
  }

  configure(input: Uint8Array | string): number {
    return this.#code(this.#call(input, (ptr, length) => this.#exports.configure(ptr, length)));
  }

  ingest(source: number, kind: number, input: Uint8Array | string, nowMs: number): number {
    return this.#code(this.#call(input, (ptr, length) => this.#exports.ingest(source, kind, ptr, length, nowMs)));
  }

  settle(id: number, status: number, retryAfterMs: number, input: Uint8Array | string, nowMs: number): number {
    return this.#code(
      this.#call(input, (ptr, length) => this.#exports.settle(id, status, retryAfterMs, ptr, length, nowMs)),
    );
  }

  /** The answer, which is one, or undefined for a refusal. */
  review(input: Uint8Array | string): void {
    const result = this.#call(input, (ptr, length) => this.#exports.review(ptr, length));
    if (result === 0) {
      this.#sentence("a review");
      return;
    }
    const answer = this.#json(result, "the answer to a review") as { response?: { allowed?: unknown } };
    if (typeof answer.response?.allowed !== "boolean")
      throw new Breach(`the answer to a review allows and refuses nothing: ${JSON.stringify(answer).slice(0, 200)}`);
  }

  explain(input: Uint8Array | string): { readonly found: boolean } {
    const explanation = this.#json(
      this.#call(input, (ptr, length) => this.#exports.explain(ptr, length)),
      "an explanation",
    ) as { found: boolean };
    if (typeof explanation.found !== "boolean")
      throw new Breach(`an explanation without "found": ${JSON.stringify(explanation).slice(0, 200)}`);
    return explanation;
  }

  /** One of the verdicts, or a refusal. */
  verdict(input: Uint8Array | string, nowMs: number): void {
    const result = this.#call(input, (ptr, length) => this.#exports.verdict(ptr, length, nowMs));
    if (result === 0) {
      this.#sentence("a verdict");
      return;
    }
    const { verdict, isFinished, evidence } = this.#json(result, "a verdict") as Partial<Verdict>;
    const isEnd = verdict === "Succeeded" || verdict === "Failed";
    if (verdict === undefined || !(verdict in VerdictWord) || isFinished !== isEnd || !evidence)
      throw new Breach(`a verdict says ${verdict}, isFinished ${isFinished}, evidence ${evidence}`);
  }

  /** Attempts with known codes, or a refusal. */
  account(input: Uint8Array | string, nowMs: number): void {
    const result = this.#call(input, (ptr, length) => this.#exports.account(ptr, length, nowMs));
    if (result === 0) {
      this.#sentence("an account");
      return;
    }
    const { attempts } = this.#json(result, "an account") as Account;
    const wrong = attempts.find(({ endedBy, sentence }) => !sentence || (endedBy !== null && !(endedBy in EndCode)));
    if (wrong !== undefined) throw new Breach(`an attempt is ${JSON.stringify(wrong)}`);
  }

  /** Advice of known rules, or a refusal. */
  lint(input: Uint8Array | string, nowMs: number): void {
    const result = this.#call(input, (ptr, length) => this.#exports.lint(ptr, length, nowMs));
    if (result === 0) {
      this.#sentence("a question of lint");
      return;
    }
    const { advice } = this.#json(result, "advice") as LintReport;
    const wrong = advice.find(
      ({ code, severity, field, sentence }) =>
        !(code in LintCode) || (severity !== "warn" && severity !== "deny") || !field || !sentence,
    );
    if (wrong !== undefined) throw new Breach(`advice is ${JSON.stringify(wrong)}`);
  }

  /** A forecast whose numbers are whole and not below 0, or a refusal. */
  forecast(input: Uint8Array | string, nowMs: number): void {
    const result = this.#call(input, (ptr, length) => this.#exports.forecast(ptr, length, nowMs));
    if (result === 0) {
      this.#sentence("a forecast");
      return;
    }
    const { pods, containerStarts, peak, end } = this.#json(result, "a forecast") as Forecast;
    const amounts = [pods.least, pods.most, containerStarts.least, containerStarts.most, peak, end.earliestMs];
    for (const { value, is } of amounts) {
      const isNumber = is === "exact" || is === "bound";
      if (isNumber !== (value !== null) || !(value === null || (Number.isInteger(value) && value >= 0)))
        throw new Breach(`a forecast has a number that is ${is}, and ${value}`);
    }
    if (pods.least.value !== null && pods.most.value !== null && pods.least.value > pods.most.value)
      throw new Breach(`a forecast has ${pods.least.value} pods at the least, and ${pods.most.value} at the most`);
  }

  listContinue(source: number): void {
    this.#call("", () => this.#exports.list_continue(source));
  }

  /** Requests until there are none, or `maxPolls` times; each is answered at once. */
  answerAll(
    nowMs: number,
    maxPolls: number,
    answer: (request: Request) => {
      readonly status: number;
      readonly retryAfterMs?: number;
      readonly body: Uint8Array | string;
    },
  ): void {
    for (let polls = 0; polls < maxPolls; polls++) {
      const requests = this.poll(nowMs);
      if (requests.length === 0) return;
      for (const request of requests) {
        const { status, retryAfterMs = -1, body } = answer(request);
        this.settle(request.id, status, retryAfterMs, body, nowMs);
      }
    }
  }

  /**
   * What is asked for. An engine that asks for nothing and wants to be polled again at once is asked again, but not for
   * ever.
   */
  poll(nowMs: number): Request[] {
    for (let polls = 0; polls < MAX_IDLE_POLLS; polls++) {
      const frame = this.#frame(this.#call("", () => this.#exports.poll(nowMs, MAX_REQUESTS_A_POLL)));
      const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
      const count = view.getUint32(0, true);
      if (count > 0) return requestsOf(frame, view, count);
      if (view.getFloat64(8, true) > nowMs) return [];
    }
    throw new Breach(`${MAX_IDLE_POLLS} polls at one instant asked for nothing and did not move on`);
  }

  // The canary.

  /** What is known of the canary. It never changes while a run lasts. */
  canaryNow(): string {
    return JSON.stringify(this.explain("quiet/canary"));
  }

  /** Ends the canary's pod and lets it be counted: every request that follows, Events aside, in its order. */
  canarysRequests(nowMs: number): string[] {
    const asked: string[] = [];
    this.#mustTake(
      this.ingest(PODS, IngestKind.watchLines, `{"type":"MODIFIED","object":${canarysPod(5, "Succeeded")}}\n`, nowMs),
    );
    for (const later of [0, 1000, 2000, 3000]) {
      this.answerAll(nowMs + later, MAX_IDLE_POLLS, ({ method, path, body }) => {
        const isCanarys = path.includes("/namespaces/quiet/");
        if (isCanarys && !path.includes("/events")) asked.push(`${method} ${path} ${body}`);
        // Others are turned away, so that they come to rest.
        return isCanarys ? { status: 200, body: "{}" } : { status: 403, body: "{}" };
      });
    }
    return asked;
  }

  // The boundary.

  #call(input: Uint8Array | string, run: (ptr: number, length: number) => number): number {
    try {
      const bytes = typeof input === "string" ? encoder.encode(input) : input;
      const ptr = this.#exports.reserve(bytes.length) >>> 0;
      new Uint8Array(this.#exports.memory.buffer, ptr, bytes.length).set(bytes);
      return run(ptr, bytes.length);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      throw new Breach(
        `the engine trapped: ${decoder.decode(this.#frame(this.#exports.trap_message())) || error.message}`,
      );
    }
  }

  #code(code: number): number {
    if (code !== 0) this.#sentence(`code ${code}`);
    return code;
  }

  #sentence(what: string): void {
    if (this.#frame(this.#exports.last_error()).length === 0)
      throw new Breach(`${what} was refused without a sentence`);
  }

  #mustTake(code: number): void {
    if (code !== 0)
      throw new Breach(
        `a sound input was refused with code ${code}: ${decoder.decode(this.#frame(this.#exports.last_error()))}`,
      );
  }

  #frame(result: number): Uint8Array {
    const at = result >>> 0;
    const length = new DataView(this.#exports.memory.buffer).getUint32(at, true);
    return new Uint8Array(this.#exports.memory.buffer, at + 4, length).slice();
  }

  #json(result: number, what: string): unknown {
    const text = decoder.decode(this.#frame(result));
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Breach(`${what} is not JSON: ${(error as Error).message}: ${text.slice(0, 200)}`);
    }
  }
}

function requestsOf(frame: Uint8Array, view: DataView, count: number): Request[] {
  const requests: Request[] = [];
  let at = 16;
  for (let i = 0; i < count; i++) {
    const [pathBytes, acceptBytes, typeBytes, bodyBytes] = [12, 16, 20, 24].map((offset) =>
      view.getUint32(at + offset, true),
    ) as [number, number, number, number];
    const method = METHODS[view.getUint32(at + 8, true)];
    if (method === undefined || method === "")
      throw new Breach(`request ${view.getFloat64(at, true)} has method ${view.getUint32(at + 8, true)}`);
    const pathAt = at + 32;
    const bodyAt = pathAt + pathBytes + acceptBytes + typeBytes;
    requests.push({
      id: view.getFloat64(at, true),
      method,
      path: decoder.decode(frame.subarray(pathAt, pathAt + pathBytes)),
      body: decoder.decode(frame.subarray(bodyAt, bodyAt + bodyBytes)),
    });
    at = (bodyAt + bodyBytes + 7) & ~7;
  }
  return requests;
}
