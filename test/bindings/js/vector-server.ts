/**
 * The API server of the vectors: as much of one as test/vectors/README.md says, so that a runner in any language is
 * small. Objects by name in one namespace, one counter of resource versions, and an answer to each request of the
 * engine. Leaves out validation, garbage collection and time: pods go when a step says so.
 */
import type { Json, JsonObject } from "../../../cluster/values/types.ts";
import type { EngineRequest } from "../../../bindings/js/engine.ts";

export const NAMESPACE = "default";
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
const INDEX_KEY = "batch.kubernetes.io/job-completion-index";
const GRACE_SECONDS = 30;
const OBJECT_PATH = /\/(?:pods|jobs|workloads|podgroups)\/([^/?]+)/;
/** Wall-clock time of `now` 0: 2026-01-01T00:00:00Z. */
export const CLOCK_OFFSET_MS = 1767225600000;

export interface Reply {
  readonly status: number;
  readonly retryAfterMs: number;
  readonly body: string;
}

const decoder = new TextDecoder();

export class VectorServer {
  readonly #templates: Readonly<Record<string, JsonObject>>;
  readonly #objects = new Map<string, JsonObject>();
  /** The first version of each object. */
  readonly #firstVersions = new Map<string, JsonObject>();
  #version = 0;
  /**
   * On the clock of the engine. What a vector does before its first run happens two seconds after the clock's start.
   */
  nowMs = 2000;

  constructor(templates: Readonly<Record<string, JsonObject>>) {
    this.#templates = templates;
  }

  get version(): string {
    return String(Math.max(this.#version, 1));
  }

  get(name: string): JsonObject {
    const object = this.#objects.get(name);
    if (object === undefined)
      throw new Error(`the vector names "${name}", which is not there: ${[...this.#objects.keys()].join(", ")} are`);
    return object;
  }

  /** The object as it was when it was new, also when it is gone by now. */
  first(name: string): JsonObject {
    const object = this.#firstVersions.get(name);
    if (object === undefined) throw new Error(`the vector names "${name}", which never was there`);
    return object;
  }

  /** All objects of a kind as they were when they were new. */
  firstOf(kind: string): JsonObject[] {
    return [...this.#firstVersions.values()].filter((object) => object["kind"] === kind);
  }

  all(kind: string): JsonObject[] {
    return [...this.#objects.values()].filter((object) => object["kind"] === kind);
  }

  add(name: string, value: JsonObject): JsonObject {
    return this.#put(name, this.#merge({ metadata: { name, namespace: NAMESPACE, uid: `uid-${name}` } }, value, name));
  }

  change(name: string, patch: JsonObject): JsonObject {
    return this.#put(name, this.#merge(this.get(name), patch, name));
  }

  /** The object as its deletion shows it. */
  delete(name: string): JsonObject {
    const last = this.#put(name, this.get(name));
    this.#objects.delete(name);
    return last;
  }

  /** Carries a request out. `podName`: what a pod that is created is called; empty where the body has the name. */
  handle(request: EngineRequest, podName: string): Reply {
    const name = OBJECT_PATH.exec(request.path)?.[1] ?? "";
    if (request.method === "GET" && name === "") {
      return ok(200, {
        kind: "PodList",
        apiVersion: "v1",
        metadata: { resourceVersion: this.version },
        items: this.all("Pod"),
      });
    }
    const body = request.body.length === 0 ? {} : (JSON.parse(decoder.decode(request.body)) as JsonObject);
    if (request.method === "POST") return this.#create(podName, body);
    const current = this.#objects.get(name);
    if (current === undefined) return failure(404, "NotFound", `"${name}" not found`);
    if (request.method === "GET") return ok(200, current);
    if (request.method === "DELETE") return ok(200, this.#startDeletion(current));
    if (request.path.endsWith("/status")) return this.#patchStatus(current, body);
    // The API merges none of the lists in these patches, so a JSON merge patch does the same.
    if (current["kind"] !== "Pod") return ok(200, this.change(name, body));
    return this.#patchPod(name, current["metadata"] as JsonObject, body["metadata"] as JsonObject);
  }

  /** A value of the vector with every `from` in it merged in, and with the time in the place of `$now`. */
  expand(value: Json): Json {
    if (value === "$now") return timeText(this.nowMs);
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map((item) => this.expand(item));
    return value["from"] === undefined ? this.#expandMembers(value) : this.#merge({}, value, "");
  }

  #create(podName: string, body: JsonObject): Reply {
    const name = podName || ((body["metadata"] as JsonObject)["name"] as string);
    if (this.#objects.has(name)) return failure(409, "AlreadyExists", `"${name}" already exists`);
    const metadata = { name, namespace: NAMESPACE, uid: `uid-${name}`, creationTimestamp: timeText(this.nowMs) };
    return ok(
      201,
      this.#put(
        name,
        mergePatch(body, { metadata, ...(podName === "" ? {} : { status: { phase: "Pending" } }) }) as JsonObject,
      ),
    );
  }

  #startDeletion(current: JsonObject): JsonObject {
    const metadata = current["metadata"] as JsonObject;
    if (metadata["deletionTimestamp"] !== undefined) return current;
    const deletionTimestamp = timeText(this.nowMs + GRACE_SECONDS * 1000);
    return this.change(metadata["name"] as string, {
      metadata: { deletionTimestamp, deletionGracePeriodSeconds: GRACE_SECONDS },
    });
  }

  // A strategic merge patch, as far as the engine sends them.
  #patchPod(name: string, metadata: JsonObject, patch: JsonObject): Reply {
    const uid = patch["uid"] ?? metadata["uid"];
    if (uid !== metadata["uid"]) return failure(422, "Invalid", `metadata.uid: ${String(uid)} is not the pod's`);
    const removed = (patch["$deleteFromPrimitiveList/finalizers"] ?? []) as string[];
    const added = (patch["finalizers"] ?? []) as string[];
    const references = (patch["ownerReferences"] ?? []) as JsonObject[];
    const before = {
      finalizers: (metadata["finalizers"] ?? []) as string[],
      ownerReferences: (metadata["ownerReferences"] ?? []) as JsonObject[],
    };
    const after = {
      finalizers: [...new Set([...before.finalizers.filter((finalizer) => !removed.includes(finalizer)), ...added])],
      ownerReferences: [
        ...before.ownerReferences.filter((owner) => !references.some((reference) => reference["uid"] === owner["uid"])),
        ...references.filter((reference) => reference["$patch"] !== "delete"),
      ],
    };
    if (JSON.stringify(after) === JSON.stringify(before)) return ok(200, this.get(name));
    const lists = Object.entries(after).map(([key, list]) => [key, list.length === 0 ? null : list]);
    return ok(200, this.change(name, { metadata: Object.fromEntries(lists) as JsonObject }));
  }

  #patchStatus(current: JsonObject, patch: JsonObject): Reply {
    const metadata = current["metadata"] as JsonObject;
    const given = patch["metadata"] as JsonObject;
    if (given["uid"] !== metadata["uid"] || given["resourceVersion"] !== metadata["resourceVersion"]) {
      return failure(
        409,
        "Conflict",
        "the object has been modified; please apply your changes to the latest version and try again",
      );
    }
    return ok(200, this.change(metadata["name"] as string, { status: patch["status"]! }));
  }

  #put(name: string, object: JsonObject): JsonObject {
    const stored = mergePatch(object, { metadata: { resourceVersion: String(++this.#version) } }) as JsonObject;
    this.#objects.set(name, stored);
    if (!this.#firstVersions.has(name)) this.#firstVersions.set(name, stored);
    return stored;
  }

  #merge(target: JsonObject, value: JsonObject, name: string): JsonObject {
    return this.#layersOf(value).reduce(
      (merged, layer) => mergePatch(merged, substitute(this.#expandMembers(layer), name)) as JsonObject,
      target,
    );
  }

  #expandMembers(value: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.expand(member)]));
  }

  // `from` and `index` become the patches that they stand for.
  #layersOf({ from, index, ...own }: JsonObject): JsonObject[] {
    const layers: JsonObject[] = [];
    if (from !== undefined) {
      const template = this.#templates[from as string];
      if (template === undefined)
        throw new Error(`the vector starts an object from "${String(from)}", which is not defined`);
      layers.push(...this.#layersOf(template));
    }
    if (index !== undefined) {
      const mark = { [INDEX_KEY]: String(index) };
      layers.push({ metadata: { annotations: mark, labels: mark } });
    }
    return [...layers, own];
  }
}

/** RFC 7386: a JSON merge patch. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const isObject = target !== undefined && target !== null && typeof target === "object" && !Array.isArray(target);
  const merged: Record<string, Json> = isObject ? { ...(target as JsonObject) } : {};
  for (const [key, value] of Object.entries(patch as JsonObject)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value!);
  }
  return merged;
}

/** `now` as the API writes it. */
export function timeText(nowMs: number): string {
  return `${new Date(nowMs + CLOCK_OFFSET_MS).toISOString().slice(0, 19)}Z`;
}

/** The body of an error, as the API server sends it. */
export function failure(status: number, reason: string, message: string): Reply {
  return {
    status,
    retryAfterMs: -1,
    body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code: status }),
  };
}

function ok(status: number, object: JsonObject): Reply {
  return { status, retryAfterMs: -1, body: JSON.stringify(object) };
}

function substitute(value: JsonObject, name: string): JsonObject {
  return JSON.parse(JSON.stringify(value).replaceAll("$name", name)) as JsonObject;
}
