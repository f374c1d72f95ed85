/**
 * Compares the built-in Job controller with Stint, from what two watches show: of all Jobs, and of their pods.
 *
 * What the built-in controller writes is judged a window later, when both watches have shown what it may have known.
 * Invariant: it only reads. While it or its watches stalled, it reports no divergence. Jobs that another controller
 * manages are left out. Memory is bounded: changes are forgotten when they are judged and old, a pod keeps of its spec
 * what a Job controller reads, and the last divergences are kept.
 */
import type { Clock, Timer } from "../../bindings/js/host.ts";
import type { WatchEventType } from "../../cluster/client/reflector.ts";
import type { Job, JobSpec, Pod, PodSpec } from "../../cluster/values/kinds.ts";
import type { TypedObject } from "../../cluster/values/types.ts";
import type { Divergence, Finding } from "./divergence.ts";
import { Judge } from "./judge.ts";
import { knownDifference } from "./known-differences.ts";
import type { Oracle } from "./oracle.ts";
import { Stalls } from "./stalls.ts";
import { type Change, Timeline } from "./timeline.ts";
import { Undone } from "./undone.ts";

const BUILT_IN_MANAGER = "kubernetes.io/job-controller";
const TICK_MS = 500;
/** The most changes that are judged at once. Then other work gets its turn. */
const MAX_AT_ONCE = 20;
/** Changes are kept for this many windows, because a controller may decide from an older state. */
const KEPT_WINDOWS = 6;
/** The last ones; each has some kilobytes. */
export const MAX_DIVERGENCES = 1_000;

export interface ShadowOptions {
  readonly oracle: Oracle;
  readonly clock: Clock;
  /** How late the built-in controller may be with a write that Stint would make at once. */
  readonly windowMs: number;
  readonly onDivergence: (divergence: Divergence) => void;
  /** One sentence about a Job that Stint cannot read, or about a stall of the shadow. */
  readonly onProblem: (problem: string) => void;
}

export interface ShadowCounts {
  readonly jobs: number;
  /** Writes of the built-in controller that were judged, and those among them that stayed undecided. */
  readonly judged: number;
  readonly undecided: number;
  /** Apparent divergences while the shadow or its watches stalled, which do not count as divergences. */
  readonly stalled: number;
}

interface Shadowed {
  readonly timeline: Timeline;
  readonly undone: Undone;
  /** Changes that are not judged yet, in the order in which they came. */
  readonly waiting: Change[];
  /** The last known one. */
  namespace: string;
  name: string;
}

export class Shadow {
  readonly #options: ShadowOptions;
  readonly #judge: Judge;
  readonly #stalls: Stalls;
  readonly #jobs = new Map<string, Shadowed>();
  /** The UID of the Job of each pod: also of one that has lost its owner since. */
  readonly #owners = new Map<string, string>();
  readonly #divergences: Divergence[] = [];
  readonly #listed = new Set<string>();
  #sources = 0;
  #timer: Timer | undefined;
  #judged = 0;
  #undecided = 0;
  #stalled = 0;

  constructor(options: ShadowOptions) {
    this.#options = options;
    this.#judge = new Judge(options);
    this.#stalls = new Stalls(options.windowMs, (lengthMs) =>
      options.onProblem(
        `the shadow saw changes ${Math.round(lengthMs / 1000)} s late; what seems to diverge around that is not told`,
      ),
    );
  }

  /** The last ones, oldest first. */
  get divergences(): readonly Divergence[] {
    return this.#divergences;
  }

  get counts(): ShadowCounts {
    return { jobs: this.#jobs.size, judged: this.#judged, undecided: this.#undecided, stalled: this.#stalled };
  }

  knows(namespace: string, name: string): boolean {
    return [...this.#jobs.values()].some((job) => job.namespace === namespace && job.name === name);
  }

  get hasListed(): boolean {
    return this.#sources > 0 && this.#listed.size === this.#sources;
  }

  /** The number of lists to come; nothing is judged before each has come once. */
  expect(sources: number): void {
    this.#sources = sources;
  }

  start(): void {
    this.#tickAfter(TICK_MS);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** A list. The changes between it and the last event are unknown, so the comparison of each Job starts again. */
  list(
    source: string,
    kind: "job" | "pod",
    objects: readonly (Job | Pod)[],
    isInScope: (object: TypedObject) => boolean,
  ): void {
    this.#listed.add(source);
    const listed = new Map<string, (Job | Pod)[]>();
    for (const object of objects) {
      const uid = this.#jobOf(kind, object);
      if (uid === undefined) continue;
      const kept = slim(kind, object);
      this.#stalls.listed(kept, object);
      const some = listed.get(uid);
      if (some === undefined) listed.set(uid, [kept]);
      else some.push(kept);
    }
    for (const [uid, { timeline }] of this.#jobs) {
      const present = kind === "job" ? timeline.job : [...timeline.pods.values()][0];
      if (!listed.has(uid) && present !== undefined && isInScope(present)) listed.set(uid, []);
    }
    for (const [uid, found] of listed) {
      const shadowed = this.#shadowed(uid, found[0]);
      shadowed.waiting.length = 0;
      if (kind === "pod") for (const pod of shadowed.timeline.pods.keys()) this.#owners.delete(pod);
      shadowed.timeline.begin(kind, found);
      shadowed.undone.backOff.begin(kind, found, this.#options.clock.now());
      if (kind === "pod") for (const pod of found) this.#owners.set(pod.metadata.uid, uid);
      this.#note(shadowed, kind, found[0]);
    }
  }

  event(kind: "job" | "pod", type: WatchEventType, object: Job | Pod): void {
    const uid = this.#jobOf(kind, object);
    if (uid === undefined) return;
    if (type === "DELETED") this.#owners.delete(object.metadata.uid);
    const shadowed = this.#shadowed(uid, object);
    const nowMs = this.#options.clock.now();
    const kept = type === "ADDED" ? withoutFields(object) : slim(kind, object);
    const change = shadowed.timeline.see(kind, type, kept, nowMs);
    if (change !== undefined) {
      if (change.after !== undefined) this.#stalls.changed(change.before, kept, object, nowMs);
      shadowed.waiting.push(change);
      shadowed.undone.backOff.see(change);
    }
    this.#note(shadowed, kind, object);
  }

  /** The UID of the Job that it is, or that owns it. */
  #jobOf(kind: "job" | "pod", { metadata }: TypedObject): string | undefined {
    if (kind === "job") return metadata.uid;
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner?.kind === "Job" && owner.apiVersion.startsWith("batch/")) this.#owners.set(metadata.uid, owner.uid);
    return this.#owners.get(metadata.uid);
  }

  #shadowed(uid: string, object: TypedObject | undefined): Shadowed {
    let shadowed = this.#jobs.get(uid);
    if (shadowed === undefined) {
      const { oracle, windowMs } = this.#options;
      const namespace = object?.metadata.namespace ?? "";
      const undone = new Undone({ oracle, windowMs });
      shadowed = { timeline: new Timeline(), undone, waiting: [], namespace, name: uid };
      this.#jobs.set(uid, shadowed);
    }
    return shadowed;
  }

  #note(shadowed: Shadowed, kind: "job" | "pod", object: TypedObject | undefined): void {
    if (kind === "job" && object !== undefined) shadowed.name = object.metadata.name;
    shadowed.undone.wake(this.#options.clock.now());
  }

  #tickAfter(delayMs: number): void {
    const { clock } = this.#options;
    const dueMs = clock.now() + delayMs;
    this.#timer = clock.setTimer(delayMs, () => {
      this.#stalls.timerFired(dueMs, clock.now());
      this.#tickAfter(this.#tick() ? 1 : TICK_MS);
    });
  }

  /** @returns whether more is due */
  #tick(): boolean {
    if (!this.hasListed) return false;
    const { clock, windowMs } = this.#options;
    const nowMs = clock.now();
    let room = MAX_AT_ONCE;
    for (const [uid, shadowed] of this.#jobs) {
      room -= this.#look(uid, shadowed, nowMs, room);
      if (room <= 0) return true;
      shadowed.timeline.forget(nowMs - KEPT_WINDOWS * windowMs);
      const { job, pods, changes } = shadowed.timeline;
      if (job === undefined && pods.size === 0 && changes.length === 0) this.#jobs.delete(uid);
    }
    return false;
  }

  /** @returns how many questions were asked */
  #look(uid: string, shadowed: Shadowed, nowMs: number, room: number): number {
    const { timeline, undone, waiting } = shadowed;
    const { windowMs, onProblem } = this.#options;
    let asked = 0;
    try {
      while (waiting.length > 0 && waiting[0]!.atMs <= nowMs - windowMs && asked < room) {
        const change = waiting.shift()!;
        change.isJudged = true;
        if (!isManaged(change.after ?? change.before!) && !isManaged(timeline.job))
          asked += this.#judgeOne(uid, shadowed, change);
      }
      if (waiting.length > 0 && waiting[0]!.atMs <= nowMs - windowMs) return asked;
      if (asked < room && undone.isDue(nowMs) && !isManaged(timeline.job)) {
        asked++;
        if (this.#stalls.touch(nowMs)) undone.pause(nowMs);
        else for (const found of undone.look(timeline, nowMs)) this.#tell(uid, shadowed, found);
      }
    } catch (error) {
      onProblem(`${shadowed.namespace}/${shadowed.name} cannot be compared: ${(error as Error).message}`);
      undone.pause(nowMs);
    }
    return asked;
  }

  #judgeOne(uid: string, shadowed: Shadowed, change: Change): number {
    const verdict = this.#judge.judge(shadowed.timeline, change);
    if (verdict === "nothing") return 0;
    this.#judged++;
    if (verdict === "undecided") this.#undecided++;
    else if (verdict !== "same" && this.#stalls.touch(change.atMs)) this.#stalled++;
    else if (verdict !== "same") this.#tell(uid, shadowed, verdict);
    return 1;
  }

  #tell(uid: string, { namespace, name, timeline }: Shadowed, found: Finding): void {
    const known = knownDifference(found, timeline);
    const divergence = { ...found, namespace, job: name, uid, ...(known === undefined ? {} : { known }) };
    this.#divergences.push(divergence);
    if (this.#divergences.length > MAX_DIVERGENCES) this.#divergences.shift();
    this.#options.onDivergence(divergence);
  }
}

function isManaged(object: Job | Pod | undefined): boolean {
  const manager = (object?.spec as Partial<JobSpec> | undefined)?.managedBy;
  return manager !== undefined && manager !== BUILT_IN_MANAGER;
}

function withoutFields<T extends Job | Pod>(object: T): T {
  const { managedFields: _fields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Without the fields that a Job controller does not read. */
function slim(kind: "job" | "pod", object: Job | Pod): Job | Pod {
  const slimmed = withoutFields(object);
  if (kind === "job") return slimmed;
  const { nodeName, initContainers } = (object.spec ?? {}) as PodSpec;
  return {
    ...slimmed,
    spec: { ...(nodeName ? { nodeName } : {}), ...(initContainers ? { initContainers } : {}) },
  } as Pod;
}
