/**
 * Feeds the observed changes of Jobs and pods to an engine again, and finds for each write of their controller the
 * decision that the engine makes there. The engine makes its own requests; a request that was seen to happen is
 * answered with what the server had then, so engine and cluster stay in step.
 *
 * Invariant: order is that of the API server. The engine may make a request a little later than the controller wrote,
 * because it batches differently and times are whole seconds; then its clock waits for it. A write that the engine does
 * not request is still fed to it, as a write of another client. Nothing is sent. Leaves out where the story comes from,
 * and showing it.
 */
import type { Decision, EngineRequest } from "../../bindings/js/engine.ts";
import { textOf } from "../values/text.ts";
import { type OfflineEngine, problemOf, type Resource } from "./offline-engine.ts";
import { UsageError } from "../values/usage-error.ts";
import { type ControllerWrite, controllerWriteOf } from "./controller-writes.ts";
import type { Observed, Seen, Story } from "./story.ts";

/** A write, and why. */
export interface Explained {
  readonly atMs: number;
  readonly write: ControllerWrite;
  /** The engine requests it, too. */
  readonly isAsked: boolean;
  /** The decision that it carries out, or leads to. A pod that has ended is counted without one. */
  readonly decision: Decision | undefined;
}

/** Of the lists at the beginning: every object is newer. */
const FIRST_VERSION = "1";
const SINGULAR = { jobs: "Job", pods: "pod" } as const;
/** How much later than the controller the engine may make a request: a batch period, a late backoff, and a second. */
const MAX_LAG_MS = 5_000;
/** After this much time without a change, the engine checks what has become due. */
const PAUSE_MS = 2_000;
/** An engine that makes requests without end has a bug, or this loop does. */
const MAX_POLLS = 10_000;
const INDEX = "batch.kubernetes.io/job-completion-index";
const [OK, CREATED, NOT_FOUND, CONFLICT, INTERNAL_ERROR] = [200, 201, 404, 409, 500];

/** One story. Call `run` once. */
export class Reconstruction {
  readonly #engine: OfflineEngine;
  readonly #story: Story;
  readonly #known = new Map<string, Observed>();
  /** The engine's unanswered requests, by their keys. */
  readonly #open = new Map<string, EngineRequest[]>();
  readonly #decisions = new Map<number, Decision>();
  /** Those of the last poll. */
  #lastDecisions: readonly Decision[] = [];
  #nowMs: number;

  /** @param engine a new one */
  constructor(engine: OfflineEngine, story: Story) {
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

  #list(resource: Resource, objects: readonly Observed[]): void {
    for (const object of objects) this.#known.set(object.metadata.uid, object);
    checked(`the ${resource} at the beginning`, () => this.#engine.list(resource, objects, this.#nowMs, FIRST_VERSION));
  }

  #tell({ resource, type, object }: Seen): void {
    const { uid, name, resourceVersion } = object.metadata;
    if (type === "DELETED") this.#known.delete(uid);
    else this.#known.set(uid, object);
    const what = `the ${SINGULAR[resource]} ${name} of version ${resourceVersion}`;
    checked(what, () => this.#engine.change(resource, type, object, this.#nowMs));
  }

  /** Advances the time. In a long pause the engine does what becomes due in it. */
  #passTo(atMs: number): void {
    if (atMs - this.#nowMs > PAUSE_MS) this.#pollUntil(atMs - PAUSE_MS / 2, () => false);
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  /** The engine's request for the same write. Undefined: it does not make one. */
  #requestFor(write: ControllerWrite): EngineRequest | undefined {
    const isAsked = (): boolean => this.#asked(write) !== undefined;
    const untilMs = this.#nowMs + MAX_LAG_MS;
    if (!this.#pollUntil(write.isCertain ? untilMs : this.#nowMs, isAsked) && write.isCertain) {
      // Perhaps it waits for something that did not happen.
      if (this.#refuseOf(write)) this.#pollUntil(untilMs, isAsked);
    }
    return this.#asked(write);
  }

  /** The engine's next decision about the Job, after the write. */
  #nextOf({ namespace, job }: ControllerWrite): Decision | undefined {
    this.#poll();
    return this.#lastDecisions.find((decision) => decision.namespace === namespace && decision.job === job);
  }

  #asked(write: ControllerWrite): EngineRequest | undefined {
    return this.#open.get(keyOfWrite(write))?.[0];
  }

  /** Refuses open requests of the same Job, as if the object had changed. @returns whether there was any */
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

  /** Polls at each moment that the engine names, until the time or the condition. @returns whether it holds */
  #pollUntil(untilMs: number, isSo: () => boolean): boolean {
    for (let polls = 0; polls < MAX_POLLS; polls++) {
      const wakeUpMs = this.#poll();
      if (isSo()) return true;
      if (!(wakeUpMs <= untilMs)) return false;
      this.#nowMs = Math.max(this.#nowMs, wakeUpMs);
    }
    throw new Error(`the engine asks without end at ${new Date(this.#nowMs).toISOString()}`);
  }

  /** @returns when the engine wants to be polled next */
  #poll(): number {
    const { requests, decisions, nextWakeUpMs } = this.#engine.poll(this.#nowMs);
    this.#lastDecisions = decisions;
    for (const decision of decisions) if (decision.id !== undefined) this.#decisions.set(decision.id, decision);
    for (const request of requests) {
      const key = keyOfRequest(request);
      this.#open.set(key, [...(this.#open.get(key) ?? []), request]);
      this.#answerAtOnce(request);
    }
    return requests.length === 0 ? nextWakeUpMs : this.#nowMs;
  }

  /** Events are in no story, and reads are answered from known objects. */
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
    this.#engine.settle(request, { status, object }, this.#nowMs);
  }
}

/** @throws UsageError when a field has a value that no API server gives it */
function checked(what: string, feed: () => void): void {
  const problem = problemOf(feed);
  if (problem !== undefined) throw new UsageError(`${what} cannot be read: ${problem}`);
}

function eventOf({ body }: EngineRequest): object {
  const event = JSON.parse(textOf(body)) as { readonly metadata?: object };
  return { ...event, metadata: { resourceVersion: "1", ...event.metadata } };
}

function keyOfWrite({ method, path, created }: ControllerWrite): string {
  return created === undefined ? `${method} ${path}` : `${method} ${path} ${created.owner} ${created.index}`;
}

/** Pods are identified by Job and index: the server chooses their names. */
function keyOfRequest({ method, path, body }: EngineRequest): string {
  const [place = ""] = path.split("?");
  if (method !== "POST" || !place.endsWith("/pods")) return `${method} ${place}`;
  const { metadata } = JSON.parse(textOf(body)) as Observed;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
  return `${method} ${place} ${owner} ${metadata.annotations?.[INDEX]}`;
}
