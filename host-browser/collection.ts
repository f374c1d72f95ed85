/**
 * The objects of one resource as the API shows them: a list, kept up to date by a watch.
 *
 * Invariant: objects are in the order of their creation. Leaves out history: deleted objects are gone.
 */
import type { Clock } from "../bindings/js/host.ts";
import type { ApiClient } from "../cluster/client.ts";
import { Reflector, type WatchEventType } from "../cluster/reflector.ts";
import type { KubeObject } from "../cluster/types.ts";

export interface CollectionOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly random: () => number;
  /** Path of the collection: `/api/v1/pods`. */
  readonly path: string;
}

export class Collection {
  readonly #objects = new Map<string, KubeObject>();

  constructor(options: CollectionOptions) {
    const reflector = new Reflector(options, {
      onSync: (objects) => {
        this.#objects.clear();
        // A list is sorted by name.
        for (const object of objects.toSorted(byVersion)) this.#objects.set(object.metadata.uid, object);
      },
      onEvent: (type, object) => this.#apply(type, object),
    });
    reflector.start();
  }

  get size(): number {
    return this.#objects.size;
  }

  values(): KubeObject[] {
    return [...this.#objects.values()];
  }

  /** At most `count` objects, the latest changes first. */
  latest(count: number): KubeObject[] {
    return this.values().sort(byVersion).slice(-count).reverse();
  }

  #apply(type: WatchEventType, object: KubeObject): void {
    if (type === "DELETED") this.#objects.delete(object.metadata.uid);
    else this.#objects.set(object.metadata.uid, object);
  }
}

/** Sorts by the last change. For new objects that is the order of their creation. */
function byVersion(a: KubeObject, b: KubeObject): number {
  return Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion);
}
