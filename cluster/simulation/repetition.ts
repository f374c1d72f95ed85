/**
 * Detects an endless run: one that only retries what fails, and in which nothing ends that: a Job that forgives very
 * many failures, a failure policy that ignores them, or a quota without room. Such a run would fill the memory, and
 * shows nothing new.
 *
 * Invariant: no false positives. Where chance, a deadline, a limit that is still ahead, or a container that has been
 * running all the time may bring something new, the run continues. Leaves out scripts that distinguish more attempts
 * than MIN_TRIES.
 */
import type { Write } from "../apiserver/server.ts";
import { JOBS, PODS, resourcePath, withQuery } from "../client/client.ts";
import { endOf } from "../values/job-conditions.ts";
import type { OutcomeRule } from "./scenario.ts";
import type { Api } from "./api.ts";
import { UNFINISHED } from "./end-note.ts";
import type { Event, Job, JobStatus, Pod } from "../values/kinds.ts";

/** The time without news. By then, delays between tries have long grown to their longest. */
export const NO_PROGRESS_MS = 3 * 86_400_000;
/** The least number of failed or restarted pods in that time. */
export const MIN_TRIES = 300;
/** With this many failures of one Job, a run ends because of its number of writes. */
const REACHABLE_LIMIT = 100_000;

export class Repetition {
  /** Failures, restarts and refused creations since the latest news. */
  #tries = 0;
  #newsMs: number;
  /** UIDs of the Jobs whose failures were counted since then. */
  readonly #counted = new Set<string>();
  readonly #isByChance: boolean;

  /** Times are those of the clock, as `startedAt` of containers is. */
  constructor(outcomes: readonly OutcomeRule[], nowMs: number) {
    this.#newsMs = nowMs;
    this.#isByChance = outcomes.some(({ share }) => share !== undefined && share < 1);
  }

  /** Failures, restarts and refused creations since the latest news. */
  get tries(): number {
    return this.#tries;
  }

  onWrite(write: Write, nowMs: number): void {
    const { resource, type } = write;
    if (resource === "events") {
      // Those that go are packed.
      if (type !== "DELETED" && (write.object as Event).reason === "FailedCreate") this.#tries++;
      return;
    }
    const { object, previous } = write;
    if (resource === "pods") this.#onPod(object as Pod, previous as Pod | undefined, nowMs);
    else if (resource === "jobs" && (type !== "MODIFIED" || isNews(object as Job, previous as Job | undefined)))
      this.news(nowMs);
    else if (resource === "jobs" && failedOf(object as Job) > failedOf(previous as Job | undefined))
      this.#counted.add(object.metadata.uid);
  }

  /** Something has happened that is not a repetition. */
  news(nowMs: number): void {
    this.#tries = 0;
    this.#newsMs = nowMs;
    this.#counted.clear();
  }

  isEndless(api: Api, nowMs: number): boolean {
    if (this.#tries < MIN_TRIES || nowMs - this.#newsMs < NO_PROGRESS_MS) return false;
    if (!this.#isByChance && !this.#mayEnd(api, nowMs)) return true;
    // The next check comes only after MIN_TRIES more tries and NO_PROGRESS_MS without news.
    this.news(nowMs);
    return false;
  }

  #onPod(object: Pod, previous: Pod | undefined, nowMs: number): void {
    const phase = object.status?.phase;
    const isNewPhase = phase !== previous?.status?.phase;
    if (phase === "Succeeded" && isNewPhase) this.news(nowMs);
    else if ((phase === "Failed" && isNewPhase) || restartsOf(object) > restartsOf(previous)) this.#tries++;
  }

  #mayEnd(api: Api, nowMs: number): boolean {
    const jobs = api.get(resourcePath(JOBS));
    const pods = api.get(withQuery(resourcePath(PODS), UNFINISHED));
    if (!jobs.ok || !pods.ok) return true;
    return (
      (jobs.object.items ?? []).some((job) => endOf(job) === undefined && this.#mayJobEnd(job)) ||
      (pods.object.items ?? []).some((pod) => isAtWorkSince(pod, nowMs - NO_PROGRESS_MS))
    );
  }

  #mayJobEnd({ metadata: { uid }, spec }: Job): boolean {
    if (spec.activeDeadlineSeconds !== undefined) return true;
    const limit = Math.min(spec.backoffLimit ?? Infinity, spec.backoffLimitPerIndex ?? Infinity);
    // Restarts of containers count, too, and are not in the status.
    const isCounting = this.#counted.has(uid) || spec.template.spec.restartPolicy === "OnFailure";
    return isCounting && limit < REACHABLE_LIMIT;
  }
}

/** The Job has made progress, or is another one. Its failures are no news: they repeat. */
function isNews(job: Job, before: Job | undefined): boolean {
  const [status, old]: readonly [JobStatus, JobStatus] = [job.status ?? {}, before?.status ?? {}];
  return (
    job.metadata.generation !== before?.metadata.generation ||
    (["succeeded", "completedIndexes", "failedIndexes"] as const).some((field) => status[field] !== old[field]) ||
    JSON.stringify(status.conditions) !== JSON.stringify(old.conditions)
  );
}

function failedOf(job: Job | undefined): number {
  return job?.status?.failed ?? 0;
}

function restartsOf(pod: Pod | undefined): number {
  const { initContainerStatuses = [], containerStatuses = [] } = pod?.status ?? {};
  return [...initContainerStatuses, ...containerStatuses].reduce((sum, { restartCount }) => sum + restartCount, 0);
}

/** One of its main containers has been running since then, so it may still end. */
function isAtWorkSince(pod: Pod, ms: number): boolean {
  const statuses = pod.status?.containerStatuses ?? [];
  return statuses.some(({ state }) => state?.running !== undefined && Date.parse(state.running.startedAt!) <= ms);
}
