/**
 * A history as rules ask for it: every Job and every Pod with its stored versions in their order, who wrote each, and
 * what each controller must have known.
 *
 * Invariant: nothing here judges. Versions are ordered by resourceVersion, which one etcd counts for both kinds, so
 * "before" means stored before. Leaves out what a history does not say: when a watch brought an event to a controller.
 * A controller must know what it wrote itself, and what was there before it listed for the first time; of anything else
 * it may know as much or as little as a rule needs to find it innocent.
 */
import { ownerOf } from "./facts.ts";
import type { Controller, EventLine, HistoryLine, Job, Line, Pod, ReadLine, Resource, WriteLine } from "./format.ts";

export interface Version<T extends Job | Pod> {
  readonly at: number;
  readonly object: T;
  /** The object went with this event; `object` is what it was last. */
  readonly isLast: boolean;
  /** None: no answer shows this version, as of a removal. */
  readonly write: WriteLine | undefined;
  readonly before: Version<T> | undefined;
}

/** All that there was of one object. */
export interface Life<T extends Job | Pod> {
  readonly uid: string;
  /** `default/pi`. */
  readonly name: string;
  /** Oldest first; at least one. */
  readonly versions: readonly Version<T>[];
}

export type JobVersion = Version<Job>;
export type PodVersion = Version<Pod>;
export type JobLife = Life<Job>;
export type PodLife = Life<Pod>;

export class History {
  readonly header: HistoryLine;
  readonly writes: readonly WriteLine[];
  readonly events: readonly EventLine[];
  readonly jobs: ReadonlyMap<string, JobLife>;
  readonly pods: ReadonlyMap<string, PodLife>;
  readonly #controllers: ReadonlyMap<string, Controller>;
  readonly #podsOfJobs = new Map<string, PodLife[]>();
  /** `USER RESOURCE` → what was stored when this controller first asked for all. */
  readonly #firstReads = new Map<string, number>();

  /** @param lines in any order, with one header */
  constructor(lines: readonly Line[]) {
    this.header = lines.find((line) => line.line === "history")!;
    this.#controllers = new Map(this.header.controllers.map((controller) => [controller.user, controller]));
    this.writes = lines.filter((line) => line.line === "write").toSorted((a, b) => a.answeredMs - b.answeredMs);
    this.events = lines
      .filter((line) => line.line === "event")
      .toSorted((a, b) => versionOf(a.object) - versionOf(b.object));
    const writers = new Map<string, WriteLine>();
    // A write that changed nothing answers with the version that was there: the first answer is that of the writer.
    for (const write of this.writes) {
      const key = `${write.uid} ${write.resourceVersion}`;
      if (write.uid !== undefined && write.status < 300 && !writers.has(key)) writers.set(key, write);
    }
    this.jobs = livesOf<Job>(this.events, "Job", writers);
    this.pods = livesOf<Pod>(this.events, "Pod", writers);
    for (const pod of this.pods.values()) {
      const owners = new Set(pod.versions.map(({ object }) => ownerOf(object)));
      for (const owner of owners) if (owner !== undefined) entryOf(this.#podsOfJobs, owner, () => []).push(pod);
    }
    for (const read of lines) if (read.line === "read") this.#noteRead(read);
  }

  isController(user: string | undefined): boolean {
    return user !== undefined && this.#controllers.has(user);
  }

  /** Pods that this Job has controlled at any time. */
  podsOf(jobUid: string): readonly PodLife[] {
    return this.#podsOfJobs.get(jobUid) ?? [];
  }

  /**
   * Versions up to this one were there when the controller first listed such objects, before it did anything; 0 when
   * nothing is known of that.
   */
  firstSeen(user: string, resource: Resource): number {
    return this.#firstReads.get(`${user} ${resource}`) ?? 0;
  }

  #noteRead({ user, resource, sentMs, isConsistent }: ReadLine): void {
    const key = `${user} ${resource}`;
    if (!isConsistent || this.#firstReads.has(key)) return;
    // What had been answered when it was asked for had been stored.
    const stored = this.writes.filter(
      ({ answeredMs, status, resourceVersion }) => answeredMs < sentMs && status < 300 && resourceVersion !== undefined,
    );
    this.#firstReads.set(key, Math.max(0, ...stored.map(({ resourceVersion }) => Number(resourceVersion))));
  }
}

/** The version that was stored last before `at`; undefined when there was none yet, or the object was gone. */
export function stateBefore<T extends Job | Pod>({ versions }: Life<T>, at: number): Version<T> | undefined {
  const version = versions.findLast((candidate) => candidate.at < at);
  return version?.isLast === true ? undefined : version;
}

/** The last thing that is known of an object; undefined when it is gone. */
export function finalState<T extends Job | Pod>(life: Life<T>): Version<T> | undefined {
  return stateBefore(life, Infinity);
}

/** The pod exists from the moment that its creation was stored. */
export const bornAt = ({ versions }: Life<Job | Pod>): number => versions[0]!.at;

export const versionOf = ({ metadata }: Job | Pod): number => Number(metadata.resourceVersion);

function livesOf<T extends Job | Pod>(
  events: readonly EventLine[],
  kind: T["kind"],
  writers: ReadonlyMap<string, WriteLine>,
): Map<string, Life<T>> {
  const lives = new Map<string, { uid: string; name: string; versions: Version<T>[] }>();
  for (const { type, object } of events) {
    if (object.kind !== kind) continue;
    const { uid, namespace, name, resourceVersion } = object.metadata;
    const { versions } = entryOf(lives, uid, () => ({ uid, name: `${namespace}/${name}`, versions: [] }));
    const write = writers.get(`${uid} ${resourceVersion}`);
    versions.push({
      at: versionOf(object),
      object: object as T,
      isLast: type === "DELETED",
      write,
      before: versions.at(-1),
    });
  }
  return lives;
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
