/**
 * Deletes pods from nodes with a NoExecute taint that they do not tolerate, or no longer: each gets the condition
 * DisruptionTarget first, by which Jobs tell a disruption from a failure. Source: pkg/controller/tainteviction.
 */
import { ApiClient, isRetryable, NODES, PODS, type WriteResult } from "../../client/client.ts";
import { collectionKey, Collections, type ControllerOptions } from "../../client/collections.ts";
import { driveOut } from "../../client/disruption-target.ts";
import { EventRecorder } from "../../client/event-recorder.ts";
import { type Taint, tolerates, type Toleration } from "../../scheduler/node-match.ts";
import type { KubeObject } from "../../values/types.ts";
import { type WorkOutcome, WorkQueue } from "../../client/work-queue.ts";

const COMPONENT = "taint-eviction-controller";
const DISRUPTION = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};
const CONCURRENT_SYNCS = 8;
const RETRY_INITIAL_MS = 10;
const RETRY_MAX_MS = 10_000;

/** Works from `start` to `stop`. */
export class TaintEvictionController {
  readonly #options: ControllerOptions;
  readonly #client: ApiClient;
  readonly #events: EventRecorder;
  readonly #known: Collections;
  /** Of pods, `namespace/name`. */
  readonly #queue: WorkQueue<string>;
  /** When the tolerated time of pods began, by key. */
  readonly #since = new Map<string, number>();

  constructor(options: ControllerOptions) {
    const { transport, clock, random } = options;
    this.#options = options;
    this.#client = new ApiClient(transport, { userAgent: COMPONENT });
    this.#events = new EventRecorder({ transport, clock, random, component: COMPONENT });
    this.#queue = new WorkQueue({
      clock,
      random,
      concurrency: CONCURRENT_SYNCS,
      retryInitialMs: RETRY_INITIAL_MS,
      retryMaxMs: RETRY_MAX_MS,
      work: (key, done) => this.#sync(key, done),
    });
    this.#known = new Collections(this.#client, options, [NODES, PODS], (resource, object, type) => {
      if (resource === NODES) this.#nodeChanged(object.metadata.name);
      else if (type === "DELETED") this.#forget(collectionKey(object));
      else this.#queue.add(collectionKey(object));
    });
  }

  start(): void {
    this.#known.start();
  }

  stop(): void {
    this.#known.stop();
    this.#queue.stop();
  }

  #nodeChanged(name: string): void {
    for (const pod of this.#known.list(PODS)) if (pod["spec"]?.nodeName === name) this.#queue.add(collectionKey(pod));
  }

  #forget(key: string): void {
    this.#since.delete(key);
    this.#queue.forget(key);
  }

  #sync(key: string, done: (outcome: WorkOutcome) => void): void {
    const pod = this.#known.get(PODS, key);
    if (!pod || pod.metadata.deletionTimestamp) {
      done("done");
      return;
    }
    const waitMs = toleratedMs(pod, this.#taintsOn(pod["spec"]?.nodeName));
    if (waitMs === Number.POSITIVE_INFINITY) {
      if (this.#since.delete(key)) this.#event(pod, `Cancelling deletion of Pod ${key}`);
      done("done");
      return;
    }
    const nowMs = this.#options.clock.now();
    const since = waitMs === 0 ? nowMs : (this.#since.get(key) ?? nowMs);
    const leftMs = since + waitMs - nowMs;
    if (leftMs > 0) {
      this.#since.set(key, since);
      done({ againAfterMs: leftMs });
      return;
    }
    this.#event(pod, `Marking for deletion Pod ${key}`);
    driveOut(this.#client, pod, DISRUPTION, nowMs, (result) => done(this.#outcome(result)));
  }

  #taintsOn(nodeName: string | undefined): readonly Taint[] {
    const node = nodeName === undefined ? undefined : this.#known.get(NODES, nodeName);
    const taints: Taint[] = node?.["spec"]?.taints ?? [];
    return taints.filter(({ effect }) => effect === "NoExecute");
  }

  #outcome(result: WriteResult): WorkOutcome {
    if (result.ok || !isRetryable(result.error)) return "done";
    this.#options.onProblem?.(result.error);
    return "failed";
  }

  #event(pod: KubeObject, message: string): void {
    this.#events.record({ apiVersion: "v1", kind: "Pod", object: pod }, "Normal", "TaintManagerEviction", message);
  }
}

/** How long a pod may stay: 0, if it does not tolerate a taint, and forever, if no toleration has a time. */
function toleratedMs({ spec }: KubeObject, taints: readonly Taint[]): number {
  const tolerations: readonly (Toleration & { readonly tolerationSeconds?: number })[] = spec?.tolerations ?? [];
  const used = taints.map((taint) => tolerations.filter((toleration) => tolerates([toleration], taint)));
  if (used.some((matching) => matching.length === 0)) return 0;
  const seconds = used.flat().map(({ tolerationSeconds = Number.POSITIVE_INFINITY }) => tolerationSeconds);
  return Math.max(0, Math.min(...seconds)) * 1000;
}
