/**
 * One sync of one CronJob: deletes old Jobs, removes ended Jobs from the list of active ones, and creates a Job that is
 * due. Writes the status once, at the end.
 *
 * The steps and the texts of the events are upstream's (syncCronJob in pkg/controller/cronjob). Leaves out its events
 * about unreadable schedules and time zones: the API server refuses these.
 */
import { formatTime, parseTime } from "../../values/times.ts";
import { type ApiClient, type ApiError, CRON_JOBS, JOBS, resourcePath } from "../../client/client.ts";
import type { EventRecorder, EventType } from "../../client/event-recorder.ts";
import { endOf } from "../../values/job-conditions.ts";
import type { CronJob, CronJobStatus, Job } from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";
import { dueTime, jobName, MANY_MISSED, scheduleOf, untilNextMs, zonedTime } from "./due-time.ts";

const TIMESTAMP_ANNOTATION = "batch.kubernetes.io/cronjob-scheduled-timestamp";
const NOT_FOUND = 404;

/** The result of a sync. Without a requeue time, only a change brings the CronJob back. */
export interface PassResult {
  readonly againAfterMs?: number;
  /** It should be retried soon. */
  readonly error?: ApiError;
}

export interface PassTools {
  readonly client: ApiClient;
  readonly events: EventRecorder;
  readonly nowMs: number;
}

interface JobReference {
  readonly kind: "Job";
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: "batch/v1";
  readonly resourceVersion: string;
}

type Next = () => void;

export class CronJobPass {
  readonly #client: ApiClient;
  readonly #events: EventRecorder;
  readonly #nowMs: number;
  readonly #cronJob: CronJob;
  readonly #namespace: string;
  readonly #jobs: readonly Job[];
  readonly #done: (result: PassResult) => void;
  /** The new status. */
  #active: readonly JobReference[];
  #lastScheduleTime: string | undefined;
  #lastSuccessfulTime: string | undefined;
  #isChanged = false;

  /**
   * @param jobs those whose controller has the name of the CronJob
   * @param done is called once
   */
  constructor(
    { client, events, nowMs }: PassTools,
    cronJob: CronJob,
    jobs: readonly Job[],
    done: (result: PassResult) => void,
  ) {
    this.#client = client;
    this.#events = events;
    this.#nowMs = nowMs;
    this.#cronJob = cronJob;
    this.#namespace = cronJob.metadata.namespace!;
    this.#jobs = jobs;
    this.#done = done;
    const { active = [], lastScheduleTime, lastSuccessfulTime } = cronJob.status ?? {};
    this.#active = active as readonly JobReference[];
    this.#lastScheduleTime = lastScheduleTime;
    this.#lastSuccessfulTime = lastSuccessfulTime;
  }

  run(): void {
    this.#removeOldJobs(() => this.#accountFor(() => this.#forgetMissing(() => this.#start())));
  }

  // What has ended.

  #removeOldJobs(then: Next): void {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = this.#cronJob.spec;
    const old = [
      ...oldest(this.#jobs, "Complete", successfulJobsHistoryLimit!),
      ...oldest(this.#jobs, "Failed", failedJobsHistoryLimit!),
    ];
    inTurn(old, (job, next) => this.#remove(job, next, next), then);
  }

  #remove({ metadata: { name, uid } }: TypedObject, removed: Next, failed: (error: ApiError) => void): void {
    const path = resourcePath(JOBS, this.#namespace, name);
    this.#client.delete(path, { propagationPolicy: "Background" }, (result) => {
      if (!result.ok) {
        this.#event("Warning", "FailedDelete", `Deleted job: ${result.error.message}`);
        failed(result.error);
        return;
      }
      this.#active = this.#active.filter((reference) => reference.uid !== uid);
      this.#isChanged = true;
      this.#event("Normal", "SuccessfulDelete", `Deleted job ${name}`);
      removed();
    });
  }

  /** Removes ended Jobs from the list, and warns about Jobs that were never on it. */
  #accountFor(then: Next): void {
    inTurn(
      this.#jobs,
      (job, next) => {
        const { name, uid } = job.metadata;
        const isActive = this.#active.some((reference) => reference.uid === uid);
        const end = endOf(job)?.type;
        if (end === undefined && !isActive) {
          this.#meetUnexpected(name, uid, next);
          return;
        }
        if (end !== undefined && isActive) {
          this.#active = this.#active.filter((reference) => reference.uid !== uid);
          this.#isChanged = true;
          this.#event("Normal", "SawCompletedJob", `Saw completed job: ${name}, condition: ${end}`);
        }
        if (end === "Complete") this.#noteSuccess(job.status.completionTime);
        next();
      },
      then,
    );
  }

  #noteSuccess(completionTime: string | undefined): void {
    if (completionTime === undefined) return;
    if (this.#lastSuccessfulTime !== undefined && parseTime(completionTime) <= parseTime(this.#lastSuccessfulTime))
      return;
    this.#lastSuccessfulTime = completionTime;
    this.#isChanged = true;
  }

  /** The Job may be on the list of a newer status than the one that is known here. */
  #meetUnexpected(name: string, uid: string, next: Next): void {
    this.#client.get(resourcePath(CRON_JOBS, this.#namespace, this.#cronJob.metadata.name), (result) => {
      if (!result.ok) {
        this.#end({ error: result.error });
        return;
      }
      const active = result.value.status?.active ?? [];
      if (active.some((reference) => reference.uid === uid)) {
        this.#end({ error: { status: 409, reason: "Conflict", message: "the status is an old one", retryAfterMs: 0 } });
        return;
      }
      this.#event("Warning", "UnexpectedJob", `Saw a job that the controller did not create or forgot: ${name}`);
      next();
    });
  }

  /** A deleted Job on the list would keep the next one from being made. */
  #forgetMissing(then: Next): void {
    const present = new Set(this.#jobs.map(({ metadata }) => metadata.uid));
    const missing = this.#active.filter(({ uid }) => !present.has(uid));
    inTurn(
      missing,
      ({ name, uid }, next) => {
        this.#client.get(resourcePath(JOBS, this.#namespace, name), (result) => {
          if (!result.ok && result.error.status !== NOT_FOUND) {
            this.#end({ error: result.error });
            return;
          }
          if (!result.ok) {
            this.#event("Normal", "MissingJob", `Active job went missing: ${name}`);
            this.#active = this.#active.filter((reference) => reference.uid !== uid);
            this.#isChanged = true;
          }
          next();
        });
      },
      then,
    );
  }

  // What is due.

  #start(): void {
    const { metadata, spec } = this.#cronJob;
    if (metadata.deletionTimestamp !== undefined || spec.suspend === true) {
      this.#end({});
      return;
    }
    const schedule = scheduleOf(this.#cronJob);
    const atMs = this.#dueTime();
    if (atMs === "never") {
      this.#end({});
      return;
    }
    const goOn = (): void => {
      const againAfterMs = untilNextMs(this.#withStatus(), schedule, this.#nowMs);
      this.#end(Number.isFinite(againAfterMs) ? { againAfterMs } : {});
    };
    if (atMs === undefined || this.#isNotToStart(atMs)) goOn();
    else if (spec.concurrencyPolicy === "Replace") this.#replaceActive(() => this.#create(atMs, goOn));
    else this.#create(atMs, goOn);
  }

  #dueTime(): number | undefined | "never" {
    const { schedule } = this.#cronJob.spec;
    try {
      const { atMs, missed } = dueTime(this.#cronJob, scheduleOf(this.#cronJob), this.#nowMs);
      if (atMs !== undefined && missed > MANY_MISSED)
        this.#event(
          "Warning",
          "TooManyMissedTimes",
          "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
        );
      return atMs;
    } catch (error) {
      this.#event("Warning", "InvalidSchedule", `invalid schedule: ${schedule} : ${(error as Error).message}`);
      return "never";
    }
  }

  #isNotToStart(atMs: number): boolean {
    const { startingDeadlineSeconds, concurrencyPolicy } = this.#cronJob.spec;
    if (startingDeadlineSeconds !== undefined && atMs + startingDeadlineSeconds * 1000 < this.#nowMs) {
      this.#event("Warning", "MissSchedule", `Missed scheduled time to start a job: ${mailTime(atMs)}`);
      return true;
    }
    const name = jobName(this.#cronJob, atMs);
    if (this.#active.some((reference) => reference.name === name) || parseTime(this.#lastScheduleTime) === atMs)
      return true;
    if (concurrencyPolicy !== "Forbid" || this.#active.length === 0) return false;
    this.#event(
      "Normal",
      "JobAlreadyActive",
      "Not starting job because prior execution is running and concurrency policy is Forbid",
    );
    return true;
  }

  #replaceActive(then: Next): void {
    inTurn(
      this.#active,
      ({ name }, next) => {
        this.#client.get(resourcePath(JOBS, this.#namespace, name), (result) => {
          if (result.ok) {
            this.#remove(result.value, next, (error) => this.#end({ error }));
            return;
          }
          this.#event("Warning", "FailedGet", `Get job: ${result.error.message}`);
          this.#end({ error: result.error });
        });
      },
      then,
    );
  }

  #create(atMs: number, goOn: Next): void {
    const job = jobFor(this.#cronJob, atMs);
    this.#client.createAndGet(resourcePath(JOBS, this.#namespace), job, (result) => {
      if (result.ok) {
        this.#event("Normal", "SuccessfulCreate", `Created job ${job.metadata.name}`);
        this.#noteStart(result.value, atMs);
        goOn();
      } else if (result.error.reason === "AlreadyExists") {
        this.#takeExisting(job.metadata.name, atMs, goOn);
      } else {
        this.#event("Warning", "FailedCreate", `Error creating job: ${result.error.message}`);
        this.#end({ error: result.error });
      }
    });
  }

  /** Either an earlier sync created the Job and could not write the status, or the Job has another owner. */
  #takeExisting(name: string, atMs: number, goOn: Next): void {
    this.#client.get(resourcePath(JOBS, this.#namespace, name), (result) => {
      if (!result.ok) {
        this.#end({ error: result.error });
        return;
      }
      const { uid, ownerReferences = [] } = result.value.metadata;
      const isOwn = ownerReferences.some((owner) => owner.controller && owner.uid === this.#cronJob.metadata.uid);
      if (!isOwn || this.#active.some((reference) => reference.uid === uid)) {
        this.#end({});
        return;
      }
      this.#noteStart(result.value, atMs);
      goOn();
    });
  }

  #noteStart({ metadata: { name, uid, resourceVersion } }: TypedObject, atMs: number): void {
    const reference: JobReference = {
      kind: "Job",
      namespace: this.#namespace,
      name,
      uid,
      apiVersion: "batch/v1",
      resourceVersion,
    };
    this.#active = [...this.#active, reference];
    this.#lastScheduleTime = formatTime(atMs);
    this.#isChanged = true;
  }

  // The end.

  #withStatus(): CronJob {
    const status = {
      ...(this.#active.length > 0 && { active: this.#active }),
      ...(this.#lastScheduleTime !== undefined && { lastScheduleTime: this.#lastScheduleTime }),
      ...(this.#lastSuccessfulTime !== undefined && { lastSuccessfulTime: this.#lastSuccessfulTime }),
    };
    return { ...this.#cronJob, status: status as CronJobStatus };
  }

  /** Stores what was computed so far, even if a later step failed. */
  #end(result: PassResult): void {
    if (!this.#isChanged) {
      this.#done(result);
      return;
    }
    const path = resourcePath(CRON_JOBS, this.#namespace, this.#cronJob.metadata.name, "status");
    this.#client.update(path, this.#withStatus(), (written) =>
      this.#done(written.ok ? result : { error: written.error }),
    );
  }

  #event(type: EventType, reason: string, message: string): void {
    this.#events.record({ apiVersion: "batch/v1", kind: "CronJob", object: this.#cronJob }, type, reason, message);
  }
}

/** Runs each step when the one before it calls its `next`; then `then`. A step without that call ends all. */
function inTurn<T>(items: readonly T[], step: (item: T, next: Next) => void, then: Next, index = 0): void {
  if (index === items.length) then();
  else step(items[index]!, () => inTurn(items, step, then, index + 1));
}

/** The Jobs with this end that exceed the history limit, by the time of their start. */
function oldest(jobs: readonly Job[], end: "Complete" | "Failed", limit: number): Job[] {
  const ended = jobs.filter((job) => endOf(job)?.type === end);
  const startMs = (job: Job): number => parseTime(job.status.startTime) || Infinity;
  return ended
    .toSorted((a, b) => startMs(a) - startMs(b) || (a.metadata.name < b.metadata.name ? -1 : 1))
    .slice(0, Math.max(0, ended.length - limit));
}

function jobFor({ metadata: { name, uid }, spec, ...cronJob }: CronJob, atMs: number): Job {
  const { metadata: { labels, annotations } = {} as CronJob["metadata"], spec: jobSpec } = spec.jobTemplate;
  return {
    kind: "Job",
    apiVersion: "batch/v1",
    metadata: {
      name: jobName({ ...cronJob, metadata: { name } } as CronJob, atMs),
      ...(labels && { labels }),
      annotations: { ...annotations, [TIMESTAMP_ANNOTATION]: zonedTime(atMs, spec.timeZone) },
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "CronJob", name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: jobSpec,
  } as unknown as Job;
}

/** In the format of mail: `Fri, 02 Jan 2026 03:04:05 +0000`. */
function mailTime(atMs: number): string {
  return new Date(atMs).toUTCString().replace("GMT", "+0000");
}
