/**
 * One attempt of a Job: a pod of it, what became of it, and the container that decided. Pods of another controller are
 * no attempts of the Job.
 */
import { findCondition } from "../admission/conditions";
import { timeOf } from "../admission/status-facts";
import { integerOf } from "../json/text";
import { digitsEnd, JsonNode, objectOf, stringOf } from "../json/tree";
import { createdMs, deletionAskedMs, finishMs } from "../verdict/pod-tally";
import { containersOf, Container, ContainerEnd, decidingFailure, lastRestartedFailure } from "./containers";

const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
const MAX_INDEX_DIGITS: i32 = 9;
const NO_CONTAINERS: Container[] = [];

export class Attempt {
  metadata: JsonNode | null;
  name: string;
  spec: JsonNode | null;
  status: JsonNode | null;
  /** Pending, Running, Succeeded, Failed, or what else the pod has; Pending if it has none. */
  phase: string;
  /** Those of the status. */
  reason: string;
  message: string;
  node: string;
  /** Wall clock, in milliseconds; NaN: not known. */
  startMs: f64;
  endMs: f64 = NaN;
  /** Whether a container of it has started. */
  hasRun: bool = false;
  /** How often the kubelet started a container again. */
  restarts: i64 = 0;
  /** The end that decided, or of a running pod the last failure of a container that was started again. */
  failure: ContainerEnd | null = null;
  containers: Container[] = NO_CONTAINERS;
  /** The condition DisruptionTarget, if it is True. */
  disruption: JsonNode | null = null;

  constructor(pod: JsonNode) {
    const metadata = pod.object("metadata");
    const spec = pod.object("spec");
    const status = pod.object("status");
    const phase = stringOf(status, "phase");
    this.metadata = metadata;
    this.name = stringOf(metadata, "name");
    this.spec = spec;
    this.status = status;
    this.phase = phase.length > 0 ? phase : "Pending";
    this.reason = stringOf(status, "reason");
    this.message = stringOf(status, "message");
    this.node = stringOf(spec, "nodeName");
    const startMs = status === null ? NaN : timeOf(status, "startTime");
    this.startMs = isNaN(startMs) ? createdMs(metadata) : startMs;
    const isOver = this.isOver;
    if (isOver) this.endMs = finishMs(pod);
    const containers = containersOf(pod);
    this.containers = containers;
    const isEnding = isOver || this.isDeleted;
    if (this.phase != "Succeeded") this.failure = decidingFailure(containers, spec, isEnding);
    if (this.failure === null && !isEnding) this.failure = lastRestartedFailure(containers);
    this.count(containers);
    if (status !== null) this.disruption = trueCondition(status, "DisruptionTarget");
  }

  /** Whether its containers have ended for good, by its phase. */
  get isOver(): bool {
    return this.phase == "Succeeded" || this.phase == "Failed";
  }

  /** Whether its deletion was asked for. */
  get isDeleted(): bool {
    const metadata = this.metadata;
    return metadata !== null && metadata.has("deletionTimestamp");
  }

  /** When it failed, as far as is known; NaN: it is not, or it has not. */
  get failedMs(): f64 {
    if (!isNaN(this.endMs)) return this.endMs;
    const failure = this.failure;
    if (failure !== null) return failure.atMs;
    return this.isDeleted ? deletionAskedMs(this.metadata!) : NaN;
  }

  /** The completion index; -1: it has none. */
  get index(): i32 {
    const text = stringOf(objectOf(this.metadata, "annotations"), COMPLETION_INDEX);
    const size = text.length;
    const isNumber = size > 0 && size <= MAX_INDEX_DIGITS && digitsEnd(text, 0) == size;
    return isNumber ? i32(integerOf(text)) : -1;
  }

  private count(containers: Container[]): void {
    for (let i = 0; i < containers.length; i++) {
      const status = containers[i].status;
      this.restarts += max<i64>(0, status.integer("restartCount"));
      const state = status.object("state");
      if (containers[i].lastEnd !== null || (state !== null && (state.has("running") || state.has("terminated"))))
        this.hasRun = true;
    }
  }
}

function trueCondition(status: JsonNode, type: string): JsonNode | null {
  const condition = findCondition(status, type);
  return condition !== null && condition.string("status") == "True" ? condition : null;
}
