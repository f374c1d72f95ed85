/**
 * The place of each object's latest state in the present segment: the next segment begins with these objects.
 *
 * Invariant: only places in the file are kept, not the objects, so 100,000 pods cost some megabytes. Leaves out the
 * objects that no decision depends on any more: ended and counted pods, and the pods of ended Jobs.
 */
import { endOf } from "../../cluster/values/job-conditions.ts";
import type { Resource } from "../../cluster/observed/segment-format.ts";
import type { Job, Pod } from "../../cluster/values/kinds.ts";

interface Place {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly offset: number;
  readonly length: number;
  /** A Job with its final condition; a pod that has ended and has no finalizer. */
  readonly isOver: boolean;
  /** The UID of the Job that controls it. */
  readonly owner: string | undefined;
}

export interface Range {
  readonly uid: string;
  readonly offset: number;
  readonly length: number;
}

export class KnownObjects {
  /** The latest change is last. */
  readonly #places = new Map<string, Place>();
  /** By source: the UIDs in the list under way. */
  readonly #listed = new Map<number, Set<string>>();

  get size(): number {
    return this.#places.size;
  }

  put(resource: Resource, object: Job | Pod, offset: number, length: number): void {
    const { uid, namespace, ownerReferences } = object.metadata;
    const owner = ownerReferences?.find(({ controller }: { controller?: boolean }) => controller === true)?.uid;
    this.#places.delete(uid);
    this.#places.set(uid, { resource, namespace, offset, length, isOver: isOver(resource, object), owner });
    for (const listed of this.#listed.values()) listed.add(uid);
  }

  /** The place in the next segment. */
  move(uid: string, offset: number): void {
    this.#places.set(uid, { ...this.#places.get(uid)!, offset });
  }

  remove(uid: string): void {
    this.#places.delete(uid);
  }

  beginList(source: number): void {
    this.#listed.set(source, new Set());
  }

  /** Objects that are not in the list are gone. @param namespace of the source; undefined: all of them */
  endList(source: number, resource: Resource, namespace: string | undefined): void {
    const listed = this.#listed.get(source);
    this.#listed.delete(source);
    if (listed === undefined) return;
    for (const [uid, place] of this.#places) {
      const isOfSource = place.resource === resource && (namespace === undefined || place.namespace === namespace);
      if (isOfSource && !listed.has(uid)) this.#places.delete(uid);
    }
  }

  /** The objects for a new segment, in file order; the others are forgotten. @param maxBytes of all together */
  keep(maxBytes: number): { readonly kept: readonly Range[]; readonly leftOut: number } {
    const isUnneeded = ({ resource, isOver, owner }: Place): boolean =>
      resource === "pods" && (isOver || (owner !== undefined && this.#places.get(owner)?.isOver === true));
    const kept: Range[] = [];
    let leftOut = 0;
    let bytes = 0;
    const unneeded = new Set([...this.#places].filter(([, place]) => isUnneeded(place)).map(([uid]) => uid));
    for (const [uid, { offset, length }] of [...this.#places].reverse()) {
      const isKept = !unneeded.has(uid) && bytes + length <= maxBytes;
      if (isKept) {
        kept.push({ uid, offset, length });
        bytes += length;
      } else {
        if (!unneeded.has(uid)) leftOut++;
        this.#places.delete(uid);
      }
    }
    return { kept: kept.sort((a, b) => a.offset - b.offset), leftOut };
  }
}

function isOver(resource: Resource, object: Job | Pod): boolean {
  if (resource !== "pods") return endOf(object) !== undefined;
  const phase: unknown = (object as Pod).status?.phase;
  return (phase === "Succeeded" || phase === "Failed") && (object.metadata.finalizers ?? []).length === 0;
}
