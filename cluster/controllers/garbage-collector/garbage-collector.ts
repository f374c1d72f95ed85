/**
 * The garbage collector: removes objects whose owners are gone, and carries out foreground and orphan deletion
 * (docs/spec/api.md 4.3).
 *
 * Invariant: watches alone are never a reason to delete. An owner counts as gone only after the API confirmed that for
 * its name and uid. A deletion has the uid and resourceVersion of the judged object as preconditions. Leaves out kinds
 * that it does not watch: their objects may be owners, but are not collected. Source: pkg/controller/garbagecollector.
 */
import { BoundedMap } from "../../values/bounded-map.ts";
import { ApiClient, CONFIG_MAPS, isRetryable, JOBS, PODS, resourcePath } from "../../client/client.ts";
import type { ApiError, ApiResource, WriteResult } from "../../client/client.ts";
import type { ControllerOptions } from "../../client/collections.ts";
import { Discovery } from "../../client/discovery.ts";
import { Reflector } from "../../client/reflector.ts";
import type { TypedObject, OwnerReference } from "../../values/types.ts";
import { WorkQueue } from "../../client/work-queue.ts";
import type { WorkOutcome } from "../../client/work-queue.ts";
import { FOREGROUND_FINALIZER, isDeletingDependents, ORPHAN_FINALIZER, OwnershipGraph } from "./ownership-graph.ts";
import type { GraphNode } from "./ownership-graph.ts";

/** The default kinds to collect. */
export const DEFAULT_COLLECTED: readonly ApiResource[] = [PODS, JOBS, CONFIG_MAPS];
/** The most concurrent syncs; upstream's --concurrent-gc-syncs. */
export const CONCURRENT_SYNCS = 20;
/** The most owners remembered as gone. The least recently used is evicted first, and asked for again. */
export const MAX_ABSENT_OWNERS = 10_000;
const RETRY_INITIAL_MS = 50;
const RETRY_MAX_MS = 60_000;
/** Only metadata is needed. A server that cannot send metadata alone sends whole objects. */
const METADATA_ONLY = {
  list: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
  watch: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
};

export interface GarbageCollectorOptions extends ControllerOptions {
  /** See DEFAULT_COLLECTED. */
  readonly resources?: readonly ApiResource[];
}

type OwnerState = "solid" | "dangling" | "waitingForDependents";
type Done = (outcome: WorkOutcome) => void;

/** Works from `start` to `stop`. */
export class GarbageCollector {
  readonly #options: GarbageCollectorOptions;
  #resources: readonly ApiResource[];
  #custom: readonly ApiResource[] = [];
  readonly #client: ApiClient;
  readonly #discovery: Discovery;
  readonly #reflectors = new Map<ApiResource, Reflector>();
  readonly #graph = new OwnershipGraph();
  readonly #queue: WorkQueue<GraphNode>;
  readonly #synced = new Set<ApiResource>();
  readonly #absentOwners = new BoundedMap<string, true>(MAX_ABSENT_OWNERS);

  constructor(options: GarbageCollectorOptions) {
    const { transport, clock, random, resources = DEFAULT_COLLECTED } = options;
    this.#options = options;
    this.#resources = resources;
    this.#client = new ApiClient(transport, { userAgent: "generic-garbage-collector" });
    this.#discovery = new Discovery(this.#client);
    this.#queue = new WorkQueue({
      clock,
      random,
      concurrency: CONCURRENT_SYNCS,
      retryInitialMs: RETRY_INITIAL_MS,
      retryMaxMs: RETRY_MAX_MS,
      work: (node, done) => this.#sync(node, done),
    });
    for (const resource of resources) this.#observe(resource);
  }

  start(): void {
    for (const reflector of this.#reflectors.values()) reflector.start();
  }

  stop(): void {
    for (const reflector of this.#reflectors.values()) reflector.stop();
    this.#queue.stop();
  }

  /** Replaces the custom resources to collect, once the collector has started. */
  collectCustom(custom: readonly ApiResource[]): void {
    // Definitions come one after another. Resources that are collected already are not listed again for each of them.
    const gone = new Map(this.#custom.map((resource) => [resourcePath(resource), resource]));
    const added: ApiResource[] = [];
    for (const resource of custom) if (!gone.delete(resourcePath(resource))) added.push(resource);
    const removed = new Set(gone.values());
    for (const resource of removed) {
      this.#reflectors.get(resource)!.stop();
      this.#reflectors.delete(resource);
      this.#synced.delete(resource);
      for (const { uid } of [...this.#graph.ofResource(resource)]) this.#graph.remove(uid);
    }
    const stay = (resource: ApiResource): boolean => !removed.has(resource);
    this.#resources = [...this.#resources.filter(stay), ...added];
    this.#custom = [...this.#custom.filter(stay), ...added];
    for (const resource of added) this.#observe(resource).start();
    this.#considerAll();
  }

  #observe(resource: ApiResource): Reflector {
    const { clock, random, onProblem } = this.#options;
    const reflector = new Reflector(
      { client: this.#client, clock, random, path: resourcePath(resource), accept: METADATA_ONLY },
      {
        onSync: (objects) => this.#resourceSynced(resource, objects),
        onEvent: (type, object) =>
          type === "DELETED" ? this.#objectGone(object.metadata.uid) : this.#objectSeen(resource, object),
        onProblem: (error) => onProblem?.(error),
      },
    );
    this.#reflectors.set(resource, reflector);
    return reflector;
  }

  // What changes.

  #resourceSynced(resource: ApiResource, objects: readonly TypedObject[]): void {
    const present = new Set(objects.map((object) => object.metadata.uid));
    const gone = Array.from(this.#graph.ofResource(resource)).filter((node) => !present.has(node.uid));
    for (const node of gone) this.#objectGone(node.uid);
    for (const object of objects) this.#objectSeen(resource, object);
    this.#synced.add(resource);
    this.#considerAll();
  }

  /** Judges objects when all kinds are listed. Before, an owner could be missing because its kind was not. */
  #considerAll(): void {
    if (this.#synced.size === this.#resources.length) for (const node of this.#graph.all()) this.#consider(node);
  }

  #objectSeen(resource: ApiResource, object: TypedObject): void {
    const { node, ownersBefore } = this.#graph.set(resource, object);
    this.#consider(node);
    for (const owner of ownersBefore) this.#considerOwner(owner.uid);
  }

  #objectGone(uid: string): void {
    const node = this.#graph.remove(uid);
    if (node === undefined) return;
    this.#queue.forget(node);
    this.#noteAbsent(uid);
    for (const dependent of this.#graph.dependentsOf(uid)) this.#enqueue(dependent);
    for (const owner of node.owners) this.#considerOwner(owner.uid);
  }

  /**
   * Enqueues an owner that waits for its dependents, as soon as none blocks it any more. An earlier sync would be
   * useless.
   */
  #considerOwner(uid: string): void {
    const owner = this.#graph.get(uid);
    if (owner !== undefined && isDeletingDependents(owner) && this.#graph.blockingDependentsOf(uid).size === 0)
      this.#enqueue(owner);
  }

  /** Enqueues an object if it may need an action. */
  #consider(node: GraphNode): void {
    const isOrphaning = node.isDeleting && node.finalizers.includes(ORPHAN_FINALIZER);
    const ownerMayBeGone = !node.isDeleting && node.owners.some(({ uid }) => this.#ownerState(node, uid) !== "solid");
    if (isOrphaning || isDeletingDependents(node) || ownerMayBeGone) this.#enqueue(node);
  }

  #enqueue(node: GraphNode): void {
    if (this.#synced.size === this.#resources.length) this.#queue.add(node);
  }

  // What follows.

  #sync(node: GraphNode, done: Done): void {
    if (this.#graph.get(node.uid) !== node) done("done");
    else if (node.isDeleting && node.finalizers.includes(ORPHAN_FINALIZER)) this.#orphanDependents(node, done);
    else if (isDeletingDependents(node)) this.#deleteDependents(node, done);
    else if (node.isDeleting || node.owners.length === 0) done("done");
    else this.#judge(node, 0, { solid: [], dangling: [], waitingForDependents: [] }, done);
  }

  /** Sorts the owners of a node by their state, asks the API about unknown ones, and then acts. */
  #judge(node: GraphNode, index: number, owners: Record<OwnerState, OwnerReference[]>, done: Done): void {
    const owner = node.owners[index];
    if (owner === undefined) {
      this.#act(node, owners, done);
      return;
    }
    const proceed = (state: OwnerState): void => {
      owners[state].push(owner);
      this.#judge(node, index + 1, owners, done);
    };
    const known = this.#ownerState(node, owner.uid);
    if (known !== undefined) proceed(known);
    else this.#lookUpOwner(node, owner, proceed, done);
  }

  /** The state of an owner. Undefined: it is not known whether the owner exists. */
  #ownerState(node: GraphNode, ownerUid: string): OwnerState | undefined {
    if (this.#absentOwners.has(ownerUid)) return "dangling";
    const owner = this.#graph.get(ownerUid);
    if (owner === undefined) return undefined;
    // An object in another namespace cannot be an owner.
    if (owner.namespace !== undefined && owner.namespace !== node.namespace) return "dangling";
    return isDeletingDependents(owner) ? "waitingForDependents" : "solid";
  }

  #lookUpOwner(node: GraphNode, owner: OwnerReference, proceed: (state: OwnerState) => void, done: Done): void {
    const ask = (resource: ApiResource): void => {
      const namespace = resource.namespaced ? node.namespace : undefined;
      this.#client.get(resourcePath(resource, namespace, owner.name), (result) => {
        if (result.ok && result.value.metadata.uid === owner.uid) {
          const { deletionTimestamp, finalizers = [] } = result.value.metadata;
          proceed(
            isDeletingDependents({ isDeleting: deletionTimestamp !== undefined, finalizers })
              ? "waitingForDependents"
              : "solid",
          );
        } else if (result.ok || result.error.status === 404) {
          this.#noteAbsent(owner.uid);
          proceed("dangling");
        } else {
          this.#failed(result.error, done);
        }
      });
    };
    const watched = this.#resources.find(
      ({ apiVersion, kind }) => apiVersion === owner.apiVersion && kind === owner.kind,
    );
    if (watched !== undefined) {
      ask(watched);
      return;
    }
    this.#discovery.find(owner.apiVersion, owner.kind, (result) => {
      if (!result.ok) this.#failed(result.error, done);
      // The server does not have this kind. It is not known whether the owner exists, so its dependents stay.
      else if (result.value === undefined) done("done");
      else ask(result.value);
    });
  }

  #act(
    node: GraphNode,
    { solid, dangling, waitingForDependents }: Record<OwnerState, OwnerReference[]>,
    done: Done,
  ): void {
    const finished = (result: WriteResult): void => this.#finished(result, done);
    if (solid.length > 0) {
      const superfluous = [...dangling, ...waitingForDependents].map(({ uid }) => uid);
      if (superfluous.length === 0) done("done");
      else this.#removeOwners(node, superfluous, finished);
      return;
    }
    const hasDependents = this.#graph.dependentsOf(node.uid).size > 0;
    const propagationPolicy = node.finalizers.includes(ORPHAN_FINALIZER)
      ? "Orphan"
      : (waitingForDependents.length > 0 && hasDependents) || node.finalizers.includes(FOREGROUND_FINALIZER)
        ? "Foreground"
        : "Background";
    const preconditions = { uid: node.uid, resourceVersion: node.resourceVersion };
    this.#client.delete(this.#path(node), { propagationPolicy, preconditions }, finished);
  }

  /** Foreground deletion: first the blocking dependents are deleted, then the finalizer is removed. */
  #deleteDependents(owner: GraphNode, done: Done): void {
    const blocking = this.#graph.blockingDependentsOf(owner.uid);
    if (blocking.size === 0) {
      this.#removeFinalizer(owner, FOREGROUND_FINALIZER, done);
      return;
    }
    for (const dependent of blocking) if (!dependent.isDeleting) this.#enqueue(dependent);
    done("done");
  }

  #orphanDependents(owner: GraphNode, done: Done): void {
    const dependents = [...this.#graph.dependentsOf(owner.uid)];
    let open = dependents.length;
    let failure: ApiError | undefined;
    if (open === 0) this.#removeFinalizer(owner, ORPHAN_FINALIZER, done);
    for (const dependent of dependents) {
      this.#removeOwners(dependent, [owner.uid], (result) => {
        if (!result.ok && !isGone(result.error)) failure = result.error;
        if (--open > 0) return;
        if (failure !== undefined) this.#failed(failure, done);
        else this.#removeFinalizer(owner, ORPHAN_FINALIZER, done);
      });
    }
  }

  #removeOwners(node: GraphNode, ownerUids: readonly string[], done: (result: WriteResult) => void): void {
    const { uid, resourceVersion, owners } = node;
    const isCustom = this.#custom.includes(node.resource);
    const metadata = isCustom
      ? { resourceVersion, ownerReferences: owners.filter((owner) => !ownerUids.includes(owner.uid)) }
      : { ownerReferences: ownerUids.map((owner) => ({ $patch: "delete", uid: owner })) };
    // A custom resource takes no strategic merge patch.
    const format = isCustom ? "application/merge-patch+json" : "application/strategic-merge-patch+json";
    this.#client.patch(this.#path(node), format, { metadata: { ...metadata, uid } }, done);
  }

  #removeFinalizer(node: GraphNode, finalizer: string, done: Done): void {
    const finalizers = node.finalizers.filter((name) => name !== finalizer);
    const patch = { metadata: { uid: node.uid, resourceVersion: node.resourceVersion, finalizers } };
    this.#client.patch(this.#path(node), "application/merge-patch+json", patch, (result) =>
      this.#finished(result, done),
    );
  }

  #finished(result: WriteResult, done: Done): void {
    if (result.ok || isGone(result.error)) done("done");
    else this.#failed(result.error, done);
  }

  #failed(error: ApiError, done: Done): void {
    // A conflict means that the view is out of date. The retry sees more.
    if (error.status !== 409) this.#options.onProblem?.(error);
    done(isRetryable(error) ? "failed" : "done");
  }

  #noteAbsent(uid: string): void {
    this.#absentOwners.put(uid, true);
  }

  #path(node: GraphNode): string {
    return resourcePath(node.resource, node.namespace, node.name);
  }
}

/**
 * True if the object with this uid does not exist: no such name (404), or the name belongs to another (422 on the uid).
 */
function isGone(error: ApiError): boolean {
  return error.status === 404 || (error.status === 422 && error.message.includes("metadata.uid"));
}
