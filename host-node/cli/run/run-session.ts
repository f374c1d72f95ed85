/**
 * One run of some Jobs in an embedded cluster, from their start to the end of the last one.
 *
 * Invariant: it ends exactly once, with one exit status: every Job complete (0), a Job failed (1), the time-out (124)
 * or an interruption (128 + signal). When it is stopped early, the Jobs are deleted first, and their pods get their
 * grace periods; `kill` waits for nothing. Leaves out how time passes: that is up to the caller.
 */
import type { Explanation } from "../../../bindings/js/engine.ts";
import type { Clock, Timer } from "../../../bindings/js/host.ts";
import { ApiClient, type ApiResource, EVENTS, JOBS, PODS, resourcePath } from "../../../cluster/client/client.ts";
import { Reflector } from "../../../cluster/client/reflector.ts";
import type { Event, Job, Pod } from "../../../cluster/values/kinds.ts";
import type { TypedObject } from "../../../cluster/values/types.ts";
import type { EmbeddedCluster } from "../../embedded/embedded.ts";
import { heldSentence } from "../../words/holds.ts";
import type { LastFailures } from "../../words/last-failures.ts";
import { type JobView, jobView, type PodView, podView } from "../../words/job-view.ts";
import type { EndedJob, RunOutput } from "../output/run-output.ts";

export const EXIT_COMPLETE = 0;
export const EXIT_JOB_FAILED = 1;
export const EXIT_TIMED_OUT = 124;
/** The reason of the controller's event about a pod that the API server refused. */
const CREATION_FAILED = "FailedCreate";
/** Longest wait for the pods of Jobs that were stopped early. */
const MAX_STOP_MS = 300_000;
/** How long to wait for the controller's event about the end of a Job, which it writes after the status. */
const LAST_EVENTS_MS = 50;

/** The environment of a run, from its caller. */
export interface RunSessionOptions {
  readonly embedded: EmbeddedCluster;
  readonly clock: Clock;
  /** The Jobs as the API server has stored them. */
  readonly jobs: readonly Job[];
  readonly output: RunOutput;
  /** Gets each Job, pod and Event when it changes. */
  readonly failures: LastFailures;
  /** The engine's explanation of a Job at this moment; undefined: there is none. */
  explain(job: JobView): Explanation | undefined;
  readonly timeoutMs: number | undefined;
  /** Whether pods of stopped Jobs get their grace periods. If not, the run ends at once. */
  readonly endsGracefully: boolean;
  /** Called once. */
  onEnd(result: RunResult): void;
}

export interface RunResult {
  readonly exitStatus: number;
  readonly jobs: readonly EndedJob[];
  readonly reason?: string;
}

/** How a Job stood that had not ended. */
type Stood = Pick<EndedJob, "sentence" | "holds">;

/** Watches the Jobs of a run, reports what happens, and decides when the run is over. */
export class RunSession {
  readonly #options: RunSessionOptions;
  readonly #client: ApiClient;
  readonly #reflectors: readonly Reflector[];
  readonly #jobs = new Map<string, JobView>();
  /** Pods that exist: uid to phase. */
  readonly #pods = new Map<string, string>();
  /** Jobs that have had a pod, by namespace and name. */
  readonly #withPods = new Set<string>();
  /** Why the last pod of a Job was refused, by namespace and name. */
  readonly #refusals = new Map<string, string>();
  /** Why it was stopped early, and how the Jobs stood that ran then, by their uids. */
  #stopping: (Required<Omit<RunResult, "jobs">> & { readonly stood: ReadonlyMap<string, Stood> }) | undefined;
  #timers: Timer[] = [];
  #isOver = false;

  constructor(options: RunSessionOptions) {
    this.#options = options;
    const { embedded, clock } = options;
    this.#client = new ApiClient(embedded.cluster.transport, { userAgent: "stint" });
    for (const job of options.jobs) this.#jobs.set(job.metadata.uid, jobView(job));
    const watch = <T extends TypedObject>(
      resource: ApiResource<T>,
      onObject: (object: T, isGone: boolean) => void,
    ): Reflector<T> =>
      new Reflector(
        { client: this.#client, clock, random: () => 0, path: resourcePath(resource) },
        {
          onSync: (objects) => objects.forEach((object) => onObject(object, false)),
          onEvent: (type, object) => onObject(object, type === "DELETED"),
        },
      );
    this.#reflectors = [
      watch(EVENTS, (event, isGone) => this.#onEvent(event, isGone)),
      watch(PODS, (pod, isGone) => this.#onPod(pod, isGone)),
      watch(JOBS, (job, isGone) => this.#onJob(job, isGone)),
    ];
  }

  start(): void {
    const { timeoutMs, clock, embedded } = this.#options;
    for (const reflector of this.#reflectors) reflector.start();
    embedded.start();
    if (timeoutMs !== undefined)
      this.#timers.push(clock.setTimer(timeoutMs, () => this.stop(EXIT_TIMED_OUT, "the time-out has come")));
  }

  /** Ends the run early, gracefully. The first reason counts. */
  stop(exitStatus: number, reason: string): void {
    if (this.#isOver || this.#stopping !== undefined) return;
    // This has to come before the deletion of the Jobs: afterwards the explanation would only report that.
    this.#stopping = { exitStatus, reason, stood: this.#stood() };
    const { clock, output, endsGracefully } = this.#options;
    const hasPods = [...this.#pods.values()].some((phase) => phase === "Running" || phase === "Pending");
    if (!endsGracefully || !hasPods) {
      this.kill(exitStatus, reason);
      return;
    }
    output.note(clock.now(), `${reason}; stopping the pods (Ctrl-C kills them at once)`);
    for (const { namespace, name, uid } of this.#jobs.values()) {
      this.#client.delete(
        resourcePath(JOBS, namespace, name),
        { propagationPolicy: "Background", preconditions: { uid } },
        () => {},
      );
    }
    this.#timers.push(clock.setTimer(MAX_STOP_MS, () => this.kill(exitStatus, reason)));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** Ends the run now. */
  kill(exitStatus: number, reason: string): void {
    this.#end({ exitStatus: this.#stopping?.exitStatus ?? exitStatus, reason: this.#stopping?.reason ?? reason });
  }

  #onJob(object: Job, isGone: boolean): void {
    if (isGone || !this.#jobs.has(object.metadata.uid)) return;
    this.#options.failures.job(object);
    const job = this.#timed(jobView(object));
    this.#jobs.set(job.uid, job);
    this.#options.output.job(this.#options.clock.now(), job);
    const jobs = [...this.#jobs.values()];
    if (this.#stopping !== undefined || jobs.some(({ state }) => state === "Running")) return;
    const exitStatus = jobs.every(({ state }) => state === "Complete") ? EXIT_COMPLETE : EXIT_JOB_FAILED;
    this.#timers.push(this.#options.clock.setTimer(LAST_EVENTS_MS, () => this.#end({ exitStatus })));
  }

  /**
   * The Job with the times at which this run saw it start and end. The API keeps whole seconds, but the run shows
   * tenths.
   */
  #timed(job: JobView): JobView {
    const before = this.#jobs.get(job.uid);
    const seen = (field: "startTimeMs" | "endTimeMs"): number | undefined =>
      job[field] === undefined ? undefined : (before?.[field] ?? this.#options.clock.now());
    return { ...job, startTimeMs: seen("startTimeMs"), endTimeMs: seen("endTimeMs") };
  }

  #onPod(object: Pod, isGone: boolean): void {
    const attempt = this.#options.failures.pod(object);
    const pod = podView(object, attempt?.cause);
    this.#withPods.add(`${pod.namespace}/${pod.job}`);
    if (isGone) {
      this.#options.failures.gone(object);
      this.#pods.delete(pod.uid);
    } else this.#podSeen(pod);
    if (this.#stopping !== undefined && this.#pods.size === 0)
      this.kill(this.#stopping.exitStatus, this.#stopping.reason);
  }

  #podSeen(pod: PodView): void {
    if (this.#pods.get(pod.uid) === pod.phase) return;
    this.#pods.set(pod.uid, pod.phase);
    this.#options.output.pod(this.#options.clock.now(), pod);
  }

  #onEvent(event: Event & { readonly note?: string }, isGone: boolean): void {
    if (isGone) return;
    this.#options.failures.event(event);
    const { kind = "", namespace = "", name = "" } = event.involvedObject;
    const message: string = event.message ?? event.note ?? "";
    const reason: string = event.reason ?? "";
    if (kind === "Job" && reason === CREATION_FAILED)
      this.#refusals.set(`${namespace}/${name}`, message.replace(/^Error creating: /, ""));
    const type: string = event.type ?? "Normal";
    this.#options.output.event(this.#options.clock.now(), { kind, namespace, name, type, reason, message });
  }

  #end(end: { readonly exitStatus: number; readonly reason?: string }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const stood = this.#stopping?.stood ?? this.#stood();
    for (const timer of this.#timers) timer.cancel();
    for (const reflector of this.#reflectors) reflector.stop();
    this.#options.embedded.stop();
    this.#options.onEnd({ ...end, jobs: [...this.#jobs.values()].map((job) => this.#ended(job, stood)) });
  }

  #ended(job: JobView, stood: ReadonlyMap<string, Stood>): EndedJob {
    const { failures } = this.#options;
    const retriedIndexes = failures.indexesOf(job);
    if (job.state === "Complete") return { ...job, retriedIndexes };
    const held = job.state === "Running" ? stood.get(job.uid) : undefined;
    return { ...job, ...held, lastFailure: failures.of(job), retriedIndexes, withoutPods: this.#withoutPods(job) };
  }

  /** The text about a Job that has had no pod in this run; undefined: it has had one. */
  #withoutPods({ namespace, name, startTimeMs }: JobView): string | undefined {
    const key = `${namespace}/${name}`;
    // The conditions say so when a policy of the Job itself refused it, or when no controller has looked at it.
    if (this.#withPods.has(key) || startTimeMs === undefined) return undefined;
    const refusal = this.#refusals.get(key);
    return `the Job never had a pod${refusal === undefined ? "" : `; the last one was refused: ${refusal}`}`;
  }

  /** What each Job that has not ended waits for, and what holds it, by its uid. */
  #stood(): Map<string, Stood> {
    const running = [...this.#jobs.values()].filter(({ state }) => state === "Running");
    return new Map(
      running.flatMap((job) => {
        const explanation = this.#options.explain(job);
        if (explanation === undefined) return [];
        const account = this.#options.failures.accountOf(job);
        return [[job.uid, { sentence: heldSentence(account, explanation), holds: account?.holds }] as const];
      }),
    );
  }
}
