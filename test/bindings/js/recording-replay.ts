/**
 * Plays a recording of a real cluster (test/vectors/recordings/README.md) against an engine: what others wrote is shown
 * on the watches, what the engine asks for is compared with what upstream's controller asked for, and answered as the
 * server did then.
 *
 * Invariant: order is that of the recording. A request may come only when everything that was answered before upstream
 * sent it has been asked for, and others' writes are shown only after what upstream did before them; the clock waits
 * for the engine.
 */
import { Engine, type EngineRequest, ErrorCode, IngestKind } from "../../../bindings/js/engine.ts";
import type { Json, JsonObject } from "../../../cluster/values/types.ts";
import { mergePatch } from "./vector-server.ts";

interface Entry {
  readonly receivedMs: number;
  readonly answeredMs: number;
  readonly actor: string;
  readonly verb: string;
  readonly uri: string;
  readonly code: number;
  readonly request: JsonObject | null;
  readonly response: JsonObject | null;
}

const CONTROLLER = "job-controller";
const JOBS = 0;
const PODS = 1;
/** The engine's clock at the start of a recording. */
const START_MS = 1000;
/**
 * How much later than upstream the engine may ask for something: a batch period, and what the server took to answer.
 */
const MAX_LAG_MS = 1500;
/** Creations of one sync follow each other more closely than this. */
const SYNC_PAUSE_MS = 500;
const MAX_POLLS_AT_A_TIME = 100;
const MAX_REQUESTS = 1000;
const INDEX_KEY = "batch.kubernetes.io/job-completion-index";
const TIMES = ["startTime", "completionTime", "lastProbeTime", "lastTransitionTime"];

const decoder = new TextDecoder();

/** Rejects with what is missing, extra or different. `lines`: the recording. */
export async function replay(lines: string, newEngine: () => Promise<Engine>): Promise<void> {
  const entries = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
  const run = new Replay(entries, await newEngine());
  run.play();
}

class Replay {
  readonly #engine: Engine;
  readonly #others: readonly Entry[];
  /** What upstream asked for and the engine has not yet, in the order of the answers. */
  readonly #expected: Entry[];
  /** Objects as the server has them, by UID. */
  readonly #objects = new Map<string, JsonObject>();
  #toShow: { readonly type: string; readonly object: JsonObject }[] = [];
  #nowMs = START_MS;
  /** Which requests upstream sent at once, by a name for each lot. */
  readonly #batches: ReadonlyMap<Entry, string>;
  /**
   * How far this run is behind the recording by now: the engine's batches start with the first pod event, upstream's
   * with its own writes.
   */
  #behindMs = 0;

  constructor(entries: readonly Entry[], engine: Engine) {
    this.#engine = engine;
    this.#expected = entries.filter(({ actor }) => actor === CONTROLLER);
    this.#batches = sentAtOnce(this.#expected);
    this.#others = entries.filter(({ actor, code }) => actor !== CONTROLLER && code < 300);
    engine.configure({
      instance: "replay",
      sources: [
        { id: JOBS, resource: "jobs" },
        { id: PODS, resource: "pods" },
      ],
      // Upstream's batching: every pod event waits a period.
      constants: { syncBurst: 0, syncCoalesceMs: 0 },
    });
    engine.setClockOffset(startOf(entries) - START_MS);
    for (const source of [JOBS, PODS]) {
      engine.ingest(source, IngestKind.listBegin, "", this.#nowMs);
      engine.ingest(
        source,
        IngestKind.page,
        `{"kind":"${source === JOBS ? "JobList" : "PodList"}","metadata":{"resourceVersion":"1"},"items":[]}`,
        this.#nowMs,
      );
      engine.ingest(source, IngestKind.listEnd, "", this.#nowMs);
    }
  }

  play(): void {
    for (const entry of this.#others) {
      this.#runUntil(START_MS + entry.answeredMs, (expected) => expected.answeredMs <= entry.answeredMs);
      this.#record(entry);
      this.#showAll();
    }
    this.#runUntil(Infinity, () => true);
    if (this.#expected.length > 0) throw new Error(`never asked for: ${this.#expected.map(describe).join(", ")}`);
  }

  // Runs to the moment, and on until the engine has asked for everything that `isDue`; Infinity: until it waits for
  // nothing.
  #runUntil(untilMs: number, isDue: (expected: Entry) => boolean): void {
    for (;;) {
      const wakeUpMs = this.#pollNow();
      const missing = this.#expected.filter((entry) => !isEvent(entry) && isDue(entry));
      if (missing.length === 0 && (wakeUpMs > untilMs || wakeUpMs === Infinity)) break;
      const [next] = missing;
      if (next !== undefined && wakeUpMs > START_MS + next.answeredMs + this.#behindMs + MAX_LAG_MS) {
        throw new Error(`not asked for by ${this.#nowMs} ms: ${missing.map(describe).join(", ")}`);
      }
      this.#nowMs = Math.max(this.#nowMs, wakeUpMs);
    }
    if (untilMs === Infinity) return;
    this.#behindMs = Math.max(this.#behindMs, this.#nowMs - untilMs);
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  // Answers everything that the engine asks for now; returns its next wake-up.
  #pollNow(): number {
    for (let i = 0; i < MAX_POLLS_AT_A_TIME; i++) {
      const { requests, nextWakeUpMs } = this.#engine.poll(this.#nowMs, MAX_REQUESTS);
      if (requests.length === 0 && nextWakeUpMs > this.#nowMs) return nextWakeUpMs;
      for (const request of requests) this.#answer(request);
      // The watch shows what was answered, in the order of the server.
      this.#showAll();
    }
    throw new Error(`requests come without end at ${this.#nowMs} ms`);
  }

  // Which of these reached the server first is chance.
  #areSentAtOnce(a: Entry, b: Entry): boolean {
    const batch = this.#batches.get(a);
    return batch !== undefined && batch === this.#batches.get(b);
  }

  #answer(request: EngineRequest): void {
    const body = request.body.length === 0 ? null : (JSON.parse(decoder.decode(request.body)) as JsonObject);
    const entry = this.#match(request, body);
    this.#expected.splice(this.#expected.indexOf(entry), 1);
    if (!isEvent(entry)) this.#record(entry);
    const text = entry.response === null ? "{}" : JSON.stringify(entry.response);
    const code = this.#engine.settle(request.id, entry.code, -1, text, this.#nowMs);
    if (code !== ErrorCode.ok) throw new Error(`settle of ${describe(entry)} returned code ${code}`);
  }

  #match(request: EngineRequest, body: JsonObject | null): Entry {
    const asked = anyEvent(`${request.method} ${request.path}`);
    const candidates = this.#expected.filter((entry) => lineOf(entry) === asked && isSame(entry, body));
    const [entry] = candidates;
    if (entry === undefined)
      throw new Error(
        `at ${this.#nowMs} ms: upstream does not ask for ${asked} ${JSON.stringify(body)}; it asks for\n${this.#expected
          .slice(0, 4)
          .map((left) => `  ${describe(left)}`)
          .join("\n")}`,
      );
    if (isEvent(entry)) return entry;
    const before = this.#expected.filter(
      (other) => !isEvent(other) && other.answeredMs <= entry.receivedMs && !this.#areSentAtOnce(other, entry),
    );
    if (before.length > 0)
      throw new Error(`at ${this.#nowMs} ms: ${asked} comes before ${before.map(describe).join(", ")}`);
    if (asked.endsWith("/status")) this.#compareStatus(entry, body!);
    else if (request.method === "POST") compare("the pod", normalPod(body!), normalPod(entry.request!));
    else compare(asked, body ?? {}, request.method === "DELETE" ? {} : entry.request!);
    return entry;
  }

  // The patch, applied to the Job as the server has it, gives what upstream put.
  #compareStatus(entry: Entry, patch: JsonObject): void {
    const metadata = patch["metadata"] as JsonObject;
    const job = this.#objects.get(metadata["uid"] as string)!;
    compare(
      "the Job's resourceVersion",
      metadata["resourceVersion"]!,
      (job["metadata"] as JsonObject)["resourceVersion"]!,
    );
    compare(
      "the status",
      normalStatus(mergePatch(job["status"] ?? {}, patch["status"]!)),
      normalStatus(entry.request!["status"] ?? {}),
    );
  }

  #record(entry: Entry): void {
    const response = entry.response!;
    const uid = (response["metadata"] as JsonObject)["uid"] as string;
    const before = this.#objects.get(uid);
    // The garbage collector asks for metadata alone.
    const object =
      response["spec"] === undefined && before !== undefined
        ? { ...before, metadata: response["metadata"]! }
        : response;
    const isGone = isRemoved(entry, object);
    if (isGone) this.#objects.delete(uid);
    else this.#objects.set(uid, object);
    this.#toShow.push({ type: isGone ? "DELETED" : before === undefined ? "ADDED" : "MODIFIED", object });
  }

  #showAll(): void {
    const sorted = this.#toShow.sort((a, b) => versionOf(a.object) - versionOf(b.object));
    this.#toShow = [];
    for (const event of sorted) {
      const source = event.object["kind"] === "Job" ? JOBS : PODS;
      this.#engine.ingest(source, IngestKind.watchLines, `${JSON.stringify(event)}\n`, this.#nowMs);
    }
  }
}

/**
 * Wall-clock time of the recording's 0: the first moment at which every creation falls into the second that its object
 * names.
 */
function startOf(entries: readonly Entry[]): number {
  const earliest = entries
    .filter(({ verb, response }) => verb === "create" && response !== null)
    .map(({ answeredMs, response }) => {
      return Date.parse((response!["metadata"] as JsonObject)["creationTimestamp"] as string) - answeredMs;
    });
  return Math.max(...earliest);
}

function isEvent(entry: Entry): boolean {
  return entry.uri.includes("/events");
}

// Upstream puts the status, the engine patches it.
function lineOf(entry: Entry): string {
  const methods: Readonly<Record<string, string>> = {
    create: "POST",
    update: "PATCH",
    patch: "PATCH",
    delete: "DELETE",
  };
  return anyEvent(`${methods[entry.verb]} ${entry.uri}`);
}

// The name of an event holds the time of its first writing.
function anyEvent(line: string): string {
  return line.replace(/\/events\/.*$/, "/events/*");
}

function isSame(entry: Entry, body: JsonObject | null): boolean {
  const request = entry.request;
  if (isEvent(entry)) return ["type", "reason", "message", "count"].every((key) => request?.[key] === body?.[key]);
  return entry.verb !== "create" || indexOf(request!) === indexOf(body!);
}

function indexOf(pod: JsonObject): Json | undefined {
  return ((pod["metadata"] as JsonObject)["annotations"] as JsonObject | undefined)?.[INDEX_KEY];
}

function versionOf(object: JsonObject): number {
  return Number((object["metadata"] as JsonObject)["resourceVersion"]);
}

// Objects go when the last finalizer is off and no grace is left.
function isRemoved(entry: Entry, object: JsonObject): boolean {
  const metadata = object["metadata"] as JsonObject;
  if (metadata["deletionTimestamp"] === undefined || metadata["finalizers"] !== undefined) return false;
  return metadata["deletionGracePeriodSeconds"] === 0 || (entry.request?.["gracePeriodSeconds"] ?? 1) === 0;
}

/** What the audit log shows of a pod is defaulted: empty values go, and defaults that a template does not have come. */
function normalPod(pod: JsonObject): Json {
  const defaulted = mergePatch({ spec: { enableServiceLinks: true } }, pod) as JsonObject;
  return withoutEmpty(
    JSON.parse(
      JSON.stringify(defaulted, (key, value: unknown) =>
        key === "fieldRef" ? { apiVersion: "v1", ...(value as object) } : value,
      ),
    ) as Json,
  );
}

/** Without times and empty members; lists of UIDs in one order. */
function normalStatus(status: Json): Json {
  return withoutEmpty(
    JSON.parse(
      JSON.stringify(status, (key, value: unknown) => {
        if (TIMES.includes(key)) return undefined;
        return Array.isArray(value) && value.every((item) => typeof item === "string") ? [...value].sort() : value;
      }),
    ) as Json,
  );
}

// A number of 0 is the same as none.
function withoutEmpty(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isEmpty(value: Json): boolean {
  return (
    value === 0 || value === "" || value === null || (typeof value === "object" && Object.keys(value).length === 0)
  );
}

function compare(what: string, actual: Json, expected: Json): void {
  const [left, right] = [JSON.stringify(withoutEmpty(actual)), JSON.stringify(withoutEmpty(expected))];
  if (left !== right) throw new Error(`${what} is\n  ${left}\nupstream's is\n  ${right}`);
}

function describe(entry: Entry): string {
  const detail = isEvent(entry) ? entry.request?.["message"] : entry.request?.["status"];
  return `${lineOf(entry)} at ${START_MS + entry.receivedMs} ms ${detail === undefined ? "" : JSON.stringify(detail)}`;
}

/**
 * Names what upstream sends at once: the slow-start batches of pod creations (1, 2, 4, 8 … pods, from 1 again after a
 * pause), and the patches of pods between two status writes.
 */
function sentAtOnce(entries: readonly Entry[]): Map<Entry, string> {
  const batches = new Map<Entry, string>();
  let creations = 0;
  let size = 0;
  let left = 0;
  let lastAnsweredMs = -Infinity;
  let statusWrites = 0;
  for (const entry of [...entries].sort((a, b) => a.receivedMs - b.receivedMs)) {
    if (entry.uri.endsWith("/status")) statusWrites++;
    if (isFinalizerPatch(entry)) batches.set(entry, `patches ${statusWrites}`);
    if (!isPodCreation(entry)) continue;
    if (entry.receivedMs - lastAnsweredMs > SYNC_PAUSE_MS) size = left = 0;
    if (left === 0) {
      creations++;
      left = size = size === 0 ? 1 : size * 2;
    }
    left--;
    batches.set(entry, `creations ${creations}`);
    lastAnsweredMs = Math.max(lastAnsweredMs, entry.answeredMs);
  }
  return batches;
}

function isPodCreation(entry: Entry): boolean {
  return entry.verb === "create" && entry.uri.endsWith("/pods");
}

function isFinalizerPatch(entry: Entry): boolean {
  return entry.verb === "patch" && entry.uri.includes("/pods/");
}
