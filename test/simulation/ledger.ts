/**
 * Everything that the API server has stored in a run: each version of each Job and pod, and who wrote it. It is called
 * inside each write, so its listeners see every state, in order, and none twice. Leaves out judgement: the invariants
 * listen and judge.
 */
import type { ApiRequest, ApiResponse, Clock, Transport } from "../../bindings/js/host.ts";
import type { StreamingResponse } from "../../cluster/apiserver/server.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { inMemoryTransport } from "../../cluster/client/in-memory-transport.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { isFailed, type JobFacts, jobFacts, type PodFacts, podFacts } from "./facts.ts";
import type { Role } from "./role.ts";

/** A watch that is never cut: more than any run lasts. */
const NEVER_SECONDS = 1e9;

/** Where replicas agree on who leads. */
export const LEASE = { namespace: "kube-system", name: "controller" };
const LEASE_PATH = `/apis/coordination.k8s.io/v1/namespaces/${LEASE.namespace}/leases/${LEASE.name}`;

/** One version of an object that is new in the store. */
export interface Write<Facts> {
  /** Who sent the request: `controller 1`, `kubelet`, `user`, `garbage collector`. */
  readonly actor: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly before: Facts | undefined;
  readonly after: Facts;
}

export interface PodRecord {
  /** The stored version, or the last one. */
  facts: PodFacts;
  isGone: boolean;
  /** In some version; what was so once counts, for a controller may act on any version that was. */
  hasSucceeded: boolean;
  hasFailed: boolean;
  /** All its versions, oldest first. */
  readonly versions: PodFacts[];
  /** The last Job that controlled it. */
  jobUid: string | undefined;
  /** All Jobs that have controlled it. */
  readonly jobUids: Set<string>;
}

export interface JobRecord {
  facts: JobFacts;
  isGone: boolean;
  /** In some version pods that are deleted counted as failed at once. */
  hasReplacedTerminating: boolean;
  /** Another client than a controller has changed what its status counts. */
  isMeddled: boolean;
}

/** A Workload or a PodGroup. */
export interface GangFacts {
  readonly resource: "workloads" | "podgroups";
  readonly namespace: string;
  readonly name: string;
  /** That a Workload refers to. */
  readonly jobName: string | undefined;
  readonly controllerUid: string | undefined;
  /** How many pods start together, by the object or by its only template; undefined: it is no gang. */
  readonly minCount: number | undefined;
}

export interface LedgerListener {
  gangWritten?(write: Write<GangFacts>): void;
  podWritten?(write: Write<PodFacts>): void;
  jobWritten?(write: Write<JobFacts>): void;
}

export class Ledger {
  readonly role: Role;
  readonly pods = new Map<string, PodRecord>();
  readonly jobs = new Map<string, JobRecord>();
  /** Those that are stored, by UID. */
  readonly gangs = new Map<string, GangFacts>();
  /** Those that are gone, and the version of their deletion. */
  readonly goneGangs: { readonly facts: GangFacts; readonly version: number }[] = [];
  /** By resourceVersion. */
  readonly podVersions = new Map<number, PodFacts>();
  readonly jobVersions = new Map<number, JobFacts>();
  readonly jobObjects = new Map<number, KubeObject>();
  readonly #podUids = new Map<string, string>();
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #listeners: LedgerListener[] = [];
  #actor = "no one";

  constructor(cluster: Cluster, clock: Clock, role: Role) {
    this.role = role;
    this.#cluster = cluster;
    this.#clock = clock;
    this.#follow("/api/v1/pods", (type, object) => this.#podWritten(type, podFacts(object, role)));
    this.#follow("/apis/batch/v1/jobs", (type, object) => {
      const facts = jobFacts(object, role);
      this.jobObjects.set(facts.version, object);
      this.#jobWritten(type, facts);
    });
    if (!role.gangScheduling) return;
    for (const resource of ["workloads", "podgroups"] as const)
      this.#follow(`/apis/scheduling.k8s.io/v1beta1/${resource}`, (type, object) =>
        this.#gangWritten(type, resource, object),
      );
  }

  listen(listener: LedgerListener): void {
    this.#listeners.push(listener);
  }

  /** Passes a request to the API server on behalf of `actor`. */
  handle(actor: string, request: ApiRequest): ApiResponse | StreamingResponse {
    const outer = this.#actor;
    this.#actor = actor;
    try {
      return this.#cluster.handle(request);
    } finally {
      this.#actor = outer;
    }
  }

  /** A sound way to the API server for `actor`. */
  transport(actor: string): Transport {
    return inMemoryTransport((request) => this.handle(actor, request), this.#clock);
  }

  /** The pod that has, or had last, this name. */
  podNamed(namespace: string, name: string): PodRecord | undefined {
    return this.pods.get(this.#podUids.get(`${namespace}/${name}`) ?? "");
  }

  /** The stored Job of this name. */
  jobNamed(namespace: string, name: string): JobFacts | undefined {
    for (const { facts, isGone } of this.jobs.values())
      if (!isGone && facts.name === name && facts.namespace === namespace) return facts;
    return undefined;
  }

  /** The holder that the stored Lease names; undefined: no holder, or no Lease. */
  leaseHolder(): string | undefined {
    const response = this.#cluster.handle({ method: "GET", path: LEASE_PATH, headers: {} });
    if (!("body" in response) || response.status !== 200) return undefined;
    return (JSON.parse(String(response.body)) as KubeObject)["spec"]?.holderIdentity || undefined;
  }

  #gangWritten(type: Write<unknown>["type"], resource: GangFacts["resource"], { metadata, spec }: KubeObject): void {
    const before = this.gangs.get(metadata.uid);
    const after: GangFacts = {
      resource,
      namespace: metadata.namespace ?? "",
      name: metadata.name,
      jobName: spec.controllerRef?.name,
      controllerUid: metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid,
      minCount: (spec.podGroupTemplates?.[0] ?? spec).schedulingPolicy?.gang?.minCount,
    };
    if (type === "DELETED") {
      this.gangs.delete(metadata.uid);
      this.goneGangs.push({ facts: after, version: Number(metadata.resourceVersion) });
    } else this.gangs.set(metadata.uid, after);
    for (const listener of this.#listeners) listener.gangWritten?.({ actor: this.#actor, type, before, after });
  }

  /** Another controller has the pod: one of another kind, or one that runs other Jobs and still has this one. */
  isOthers({ isControlled, jobUid }: PodFacts): boolean {
    if (!isControlled || jobUid === undefined) return isControlled;
    const job = this.jobs.get(jobUid);
    return job !== undefined && !job.isGone && job.facts.isForeign;
  }

  /** Pods that this Job controls or once controlled, those that are gone too. */
  podsOf(jobUid: string): PodRecord[] {
    return [...this.pods.values()].filter(({ jobUids }) => jobUids.has(jobUid));
  }

  #follow(path: string, take: (type: Write<unknown>["type"], object: KubeObject) => void): void {
    const response = this.#cluster.handle({
      method: "GET",
      path: `${path}?watch=true&timeoutSeconds=${NEVER_SECONDS}`,
      headers: {},
    });
    if (!("subscribe" in response)) throw new Error(`watching ${path} was answered ${response.status}`);
    response.subscribe({
      data: (line) => {
        const { type, object } = JSON.parse(String(line)) as { type: Write<unknown>["type"]; object: KubeObject };
        take(type, object);
      },
      end: () => {},
    });
  }

  #podWritten(type: Write<unknown>["type"], after: PodFacts): void {
    const record = this.pods.get(after.uid) ?? {
      facts: after,
      isGone: false,
      hasSucceeded: false,
      hasFailed: false,
      versions: [],
      jobUid: undefined,
      jobUids: new Set<string>(),
    };
    const before = this.pods.has(after.uid) ? record.facts : undefined;
    this.pods.set(after.uid, record);
    this.podVersions.set(after.version, after);
    this.#podUids.set(`${after.namespace}/${after.name}`, after.uid);
    record.facts = after;
    record.isGone = type === "DELETED";
    record.hasSucceeded ||= after.phase === "Succeeded";
    record.hasFailed ||= isFailed(after, {
      onlyReplaceFailed: !(this.jobs.get(after.jobUid ?? "")?.hasReplacedTerminating ?? true),
    });
    record.versions.push(after);
    record.jobUid = after.jobUid ?? record.jobUid;
    if (after.jobUid !== undefined) record.jobUids.add(after.jobUid);
    for (const listener of this.#listeners) listener.podWritten?.({ actor: this.#actor, type, before, after });
  }

  // Pods that were being deleted before the Job changed its mind count as failed with it.
  #replacesTerminating(record: JobRecord): void {
    record.hasReplacedTerminating = true;
    for (const pod of this.podsOf(record.facts.uid))
      pod.hasFailed ||= pod.versions.some((version) => isFailed(version, record.facts));
  }

  #jobWritten(type: Write<unknown>["type"], after: JobFacts): void {
    const record = this.jobs.get(after.uid) ?? {
      facts: after,
      isGone: false,
      hasReplacedTerminating: false,
      isMeddled: false,
    };
    const before = this.jobs.has(after.uid) ? record.facts : undefined;
    record.isMeddled ||=
      before !== undefined && !this.#actor.startsWith("controller") && countsOtherwise(before, after);
    this.jobs.set(after.uid, record);
    this.jobVersions.set(after.version, after);
    record.facts = after;
    record.isGone = type === "DELETED";
    if (!after.onlyReplaceFailed && !record.hasReplacedTerminating) this.#replacesTerminating(record);
    for (const listener of this.#listeners) listener.jobWritten?.({ actor: this.#actor, type, before, after });
  }
}

function countsOtherwise(before: JobFacts, after: JobFacts): boolean {
  // The controller does not write conditions of another name.
  const own = (conditions: JobFacts["conditions"]): JobFacts["conditions"] =>
    conditions.filter(({ type }) => !type.includes("/"));
  const counts = ({
    succeeded,
    failed,
    completedText,
    failedText,
    uncountedSucceeded,
    uncountedFailed,
    conditions,
  }: JobFacts): string =>
    JSON.stringify([
      succeeded,
      failed,
      completedText,
      failedText,
      uncountedSucceeded,
      uncountedFailed,
      own(conditions),
    ]);
  return counts(before) !== counts(after);
}
