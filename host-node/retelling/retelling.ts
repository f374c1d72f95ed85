/**
 * Tells an engine again what was seen of Jobs and pods, and finds for each write of their controller the decision that
 * the engine makes there. The engine asks for its own requests; one that was seen to happen is answered with what the
 * server had then, so engine and cluster go on alike.
 *
 * Invariant: order is that of the API server. The engine may ask a little later than the controller wrote, because it
 * batches differently and times are whole seconds; then its clock waits for it. A write that it does not ask for is
 * still told to it, as somebody else's. Nothing is sent. Leaves out where the story comes from, and showing it.
 */
import { type Decision, EngineError, type EngineRequest, IngestKind } from "../../bindings/js/engine.ts";
import type { RecordableEngine } from "../../bindings/js/recorder.ts";
import { textOf } from "../../cluster/values/text.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { UsageError } from "../usage-error.ts";
import { type ControllerWrite, controllerWriteOf } from "./controller-writes.ts";
import type { Seen, Story } from "./story.ts";

/** A write, and why. */
export interface Explained {
  readonly atMs: number;
  readonly write: ControllerWrite;
  /** The engine asked for it, too. */
  readonly isAsked: boolean;
  /** The decision that it carries out, or leads to. A pod that has ended is counted without one. */
  readonly decision: Decision | undefined;
}

const SOURCES = { jobs: 1, pods: 2 } as const;
const SINGULAR = { jobs: "Job", pods: "pod" } as const;
const LIST_KINDS = { jobs: ["JobList", "batch/v1"], pods: ["PodList", "v1"] } as const;
/** How much later than the controller the engine may ask: a batch period, a back-off that began late, and a second. */
const MAX_LAG_MS = 5_000;
/** When so much time passes without anything being seen, the engine looks at what has become due. */
const PAUSE_MS = 2_000;
const MAX_REQUESTS = 1_000;
/** An engine that asks without end is a bug of one of us. */
const MAX_POLLS = 10_000;
const INDEX = "batch.kubernetes.io/job-completion-index";
const [OK, CREATED, NOT_FOUND, CONFLICT, INTERNAL_ERROR] = [200, 201, 404, 409, 500];

/** One story. Call `run` once. */
export class Retelling {
  readonly #engine: RecordableEngine;
  readonly #story: Story;
  readonly #known = new Map<string, KubeObject>();
  /** What the engine asked for and has no answer to, by what it is. */
  readonly #open = new Map<string, EngineRequest[]>();
  readonly #decisions = new Map<number, Decision>();
  /** Those of the last poll. */
  #lastDecisions: readonly Decision[] = [];
  #nowMs: number;

  /** @param engine configured with {@link retoldSources} */
  constructor(engine: RecordableEngine, story: Story) {
    this.#engine = engine;
    this.#story = story;
    this.#nowMs = story.firstMs;
  }

  /** Where it ends, in milliseconds since 1970. */
  get nowMs(): number {
    return this.#nowMs;
  }

  *run(): Generator<Explained> {
    const { first, seen } = this.#story;
    this.#list("jobs", first.jobs);
    this.#list("pods", first.pods);
    for (const change of seen) {
      this.#passTo(change.atMs);
      const write = controllerWriteOf(change);
      const request = write === undefined ? undefined : this.#requestFor(write);
      if (request !== undefined) this.#settle(request, request.method === "POST" ? CREATED : OK, change.object);
      this.#tell(change);
      if (write === undefined) continue;
      if (request === undefined) {
        if (write.isCertain) yield { atMs: change.atMs, write, isAsked: false, decision: undefined };
      } else {
        const decision = this.#decisions.get(request.decision) ?? this.#nextOf(write);
        yield { atMs: change.atMs, write, isAsked: true, decision };
      }
    }
    this.#poll();
  }

  #list(resource: "jobs" | "pods", objects: readonly KubeObject[]): void {
    const [kind, apiVersion] = LIST_KINDS[resource];
    const source = SOURCES[resource];
    for (const object of objects) this.#known.set(object.metadata.uid, object);
    const page = { kind, apiVersion, metadata: { resourceVersion: "1" }, items: objects };
    this.#engine.ingest(source, IngestKind.listBegin, "", this.#nowMs);
    this.#ingest(source, IngestKind.page, JSON.stringify(page), `the ${resource} at the beginning`);
    this.#engine.ingest(source, IngestKind.listEnd, "", this.#nowMs);
  }

  #tell({ resource, type, object }: Seen): void {
    const { uid, name, resourceVersion } = object.metadata;
    if (type === "DELETED") this.#known.delete(uid);
    else this.#known.set(uid, object);
    const line = `${JSON.stringify({ type, object })}\n`;
    this.#ingest(
      SOURCES[resource],
      IngestKind.watchLines,
      line,
      `the ${SINGULAR[resource]} ${name} of version ${resourceVersion}`,
    );
  }

  /** @throws UsageError when a field has a value that no API server gives it */
  #ingest(source: number, kind: IngestKind, text: string, what: string): void {
    try {
      this.#engine.ingest(source, kind, text, this.#nowMs);
    } catch (error) {
      if (error instanceof EngineError) throw new UsageError(`${what} cannot be read: ${error.message}`);
      throw error;
    }
  }

  /** Lets the time pass. In a long pause the engine does what becomes due in it. */
  #passTo(atMs: number): void {
    if (atMs - this.#nowMs > PAUSE_MS) this.#pollUntil(atMs - PAUSE_MS / 2, () => false);
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  /** The engine's request for the same. Undefined: it does not ask for that. */
  #requestFor(write: ControllerWrite): EngineRequest | undefined {
    const isAsked = (): boolean => this.#asked(write) !== undefined;
    const untilMs = this.#nowMs + MAX_LAG_MS;
    if (!this.#pollUntil(write.isCertain ? untilMs : this.#nowMs, isAsked) && write.isCertain) {
      // Perhaps it waits for something that did not happen.
      if (this.#refuseOf(write)) this.#pollUntil(untilMs, isAsked);
    }
    return this.#asked(write);
  }

  /** What the engine decides about the Job now that the write is known. */
  #nextOf({ namespace, job }: ControllerWrite): Decision | undefined {
    this.#poll();
    return this.#lastDecisions.find((decision) => decision.namespace === namespace && decision.job === job);
  }

  #asked(write: ControllerWrite): EngineRequest | undefined {
    return this.#open.get(keyOfWrite(write))?.[0];
  }

  /** Refuses what is open of the same Job, as if the object had changed. @returns whether there was any */
  #refuseOf({ namespace, job }: ControllerWrite): boolean {
    let isAny = false;
    for (const request of [...this.#open.values()].flat()) {
      const decision = this.#decisions.get(request.decision);
      if (decision?.namespace !== namespace || decision.job !== job) continue;
      this.#settle(request, request.method === "POST" ? INTERNAL_ERROR : CONFLICT, undefined);
      isAny = true;
    }
    return isAny;
  }

  /** Polls at each moment that the engine names, until the time or until it is so. @returns whether it is so */
  #pollUntil(untilMs: number, isSo: () => boolean): boolean {
    for (let polls = 0; polls < MAX_POLLS; polls++) {
      const wakeUpMs = this.#poll();
      if (isSo()) return true;
      if (!(wakeUpMs <= untilMs)) return false;
      this.#nowMs = Math.max(this.#nowMs, wakeUpMs);
    }
    throw new Error(`the engine asks without end at ${new Date(this.#nowMs).toISOString()}`);
  }

  /** @returns when the engine wants to be asked next */
  #poll(): number {
    const { requests, decisions, nextWakeUpMs } = this.#engine.poll(this.#nowMs, MAX_REQUESTS);
    this.#lastDecisions = decisions;
    for (const decision of decisions) if (decision.id !== undefined) this.#decisions.set(decision.id, decision);
    for (const request of requests) {
      const key = keyOfRequest(request);
      this.#open.set(key, [...(this.#open.get(key) ?? []), request]);
      this.#answerAtOnce(request);
    }
    return requests.length === 0 ? nextWakeUpMs : this.#nowMs;
  }

  /** Events are in no story, and what is read is known. */
  #answerAtOnce(request: EngineRequest): void {
    const { method, path } = request;
    if (path.includes("/events")) this.#settle(request, method === "POST" ? CREATED : OK, eventOf(request));
    else if (method === "GET") this.#settle(request, ...this.#read(path));
  }

  #read(path: string): [status: number, object: object | undefined] {
    const [, namespace, name] = /\/namespaces\/([^/]+)\/jobs\/([^/?]+)$/.exec(path) ?? [];
    const job = [...this.#known.values()].find(
      ({ kind, metadata }) => kind === "Job" && metadata.namespace === namespace && metadata.name === name,
    );
    if (name !== undefined) return job === undefined ? [NOT_FOUND, undefined] : [OK, job];
    return [INTERNAL_ERROR, undefined];
  }

  #settle(request: EngineRequest, status: number, object: object | undefined): void {
    const key = keyOfRequest(request);
    const others = (this.#open.get(key) ?? []).filter(({ id }) => id !== request.id);
    if (others.length === 0) this.#open.delete(key);
    else this.#open.set(key, others);
    this.#engine.settle(request.id, status, -1, object === undefined ? "{}" : JSON.stringify(object), this.#nowMs);
  }
}

/** The sources that a retelling tells. */
export function retoldSources(): { readonly id: number; readonly resource: "jobs" | "pods" }[] {
  return [
    { id: SOURCES.jobs, resource: "jobs" },
    { id: SOURCES.pods, resource: "pods" },
  ];
}

function eventOf({ body }: EngineRequest): object {
  const event = JSON.parse(textOf(body)) as { readonly metadata?: object };
  return { ...event, metadata: { resourceVersion: "1", ...event.metadata } };
}

function keyOfWrite({ method, path, created }: ControllerWrite): string {
  return created === undefined ? `${method} ${path}` : `${method} ${path} ${created.owner} ${created.index}`;
}

/** Pods are told apart by Job and index: their names are the server's. */
function keyOfRequest({ method, path, body }: EngineRequest): string {
  const [place = ""] = path.split("?");
  if (method !== "POST" || !place.endsWith("/pods")) return `${method} ${place}`;
  const { metadata } = JSON.parse(textOf(body)) as KubeObject;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
  return `${method} ${place} ${owner} ${metadata.annotations?.[INDEX]}`;
}
