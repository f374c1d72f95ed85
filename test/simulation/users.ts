/**
 * What people and other programs do to Jobs and pods while they run: create, scale, delete in the three ways, create anew
 * under the same name, delete pods, and write to objects that the controller writes to as well. Every action is one that
 * the API allows; one that does not apply just now does nothing.
 */
import type { ApiRequest, ApiResponse } from "../../bindings/js/host.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { Chance } from "./chance.ts";
import { isActive, isFinished, type JobFacts, type PodFacts } from "./facts.ts";
import { generateJob, NAMESPACE } from "./job-generator.ts";
import type { Ledger } from "./ledger.ts";
import { DEFAULT_HABITS, type PodHabits } from "./pod-driver.ts";

/** Names of Jobs; one that is deleted may come back under its name. */
const NAMES = ["alpha", "beta", "gamma", "delta"];
/** Jobs that one run creates: it is long enough then. */
const MAX_JOBS = 10;
const JOBS_PATH = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;
const PODS_PATH = `/api/v1/namespaces/${NAMESPACE}/pods`;
const JSON_TYPE = "application/json";
const MERGE_PATCH = "application/merge-patch+json";

interface Action {
  readonly name: string;
  readonly weight: number;
  run(users: Users): void;
}

const ACTIONS: readonly Action[] = [
  { name: "create a Job", weight: 4, run: (users) => users.createJob() },
  { name: "delete a pod", weight: 2, run: (users) => users.deletePod({}) },
  { name: "delete a pod by force", weight: 1, run: (users) => users.deletePod({ gracePeriodSeconds: 0 }) },
  { name: "scale", weight: 2, run: (users) => users.scale() },
  { name: "delete a Job", weight: 1, run: (users) => users.deleteJob() },
  { name: "change the deadline", weight: 0.5, run: (users) => users.changeDeadline() },
  { name: "take the finalizer off a pod", weight: 0.5, run: (users) => users.stripPod() },
  { name: "annotate a Job", weight: 1, run: (users) => users.annotate() },
  { name: "label a pod", weight: 1, run: (users) => users.labelPod() },
  { name: "add a condition", weight: 1, run: (users) => users.addCondition() },
];

export interface UsersOptions {
  readonly ledger: Ledger;
  readonly chance: Chance;
  readonly say: (text: string) => void;
}

export class Users {
  readonly #options: UsersOptions;
  readonly #habits = new Map<string, PodHabits>();
  #jobs = 0;
  #counter = 0;

  constructor(options: UsersOptions) {
    this.#options = options;
  }

  habitsOf(jobUid: string | undefined): PodHabits {
    return this.#habits.get(jobUid ?? "") ?? DEFAULT_HABITS;
  }

  act(): void {
    this.#options.chance.weighted(ACTIONS).run(this);
  }

  /** Nobody keeps a Job from its end any longer. */
  settle(): void {
    for (const job of this.#liveJobs()) if (job.parallelism === 0 && job.completions !== 0) this.#patch(`${JOBS_PATH}/${job.name}`, { spec: { parallelism: 2 } });
  }

  createJob(): void {
    const { chance } = this.#options;
    const name = NAMES.find((candidate) => this.#options.ledger.jobNamed(NAMESPACE, candidate) === undefined);
    if (name === undefined || this.#jobs >= MAX_JOBS) return;
    this.#jobs++;
    const { spec, habits } = generateJob(chance.fork(`job ${this.#jobs}`));
    this.#say(() => `creates Job ${name}: ${JSON.stringify({ ...spec, template: undefined, restartPolicy: spec.template.spec.restartPolicy })} ${JSON.stringify(habits)}`);
    const answer = this.#send("POST", JOBS_PATH, { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec });
    if (answer.status !== 201) throw new Error(`the generator made a Job that the API server refuses: ${answer.status} ${String(answer.body)}`);
    this.#habits.set((JSON.parse(String(answer.body)) as KubeObject).metadata.uid, habits);
  }

  deleteJob(): void {
    const job = this.#anyOf(this.#storedJobs());
    if (job === undefined) return;
    const propagationPolicy = this.#options.chance.pick(["Background", "Foreground", "Orphan"] as const);
    this.#say(`deletes Job ${job.name} (${propagationPolicy})`);
    this.#send("DELETE", `${JOBS_PATH}/${job.name}`, { propagationPolicy });
  }

  deletePod(options: { readonly gracePeriodSeconds?: number }): void {
    const pod = this.#anyOf(this.#storedPods());
    if (pod === undefined) return;
    this.#say(`deletes pod ${pod.name} ${JSON.stringify(options)}`);
    this.#send("DELETE", `${PODS_PATH}/${pod.name}`, options);
  }

  scale(): void {
    const { chance } = this.#options;
    const job = this.#anyOf(this.#liveJobs());
    if (job === undefined) return;
    const isElastic = job.isIndexed && job.completions === job.parallelism && chance.isHit(0.7);
    const size = chance.integer(isElastic ? 1 : 0, 7);
    const spec = isElastic ? { parallelism: size, completions: size } : { parallelism: size };
    this.#say(`scales Job ${job.name} to ${JSON.stringify(spec)}`);
    this.#patch(`${JOBS_PATH}/${job.name}`, { spec });
  }

  changeDeadline(): void {
    const job = this.#anyOf(this.#liveJobs());
    if (job === undefined) return;
    const activeDeadlineSeconds = this.#options.chance.isHit(0.5) ? this.#options.chance.integer(1, 120) : null;
    this.#say(`sets the deadline of Job ${job.name} to ${activeDeadlineSeconds}`);
    this.#patch(`${JOBS_PATH}/${job.name}`, { spec: { activeDeadlineSeconds } });
  }

  /** Nobody may count the pod after that (docs/spec/controller.md 13.19). */
  stripPod(): void {
    const pod = this.#anyOf(this.#storedPods());
    if (pod === undefined) return;
    this.#say(`takes the finalizers off pod ${pod.name}`);
    this.#patch(`${PODS_PATH}/${pod.name}`, { metadata: { finalizers: null } });
  }

  annotate(): void {
    const job = this.#anyOf(this.#storedJobs());
    if (job !== undefined) this.#patch(`${JOBS_PATH}/${job.name}`, { metadata: { annotations: { "example.com/touched": String(++this.#counter) } } });
  }

  labelPod(): void {
    const pod = this.#anyOf(this.#storedPods());
    if (pod !== undefined) this.#patch(`${PODS_PATH}/${pod.name}`, { metadata: { labels: { "example.com/touched": String(++this.#counter) } } });
  }

  /** Another controller writes to the status: a condition of its own, behind those that are there. */
  addCondition(): void {
    const job = this.#anyOf(this.#liveJobs());
    if (job === undefined) return;
    const path = `${JOBS_PATH}/${job.name}`;
    const { status } = JSON.parse(String(this.#send("GET", path).body)) as KubeObject;
    const condition = { type: `example.com/Seen${++this.#counter}`, status: "True", reason: "Seen", message: `"seen" \\ by another controller`, lastTransitionTime: "2026-01-01T00:00:00Z" };
    this.#patch(`${path}/status`, { status: { conditions: [...(status?.conditions ?? []), condition] } });
  }

  #storedJobs(): JobFacts[] {
    return [...this.#options.ledger.jobs.values()].filter(({ isGone }) => !isGone).map(({ facts }) => facts);
  }

  #liveJobs(): JobFacts[] {
    return this.#storedJobs().filter((job) => !isFinished(job) && !job.isDeleting);
  }

  #storedPods(): PodFacts[] {
    const stored = [...this.#options.ledger.pods.values()].filter(({ isGone }) => !isGone).map(({ facts }) => facts);
    const active = stored.filter(isActive);
    // Those that are over are of less interest.
    return active.length > 0 && this.#options.chance.isHit(0.8) ? active : stored;
  }

  #anyOf<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? undefined : this.#options.chance.pick(items);
  }

  #patch(path: string, body: object): void {
    this.#send("PATCH", path, body, MERGE_PATCH);
  }

  #send(method: ApiRequest["method"], path: string, body?: object, contentType = JSON_TYPE): ApiResponse {
    const response = this.#options.ledger.handle("user", { method, path, headers: { "content-type": contentType }, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    if (!("body" in response)) throw new Error(`${method} ${path} was answered with a stream`);
    return response;
  }

  #say(text: string | (() => string)): void {
    this.#options.say(typeof text === "string" ? text : text());
  }
}
