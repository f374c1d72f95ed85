/**
 * The observed states of Jobs and pods, in the order of the API server: every source is converted to this form.
 *
 * Invariant: objects only move forward. An older or equal resourceVersion is ignored, because a second list repeats the
 * first one. An object whose status is set when it is first seen existed before the story begins, since every source
 * begins with a list.
 */
import type { Job, Pod } from "../values/kinds.ts";
import type { ObjectMeta } from "../values/types.ts";
import type { Resource } from "./offline-engine.ts";

/** As an API server served it. */
export type Observed = Job | Pod;

export interface Seen {
  /** Wall time in milliseconds since 1970; never earlier than that of the change before. */
  readonly atMs: number;
  readonly resource: Resource;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Observed;
  /** The state before; undefined: it is new. */
  readonly previous: Observed | undefined;
}

export interface Story {
  /** The objects that existed before anything happened. */
  readonly first: Readonly<Record<Resource, readonly Observed[]>>;
  readonly firstMs: number;
  readonly seen: readonly Seen[];
}

/** The story up to a time, in milliseconds since 1970; undefined: the whole one. */
export function until(story: Story, endMs: number | undefined): Story {
  return endMs === undefined ? story : { ...story, seen: story.seen.filter(({ atMs }) => atMs <= endMs) };
}

export function resourceVersionOf({ metadata }: Observed): number {
  return Number(metadata.resourceVersion);
}

/** Give it the states of objects in their order. */
export class StoryBuilder {
  readonly #first: Record<Resource, Observed[]> = { jobs: [], pods: [] };
  readonly #seen: Seen[] = [];
  readonly #known = new Map<string, { readonly resource: Resource; readonly object: Observed }>();
  #firstMs = Infinity;
  #lastMs = 0;

  /** The objects that exist now. */
  get known(): Iterable<{ readonly resource: Resource; readonly object: Observed }> {
    return this.#known.values();
  }

  put(resource: Resource, object: Observed, atMs: number): void {
    const previous = this.#known.get(object.metadata.uid)?.object;
    if (previous !== undefined && resourceVersionOf(previous) >= resourceVersionOf(object)) return;
    this.#known.set(object.metadata.uid, { resource, object });
    this.#firstMs = Math.min(this.#firstMs, atMs);
    if (previous === undefined && !isNew(resource, object)) this.#first[resource].push(object);
    else this.#see({ resource, type: previous === undefined ? "ADDED" : "MODIFIED", object, previous }, atMs);
  }

  remove(resource: Resource, object: Observed, atMs: number): void {
    const previous = this.#known.get(object.metadata.uid)?.object;
    if (previous === undefined) return;
    this.#known.delete(object.metadata.uid);
    this.#see({ resource, type: "DELETED", object, previous }, atMs);
  }

  build(): Story {
    const firstMs = Math.min(this.#firstMs, this.#seen[0]?.atMs ?? Infinity);
    return { first: this.#first, firstMs: Number.isFinite(firstMs) ? firstMs : 0, seen: this.#seen };
  }

  #see(seen: Omit<Seen, "atMs">, atMs: number): void {
    this.#lastMs = Math.max(this.#lastMs, atMs);
    this.#seen.push({ atMs: this.#lastMs, ...seen });
  }
}

/** What controllers and kubelets write first. */
interface Touched {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly nodeName?: string; readonly template?: unknown };
  readonly status?: { readonly phase?: string; readonly conditions?: unknown; readonly startTime?: string };
}

/** No controller has worked on it: a Job without status, a pod as it was created. */
function isNew(resource: Resource, { status = {}, spec = {}, metadata }: Touched): boolean {
  if (resource === "jobs") return Object.keys(status).length === 0;
  const isUntouched = status.phase === "Pending" && status.conditions === undefined && status.startTime === undefined;
  return isUntouched && spec.nodeName === undefined && metadata.deletionTimestamp === undefined;
}
