/**
 * A model of the small API server in a runner of vectors, as far as a run of the page needs it: the writer of a vector
 * must know what the runner's server will hold, because it writes only the differences.
 *
 * Invariant: after the same steps it holds what the runner's holds, resource versions included.
 */
import { applyMergePatch } from "../../../cluster/apiserver/patch/merge-patch.ts";
import type { Json, JsonObject } from "../../../cluster/values/types.ts";

const GRACE_SECONDS = 30;

export class RunnersServer {
  readonly objects = new Map<string, JsonObject>();
  /** Wall-clock time of the vectors' zero, in milliseconds since 1970. */
  readonly #startMs: number;
  #version = 0;

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  add(name: string, value: JsonObject): void {
    this.#put(name, applyMergePatch({ metadata: { name, namespace: "default", uid: `uid-${name}` } }, value));
  }

  change(name: string, patch: JsonObject): void {
    this.#put(name, applyMergePatch(this.objects.get(name)!, patch));
  }

  delete(name: string): void {
    this.#put(name, this.objects.get(name)!);
    this.objects.delete(name);
  }

  /** Carries a request out. @returns the status of the answer */
  handle(method: string, path: string, podName: string, body: JsonObject, nowMs: number): number {
    if (method === "POST") return this.#create(podName, body, nowMs);
    const name = /\/(?:pods|jobs)\/([^/?]+)/.exec(path)?.[1] ?? "";
    if (method === "GET" && name === "") return 200;
    const current = this.objects.get(name);
    if (current === undefined) return 404;
    if (method === "DELETE") this.#startDeletion(name, current, nowMs);
    else if (path.endsWith("/status")) return this.#patchStatus(name, current, body);
    else if (method === "PATCH") return this.#patchPod(name, current["metadata"] as JsonObject, body);
    return 200;
  }

  #create(name: string, body: JsonObject, nowMs: number): number {
    if (this.objects.has(name)) return 409;
    const creationTimestamp = this.#timeText(nowMs);
    const metadata = { name, namespace: "default", uid: `uid-${name}`, creationTimestamp };
    this.#put(name, applyMergePatch(body, { metadata, status: { phase: "Pending" } }));
    return 201;
  }

  #startDeletion(name: string, { metadata }: JsonObject, nowMs: number): void {
    if ((metadata as JsonObject)["deletionTimestamp"] !== undefined) return;
    const deletionTimestamp = this.#timeText(nowMs + GRACE_SECONDS * 1000);
    this.change(name, { metadata: { deletionTimestamp, deletionGracePeriodSeconds: GRACE_SECONDS } });
  }

  #patchStatus(name: string, { metadata }: JsonObject, patch: JsonObject): number {
    const { uid } = patch["metadata"] as JsonObject;
    if (uid !== (metadata as JsonObject)["uid"]) return 409;
    this.change(name, { status: patch["status"]! });
    return 200;
  }

  #patchPod(name: string, metadata: JsonObject, { metadata: given }: JsonObject): number {
    const patch = given as JsonObject;
    if ((patch["uid"] ?? metadata["uid"]) !== metadata["uid"]) return 422;
    const removed = (patch["$deleteFromPrimitiveList/finalizers"] ?? []) as Json[];
    const references = (patch["ownerReferences"] ?? []) as JsonObject[];
    const before = {
      finalizers: (metadata["finalizers"] ?? []) as Json[],
      ownerReferences: (metadata["ownerReferences"] ?? []) as JsonObject[],
    };
    const kept = before.finalizers.filter((finalizer) => !removed.includes(finalizer));
    const after = {
      finalizers: [...new Set([...kept, ...((patch["finalizers"] ?? []) as Json[])])],
      ownerReferences: [
        ...before.ownerReferences.filter(({ uid }) => !references.some((reference) => reference["uid"] === uid)),
        ...references.filter((reference) => reference["$patch"] !== "delete"),
      ],
    };
    if (JSON.stringify(after) === JSON.stringify(before)) return 200;
    const lists = Object.entries(after).map(([key, list]): [string, Json] => [key, list.length === 0 ? null : list]);
    this.change(name, { metadata: Object.fromEntries(lists) });
    return 200;
  }

  #put(name: string, object: Json): void {
    const resourceVersion = String(++this.#version);
    this.objects.set(name, applyMergePatch(object, { metadata: { resourceVersion } }) as JsonObject);
  }

  #timeText(nowMs: number): string {
    return `${new Date(nowMs + this.#startMs).toISOString().slice(0, 19)}Z`;
  }
}
