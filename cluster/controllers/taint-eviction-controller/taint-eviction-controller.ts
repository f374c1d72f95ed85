/**
 * Deletes pods from nodes with a NoExecute taint that they do not tolerate, or no longer: each gets the condition
 * DisruptionTarget first, by which Jobs tell a disruption from a failure. Source: pkg/controller/tainteviction.
 */
import { type ApiResource, isRetryable, NODES, PODS, type WriteResult } from "../../client/client.ts";
import { collectionKey, type ControllerOptions } from "../../client/collections.ts";
import { driveOut } from "../../client/disruption-target.ts";
import type { EventRecorder } from "../../client/event-recorder.ts";
import type { Part } from "../../client/part.ts";
import type { WatchEventType } from "../../client/reflector.ts";
import { type Taint, tolerates, type Toleration } from "../../scheduler/node-match.ts";
import type { WorkOutcome } from "../../client/work-queue.ts";
import type { Pod } from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";
import { type ControllerTools, type Done, keyedController, type KeyedWork } from "../keyed-controller.ts";

const COMPONENT = "taint-eviction-controller";
const DISRUPTION = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};
const SETTINGS = {
  userAgent: COMPONENT,
  watched: [NODES, PODS],
  concurrency: 8,
  retry: { retryInitialMs: 10, retryMaxMs: 10_000 },
};

/** Its keys are pods, `namespace/name`. */
export function taintEvictionController(options: ControllerOptions): Part {
  return keyedController(options, SETTINGS, (tools) => new TaintEviction(tools));
}

class TaintEviction implements KeyedWork {
  readonly #tools: ControllerTools;
  readonly #events: EventRecorder;
  /** When the tolerated time of pods began, by key. */
  readonly #since = new Map<string, number>();

  constructor(tools: ControllerTools) {
    this.#tools = tools;
    this.#events = tools.eventsOf(COMPONENT);
  }

  changed(resource: ApiResource, object: TypedObject, type: WatchEventType): void {
    if (resource === NODES) this.#nodeChanged(object.metadata.name);
    else if (type === "DELETED") this.#forget(collectionKey(object));
    else this.#tools.queue.add(collectionKey(object));
  }

  #nodeChanged(name: string): void {
    const { known, queue } = this.#tools;
    for (const pod of known.list(PODS)) if (pod["spec"]?.nodeName === name) queue.add(collectionKey(pod));
  }

  #forget(key: string): void {
    this.#since.delete(key);
    this.#tools.queue.forget(key);
  }

  sync(key: string, done: Done): void {
    const pod = this.#tools.known.get(PODS, key);
    if (!pod || pod.metadata.deletionTimestamp) {
      done("done");
      return;
    }
    const waitMs = toleratedMs(pod, this.#taintsOn(pod.spec?.nodeName));
    if (waitMs === Number.POSITIVE_INFINITY) {
      if (this.#since.delete(key)) this.#event(pod, `Cancelling deletion of Pod ${key}`);
      done("done");
      return;
    }
    const nowMs = this.#tools.clock.now();
    const since = waitMs === 0 ? nowMs : (this.#since.get(key) ?? nowMs);
    const leftMs = since + waitMs - nowMs;
    if (leftMs > 0) {
      this.#since.set(key, since);
      done({ againAfterMs: leftMs });
      return;
    }
    this.#event(pod, `Marking for deletion Pod ${key}`);
    driveOut(this.#tools.client, pod, DISRUPTION, nowMs, (result) => done(this.#outcome(result)));
  }

  #taintsOn(nodeName: string | undefined): readonly Taint[] {
    const node = nodeName === undefined ? undefined : this.#tools.known.get(NODES, nodeName);
    const taints: Taint[] = node?.["spec"]?.taints ?? [];
    return taints.filter(({ effect }) => effect === "NoExecute");
  }

  #outcome(result: WriteResult): WorkOutcome {
    if (result.ok || !isRetryable(result.error)) return "done";
    this.#tools.report(result.error);
    return "failed";
  }

  #event(pod: Pod, message: string): void {
    this.#events.record({ apiVersion: "v1", kind: "Pod", object: pod }, "Normal", "TaintManagerEviction", message);
  }
}

/** How long a pod may stay: 0, if it does not tolerate a taint, and forever, if no toleration has a time. */
function toleratedMs({ spec }: Pod, taints: readonly Taint[]): number {
  const tolerations = (spec?.tolerations ?? []) as readonly (Toleration & { readonly tolerationSeconds?: number })[];
  const used = taints.map((taint) => tolerations.filter((toleration) => tolerates([toleration], taint)));
  if (used.some((matching) => matching.length === 0)) return 0;
  const seconds = used.flat().map(({ tolerationSeconds = Number.POSITIVE_INFINITY }) => tolerationSeconds);
  return Math.max(0, Math.min(...seconds)) * 1000;
}
