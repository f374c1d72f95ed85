/**
 * The API server of one situation: it answers the engine's requests as a real one would, and collects what they write.
 *
 * Invariant: resource versions grow with each write, as on a real server. Leaves out everything that the engine does
 * not ask for.
 */
import type { EngineRequest } from "../../bindings/js/engine.ts";
import { applyMergePatch } from "../../cluster/apiserver/patch/merge-patch.ts";
import { textOf } from "../../cluster/values/text.ts";
import type { Json, KubeObject } from "../../cluster/values/types.ts";
import type { Answer } from "../../cluster/observed/offline-engine.ts";

const REFUSED: Answer = {
  status: 403,
  object: {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason: "Forbidden",
    code: 403,
    message: "the server refuses this",
  },
};
const MISSING: Answer = { status: 404, object: { kind: "Status", apiVersion: "v1", reason: "NotFound", code: 404 } };

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

export interface Removal {
  readonly uid: string;
  /** How many of the statuses are stored first. */
  readonly afterStatuses: number;
}

/** What the engine has written to the server. */
export interface Writes {
  /** Bodies of the pods to create. */
  readonly creations: readonly KubeObject[];
  /** UIDs of pods. */
  readonly deletions: readonly string[];
  /** The pods that lose their tracking finalizer. */
  readonly removals: readonly Removal[];
  /** The status after each write of it. */
  readonly statuses: readonly KubeObject["status"][];
}

/** Answers the requests of one situation as an API server would, and collects those that matter. */
export class AnsweringServer {
  readonly #creations: KubeObject[] = [];
  readonly #deletions: string[] = [];
  readonly #removals: Removal[] = [];
  readonly #statuses: KubeObject["status"][] = [];
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

  get written(): Writes {
    return {
      creations: this.#creations,
      deletions: this.#deletions,
      removals: this.#removals,
      statuses: this.#statuses,
    };
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
    if (path.endsWith("/events")) return { status: 201, object: this.#created(bodyOf(request)) };
    if (request.method === "GET") {
      if (path.endsWith("/pods")) return { status: 200, object: podList(this.pods, this.version) };
      return this.#job === undefined ? MISSING : { status: 200, object: this.#job };
    }
    if (path.endsWith("/pods")) return this.#create(bodyOf(request));
    if (path.endsWith("/status")) return this.#writeStatus(bodyOf(request));
    return this.#changePod(request, decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)));
  }

  #create(body: KubeObject): Answer {
    this.#creations.push(body);
    if (this.#refusesPods) return REFUSED;
    const pod = this.#created(body);
    this.#pods.set(pod.metadata.name, pod);
    return { status: 201, object: pod };
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
    if (this.#job === undefined) return MISSING;
    const merged = applyMergePatch(this.#job as Json, { status: patch["status"] }) as unknown as KubeObject;
    this.#job = { ...merged, metadata: { ...merged.metadata, resourceVersion: this.#nextVersion() } };
    this.#statuses.push(this.#job["status"]);
    return { status: 200, object: this.#job };
  }

  #changePod(request: EngineRequest, name: string): Answer {
    const pod = this.#pods.get(name);
    if (pod === undefined) return MISSING;
    const { uid } = pod.metadata;
    if (request.method === "DELETE") this.#deletions.push(uid);
    const metadata = { ...pod.metadata, resourceVersion: this.#nextVersion() };
    if (request.method === "DELETE") {
      if (this.#refusesPods) return REFUSED;
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
      else this.#removals.push({ uid, afterStatuses: this.#statuses.length });
    }
    const changed = { ...pod, metadata };
    this.#pods.set(name, changed);
    return { status: 200, object: changed };
  }

  #nextVersion(): string {
    return String(++this.#version);
  }
}

function podList(items: readonly KubeObject[], resourceVersion: string): object {
  return { kind: "PodList", metadata: { resourceVersion }, items };
}

function bodyOf({ body }: EngineRequest): KubeObject {
  return JSON.parse(textOf(body)) as KubeObject;
}

function timeText(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, -5)}Z`;
}
