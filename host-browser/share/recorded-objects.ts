/**
 * The objects of a cluster as a recording shows them: lists, watch lines and answers become writes, each once.
 *
 * Invariant: objects only move forward. An older or equal resourceVersion is ignored, because the answer to a write and
 * the watch both show it, and no answer brings a deleted object back. A list also shows what was deleted. The caller
 * knows when each thing happened.
 */
import type { Write } from "../../cluster/apiserver/server.ts";
import type { KubeObject } from "../../cluster/values/types.ts";

const KINDS: Readonly<Record<string, string>> = { Job: "jobs", Pod: "pods", Event: "events" };
const API_VERSIONS: Readonly<Record<string, string>> = { jobs: "batch/v1", pods: "v1" };

export class RecordedObjects {
  readonly #known = new Map<string, { readonly resource: string; readonly object: KubeObject }>();
  /** UIDs that the list under way has named, by resource. */
  readonly #listed = new Map<string, Set<string>>();
  /** UIDs of deleted objects. The answer to the write that deleted one may come later. */
  readonly #gone = new Set<string>();

  beginList(resource: string): void {
    this.#listed.set(resource, new Set());
  }

  /** A page of a list. Its items do not have a kind. */
  page(resource: string, text: string): Write[] {
    const items: KubeObject[] = JSON.parse(text).items ?? [];
    const [kind = ""] = Object.entries(KINDS).find(([, plural]) => plural === resource) ?? [];
    return items.flatMap((item) => {
      this.#listed.get(resource)?.add(item.metadata.uid);
      return this.#put(resource, { ...item, kind, apiVersion: API_VERSIONS[resource] ?? "v1" });
    });
  }

  /** What a whole list does not name is gone. */
  endList(resource: string): Write[] {
    const listed = this.#listed.get(resource);
    this.#listed.delete(resource);
    if (listed === undefined) return [];
    const gone = [...this.#known.values()].filter(
      (entry) => entry.resource === resource && !listed.has(entry.object.metadata.uid),
    );
    return gone.flatMap(({ object }) => this.#remove(resource, object));
  }

  watchLines(resource: string, text: string): Write[] {
    return text.split("\n").flatMap((line) => {
      if (line === "") return [];
      const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: KubeObject };
      if (type === "ADDED" || type === "MODIFIED") return this.#put(resource, object);
      return type === "DELETED" ? this.#remove(resource, object) : [];
    });
  }

  /** The answer to a write: the object as it was stored. Other answers show no object. */
  answer(method: string, object: Partial<KubeObject>): Write[] {
    if (method === "GET") return [];
    const resource = KINDS[object.kind ?? ""];
    const uid = object.metadata?.uid;
    if (resource === undefined || uid === undefined || this.#gone.has(uid)) return [];
    // A deletion is over when the watch reports it: finalizers and grace periods keep the object.
    return method === "DELETE" ? [] : this.#put(resource, object as KubeObject);
  }

  #put(resource: string, object: KubeObject): Write[] {
    const previous = this.#known.get(object.metadata.uid)?.object;
    const revision = Number(object.metadata.resourceVersion);
    if (previous !== undefined && revision <= Number(previous.metadata.resourceVersion)) return [];
    this.#known.set(object.metadata.uid, { resource, object });
    return [
      { resource, type: previous === undefined ? "ADDED" : "MODIFIED", object, stored: { object }, previous, revision },
    ];
  }

  #remove(resource: string, object: KubeObject): Write[] {
    const previous = this.#known.get(object.metadata.uid)?.object;
    if (previous === undefined || !this.#known.delete(object.metadata.uid)) return [];
    this.#gone.add(object.metadata.uid);
    const revision = Number(object.metadata.resourceVersion);
    return [{ resource, type: "DELETED", object, stored: { object }, previous, revision }];
  }
}
