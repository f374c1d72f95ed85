/**
 * Says what the engine would write in a situation: a Job, its pods, a moment.
 *
 * Invariant: nothing is sent. Each question gets a new engine, which knows the situation and nothing else, as after a
 * restart. Its requests are answered here as an API server would, until it has no more for this moment. Everything that
 * a Job controller must remember is stored in Kubernetes, so such an engine decides as one that has been running, but
 * for what docs/differences.md says of restarts.
 */
import {
  type Decision,
  Engine,
  type EngineConstants,
  type EngineRequest,
  IngestKind,
} from "../../bindings/js/engine.ts";
import { applyMergePatch } from "../../cluster/apiserver/patch/merge-patch.ts";
import type { Json, KubeObject } from "../../cluster/values/types.ts";
import type { EngineModule } from "../engine-module.ts";

const JOBS = 1;
const PODS = 2;
const POD_BACKOFF_BASE_MS = 10_000;
const POD_BACKOFF_MAX_MS = 600_000;
const MAX_REQUESTS = 4096;
/** Rounds of requests and answers. A sync of a large Job has some dozens: pods are created in batches that double. */
const MAX_ROUNDS = 10_000;
const REFUSAL = JSON.stringify({
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  reason: "Forbidden",
  code: 403,
  message: "the server refuses this",
});

/** All inputs of the engine. */
export interface Situation {
  /** Undefined: the Job is gone, or was not seen yet. */
  readonly job: KubeObject | undefined;
  /** The last state of a Job that is gone. */
  readonly goneJob?: KubeObject | undefined;
  readonly pods: readonly KubeObject[];
  readonly nowMs: number;
  /**
   * The server refuses to create further pods, as for a quota, and to delete any. So a sync neither creates nor
   * deletes, like that of a controller that waits until it sees its own writes.
   */
  readonly refusesPods?: boolean;
}

/** What the engine would write at that moment, and what it would then wait for. */
export interface Intent {
  /** Bodies of the pods to create. */
  readonly creations: readonly KubeObject[];
  /** UIDs of pods. */
  readonly deletions: readonly string[];
  /** The pods that lose their tracking finalizer. */
  readonly removals: readonly Removal[];
  /** The status after each write of it. */
  readonly statuses: readonly KubeObject["status"][];
  readonly decisions: readonly Decision[];
  /** When the engine would look again without any event; Infinity: never. */
  readonly nextMs: number;
}

export interface Removal {
  readonly uid: string;
  /** How many of the statuses are stored first. */
  readonly afterStatuses: number;
}

export class Oracle {
  readonly #module: EngineModule;
  readonly #constants: Partial<EngineConstants>;

  constructor(module: EngineModule, constants: Partial<EngineConstants> = {}) {
    this.#module = module;
    this.#constants = constants;
  }

  /** How long the next pod waits after this many failures in a row. */
  backOffMs(failures: number): number {
    const { podBackoffBaseMs = POD_BACKOFF_BASE_MS, podBackoffMaxMs = POD_BACKOFF_MAX_MS } = this.#constants;
    return Math.min(podBackoffBaseMs * 2 ** (failures - 1), podBackoffMaxMs);
  }

  /** @throws EngineError when the engine cannot read the situation */
  ask(situation: Situation): Intent {
    const engine = Engine.createSync(this.#module.module, this.#module.sha256);
    engine.configure({
      instance: "shadow",
      sources: [
        { id: JOBS, resource: "jobs" },
        { id: PODS, resource: "pods" },
      ],
      removesFinished: false,
      constants: this.#constants,
    });
    const server = new AnsweringServer(situation);
    const { nowMs } = situation;
    for (const [source, kind, items] of [
      [JOBS, "JobList", server.jobs],
      [PODS, "PodList", server.pods],
    ] as const) {
      const page = JSON.stringify({ kind, metadata: { resourceVersion: server.version }, items });
      engine.ingest(source, IngestKind.listBegin, "", nowMs);
      engine.ingest(source, IngestKind.page, page, nowMs);
      engine.ingest(source, IngestKind.listEnd, "", nowMs);
    }
    const { goneJob } = server;
    if (goneJob !== undefined)
      engine.ingest(JOBS, IngestKind.watchLines, `${JSON.stringify({ type: "DELETED", object: goneJob })}\n`, nowMs);
    const decisions: Decision[] = [];
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const polled = engine.poll(nowMs, MAX_REQUESTS);
      decisions.push(...polled.decisions);
      if (polled.requests.length === 0) return { ...server.written, decisions, nextMs: polled.nextWakeUpMs };
      for (const request of polled.requests) {
        const { status, body } = server.answer(request);
        engine.settle(request.id, status, -1, body, nowMs);
      }
    }
    throw new Error(`the engine asks for more than ${MAX_ROUNDS} rounds of requests in one situation`);
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Written extends Omit<Intent, "decisions" | "nextMs"> {
  readonly creations: KubeObject[];
  readonly deletions: string[];
  readonly removals: Removal[];
  readonly statuses: KubeObject["status"][];
}

/** Answers the requests of one situation as an API server would, and collects those that matter. */
class AnsweringServer {
  readonly written: Written = { creations: [], deletions: [], removals: [], statuses: [] };
  readonly #pods: Map<string, KubeObject>;
  readonly #nowMs: number;
  readonly #refusesPods: boolean;
  readonly #namespace: string | undefined;
  readonly #goneJob: KubeObject | undefined;
  #job: KubeObject | undefined;
  #version: bigint;

  constructor({ job, goneJob, pods, nowMs, refusesPods = false }: Situation) {
    this.#job = job;
    this.#goneJob = job === undefined ? goneJob : undefined;
    this.#pods = new Map(pods.map((pod) => [pod.metadata.name, pod]));
    this.#nowMs = nowMs;
    this.#refusesPods = refusesPods;
    this.#namespace = (job ?? pods[0])?.metadata.namespace;
    this.#version = [...pods, ...this.jobs].reduce(
      (highest, { metadata }) =>
        BigInt(metadata.resourceVersion) > highest ? BigInt(metadata.resourceVersion) : highest,
      1n,
    );
  }

  get version(): string {
    return String(this.#version);
  }

  /** The listed Jobs: a deleted Job is removed afterwards. */
  get jobs(): readonly KubeObject[] {
    const job = this.#job ?? this.#goneJob;
    return job === undefined ? [] : [job];
  }

  /** The deletion in the watch. */
  get goneJob(): KubeObject | undefined {
    if (this.#goneJob === undefined) return undefined;
    return { ...this.#goneJob, metadata: { ...this.#goneJob.metadata, resourceVersion: this.#nextVersion() } };
  }

  get pods(): readonly KubeObject[] {
    return [...this.#pods.values()];
  }

  answer(request: EngineRequest): Answer {
    const path = request.path.split("?", 1)[0]!;
    if (path.endsWith("/events")) return answered(201, this.#created(bodyOf(request)));
    if (request.method === "GET") {
      if (path.endsWith("/pods"))
        return answered(200, { kind: "PodList", metadata: { resourceVersion: this.version }, items: this.pods });
      return this.#job === undefined ? missing() : answered(200, this.#job);
    }
    if (path.endsWith("/pods")) return this.#create(bodyOf(request));
    if (path.endsWith("/status")) return this.#writeStatus(bodyOf(request));
    return this.#changePod(request, decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)));
  }

  #create(body: KubeObject): Answer {
    this.written.creations.push(body);
    if (this.#refusesPods) return { status: 403, body: REFUSAL };
    const pod = this.#created(body);
    this.#pods.set(pod.metadata.name, pod);
    return answered(201, pod);
  }

  #created(body: KubeObject): KubeObject {
    const version = this.#nextVersion();
    return {
      ...body,
      metadata: {
        ...body.metadata,
        name: body.metadata.name || `${body.metadata.generateName}${version}`,
        ...(this.#namespace === undefined ? {} : { namespace: this.#namespace }),
        uid: `shadow-${version}`,
        resourceVersion: version,
        creationTimestamp: timeText(this.#nowMs),
      },
    };
  }

  #writeStatus(patch: KubeObject): Answer {
    if (this.#job === undefined) return missing();
    const merged = applyMergePatch(this.#job as Json, { status: patch["status"] }) as unknown as KubeObject;
    this.#job = { ...merged, metadata: { ...merged.metadata, resourceVersion: this.#nextVersion() } };
    this.written.statuses.push(this.#job["status"]);
    return answered(200, this.#job);
  }

  #changePod(request: EngineRequest, name: string): Answer {
    const pod = this.#pods.get(name);
    if (pod === undefined) return missing();
    const { uid } = pod.metadata;
    if (request.method === "DELETE") this.written.deletions.push(uid);
    const metadata = { ...pod.metadata, resourceVersion: this.#nextVersion() };
    if (request.method === "DELETE") {
      if (this.#refusesPods) return { status: 403, body: REFUSAL };
      metadata.deletionTimestamp = timeText(this.#nowMs);
    } else {
      const patch = bodyOf(request).metadata as unknown as Readonly<Record<string, any>>;
      const dropped = (patch["$deleteFromPrimitiveList/finalizers"] ?? []) as readonly string[];
      const owners = patch["ownerReferences"] as KubeObject["metadata"]["ownerReferences"];
      metadata.finalizers = [
        ...(pod.metadata.finalizers ?? []).filter((finalizer) => !dropped.includes(finalizer)),
        ...((patch["finalizers"] ?? []) as readonly string[]),
      ];
      if (owners !== undefined) metadata.ownerReferences = dropped.length > 0 ? [] : owners;
      else this.written.removals.push({ uid, afterStatuses: this.written.statuses.length });
    }
    const changed = { ...pod, metadata };
    this.#pods.set(name, changed);
    return answered(200, changed);
  }

  #nextVersion(): string {
    return String(++this.#version);
  }
}

const decoder = new TextDecoder();

function bodyOf({ body }: EngineRequest): KubeObject {
  return JSON.parse(decoder.decode(body)) as KubeObject;
}

function answered(status: number, object: object): Answer {
  return { status, body: JSON.stringify(object) };
}

function missing(): Answer {
  return { status: 404, body: JSON.stringify({ kind: "Status", apiVersion: "v1", reason: "NotFound", code: 404 }) };
}

function timeText(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, -5)}Z`;
}
