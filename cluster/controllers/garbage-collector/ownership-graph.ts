/**
 * The owner references among the objects that a garbage collector watches, by uid.
 *
 * Invariant: `dependentsOf(u)` are exactly the known objects with an ownerReference to u, whether u itself is known or
 * not; `blockingDependentsOf(u)` those whose reference says blockOwnerDeletion. An update costs O(its ownerReferences).
 */
import type { ApiResource } from "../../client/client.ts";
import type { TypedObject, OwnerReference } from "../../values/types.ts";

export interface GraphNode {
  readonly resource: ApiResource;
  /** Undefined for a cluster-scoped object. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  resourceVersion: string;
  owners: readonly OwnerReference[];
  finalizers: readonly string[];
  isDeleting: boolean;
}

export const ORPHAN_FINALIZER = "orphan";
export const FOREGROUND_FINALIZER = "foregroundDeletion";

const NO_DEPENDENTS: ReadonlySet<GraphNode> = new Set();
const NO_OWNERS: readonly OwnerReference[] = [];
const NO_FINALIZERS: readonly string[] = [];

/** True while the object waits for its dependents to go first. */
export function isDeletingDependents(node: Pick<GraphNode, "isDeleting" | "finalizers">): boolean {
  return node.isDeleting && node.finalizers.includes(FOREGROUND_FINALIZER);
}

export class OwnershipGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<GraphNode>>();
  readonly #blockingDependents = new Map<string, Set<GraphNode>>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): ReadonlySet<GraphNode> {
    return this.#dependents.get(uid) ?? NO_DEPENDENTS;
  }

  blockingDependentsOf(uid: string): ReadonlySet<GraphNode> {
    return this.#blockingDependents.get(uid) ?? NO_DEPENDENTS;
  }

  /** All known objects. */
  all(): Iterable<GraphNode> {
    return this.#nodes.values();
  }

  /** The known objects of one resource. */
  *ofResource(resource: ApiResource): Iterable<GraphNode> {
    for (const node of this.#nodes.values()) if (node.resource === resource) yield node;
  }

  /** Adds or updates an object. Returns its node and whom it named as owners before. */
  set(resource: ApiResource, object: TypedObject): { node: GraphNode; ownersBefore: readonly OwnerReference[] } {
    const {
      namespace,
      name,
      uid,
      resourceVersion,
      deletionTimestamp,
      ownerReferences = NO_OWNERS,
      finalizers = NO_FINALIZERS,
    } = object.metadata;
    let node = this.#nodes.get(uid);
    if (node === undefined) {
      node = { resource, namespace, name, uid, resourceVersion, owners: NO_OWNERS, finalizers, isDeleting: false };
      this.#nodes.set(uid, node);
    }
    const ownersBefore = node.owners;
    node.resourceVersion = resourceVersion;
    node.finalizers = finalizers;
    node.isDeleting = deletionTimestamp !== undefined;
    if (ownerReferences !== ownersBefore) {
      node.owners = ownerReferences;
      for (const owner of ownersBefore) this.#unlink(owner.uid, node);
      for (const owner of ownerReferences) this.#link(owner, node);
    }
    return { node, ownersBefore };
  }

  /** Removes an object; undefined if it was not known. */
  remove(uid: string): GraphNode | undefined {
    const node = this.#nodes.get(uid);
    if (node === undefined) return undefined;
    this.#nodes.delete(uid);
    for (const owner of node.owners) this.#unlink(owner.uid, node);
    return node;
  }

  #link(owner: OwnerReference, node: GraphNode): void {
    addTo(this.#dependents, owner.uid, node);
    if (owner.blockOwnerDeletion === true) addTo(this.#blockingDependents, owner.uid, node);
  }

  #unlink(ownerUid: string, node: GraphNode): void {
    removeFrom(this.#dependents, ownerUid, node);
    removeFrom(this.#blockingDependents, ownerUid, node);
  }
}

function addTo(sets: Map<string, Set<GraphNode>>, key: string, node: GraphNode): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([node]));
  else set.add(node);
}

function removeFrom(sets: Map<string, Set<GraphNode>>, key: string, node: GraphNode): void {
  const set = sets.get(key);
  set?.delete(node);
  if (set?.size === 0) sets.delete(key);
}
