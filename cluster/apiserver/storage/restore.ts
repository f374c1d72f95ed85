/**
 * Puts saved objects back into the stores of a server that has not served a request yet, each with its former revision.
 *
 * Saved objects replace what the new server created itself. Objects that were not saved are written once more, so that
 * they have a new revision. The history begins again: the server reports an earlier watch or page as expired, and its
 * client lists again. Leaves out where objects are saved.
 */
import type { KubeObject } from "../../values/types.ts";
import type { Revisions, Store } from "./store.ts";

/** An object as it was stored. */
export interface SavedObject {
  /** Under which it is stored: `ResourceDefinition.storage`. */
  readonly resource: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly revision: number;
  readonly object: KubeObject;
}

/** Something served, which says where its objects are stored. */
interface Served {
  readonly storage: string;
}

/** What a restore needs of a server: what it serves, and the stores of that. */
interface Stores<Definition extends Served> {
  readonly revisions: Revisions;
  readonly definitions: readonly Definition[];
  store(definition: Definition): Store;
}

export class Restore<Definition extends Served> {
  readonly #server: Stores<Definition>;
  readonly #before: number;
  readonly #restored = new Map<Store, Set<string>>();

  /** @param latest the latest revision that was given out; the next write has a later one */
  constructor(server: Stores<Definition>, latest: number) {
    this.#server = server;
    this.#before = Math.max(latest, server.revisions.current);
  }

  /** Puts back the objects whose resources are served. @returns the others */
  put(objects: Iterable<SavedObject>): SavedObject[] {
    const stores = this.#stores();
    const others: SavedObject[] = [];
    for (const saved of objects) {
      const store = stores.get(saved.resource);
      if (store === undefined) others.push(saved);
      else this.#putInto(store, saved);
    }
    this.#server.revisions.current = this.#before;
    return others;
  }

  #putInto(store: Store, { key, revision, object }: SavedObject): void {
    this.#server.revisions.current = revision - 1;
    store.put(key, object);
    const keys = this.#restored.get(store);
    if (keys === undefined) this.#restored.set(store, new Set([key]));
    else keys.add(key);
  }

  /** Writes what was not restored once more, as the first writes after what was saved. */
  finish(): void {
    for (const store of this.#stores().values()) {
      const restored = this.#restored.get(store);
      for (const { key, object } of [...store.scan("", "")]) if (!restored?.has(key)) store.put(key, object);
      store.forgetHistory();
    }
  }

  #stores(): Map<string, Store> {
    return new Map(this.#server.definitions.map((definition) => [definition.storage, this.#server.store(definition)]));
  }
}
