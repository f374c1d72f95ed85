/**
 * Keeps several collections of the API current for a controller that compares them with each other. It reports nothing
 * before all of them are synced: otherwise the controller would take an object not yet listed for a missing one.
 */
import type { Clock, Transport } from "../../bindings/js/host.ts";
import { type ApiClient, type ApiError, type ApiResource, resourcePath } from "./client.ts";
import { Reflector, type WatchEventType } from "./reflector.ts";
import type { KubeObject, TypedObject } from "../values/types.ts";

/** What a controller needs. */
export interface ControllerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Called for a failed request that will be retried. */
  onProblem?(error: ApiError): void;
}

/** Called with each object that is new, has changed, or is gone (`DELETED`, with its last state). */
export type Changed = (resource: ApiResource, object: TypedObject, type: WatchEventType) => void;

export class Collections {
  readonly #objects = new Map<ApiResource, Map<string, KubeObject>>();
  readonly #unknown: Set<ApiResource>;
  readonly #reflectors: readonly Reflector[];
  readonly #changed: Changed;

  constructor(client: ApiClient, options: ControllerOptions, resources: readonly ApiResource[], changed: Changed) {
    this.#changed = changed;
    this.#unknown = new Set(resources);
    this.#reflectors = resources.map((resource) => {
      const known = new Map<string, KubeObject>();
      this.#objects.set(resource, known);
      const { clock, random } = options;
      return new Reflector(
        { client, clock, random, path: resourcePath(resource) },
        {
          onSync: (objects) => this.#replace(resource, known, objects),
          onEvent: (type, object) => this.#set(resource, known, type, object),
          onProblem: (error) => options.onProblem?.(error),
        },
      );
    });
  }

  start(): void {
    for (const reflector of this.#reflectors) reflector.start();
  }

  stop(): void {
    for (const reflector of this.#reflectors) reflector.stop();
  }

  /** @param key `namespace/name`, or the name alone */
  get<T extends TypedObject = KubeObject>(resource: ApiResource<T>, key: string): T | undefined {
    return this.#objects.get(resource)!.get(key) as T | undefined;
  }

  /** The objects of a namespace, or all of them. */
  list<T extends TypedObject = KubeObject>(resource: ApiResource<T>, namespace?: string): T[] {
    const objects = [...this.#objects.get(resource)!.values()];
    return (
      namespace === undefined ? objects : objects.filter(({ metadata }) => metadata.namespace === namespace)
    ) as T[];
  }

  /** Treats a new list as if everything in it had changed. */
  #replace(resource: ApiResource, known: Map<string, KubeObject>, objects: readonly KubeObject[]): void {
    const present = new Set(objects.map(collectionKey));
    for (const [key, object] of known) if (!present.has(key)) this.#set(resource, known, "DELETED", object);
    for (const object of objects) this.#set(resource, known, "MODIFIED", object);
    if (!this.#unknown.delete(resource) || this.#unknown.size > 0) return;
    for (const [each, objects] of this.#objects)
      for (const object of objects.values()) this.#changed(each, object, "ADDED");
  }

  #set(resource: ApiResource, known: Map<string, KubeObject>, type: WatchEventType, object: KubeObject): void {
    if (type === "DELETED") known.delete(collectionKey(object));
    else known.set(collectionKey(object), object);
    if (this.#unknown.size === 0) this.#changed(resource, object, type);
  }
}

export function collectionKey({ metadata: { namespace, name } }: TypedObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
