/**
 * Watches Jobs and their pods until each Job has reached the state that the user waits for, or can no longer reach it.
 * The engine gives the verdicts.
 *
 * Invariant: the Jobs are those of the first list, identified by UID: a later Job of the same name is not waited for.
 * Nothing is requested again during a watch. After a lost watch, or a version that is too old (410), the reflector
 * lists again; a Job missing from that list was deleted. If pods may not be read, or are too many, the verdicts come
 * from the Jobs alone.
 */
import type { Hold, Verdict, VerdictQuestion } from "../../../bindings/js/engine.ts";
import type { Clock, Timer, Transport } from "../../../bindings/js/host.ts";
import { ApiClient, type ApiError, JOBS, PODS, resourcePath } from "../../../cluster/client/client.ts";
import { Reflector, type WatchEventType } from "../../../cluster/client/reflector.ts";
import type { Job, Pod } from "../../../cluster/values/kinds.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";
import type { LastFailure } from "../../words/job-view.ts";
import { shortPod } from "../../words/short-pod.ts";
import { type Goal, type Outcome, outcomeOf } from "./outcome.ts";

/** Events within this time are batched. */
const GATHER_MS = 50;
/** Verdicts change with time alone, too. */
const LOOK_AGAIN_MS = 5_000;
/** Pods of more Jobs than this are not watched: their selector would be too long for an address. */
const MAX_JOBS_WITH_PODS = 50;
/** A Job with more pods than this is judged without them. The engine takes 8 MiB at once. */
const MAX_PODS_OF_A_JOB = 5_000;
/** The report of a Job that has failed or is given up waits this long for what is known of its pods. */
const MAX_ACCOUNT_MS = 5_000;
/** Of so many Jobs it is asked at the end what holds them. */
const MAX_HELD_JOBS = 20;
/** An older label than `batch.kubernetes.io/controller-uid`. Every version since Kubernetes 1.21 sets it. */
const UID_LABEL = "controller-uid";
const FORBIDDEN = 403;

/** A Job of the wait. */
export interface AwaitedJob {
  readonly name: string;
  readonly uid: string;
  readonly object: Job;
  readonly verdict: Verdict;
  /** Undefined: the wait for it continues. */
  readonly outcome: Outcome | undefined;
  /** Of a Job that has failed: its last failure, if it is known. */
  readonly lastFailure?: LastFailure | undefined;
  /** Of a Job that is given up, or that has not ended at the end of the wait: what holds it, if that is known. */
  readonly holds?: readonly Hold[] | undefined;
}

/** What pods and Events say of a Job. */
export type Found = Pick<AwaitedJob, "lastFailure" | "holds">;

export interface JobWatchOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Wall time by the server's clock. */
  readonly now: () => number;
  readonly judge: (question: VerdictQuestion, nowMs: number) => Verdict;
  /** Finds why a Job has failed, or does not end. A rejection is as good as nothing. */
  readonly accountOf: (job: Job) => Promise<Found>;
  readonly namespace: string;
  /** Names of Jobs, or a label selector that finds them. */
  readonly wanted: { readonly names: readonly string[] } | { readonly labelSelector: string };
  readonly goal: Goal;
  /** The wait for a Job ends when it was stuck for this long without a break, as far as was seen. */
  readonly stuckLimitMs?: number | undefined;
  /** Called when the verdict of a Job was found, and at each later look at it. */
  readonly onVerdict: (job: AwaitedJob) => void;
  /** A request failed; it is tried again. */
  readonly onProblem: (problem: string) => void;
}

/** The text about it, with `the Job` as subject. */
export function sentenceOf({ outcome, verdict }: AwaitedJob): string {
  return outcome?.kind === "deleted" ? "the Job was deleted before its end was seen" : verdict.sentence;
}

/** What holds a Job that has not ended, in one sentence; undefined: nothing does, as far as is known. */
export function holdSentence({ holds = [] }: AwaitedJob): string | undefined {
  return holds[0]?.sentence;
}

/** There is nothing to wait for: the named Jobs do not exist, or the selector matches none. */
export class NoSuchJobs extends Error {
  override readonly name = "NoSuchJobs";
  readonly missing: readonly string[];
  constructor(missing: readonly string[]) {
    super(`no such Jobs: ${missing.join(", ")}`);
    this.missing = missing;
  }
}

interface Entry {
  object: Job;
  job: AwaitedJob | undefined;
  /** Fires when the Job was stuck for too long. */
  stuck: Timer | undefined;
  /** The wait for it is over, and the reason is being looked for: it is not reported yet. */
  isUnreported: boolean;
}

export class JobWatch {
  readonly #options: JobWatchOptions;
  readonly #client: ApiClient;
  readonly #jobReflector: Reflector;
  #podReflector: Reflector | undefined;
  /** By UID; undefined before the first list. */
  #entries: Map<string, Entry> | undefined;
  /** The pods of each Job, by the UIDs of both. Undefined: they are not known. */
  #pods: Map<string, Map<string, JsonObject>> | undefined;
  /** Verdicts wait for the first list of pods. Without it they would be incomplete for a moment. */
  #awaitsPods = false;
  readonly #due = new Set<string>();
  #isStopped = false;
  #gathering: Timer | undefined;
  #again: Timer | undefined;
  #settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  constructor(options: JobWatchOptions) {
    const { transport, clock, random, namespace, wanted } = options;
    this.#options = options;
    this.#client = new ApiClient(transport, { userAgent: "stint" });
    const [name, ...others] = "names" in wanted ? wanted.names : [];
    this.#jobReflector = new Reflector(
      {
        client: this.#client,
        clock,
        random,
        path: resourcePath(JOBS, namespace),
        // A field selector matches one name. Several are picked from all Jobs of the namespace.
        ...(name !== undefined && others.length === 0 ? { fieldSelector: `metadata.name=${name}` } : {}),
        ...("labelSelector" in wanted ? { labelSelector: wanted.labelSelector } : {}),
      },
      {
        onSync: (objects) => this.#onJobs(objects),
        onEvent: (type, object) => this.#onJob(type, object),
        onProblem: (problem) => this.#onProblem("Jobs", problem),
      },
    );
  }

  /** The Jobs, in the order of the first list. */
  get jobs(): readonly AwaitedJob[] {
    return [...(this.#entries?.values() ?? [])].flatMap(({ job }) => (job === undefined ? [] : [job]));
  }

  /** Those for which the wait is over, and whose reports wait for the reason. */
  get unreported(): readonly AwaitedJob[] {
    return [...(this.#entries?.values() ?? [])].flatMap(({ job, isUnreported }) => (isUnreported ? [job!] : []));
  }

  /** Finds what holds the Jobs that have not ended, when the wait is over. */
  async findHolds(): Promise<void> {
    const open = [...(this.#entries?.values() ?? [])].filter(({ job }) => job !== undefined && !job.outcome);
    await Promise.all(
      open.slice(0, MAX_HELD_JOBS).map(async (entry) => {
        entry.job = { ...entry.job!, ...(await this.#accountOf(entry, entry.job!)) };
      }),
    );
  }

  /** Resolves when the wait for every Job is over. @throws NoSuchJobs, or the errors of `judge` */
  run(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#jobReflector.start();
    }).finally(() => this.stop());
  }

  /** Ends the wait early. `run` never settles then, unless it was over. */
  stop(): void {
    this.#isStopped = true;
    this.#jobReflector.stop();
    this.#podReflector?.stop();
    this.#gathering?.cancel();
    this.#again?.cancel();
    for (const { stuck } of this.#entries?.values() ?? []) stuck?.cancel();
  }

  #onJobs(objects: readonly Job[]): void {
    const { wanted } = this.#options;
    if (this.#entries === undefined) {
      const names = "names" in wanted ? new Set(wanted.names) : undefined;
      const found = objects.filter(({ metadata }) => names?.has(metadata.name) ?? true);
      const missing = [...(names ?? [])].filter((name) => !found.some(({ metadata }) => metadata.name === name));
      if (missing.length > 0 || found.length === 0) {
        this.#settle?.reject(new NoSuchJobs(missing));
        return;
      }
      this.#entries = new Map(
        found.map((object) => [object.metadata.uid, { object, job: undefined, stuck: undefined, isUnreported: false }]),
      );
      this.#awaitsPods = this.#watchPods(found);
      this.#lookAgain();
    }
    const present = new Map(objects.map((object) => [object.metadata.uid, object]));
    for (const [uid, entry] of this.#entries) {
      const object = present.get(uid);
      if (object === undefined) this.#onGone(uid, entry);
      else this.#onJob("MODIFIED", object);
    }
  }

  #onJob(type: WatchEventType, object: Job): void {
    const { uid } = object.metadata;
    const entry = this.#entries?.get(uid);
    if (entry === undefined || entry.job?.outcome !== undefined) return;
    entry.object = object;
    if (type === "DELETED") this.#onGone(uid, entry);
    else this.#mark(uid);
  }

  /** Its last state may still show how it has ended. */
  #onGone(uid: string, entry: Entry): void {
    if (entry.job?.outcome !== undefined) return;
    this.#look(uid, entry);
    if (entry.job !== undefined && entry.job.outcome === undefined)
      this.#tell(entry, { ...(entry.job as AwaitedJob), outcome: { kind: "deleted", isGood: false } });
  }

  #watchPods(jobs: readonly Job[]): boolean {
    const { clock, random, namespace } = this.#options;
    if (jobs.length > MAX_JOBS_WITH_PODS) return false;
    const labelSelector = `${UID_LABEL} in (${jobs.map(({ metadata }) => metadata.uid).join(",")})`;
    const path = resourcePath(PODS, namespace);
    this.#podReflector = new Reflector(
      { client: this.#client, clock, random, path, labelSelector },
      {
        onSync: (pods) => {
          this.#pods = new Map();
          this.#awaitsPods = false;
          for (const pod of pods) this.#onPod("ADDED", pod);
          for (const uid of this.#entries!.keys()) this.#mark(uid);
        },
        onEvent: (type, pod) => this.#onPod(type, pod),
        onProblem: (problem) => this.#onProblem("pods", problem),
      },
    );
    this.#podReflector.start();
    return true;
  }

  #onPod(type: WatchEventType, pod: Pod): void {
    const owner = pod.metadata.labels?.[UID_LABEL] ?? "";
    const pods = this.#pods?.get(owner) ?? new Map<string, JsonObject>();
    this.#pods?.set(owner, pods);
    if (type === "DELETED") pods.delete(pod.metadata.uid);
    else pods.set(pod.metadata.uid, shortPod(pod));
    this.#mark(owner);
  }

  #onProblem(what: string, { status, message }: ApiError): void {
    if (what === "pods" && status === FORBIDDEN) {
      this.#podReflector?.stop();
      this.#awaitsPods = false;
      for (const uid of this.#entries!.keys()) this.#mark(uid);
      this.#options.onProblem(`its pods may not be read, so that what they wait for is not known: ${message}`);
    } else if (status !== 410) {
      // 410 is no fault: the server has compacted the version, and the reflector lists again.
      this.#options.onProblem(`the watch of ${what} broke off and is taken up again: ${message || `status ${status}`}`);
    }
  }

  #mark(uid: string): void {
    if (!this.#entries?.has(uid)) return;
    this.#due.add(uid);
    this.#gathering ??= this.#options.clock.setTimer(GATHER_MS, () => {
      this.#gathering = undefined;
      for (const due of [...this.#due]) this.#look(due, this.#entries!.get(due)!);
      this.#due.clear();
    });
  }

  #lookAgain(): void {
    this.#again = this.#options.clock.setTimer(LOOK_AGAIN_MS, () => {
      this.#awaitsPods = false;
      for (const uid of this.#entries?.keys() ?? []) this.#mark(uid);
      this.#lookAgain();
    });
  }

  #look(uid: string, entry: Entry): void {
    if (entry.job?.outcome !== undefined) return;
    const { object } = entry;
    try {
      const verdict = this.#options.judge(this.#questionOf(uid, object), this.#options.now());
      const outcome = outcomeOf(verdict, this.#options.goal);
      const job = { name: object.metadata.name, uid, object, verdict, outcome };
      if (verdict.verdict === "Failed" && outcome !== undefined) void this.#tellWithReason(entry, job);
      else this.#tell(entry, job);
    } catch (error) {
      this.#settle?.reject(error as Error);
    }
  }

  /** The outcome holds at once. Only the report of it waits for the reason, and not for long. */
  async #tellWithReason(entry: Entry, job: AwaitedJob): Promise<void> {
    entry.job = job;
    entry.isUnreported = true;
    entry.stuck?.cancel();
    const found = await this.#accountOf(entry, job);
    entry.isUnreported = false;
    if (this.#isStopped) return;
    try {
      this.#tell(entry, { ...job, ...found });
    } catch (error) {
      this.#settle?.reject(error as Error);
    }
  }

  async #accountOf({ object }: Entry, { verdict }: AwaitedJob): Promise<Found> {
    const { accountOf, clock } = this.#options;
    const { lastFailure, holds } = await new Promise<Found>((resolve) => {
      const timer = clock.setTimer(MAX_ACCOUNT_MS, () => resolve({}));
      const settle = (found: Found): void => {
        timer.cancel();
        resolve(found);
      };
      accountOf(object).then(settle, () => settle({}));
    });
    return verdict.isFinished ? { lastFailure } : { holds };
  }

  #questionOf(uid: string, job: Job): VerdictQuestion {
    const pods = this.#pods?.get(uid) ?? new Map<string, JsonObject>();
    // Pods of a Job with a manual selector need not have the label.
    const isKnown = this.#pods !== undefined && job.spec?.manualSelector !== true && pods.size <= MAX_PODS_OF_A_JOB;
    return isKnown ? { job, pods: [...pods.values()] } : { job };
  }

  #tell(entry: Entry, job: AwaitedJob): void {
    entry.job = job;
    if (this.#awaitsPods && job.outcome === undefined) return;
    this.#options.onVerdict(job);
    this.#timeStuck(entry, job);
    const entries = [...this.#entries!.values()];
    if (entries.every(({ job: known, isUnreported }) => known?.outcome !== undefined && !isUnreported))
      this.#settle?.resolve();
  }

  #timeStuck(entry: Entry, { verdict, outcome }: AwaitedJob): void {
    const { stuckLimitMs, clock } = this.#options;
    if (verdict.verdict !== "Stuck" || outcome !== undefined) {
      entry.stuck?.cancel();
      entry.stuck = undefined;
    } else if (stuckLimitMs !== undefined) {
      entry.stuck ??= clock.setTimer(stuckLimitMs, () => {
        void this.#tellWithReason(entry, { ...entry.job!, outcome: { kind: "stuck", isGood: false } });
      });
    }
  }
}
