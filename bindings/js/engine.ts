/**
 * The engine, for JavaScript: a thin typed wrapper over the exports that ../ABI.md fixes. Runs in Node, browsers, Deno
 * and Bun. It copies every result out of linear memory before it returns, so what a caller holds stays valid. Leaves
 * out all I/O: engine-loop.ts has the loop that a host runs.
 */

import {
  ABI_VERSION,
  type EndCode,
  type HoldCode,
  type EngineConfiguration,
  ErrorCode,
  type IngestKind,
  type Method,
  METHODS,
  type LintCode,
  type VerdictWord,
} from "./abi.ts";
import { EngineError } from "./engine-error.ts";
import { leanQuestion } from "./lean-question.ts";
import type { EngineMetrics } from "./metrics.ts";
import { checkSave, fill, type SavedEngine } from "./saved-engine.ts";

export {
  ABI_VERSION,
  DecisionCode,
  EndCode,
  HoldCode,
  type EngineConfiguration,
  type EngineConstants,
  type EngineSource,
  ErrorCode,
  ExplainCode,
  IngestKind,
  MAX_REVIEW_BYTES,
  LintCode,
  VerdictReason,
  VerdictWord,
} from "./abi.ts";
export { EngineError, type SavedEngine };

/** One request that the engine wants to be sent. Settle each exactly once, by id. */
export interface EngineRequest {
  readonly id: number;
  readonly method: Method;
  readonly path: string;
  readonly accept: string;
  /** Empty when there is no body. */
  readonly contentType: string;
  readonly body: Uint8Array;
  /**
   * The `id` of the decision that this request carries out; 0: of none. Some decisions come after their requests. An
   * `id` that never comes means the last decision of the Job before this request (ABI.md, "poll").
   */
  readonly decision: number;
}

/** One decision, as the engine traced it. `message` is the sentence for people; the rest is the same in data. */
export interface Decision {
  /** Requests name it. An engine of ABI 1.1 has none. */
  readonly id?: number;
  readonly atMs: number;
  readonly namespace: string;
  readonly job: string;
  readonly uid: string;
  /** A DecisionCode, or one that a newer engine has. */
  readonly code: string;
  readonly message: string;
  /** When the Job moves on without any event, in wall-clock milliseconds; null: only an event moves it. */
  readonly nextMs: number | null;
  readonly numbers: Readonly<Record<string, number>>;
  /** Of IndexBackoff: the completion indexes that wait, if there are several: `1,3-5`. */
  readonly indexes?: string;
}

/** What `poll` hands out: requests to send, the next wake-up, and the decisions since the last poll. */
export interface PollResult {
  readonly requests: readonly EngineRequest[];
  /** When poll must be called again at the latest, by the clock of `now`. Infinity: after the next input. */
  readonly nextWakeUpMs: number;
  readonly decisions: readonly Decision[];
}

/** Pods of one Job that do the same, or wait for the same. */
export interface PodGroup {
  /**
   * `Ready`, `Running`, `Pending`, `Terminating`, `Ended`, `Unknown`, or the reason that kubelet or scheduler gave:
   * `ImagePullBackOff`…
   */
  readonly reason: string;
  readonly count: number;
  /** The name of the oldest of these pods. */
  readonly pod: string;
  /** When that pod was created or, for `Terminating`, when its deletion was requested. */
  readonly sinceMs: number | null;
  /** For `Terminating`: how long that pod may take. */
  readonly graceMs?: number;
  /** The message of one of these pods about its wait. */
  readonly message?: string;
}

/** The result of `explain` about one Job. */
export interface Explanation {
  readonly namespace: string;
  readonly job: string;
  readonly found: boolean;
  /** Waiting, Running, Complete… one word for tables; ABI.md lists them. */
  readonly state: string;
  /** One English sentence: what state, why, by which rule and numbers, what comes next and when. */
  readonly sentence: string;
  readonly nextMs: number | null;
  readonly decisions: readonly Decision[];
  /** Which rule holds it: a DecisionCode or an ExplainCode, with the numbers of the moment. */
  readonly code?: string;
  readonly numbers?: Readonly<Record<string, number>>;
  /** When activeDeadlineSeconds will end the Job, in wall-clock milliseconds; null: they will not. */
  readonly deadlineMs?: number | null;
  /** The pods of the Job, grouped by what they do or wait for. */
  readonly pods?: readonly PodGroup[];
  readonly [field: string]: unknown;
}

/** What `verdict` is asked about: a Job, and its pods where they are known. */
export interface VerdictQuestion {
  /** A batch/v1 Job, as the API shows it. Defaults may be missing. */
  readonly job: object;
  /** Its pods; left out: they are not known. Pods that another controller owns do not count. */
  readonly pods?: readonly object[];
}

/** Whether a Job has ended, and how. ABI.md, "verdict", names the source of each member. */
export interface Verdict {
  readonly verdict: VerdictWord;
  /** The Job has really ended: it is `Succeeded` or `Failed`. */
  readonly isFinished: boolean;
  /** How the Job will end, or has; null: that is open. */
  readonly decided: "Succeeded" | "Failed" | null;
  /** That of the condition, or of the pod that waits; or one of ABI.md. */
  readonly reason: string;
  readonly message: string;
  /** Since when it is so, in wall-clock milliseconds; null: not known. */
  readonly sinceMs: number | null;
  /** When something happens without any input: a retry, a deadline, a deletion. */
  readonly nextMs: number | null;
  /** `nextMs` is the latest moment, and it may happen before. */
  readonly isNextBound: boolean;
  /** One English sentence, for people. */
  readonly sentence: string;
  /** The path of the field that proves it: `job.status.conditions[1]`. */
  readonly evidence: string;
}

/** What `account` is asked about: a Job, its pods and their Events, where they are known. */
export interface AccountQuestion extends VerdictQuestion {
  /** Events about the Job and its pods, of v1 or events.k8s.io/v1; left out: they are not known. */
  readonly events?: readonly object[];
  /** Other objects that are known: the Workload of Kueue for the Job, and its entry in Kueue's `pendingworkloads`. */
  readonly around?: { readonly workload?: object; readonly pending?: object };
}

/** What happened to a Job. ABI.md, "account", names the source of each member. */
export interface Account {
  readonly verdict: Verdict;
  /** One English sentence about the Job, for people. */
  readonly sentence: string;
  /** One for each pod of the Job, by the time when it started. */
  readonly attempts: readonly Attempt[];
  /** Index in `attempts` of the one that failed last; null: none has. */
  readonly last: number | null;
  /** What keeps the Job from going on, the most important first. */
  readonly holds: readonly Hold[];
  readonly next: Next;
  /** What to do: at most two. */
  readonly remedies: readonly Remedy[];
}

/** What comes next, or has to happen first. */
export interface Next {
  /** In wall-clock milliseconds; null: nothing comes without an input. */
  readonly atMs: number | null;
  /** `atMs` is the latest moment, and it may happen before. */
  readonly isBound: boolean;
  /** One English clause, for people. */
  readonly sentence: string;
}

/** One thing that holds a Job. */
export interface Hold {
  readonly code: HoldCode;
  /** What the code names: a container, a quota, a node, a manager; empty: nothing that is known. */
  readonly by: string;
  readonly reason: string;
  readonly message: string;
  /** How many pods are held; 0: it is about the Job itself. */
  readonly count: number;
  /** The pod that has been held for the longest, and its node; empty: none. */
  readonly pod: string;
  readonly node: string;
  /** In wall-clock milliseconds; null: not known. */
  readonly sinceMs: number | null;
  /** One English sentence, for people. */
  readonly sentence: string;
}

/** One thing to do for a Job. */
export interface Remedy {
  /** The code of the hold or of the end that it is about. */
  readonly code: HoldCode | EndCode;
  /** What to do: one English clause, which begins with a verb. */
  readonly sentence: string;
  /** A command for a shell. `job.yaml` in it stands for the file with the manifest. */
  readonly command: string;
  /** The kind of the object that `patch` is for; empty: there is none. */
  readonly kind: string;
  /** A strategic merge patch of a Job or a CronJob, a merge patch of another object; null: no manifest is at fault. */
  readonly patch: object | null;
}

/** What became of one pod, and who ended it. */
export interface Attempt {
  readonly pod: string;
  readonly uid: string;
  /** The completion index; null: it has none. */
  readonly index: number | null;
  /** Empty: it has none. */
  readonly node: string;
  readonly phase: string;
  /** In wall-clock milliseconds; null: not known, or not yet. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  /** How often the kubelet started a container of it again. */
  readonly restarts: number;
  /** The container whose failure decided; empty: none failed. */
  readonly container: string;
  /** Which start of that container failed: 0 is the first; null: none failed. */
  readonly attempt: number | null;
  readonly exitCode: number | null;
  readonly signal: number | null;
  readonly reason: string;
  readonly message: string;
  /** Null: nothing has ended it, or a container of it, yet. */
  readonly endedBy: EndCode | null;
  /** What the code names: the pod that preempted it, the resource that was low; empty: nothing that is known. */
  readonly by: string;
  /** Who or what ended it, as a part of a sentence; empty: nothing has, or it has succeeded and was not stopped. */
  readonly cause: string;
  /** One English sentence, for people. */
  readonly sentence: string;
}

/** How much a piece of advice weighs, and what a rule may be set to beside `off`. */
export type LintSeverity = "warn" | "deny";

/** The question to `lint`: a Job, and what is known of its surroundings. */
export interface LintQuestion {
  /** A batch/v1 Job, as the API shows it or as a user writes it. Defaults may be missing. */
  readonly job: object;
  readonly context?: {
    /** Kinds of the Job's present or future owners, beside its ownerReferences. */
    readonly ownerKinds?: readonly string[];
    /** The remaining quota of its namespace, by resource: `{ "pods": "10", "requests.cpu": "4" }`. */
    readonly quota?: Readonly<Record<string, string | number>>;
    /** What LimitRanges of its namespace give to containers that set nothing: `{ "limits": { "memory": "1Gi" } }`. */
    readonly containerDefaults?: {
      readonly requests?: Readonly<Record<string, string | number>>;
      readonly limits?: Readonly<Record<string, string | number>>;
    };
    /** The PodDisruptionBudgets of its namespace. */
    readonly disruptionBudgets?: readonly object[];
    /** The values of spec.managedBy that have a running controller; left out: unknown. */
    readonly managers?: readonly string[];
    /** A GitOps tool keeps the Job in the state of a repository. */
    readonly fromGitOps?: boolean;
    /** The CronJob that makes the Job. */
    readonly cronJob?: object;
    readonly schedule?: {
      readonly neverFires?: boolean;
      readonly everyMinute?: boolean;
      readonly clockChanges?: string;
    };
    readonly earlier?: string;
  };
  /** Severities of rules, by their codes. */
  readonly rules?: Readonly<Partial<Record<LintCode, LintSeverity | "off">>>;
}

/** One piece of advice. docs/lint.md has a section for each code. */
export interface Advice {
  /** Which rule: a LintCode, or that of a newer engine. */
  readonly code: string;
  readonly severity: LintSeverity;
  /** The path of the field it is about, in the Job: `spec.backoffLimit`; or in the question: `context.cronJob.…`. */
  readonly field: string;
  /** What is wrong: one English sentence, without a capital and a full stop. */
  readonly sentence: string;
  /** What to do, in the same form. */
  readonly fix: string;
  /** The numbers of the sentence. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** The findings of `lint` about a Job. */
export interface LintReport {
  readonly advice: readonly Advice[];
}

/** The question to `forecast`: a Job, and the assumptions about its pods. */
export interface ForecastQuestion {
  /** A batch/v1 Job, as the API server returns it or as a manifest has it. Its status is ignored. */
  readonly job: object;
  readonly assumptions?: {
    /**
     * How long a pod takes from its creation to its end, in milliseconds; with restartPolicy OnFailure, each run of its
     * containers. Left out: times that depend on it are not known.
     */
    readonly podMs?: number | { readonly least?: number; readonly most?: number };
    /** How many pods end in a way that a rule with the action Ignore matches, or, with OnFailure, by an eviction. */
    readonly disruptions?: number;
  };
}

/** A number of a forecast. `exact`: some outcome reaches it, none goes beyond. `bound`: none goes beyond. */
export type ForecastAmount =
  | { readonly value: number; readonly is: "exact" | "bound" }
  /** `by`: the field that makes it unbounded, or the assumption without which it is not known. */
  | { readonly value: null; readonly is: "unbounded" | "unknown"; readonly by: string };

/** What a Job will do. ABI.md, "forecast", says what each member means. Times count from `fromMs`. */
export interface Forecast {
  readonly from: "creation" | "resumption";
  /** Wall clock, in milliseconds. */
  readonly fromMs: number;
  /** The controller that runs the Job instead of the built-in one; null: none. */
  readonly managedBy: string | null;
  readonly pods: { readonly least: ForecastAmount; readonly most: ForecastAmount };
  readonly containerStarts: { readonly least: ForecastAmount; readonly most: ForecastAmount };
  /** The most unfinished pods at once, including those that are being deleted. */
  readonly peak: ForecastAmount;
  /** What happens if every pod fails, or with OnFailure every container. */
  readonly retries: {
    readonly of: "pod" | "container";
    readonly tries: readonly { readonly atMs: number; readonly pods: number }[];
    /** How many tries follow those that are listed. */
    readonly omitted: number;
    readonly pods: number;
    /** null: never. */
    readonly givesUpMs: number | null;
    /** The field whose rule ends the Job: `spec.backoffLimit`. */
    readonly by: string | null;
  };
  readonly end: {
    readonly earliestMs: ForecastAmount;
    readonly latestMs: ForecastAmount;
    /** How early or late a controller may be: it batches events for a second, and times have whole seconds. */
    readonly toleranceMs: number;
  };
  readonly deletedMs: { readonly earliestMs: ForecastAmount; readonly latestMs: ForecastAmount };
  readonly statusBytes: ForecastAmount;
  readonly podTime: {
    readonly mostMs: ForecastAmount;
    /** The time of all pods × the request of each, as exact decimal text; null: no request, or the time is unknown. */
    readonly cpuSeconds: string | null;
    readonly memoryByteSeconds: string | null;
  };
  /** A paragraph for people. */
  readonly text: string;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly abi_version: WebAssembly.Global;
  readonly abi_minor_version: WebAssembly.Global;
  configure(ptr: number, length: number): number;
  reserve(length: number): number;
  ingest(source: number, kind: number, ptr: number, length: number, now: number): number;
  poll(now: number, maxRequests: number): number;
  settle(id: number, status: number, retryAfterMs: number, ptr: number, length: number, now: number): number;
  clock(offsetMs: number): void;
  review(ptr: number, length: number): number;
  explain(ptr: number, length: number): number;
  explain_at(ptr: number, length: number, now: number): number;
  verdict?(ptr: number, length: number, now: number): number;
  account?(ptr: number, length: number, now: number): number;
  lint?(ptr: number, length: number, now: number): number;
  forecast?(ptr: number, length: number, now: number): number;
  metrics?(): number;
  watch_version(source: number): number;
  list_continue(source: number): number;
  last_error(): number;
  trap_message(): number;
}

/** Views of the whole memory of an instance. They are cached, because a host makes a million calls. */
interface LinearMemory {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView<ArrayBuffer>;
}

const NO_MEMORY: LinearMemory = { bytes: new Uint8Array(0), view: new DataView(new ArrayBuffer(0)) };
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Three adjacent texts. Most are ASCII, and are decoded at once. */
function textsOf(bytes: Uint8Array, first: number, second: number): [string, string, string] {
  const all = decoder.decode(bytes);
  const isAscii = all.length === bytes.length;
  const part = (from: number, to?: number): string =>
    isAscii ? all.slice(from, to) : decoder.decode(bytes.subarray(from, to));
  return [part(0, first), part(first, first + second), part(first + second)];
}

function globalsOf(instance: WebAssembly.Instance): (readonly [string, WebAssembly.Global])[] {
  return Object.entries(instance.exports)
    .filter(([name]) => name.startsWith("global:"))
    .map(([name, global]) => [name, global as WebAssembly.Global] as const);
}

/**
 * One engine. Every method throws EngineError when the engine refuses or traps. Calls are synchronous; after `create`
 * nothing waits.
 */
export class Engine {
  readonly #module: WebAssembly.Module;
  readonly #moduleSha256: string;
  #exports: Exports;
  #globals: readonly (readonly [string, WebAssembly.Global])[];
  #memory: LinearMemory = NO_MEMORY;
  /** The trap that ended the instance. After it the instance must not be called. */
  #trap: EngineError | undefined;

  private constructor(module: WebAssembly.Module, instance: WebAssembly.Instance, moduleSha256: string) {
    const exports = instance.exports as unknown as Exports;
    const major = exports.abi_version.value as number;
    if (major !== ABI_VERSION) {
      throw new EngineError(
        -1,
        `this engine speaks ABI ${major}.${exports.abi_minor_version.value}, this binding speaks ABI ${ABI_VERSION}: use a binding and an engine of one major version`,
      );
    }
    this.#module = module;
    this.#moduleSha256 = moduleSha256;
    this.#exports = exports;
    this.#globals = globalsOf(instance);
  }

  /**
   * Creates an engine from the bytes of engine.wasm, or from the compiled module. A save restores only into the module
   * with the same `moduleSha256`, and into none without it.
   */
  static async create(source: Uint8Array | WebAssembly.Module, moduleSha256 = ""): Promise<Engine> {
    const module =
      source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source as Uint8Array<ArrayBuffer>);
    return new Engine(module, await WebAssembly.instantiate(module, {}), moduleSha256);
  }

  /** As `create`, at once. Outside of workers a browser refuses this for large modules. */
  static createSync(module: WebAssembly.Module, moduleSha256 = ""): Engine {
    return new Engine(module, new WebAssembly.Instance(module, {}), moduleSha256);
  }

  /** As given to `create`: lower-case hex, or empty. */
  get moduleSha256(): string {
    return this.#moduleSha256;
  }

  /** `<major>.<minor>` of the module. */
  get abiVersion(): string {
    return `${this.#exports.abi_version.value}.${this.#exports.abi_minor_version.value}`;
  }

  configure(configuration: EngineConfiguration): void {
    this.#check(this.#call((ptr, length) => this.#exports.configure(ptr, length), JSON.stringify(configuration)));
  }

  /**
   * Feeds an answer of the API. If single objects of a page or of lines are unreadable, `unreadableObject` is returned
   * and not thrown, because the engine took the other objects and their Jobs continue.
   */
  ingest(source: number, kind: IngestKind, bytes: Uint8Array | string, nowMs: number): ErrorCode {
    const code = this.#call(
      (ptr, length) => this.#exports.ingest(source, kind, ptr, length, nowMs),
      bytes,
    ) as ErrorCode;
    if (code !== ErrorCode.unreadableObject) this.#check(code);
    return code;
  }

  /**
   * The resourceVersion to watch this source from; -1: list it again (at the start, after a 410, after a broken list).
   */
  watchVersion(source: number): number {
    return this.#guard(() => this.#exports.watch_version(source));
  }

  /** The `continue` token of the page last ingested; empty after the last page. */
  listContinue(source: number): string {
    return this.#text(this.#guard(() => this.#exports.list_continue(source)));
  }

  poll(nowMs: number, maxRequests: number): PollResult {
    const start = this.#resultAt(
      this.#guard(() => this.#exports.poll(nowMs, maxRequests)),
      ErrorCode.badTime,
    );
    const { bytes, view } = this.#linearMemory();
    const count = view.getUint32(start, true);
    const decisionsLength = view.getUint32(start + 4, true);
    const nextWakeUpMs = view.getFloat64(start + 8, true);
    const requests: EngineRequest[] = [];
    let at = start + 16;
    for (let i = 0; i < count; i++) {
      const id = view.getFloat64(at, true);
      const method = METHODS[view.getUint32(at + 8, true)] as Method;
      const pathLength = view.getUint32(at + 12, true);
      const acceptLength = view.getUint32(at + 16, true);
      const contentTypeLength = view.getUint32(at + 20, true);
      const bodyLength = view.getUint32(at + 24, true);
      const decision = view.getUint32(at + 28, true);
      const textsAt = at + 32;
      const bodyAt = textsAt + pathLength + acceptLength + contentTypeLength;
      const [path, accept, contentType] = textsOf(bytes.subarray(textsAt, bodyAt), pathLength, acceptLength);
      // A copy, because the engine uses this memory again.
      const body = bytes.slice(bodyAt, bodyAt + bodyLength);
      at = start + ((bodyAt + bodyLength - start + 7) & ~7);
      requests.push({ id, method, path, accept, contentType, body, decision });
    }
    const decisions =
      decisionsLength === 0 ? [] : (JSON.parse(decoder.decode(bytes.subarray(at, at + decisionsLength))) as Decision[]);
    return { requests, nextWakeUpMs, decisions };
  }

  /**
   * Reports the outcome of a request. `status` 0: unknown (the answer was lost). `retryAfterMs` -1: the answer had
   * none.
   */
  settle(id: number, status: number, retryAfterMs: number, body: Uint8Array | string, nowMs: number): ErrorCode {
    const code = this.#call(
      (ptr, length) => this.#exports.settle(id, status, retryAfterMs, ptr, length, nowMs),
      body,
    ) as ErrorCode;
    if (code !== ErrorCode.unreadableObject) this.#check(code);
    return code;
  }

  /** Wall time = now + offset. Timers follow `now`, API timestamps follow wall time. */
  setClockOffset(offsetMs: number): void {
    this.#guard(() => this.#exports.clock(offsetMs));
  }

  /**
   * Answers an AdmissionReview: JSON text in, JSON text out. Throws EngineError badJson if the input is not a review.
   */
  review(admissionReview: string | Uint8Array): string {
    return this.#text(this.#call((ptr, length) => this.#exports.review(ptr, length), admissionReview));
  }

  /**
   * Explains one Job: its state, and why it does or does not progress, as of `nowMs`, or of the last call if that is
   * left out. It changes nothing.
   */
  explain(namespace: string, job: string, nowMs?: number): Explanation {
    const ask = (ptr: number, length: number): number =>
      nowMs === undefined ? this.#exports.explain(ptr, length) : this.#exports.explain_at(ptr, length, nowMs);
    return JSON.parse(this.#text(this.#call(ask, `${namespace}/${job}`), ErrorCode.badTime)) as Explanation;
  }

  /**
   * Says whether a Job has really ended, and how, from its conditions. `nowMs` is wall time. It works before
   * `configure`, and neither reads nor changes what this engine knows. Throws EngineError badJson if the question
   * cannot be read, or `nowMs` is no time.
   */
  verdict(question: VerdictQuestion | string | Uint8Array, nowMs: number): Verdict {
    return this.#ask("verdict", "1.3", isText(question) ? question : leanQuestion(question), nowMs) as Verdict;
  }

  /**
   * Tells what happened to a Job: its verdict, and what became of each of its pods and who ended it. `nowMs` is wall
   * time. It works before `configure`, and neither reads nor changes what this engine knows. Throws EngineError badJson
   * if the question cannot be read, or `nowMs` is no time.
   */
  account(question: AccountQuestion | string | Uint8Array, nowMs: number): Account {
    return this.#ask("account", "1.7", isText(question) ? question : leanQuestion(question), nowMs) as Account;
  }

  /**
   * Gives advice about a Job that the API server takes. `nowMs` is wall time. It works before `configure`, and neither
   * reads nor changes what this engine knows. Throws EngineError badJson if the question cannot be read, names an
   * unknown rule, or `nowMs` is no time.
   */
  lint(question: LintQuestion | string | Uint8Array, nowMs: number): LintReport {
    return this.#ask("lint", "1.4", question, nowMs) as LintReport;
  }

  /**
   * Says what a Job will do: pods, retries, its end. `nowMs` is wall time. It works before `configure`, and neither
   * reads nor changes what this engine knows. Throws EngineError badJson if the question cannot be read, or `nowMs` is
   * no time.
   */
  forecast(question: ForecastQuestion | string | Uint8Array, nowMs: number): Forecast {
    return this.#ask("forecast", "1.5", question, nowMs) as Forecast;
  }

  metrics(): EngineMetrics {
    const call = present(this.#exports.metrics, "metrics", "1.0");
    return JSON.parse(this.#text(this.#guard(() => call()))) as EngineMetrics;
  }

  /** The whole state of this engine: linear memory and globals. It is as large as the memory. */
  save(): SavedEngine {
    if (this.#trap !== undefined) throw this.#trap;
    return {
      moduleSha256: this.#moduleSha256,
      memory: this.#linearMemory().bytes.slice(),
      globals: Object.fromEntries(this.#globals.map(([name, global]) => [name, global.value as number | bigint])),
    };
  }

  /** Replaces the state of this engine by the saved one. The save must come from the same module. */
  restore(saved: SavedEngine): void {
    checkSave(saved, this.#moduleSha256, this.#globals.length);
    // Always use a new instance. If this one has grown beyond the save, its memory would later grow differently from
    // that of the saved engine.
    const instance = new WebAssembly.Instance(this.#module, {});
    this.#exports = instance.exports as unknown as Exports;
    this.#globals = globalsOf(instance);
    this.#memory = NO_MEMORY;
    this.#trap = undefined;
    fill(this.#exports.memory, this.#globals, saved);
  }

  /** Bytes of linear memory this engine holds. It only grows. */
  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Calls an export that is missing in engines of an earlier minor version and in smaller ones. */
  #ask(
    name: "verdict" | "account" | "lint" | "forecast",
    version: string,
    question: object | string | Uint8Array,
    nowMs: number,
  ): unknown {
    const call = present(this.#exports[name], name, version);
    return JSON.parse(
      this.#text(this.#call((ptr, length) => call(ptr, length, nowMs), questionText(question))),
    ) as unknown;
  }

  #call(run: (ptr: number, length: number) => number, input: Uint8Array | string): number {
    return this.#guard(() => {
      if (typeof input === "string") {
        // Most texts are ASCII, with one byte a character. These are written straight into linear memory.
        const ptr = this.#exports.reserve(input.length) >>> 0;
        const place = this.#linearMemory().bytes.subarray(ptr, ptr + input.length);
        const { read, written } = encoder.encodeInto(input, place);
        if (read === input.length) return run(ptr, written);
      }
      const bytes = typeof input === "string" ? encoder.encode(input) : input;
      const ptr = this.#exports.reserve(bytes.length) >>> 0;
      this.#linearMemory().bytes.set(bytes, ptr);
      return run(ptr, bytes.length);
    });
  }

  #guard<T>(run: () => T): T {
    if (this.#trap !== undefined) throw this.#trap;
    try {
      return run();
    } catch (error) {
      // A stack overflow is a RangeError.
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      const message = this.#text(this.#exports.trap_message());
      this.#trap = new EngineError(-1, `the engine stopped: ${message || error.message}; discard it and list again`);
      throw this.#trap;
    }
  }

  #check(code: number): void {
    if (code !== ErrorCode.ok) throw new EngineError(code, this.#text(this.#exports.last_error()));
  }

  /** The views of linear memory. When it has grown, the old ones are empty. */
  #linearMemory(): LinearMemory {
    if (this.#memory.bytes.length === 0) {
      const { buffer } = this.#exports.memory;
      this.#memory = { bytes: new Uint8Array(buffer), view: new DataView(buffer) };
    }
    return this.#memory;
  }

  /**
   * Where the bytes of a result begin; the four bytes before them are their number. 0 means that the call was refused
   * with `refusal`.
   */
  #resultAt(ptr: number, refusal: ErrorCode = ErrorCode.badJson): number {
    if (ptr === 0) throw new EngineError(refusal, this.#text(this.#exports.last_error()));
    // Addresses above 2 GiB arrive as negative numbers.
    return (ptr >>> 0) + 4;
  }

  #text(ptr: number, refusal?: ErrorCode): string {
    const at = this.#resultAt(ptr, refusal);
    const { bytes, view } = this.#linearMemory();
    return decoder.decode(bytes.subarray(at, at + view.getUint32(at - 4, true)));
  }
}

/** A question in the form that the engine reads. */
function questionText(question: object | string | Uint8Array): string | Uint8Array {
  return isText(question) ? question : JSON.stringify(question);
}

function isText(question: object | string): question is string | Uint8Array {
  return typeof question === "string" || question instanceof Uint8Array;
}

/**
 * @param version the ABI version that added the export
 * @throws EngineError when the export is missing: the engine is of an earlier version, or a smaller one
 */
function present<T>(call: T | undefined, name: string, version: string): T {
  if (call !== undefined) return call;
  throw new EngineError(-1, `this engine has no ${name}: it is older than ABI ${version}, or was built without`);
}
