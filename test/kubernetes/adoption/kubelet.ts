/**
 * Ends pods when a test says so: without nodes, containers and time. What a pod does is in its label `script`; when it
 * does that, in the chapter that the test has come to.
 *
 * Invariant: a pod that is deleted ends as failed, and goes when it has no finalizer.
 */
import type { ControlPlane } from "../control-plane.ts";

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly status?: { readonly phase?: string };
}

/** What a pod does: an exit code, or an eviction; undefined: it runs. */
export type Outcome = number | "evicted" | undefined;

/** @param nth pod of its Job, from 1. @param index its completion index, or 0 */
export type Script = (chapter: number, nth: number, index: number) => Outcome;

export class Kubelet {
  readonly #client;
  readonly #scripts: Readonly<Record<string, Script>>;
  readonly #ending = new AbortController();
  readonly #pods = new Map<string, Pod>();
  /** The UIDs of the pods of a Job, in the order in which they came. */
  readonly #order = new Map<string, string[]>();
  #chapter = 1;
  #work: Promise<unknown> = Promise.resolve();
  #problem: Error | undefined;

  /** @param scripts by their names; a pod without one ends well at once */
  constructor(controlPlane: ControlPlane, scripts: Readonly<Record<string, Script>>) {
    this.#client = controlPlane.client();
    this.#scripts = scripts;
    this.#work = this.#watch();
  }

  /** Lets every pod do what it does in this chapter. */
  turnTo(chapter: number): void {
    this.#chapter = chapter;
    for (const pod of this.#pods.values()) this.#act(pod);
  }

  /** @throws Error with what has gone wrong */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#work;
    this.#client.close();
    if (this.#problem !== undefined) throw this.#problem;
  }

  /** The API server ends a watch whose reader is slow, as this one is on a busy machine; the next begins with all. */
  async #watch(): Promise<void> {
    try {
      while (!this.#ending.signal.aborted) {
        this.#pods.clear();
        await this.#watchOnce();
      }
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#problem = error as Error;
    }
  }

  async #watchOnce(): Promise<void> {
    for await (const { type, object } of this.#client.watch<Pod>("/api/v1/pods", this.#ending.signal)) {
      if (type === "DELETED") this.#pods.delete(object.metadata.uid);
      else if (type !== "ERROR") {
        this.#pods.set(object.metadata.uid, object);
        this.#act(object);
      }
    }
  }

  #act(pod: Pod): void {
    const { name, namespace, uid, deletionTimestamp } = pod.metadata;
    const phase = pod.status?.phase;
    if (phase === "Succeeded" || phase === "Failed") return;
    const outcome = deletionTimestamp === undefined ? this.#outcomeOf(pod) : 143;
    if (outcome === undefined && phase === "Running") return;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
    void this.#client
      .request("PATCH", path, { metadata: { uid }, status: statusOf(outcome) })
      .then(({ status, body }) => {
        // It may have gone, or ended, since it was seen.
        if (![200, 404, 409, 422].includes(status)) this.#problem ??= new Error(`${path}: ${JSON.stringify(body)}`);
      })
      .catch((error: Error) => (this.#problem ??= error));
  }

  #outcomeOf({ metadata: { uid, labels = {}, ownerReferences = [] } }: Pod): Outcome {
    const script = this.#scripts[labels["script"] ?? ""];
    if (script === undefined) return 0;
    const owner = ownerReferences[0]?.uid ?? "";
    const order = this.#order.get(owner) ?? [];
    this.#order.set(owner, order);
    if (!order.includes(uid)) order.push(uid);
    const index = Number(labels["batch.kubernetes.io/job-completion-index"] ?? 0);
    return script(this.#chapter, order.indexOf(uid) + 1, index);
  }
}

function statusOf(outcome: Outcome): object {
  if (outcome === undefined) return { phase: "Running" };
  const exitCode = outcome === "evicted" ? 137 : outcome;
  const finishedAt = new Date().toISOString().replace(/\.\d+/, "");
  const state = { terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", finishedAt } };
  return {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    containerStatuses: [{ name: "main", image: "none", imageID: "", ready: false, restartCount: 0, state }],
    ...(outcome === "evicted"
      ? { conditions: [{ type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" }] }
      : {}),
  };
}
