/**
 * The CronJob controller: creates Jobs by schedule. It watches CronJobs and Jobs, and syncs a CronJob when it or one of
 * its Jobs changes, and when its next time has come.
 *
 * Invariant: the name of a Job contains the minute of its start, so no start is made twice, even after a lost answer.
 * Source: pkg/controller/cronjob.
 */
import type { Timer } from "../../../bindings/js/host.ts";
import { ApiClient, CRON_JOBS, JOBS, type PathOf, resourcePath } from "../../client/client.ts";
import type { ControllerOptions } from "../../client/collections.ts";
import { EventRecorder } from "../../client/event-recorder.ts";
import { Reflector, type WatchEventType } from "../../client/reflector.ts";
import type { CronJob, Job } from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";
import { DEFAULT_RETRY, WorkQueue, type WorkOutcome } from "../../client/work-queue.ts";
import { CronJobPass } from "./cron-job-pass.ts";
import { scheduleOf, untilNextMs } from "./due-time.ts";

/** The most concurrent syncs of CronJobs; upstream's --concurrent-cron-job-syncs. */
export const CONCURRENT_SYNCS = 5;
const COMPONENT = "cronjob-controller";

interface Owner {
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string;
}

interface Alarm {
  readonly atMs: number;
  readonly timer: Timer;
}

/** Works from `start` to `stop`. */
export class CronJobController {
  readonly #options: ControllerOptions;
  readonly #client: ApiClient;
  readonly #events: EventRecorder;
  readonly #reflectors: readonly Reflector[];
  readonly #queue: WorkQueue<string>;
  readonly #synced = new Set<string>();
  /** By `namespace/name`. */
  readonly #cronJobs = new Map<string, CronJob>();
  readonly #jobs = new Map<string, Job>();
  /** The keys of the Jobs of a CronJob, by its UID: a namesake that was deleted may have left Jobs. */
  readonly #jobsOf = new Map<string, Set<string>>();
  readonly #alarms = new Map<string, Alarm>();

  constructor(options: ControllerOptions) {
    const { transport, clock, random } = options;
    this.#options = options;
    this.#client = new ApiClient(transport, { userAgent: COMPONENT });
    this.#events = new EventRecorder({ transport, clock, random, component: COMPONENT });
    this.#queue = new WorkQueue({
      clock,
      random,
      concurrency: CONCURRENT_SYNCS,
      ...DEFAULT_RETRY,
      work: (key, done) => this.#sync(key, done),
    });
    this.#reflectors = [
      this.#reflector("cronjobs", resourcePath(CRON_JOBS), this.#cronJobs, (type, cronJob) =>
        this.#cronJobChanged(type, cronJob),
      ),
      this.#reflector("jobs", resourcePath(JOBS), this.#jobs, (type, job) => this.#jobChanged(type, job)),
    ];
  }

  start(): void {
    for (const reflector of this.#reflectors) reflector.start();
  }

  stop(): void {
    for (const reflector of this.#reflectors) reflector.stop();
    this.#queue.stop();
    for (const { timer } of this.#alarms.values()) timer.cancel();
    this.#alarms.clear();
  }

  /** Treats a new list as if everything that differs had changed. */
  #reflector<T extends TypedObject>(
    name: string,
    path: PathOf<T>,
    known: ReadonlyMap<string, T>,
    changed: (type: WatchEventType, object: T) => void,
  ): Reflector<T> {
    const { clock, random } = this.#options;
    return new Reflector(
      { client: this.#client, clock, random, path },
      {
        onSync: (objects) => {
          const present = new Set(objects.map(keyOf));
          for (const [key, object] of known) if (!present.has(key)) changed("DELETED", object);
          for (const object of objects) changed("MODIFIED", object);
          this.#synced.add(name);
          // Before both are synced, the controller would take a Job of a CronJob for missing.
          if (this.#synced.size === this.#reflectors.length)
            for (const key of this.#cronJobs.keys()) this.#queue.add(key);
        },
        onEvent: changed,
        onProblem: (error) => this.#options.onProblem?.(error),
      },
    );
  }

  // What changes.

  #cronJobChanged(type: WatchEventType, cronJob: CronJob): void {
    const key = keyOf(cronJob);
    const before = this.#cronJobs.get(key);
    if (type === "DELETED") {
      this.#cronJobs.delete(key);
      this.#alarms.get(key)?.timer.cancel();
      this.#alarms.delete(key);
      this.#queue.forget(key);
      return;
    }
    this.#cronJobs.set(key, cronJob);
    // A new schedule counts from now on: starts that it would have named before are not made up for.
    if (before !== undefined && hasOtherSchedule(cronJob, before)) this.#wakeAfter(key, this.#untilNextMs(cronJob));
    else this.#look(key);
  }

  #untilNextMs(cronJob: CronJob): number {
    return untilNextMs(cronJob, scheduleOf(cronJob), this.#options.clock.now());
  }

  #jobChanged(type: WatchEventType, job: Job): void {
    const key = keyOf(job);
    const before = this.#jobs.get(key);
    if (before !== undefined) this.#jobLeft(before);
    if (type === "DELETED") {
      this.#jobs.delete(key);
      return;
    }
    this.#jobs.set(key, job);
    const owner = ownerOf(job);
    if (owner === undefined) return;
    const keys = this.#jobsOf.get(owner.uid) ?? new Set();
    this.#jobsOf.set(owner.uid, keys.add(key));
    this.#lookAtOwner(owner);
  }

  #jobLeft(job: Job): void {
    const owner = ownerOf(job);
    if (owner === undefined) return;
    const keys = this.#jobsOf.get(owner.uid);
    keys?.delete(keyOf(job));
    if (keys?.size === 0) this.#jobsOf.delete(owner.uid);
    this.#lookAtOwner(owner);
  }

  #lookAtOwner({ key, uid }: Owner): void {
    if (this.#cronJobs.get(key)?.metadata.uid === uid) this.#look(key);
  }

  #look(key: string): void {
    if (this.#synced.size === this.#reflectors.length && this.#cronJobs.has(key)) this.#queue.add(key);
  }

  /** An earlier alarm stays: one sync too many does no harm. */
  #wakeAfter(key: string, delayMs: number): void {
    const { clock } = this.#options;
    const atMs = clock.now() + delayMs;
    const alarm = this.#alarms.get(key);
    if (!Number.isFinite(atMs) || (alarm !== undefined && alarm.atMs <= atMs)) return;
    alarm?.timer.cancel();
    const timer = clock.setTimer(Math.max(0, delayMs), () => {
      this.#alarms.delete(key);
      this.#look(key);
    });
    this.#alarms.set(key, { atMs, timer });
  }

  // What is done.

  #sync(key: string, done: (outcome: WorkOutcome) => void): void {
    const cronJob = this.#cronJobs.get(key);
    if (cronJob === undefined) {
      done("done");
      return;
    }
    const jobs = [...(this.#jobsOf.get(cronJob.metadata.uid) ?? [])].toSorted().map((name) => this.#jobs.get(name)!);
    const tools = { client: this.#client, events: this.#events, nowMs: this.#options.clock.now() };
    const pass = new CronJobPass(tools, cronJob, jobs, ({ error, againAfterMs }) => {
      if (error !== undefined) this.#options.onProblem?.(error);
      if (againAfterMs !== undefined) this.#wakeAfter(key, againAfterMs);
      // Also what was forbidden may be allowed later.
      done(error === undefined ? "done" : "failed");
    });
    pass.run();
  }
}

function keyOf({ metadata: { namespace, name } }: TypedObject): string {
  return `${namespace}/${name}`;
}

/** The CronJob that controls a Job. */
function ownerOf({ metadata: { namespace, ownerReferences = [] } }: TypedObject): Owner | undefined {
  const owner = ownerReferences.find(({ controller }) => controller === true);
  return owner?.kind === "CronJob" ? { key: `${namespace}/${owner.name}`, uid: owner.uid } : undefined;
}

function hasOtherSchedule({ spec }: CronJob, before: CronJob): boolean {
  return spec.schedule !== before.spec.schedule || spec.timeZone !== before.spec.timeZone;
}
