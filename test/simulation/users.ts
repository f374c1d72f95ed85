/**
 * What people and other programs do to Jobs and pods while they run: create, edit, delete in the three ways, create
 * again under the same name, delete, evict and make pods, delete a namespace, and write to objects that the controller
 * writes to as well. Every action is one that the API allows; one that does not apply just now does nothing.
 */
import type { ApiRequest, ApiResponse } from "../../bindings/js/host.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import type { Chance } from "./chance.ts";
import { CONTROLLER_UID_LABEL, INDEX_ANNOTATION, isActive, isFinished, type JobFacts, type PodFacts } from "./facts.ts";
import { handmadePod, oddIndex, orphan } from "./handmade-pods.ts";
import { COLOR, generateJob, TOUCHED } from "./job-generator.ts";
import type { Ledger } from "./ledger.ts";
import { DEFAULT_HABITS, DISRUPTION_TARGET, type PodHabits } from "./pod-driver.ts";
import type { FaultKind, Plan } from "./plan.ts";
import { editOf } from "./spec-edits.ts";
import { statusOfOthers } from "./statuses.ts";

/** Names of Jobs; one that is deleted may come back under its name. */
const NAMES = ["alpha", "beta", "gamma", "delta"];
const NAMESPACE = "default";
/** Comes and goes. */
const SHORT_LIVED_NAMESPACE = "doomed";
const IN_SHORT_LIVED_NAMESPACE = 0.2;
const JSON_TYPE = "application/json";
const MERGE_PATCH = "application/merge-patch+json";

interface Action {
  readonly name: string;
  readonly weight: number;
  /** Only in runs with it. */
  readonly fault?: FaultKind;
  run(users: Users): void;
}

const ACTIONS: readonly Action[] = [
  { name: "create a Job", weight: 4, run: (users) => users.createJob() },
  { name: "delete a pod", weight: 2, run: (users) => users.deletePod({}) },
  { name: "delete a pod by force", weight: 1, run: (users) => users.deletePod({ gracePeriodSeconds: 0 }) },
  { name: "evict a pod", weight: 1, run: (users) => users.evictPod() },
  { name: "make a pod", weight: 0.6, run: (users) => users.makePod() },
  { name: "make an orphan pod", weight: 1.2, run: (users) => users.makeOrphan() },
  { name: "take a label off a pod", weight: 1, run: (users) => users.takeLabel() },
  { name: "put labels back", weight: 1, run: (users) => users.putLabelsBack() },
  { name: "take the owner off a pod", weight: 0.7, run: (users) => users.takeOwner() },
  { name: "change the index of a pod", weight: 0.3, run: (users) => users.changeIndex() },
  { name: "edit a Job", weight: 5, run: (users) => users.editJob() },
  { name: "delete a Job", weight: 1, run: (users) => users.deleteJob() },
  { name: "delete a namespace", weight: 0.2, run: (users) => users.deleteNamespace() },
  { name: "take the finalizer off a pod", weight: 0.5, run: (users) => users.stripPod() },
  { name: "end a Job of another controller", weight: 0.5, run: (users) => users.endForeignJob() },
  { name: "annotate a Job", weight: 1, run: (users) => users.annotate() },
  { name: "label a pod", weight: 1, run: (users) => users.labelPod() },
  { name: "add a condition", weight: 1, run: (users) => users.addCondition() },
  { name: "write a status", weight: 3, fault: "statuses by others", run: (users) => users.writeStatus() },
];

export interface UsersOptions {
  readonly ledger: Ledger;
  readonly plan: Plan;
  readonly chance: Chance;
  readonly say: (text: string) => void;
  /** The API server's time, as written in objects. */
  readonly now: () => string;
}

export class Users {
  readonly #options: UsersOptions;
  readonly #actions: readonly Action[];
  readonly #habits = new Map<string, PodHabits>();
  /** Labels that were taken off pods, by UID, as the patch that puts them back. */
  readonly #taken = new Map<string, Record<string, string | null>>();
  #jobs = 0;
  #counter = 0;

  constructor(options: UsersOptions) {
    this.#options = options;
    this.#actions = ACTIONS.filter(({ fault }) => fault === undefined || options.plan.faults.has(fault));
  }

  habitsOf(jobUid: string | undefined): PodHabits {
    return this.#habits.get(jobUid ?? "") ?? DEFAULT_HABITS;
  }

  act(): void {
    this.#options.chance.weighted(this.#actions).run(this);
  }

  /** No finalizer keeps a Job or a pod from its end any longer. */
  settle(): void {
    this.#putBack(this.#everyPod());
    // A Job that is being deleted lets no pod go that it does not select, upstream's too.
    for (const pod of this.#everyPod().filter(({ labels }) => TOUCHED in labels))
      this.#patch(podPath(pod), { metadata: { labels: { [TOUCHED]: null } } });
    // As the client that put it there does in the end.
    const { finalizer } = this.#options.ledger.role;
    for (const pod of this.#everyPod().filter(({ holdsOthersFinalizer }) => holdsOthersFinalizer))
      this.#patch(podPath(pod), { metadata: { finalizers: pod.holdsFinalizer ? [finalizer] : null } });
    for (const job of this.#liveJobs()) {
      if (job.isSuspended) this.#patch(jobPath(job), { spec: { suspend: false } });
      if (job.parallelism === 0 && job.completions !== 0) this.#patch(jobPath(job), { spec: { parallelism: 2 } });
    }
  }

  createJob(): void {
    const { chance, ledger, plan } = this.#options;
    const namespace = chance.isHit(IN_SHORT_LIVED_NAMESPACE) ? SHORT_LIVED_NAMESPACE : NAMESPACE;
    const name = NAMES.find((candidate) => ledger.jobNamed(namespace, candidate) === undefined);
    if (name === undefined || this.#jobs >= plan.sizes.maxJobs) return;
    this.#jobs++;
    const { spec, habits } = generateJob(chance.fork(`job ${this.#jobs}`), ledger.role, plan.sizes);
    this.#say(() => {
      const shown = { ...spec, template: { ...spec.template.spec } };
      return `creates Job ${namespace}/${name}: ${JSON.stringify(shown)} ${JSON.stringify(habits)}`;
    });
    // It may be there, or on its way out.
    if (namespace !== NAMESPACE)
      this.#send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    const answer = this.#send("POST", jobsPath(namespace), {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name },
      spec,
    });
    if (answer.status === 403 && namespace !== NAMESPACE) return;
    if (answer.status !== 201)
      throw new Error(`the generator made a Job that the API server refuses: ${answer.status} ${String(answer.body)}`);
    this.#habits.set((JSON.parse(String(answer.body)) as KubeObject).metadata.uid, habits);
  }

  deleteJob(): void {
    const job = this.#anyOf(this.#storedJobs());
    if (job === undefined) return;
    const propagationPolicy = this.#options.chance.pick(["Background", "Foreground", "Orphan"] as const);
    this.#say(`deletes Job ${job.name} (${propagationPolicy})`);
    this.#send("DELETE", jobPath(job), { propagationPolicy });
  }

  deletePod(options: { readonly gracePeriodSeconds?: number }): void {
    const pod = this.#anyOf(this.#storedPods());
    if (pod === undefined) return;
    this.#say(`deletes pod ${pod.name} ${JSON.stringify(options)}`);
    this.#send("DELETE", podPath(pod), options);
  }

  /** As a drain of a node does it: first the reason, then the deletion. */
  evictPod(): void {
    const pod = this.#anyOf(this.#storedPods());
    if (pod === undefined || !isActive(pod)) return;
    this.#say(`evicts pod ${pod.name}`);
    const { status } = JSON.parse(String(this.#send("GET", podPath(pod)).body)) as KubeObject;
    const condition = {
      type: DISRUPTION_TARGET,
      status: "True",
      reason: "EvictionByEvictionAPI",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    this.#patch(`${podPath(pod)}/status`, { status: { conditions: [...(status?.conditions ?? []), condition] } });
    this.#send("DELETE", podPath(pod), {});
  }

  makePod(): void {
    const { chance } = this.#options;
    const { role } = this.#options.ledger;
    // No controller takes the finalizers off the pods of others, which would hold a namespace.
    const job = this.#anyOf(
      this.#liveJobs().filter(({ isForeign, namespace }) => !isForeign || namespace === NAMESPACE),
    );
    if (job === undefined) return;
    const pod = handmadePod(this.#read(jobPath(job)), job, `${job.name}-by-hand-${++this.#counter}`, { role, chance });
    this.#say(() => {
      const shown = { ...(pod as KubeObject).metadata, labels: undefined, ownerReferences: undefined };
      return `makes a pod for Job ${job.name}: ${JSON.stringify(shown)}`;
    });
    this.#send("POST", `/api/v1/namespaces/${job.namespace}/pods`, pod);
  }

  /** It may be over, and may belong to something that is no Job. */
  makeOrphan(): void {
    const { chance, ledger } = this.#options;
    const job = this.#anyOf(this.#liveJobs().filter(({ namespace }) => namespace === NAMESPACE));
    if (job === undefined) return;
    const name = `orphan-${++this.#counter}`;
    const pod = orphan(this.#read(jobPath(job)), name, chance.isHit(0.15) ? this.#someOwner() : undefined, {
      role: ledger.role,
      chance,
    });
    this.#say(() => `makes a pod that Job ${job.name} selects: ${JSON.stringify((pod as KubeObject).metadata)}`);
    this.#send("POST", `/api/v1/namespaces/${job.namespace}/pods`, pod);
    if (!chance.isHit(0.4)) return;
    const phase = chance.pick(["Succeeded", "Failed"]);
    this.#say(`ends pod ${name}: ${phase}`);
    this.#patch(`/api/v1/namespaces/${job.namespace}/pods/${name}/status`, { status: { phase } });
  }

  /** A label that selectors go by, or one that they must not find. */
  takeLabel(): void {
    const { chance } = this.#options;
    const pod = this.#anyOf(this.#storedPods());
    if (pod === undefined) return;
    const key = [COLOR, CONTROLLER_UID_LABEL].find((label) => label in pod.labels);
    if (key === undefined) return;
    const labels = { [key]: null, ...(chance.isHit(0.3) ? { [TOUCHED]: "taken" } : {}) };
    this.#taken.set(pod.uid, { [key]: pod.labels[key]!, [TOUCHED]: null });
    this.#say(`takes the label ${key} off pod ${pod.name}`);
    this.#patch(podPath(pod), { metadata: { labels } });
  }

  putLabelsBack(): void {
    this.#putBack(this.#storedPods());
  }

  #putBack(pods: readonly PodFacts[]): void {
    for (const pod of pods) {
      const labels = this.#taken.get(pod.uid);
      if (labels === undefined) continue;
      this.#say(`puts the labels of pod ${pod.name} back`);
      this.#taken.delete(pod.uid);
      this.#patch(podPath(pod), { metadata: { labels } });
    }
  }

  takeOwner(): void {
    const pod = this.#anyOf(this.#storedPods().filter(({ jobUid }) => jobUid !== undefined));
    if (pod === undefined) return;
    this.#say(`takes the owner off pod ${pod.name}`);
    this.#patch(podPath(pod), { metadata: { ownerReferences: null } });
  }

  /** Annotations may be changed by anybody, those that a controller goes by too. */
  changeIndex(): void {
    const { chance, ledger } = this.#options;
    const pod = this.#anyOf(this.#storedPods());
    const job = ledger.jobs.get(pod?.jobUid ?? "")?.facts;
    if (pod === undefined || job === undefined || !job.isIndexed) return;
    const index = oddIndex(job, chance) ?? null;
    this.#say(`changes the index of pod ${pod.name} from ${pod.index} to ${index}`);
    this.#patch(podPath(pod), { metadata: { annotations: { [INDEX_ANNOTATION]: index } } });
  }

  editJob(): void {
    const { chance } = this.#options;
    const job = this.#anyOf(chance.isHit(0.1) ? this.#storedJobs() : this.#liveJobs());
    const spec = job && editOf(job, chance);
    if (job === undefined || spec === undefined) return;
    this.#say(`edits Job ${job.name}: ${JSON.stringify(spec)}`);
    this.#patch(jobPath(job), { spec });
  }

  deleteNamespace(): void {
    this.#say(`deletes namespace ${SHORT_LIVED_NAMESPACE}`);
    this.#send("DELETE", `/api/v1/namespaces/${SHORT_LIVED_NAMESPACE}`, {});
  }

  endForeignJob(): void {
    const job = this.#anyOf(this.#liveJobs().filter(({ isForeign }) => isForeign));
    if (job === undefined) return;
    this.#say(`ends Job ${job.name}, which another controller manages`);
    const condition = { status: "True", reason: "Over", message: "", lastTransitionTime: this.#options.now() };
    const conditions = [
      { ...condition, type: "FailureTarget" },
      { ...condition, type: "Failed" },
    ];
    this.#patch(`${jobPath(job)}/status`, {
      status: { startTime: job.startTimeMs === undefined ? this.#options.now() : undefined, conditions },
    });
  }

  /** No controller may count the pod after that (docs/spec/controller.md 13.19). */
  stripPod(): void {
    const pod = this.#anyOf(this.#storedPods());
    if (pod === undefined) return;
    this.#say(`takes the finalizers off pod ${pod.name}`);
    this.#patch(podPath(pod), { metadata: { finalizers: null } });
  }

  annotate(): void {
    const job = this.#anyOf(this.#storedJobs());
    if (job !== undefined)
      this.#patch(jobPath(job), { metadata: { annotations: { "example.com/touched": String(++this.#counter) } } });
  }

  labelPod(): void {
    const pod = this.#anyOf(this.#storedPods());
    if (pod !== undefined) this.#patch(podPath(pod), { metadata: { labels: { [TOUCHED]: String(++this.#counter) } } });
  }

  /** Another controller writes to the status: its own condition, behind the existing ones. */
  addCondition(): void {
    const job = this.#anyOf(this.#liveJobs());
    if (job === undefined) return;
    const path = jobPath(job);
    const { status } = JSON.parse(String(this.#send("GET", path).body)) as KubeObject;
    const condition = {
      type: `example.com/Seen${++this.#counter}`,
      status: "True",
      reason: "Seen",
      message: `"seen" \\ by another controller`,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    this.#patch(`${path}/status`, { status: { conditions: [...(status?.conditions ?? []), condition] } });
  }

  /**
   * A user writes the status as a whole, not knowing what a controller makes of it. What the API server refuses
   * changes nothing.
   */
  writeStatus(): void {
    const { ledger, chance } = this.#options;
    const job = this.#anyOf(this.#liveJobs().filter(({ isForeign }) => !isForeign));
    if (job === undefined) return;
    const object = this.#read(jobPath(job));
    const pods = ledger.podsOf(job.uid).map(({ facts }) => facts);
    const { name, status } = statusOfOthers(job, pods, object["status"] ?? {}, this.#options.now(), chance);
    const answer = this.#send("PUT", `${jobPath(job)}/status`, { ...object, status });
    this.#say(() => `writes the status of Job ${job.name} with ${name}, which is answered ${answer.status}`);
  }

  // A controller of another kind: what it is does not matter to a Job controller.
  #someOwner(): object {
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
    const answer = this.#send("POST", path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owner" } });
    const { metadata } =
      answer.status === 201 ? (JSON.parse(String(answer.body)) as KubeObject) : this.#read(`${path}/owner`);
    return { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: metadata.uid, controller: true };
  }

  #read(path: string): KubeObject {
    return JSON.parse(String(this.#send("GET", path).body)) as KubeObject;
  }

  #storedJobs(): JobFacts[] {
    return [...this.#options.ledger.jobs.values()].filter(({ isGone }) => !isGone).map(({ facts }) => facts);
  }

  #liveJobs(): JobFacts[] {
    return this.#storedJobs().filter((job) => !isFinished(job) && !job.isDeleting);
  }

  #everyPod(): PodFacts[] {
    return [...this.#options.ledger.pods.values()].filter(({ isGone }) => !isGone).map(({ facts }) => facts);
  }

  #storedPods(): PodFacts[] {
    const stored = this.#everyPod();
    const active = stored.filter(isActive);
    // Those that are over are of less interest.
    return active.length > 0 && this.#options.chance.isHit(0.8) ? active : stored;
  }

  #anyOf<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? undefined : this.#options.chance.pick(items);
  }

  #patch(path: string, body: object): ApiResponse {
    return this.#send("PATCH", path, body, MERGE_PATCH);
  }

  #send(method: ApiRequest["method"], path: string, body?: object, contentType = JSON_TYPE): ApiResponse {
    const response = this.#options.ledger.handle("user", {
      method,
      path,
      headers: { "content-type": contentType },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!("body" in response)) throw new Error(`${method} ${path} was answered with a stream`);
    return response;
  }

  #say(text: string | (() => string)): void {
    this.#options.say(typeof text === "string" ? text : text());
  }
}

function jobsPath(namespace: string): string {
  return `/apis/batch/v1/namespaces/${namespace}/jobs`;
}

function jobPath({ namespace, name }: JobFacts): string {
  return `${jobsPath(namespace)}/${name}`;
}

function podPath({ namespace, name }: PodFacts): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}
