/**
 * Follows the resize of one pod: a client has changed the requests of its containers while it exists.
 *
 * Invariant: a container is restarted only if its resize policy says so, and whatever its restart policy says.
 * `resources` of its status are those with which it runs, `allocatedResources` the desired ones. Leaves out
 * whether the node has room: the API server refuses what it could never hold, and what is bound to a node runs there,
 * whether it fits or not. Source: pkg/kubelet/allocation and computePodResizeAction in kuberuntime_manager.go.
 */
import { deepEqual } from "../values/json.ts";
import { formatTime } from "../values/times.ts";
import type { ContainerRecord, ContainerRun } from "./container-record.ts";
import { containersOf } from "./container-status.ts";
import type { PodCondition } from "./pod-conditions.ts";
import type { PodStatus } from "./pod-status.ts";
import type { FollowPod, PodFollower, PodWorkerHost } from "./pod-worker.ts";
import type { Container, Pod, ResourceRequirements } from "../values/kinds.ts";

const IN_PROGRESS = "PodResizeInProgress";
const DEFAULT_GRACE_SECONDS = 30;

/** Shared by all containers without requests. */
const NOTHING: ResourceRequirements = {};

export const resizePod: FollowPod = (resizing, host, pod, _podIP, _onChange, records) => {
  const follower = (resizing as PodResize | undefined) ?? new PodResize(host, records);
  follower.follow(pod);
  return follower;
};

class PodResize implements PodFollower {
  readonly areRunning = false;
  readonly #host: PodWorkerHost;
  readonly #records: readonly ContainerRecord[];
  /** The attempts that end because their containers get other resources. */
  readonly #ending = new Map<ContainerRecord, ContainerRun>();
  #pod: Pod | undefined;
  /** Undefined: no resize is under way. */
  #condition: PodCondition | undefined;
  #isConditionTold = false;

  constructor(host: PodWorkerHost, records: readonly ContainerRecord[]) {
    this.#host = host;
    this.#records = records;
  }

  follow(pod: Pod): void {
    const hasChanged = this.#pod?.metadata.generation !== pod.metadata.generation;
    this.#pod = pod;
    if (hasChanged) this.#resize(pod);
    for (const [record, run] of this.#ending) if (record.run !== run) this.#hasEnded(record);
    if (this.#condition !== undefined && this.#ending.size === 0) this.#complete(pod);
  }

  /** The worker stops the containers of a pod that ends. */
  stop(): void {
    this.#ending.clear();
  }

  addTo(status: PodStatus): void {
    for (const list of [status.initContainerStatuses ?? [], status.containerStatuses])
      for (const told of list) {
        const { resources = NOTHING } = this.#records.find(({ name }) => name === told.name)!.container;
        const { requests } = this.#asked(told.name);
        if (requests !== undefined) told.allocatedResources = requests;
        told.resources = resources;
      }
    for (const told of status.ephemeralContainerStatuses ?? []) told.resources = NOTHING;
    if (this.#condition !== undefined) {
      status.conditions = [...status.conditions, this.#condition];
      this.#isConditionTold = true;
    } else if (this.#isConditionTold) {
      const gone = { type: IN_PROGRESS, $patch: "delete" } as unknown as PodCondition;
      status.conditions = [...status.conditions, gone];
    }
  }

  /** The resources that the pod requests for one of its containers. */
  #asked(container: string): ResourceRequirements {
    return containersOf(this.#pod!.spec).find(({ container: { name } }) => name === container)?.container
      .resources as ResourceRequirements;
  }

  #resize(pod: Pod): void {
    const changed = this.#records.filter(
      ({ container, name }) => !deepEqual(container.resources ?? NOTHING, this.#asked(name) ?? NOTHING),
    );
    if (changed.length === 0) return;
    this.#tell(pod, "ResizeStarted", "Pod resize started");
    const now = formatTime(this.#host.clock.now());
    this.#condition = {
      type: IN_PROGRESS,
      observedGeneration: pod.metadata.generation!,
      status: "True",
      lastProbeTime: now,
      lastTransitionTime: now,
    };
    for (const record of changed)
      if (record.run === undefined || !this.#mustRestart(record)) this.#size(record);
      else this.#startAnew(record, record.run, pod);
  }

  #mustRestart({ container, name }: ContainerRecord): boolean {
    const { resources = NOTHING, resizePolicy = [] } = container;
    const asked = this.#asked(name);
    const changes = (resource: string): boolean =>
      resources.requests?.[resource] !== asked.requests?.[resource] ||
      resources.limits?.[resource] !== asked.limits?.[resource];
    return resizePolicy.some(
      ({ resourceName, restartPolicy }) => restartPolicy === "RestartContainer" && changes(resourceName),
    );
  }

  #size(record: ContainerRecord): void {
    record.container = { ...record.container, resources: this.#asked(record.name) };
  }

  #startAnew(record: ContainerRecord, run: ContainerRun, pod: Pod): void {
    this.#ending.set(record, run);
    // The runtime may not know the container yet. Then it starts with the new resources.
    if (run.handle === undefined) record.run = undefined;
    if (run.handle === undefined || run.stopGraceSeconds !== undefined) return;
    this.#host.event(pod, "Normal", "Killing", `Container ${record.name} resize requires restart`, record);
    run.stopGraceSeconds = pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
    run.handle.stop(run.stopGraceSeconds!);
  }

  #hasEnded(record: ContainerRecord): void {
    this.#ending.delete(record);
    this.#size(record);
    // The API server would refuse a restart after an end that is final by the restart policy.
    if (record.mode === "terminated") record.wait("ContainerCreating");
  }

  #complete(pod: Pod): void {
    this.#condition = undefined;
    this.#tell(pod, "ResizeCompleted", "Pod resize completed");
  }

  #tell(pod: Pod, reason: string, what: string): void {
    const { initContainers, containers } = pod.spec;
    const sizes = (list?: readonly Container[]): object[] | undefined =>
      list?.map(({ name, resources = NOTHING }) => ({ name, resources }));
    const summary = {
      initContainers: sizes(initContainers),
      containers: sizes(containers),
      generation: pod.metadata.generation,
    };
    this.#host.event(pod, "Normal", reason, `${what}: ${JSON.stringify(summary)}`);
  }
}
