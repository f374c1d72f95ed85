/**
 * Removes orphaned pods: those on nodes that are gone, and those that are being deleted and never had a node. They fail
 * first, and where the node is gone, they get the condition DisruptionTarget, by which Jobs tell a disruption from a
 * failure. Leaves out old pods that have ended, and nodes that are out of service. Source: pkg/controller/podgc.
 */
import { hasEnded } from "../../apiserver/quota/usage.ts";
import { NODES, PODS, resourcePath, type WriteResult } from "../../client/client.ts";
import type { ControllerOptions } from "../../client/collections.ts";
import { disruptionTarget } from "../../client/disruption-target.ts";
import type { Pod } from "../../values/kinds.ts";
import type { Part } from "../../client/part.ts";
import { type ControllerTools, type Done, keyedController, type KeyedWork } from "../keyed-controller.ts";

/** How often it looks. */
export const CHECK_PERIOD_MS = 20_000;
/** A node that is missing for this time is gone. */
export const QUARANTINE_MS = 40_000;
/** The only key: the periodic check. */
const CHECK = "check";
const SETTINGS = {
  userAgent: "pod-garbage-collector",
  watched: [PODS, NODES],
  retry: { retryInitialMs: CHECK_PERIOD_MS, retryMaxMs: CHECK_PERIOD_MS },
};

export function podGCController(options: ControllerOptions): Part {
  return keyedController(options, SETTINGS, (tools) => new PodGC(tools));
}

class PodGC implements KeyedWork {
  readonly #tools: ControllerTools;
  #isChecking = false;
  /** Since when nodes that pods name are missing. */
  readonly #missingSince = new Map<string, number>();

  constructor(tools: ControllerTools) {
    this.#tools = tools;
  }

  changed(): void {
    if (!this.#isChecking) this.#tools.queue.add(CHECK);
    this.#isChecking = true;
  }

  sync(_check: string, done: Done): void {
    const pods = this.#tools.known.list(PODS);
    const gone = this.#goneNodes(pods);
    for (const pod of pods) {
      const nodeName: string = pod.spec?.nodeName ?? "";
      if (gone.has(nodeName)) this.#remove(pod, "PodGC: node no longer exists");
      else if (nodeName === "" && pod.metadata.deletionTimestamp) this.#remove(pod, undefined);
    }
    done({ againAfterMs: CHECK_PERIOD_MS, kind: "heartbeat" });
  }

  #goneNodes(pods: readonly Pod[]): ReadonlySet<string> {
    const nowMs = this.#tools.clock.now();
    const named = new Set<string>();
    // Consecutive pods mostly share a node, and this runs every few seconds.
    let latest = "";
    for (const pod of pods) {
      const nodeName: string = pod.spec?.nodeName ?? "";
      if (nodeName !== latest) named.add((latest = nodeName));
    }
    named.delete("");
    for (const name of this.#missingSince.keys())
      if (!named.has(name) || this.#tools.known.get(NODES, name)) this.#missingSince.delete(name);
    for (const name of named)
      if (!this.#tools.known.get(NODES, name) && !this.#missingSince.has(name)) this.#missingSince.set(name, nowMs);
    const gone = [...this.#missingSince].filter(([, sinceMs]) => nowMs - sinceMs >= QUARANTINE_MS);
    return new Set(gone.map(([name]) => name));
  }

  /** The next check retries what failed. */
  #remove(pod: Pod, why: string | undefined): void {
    const { namespace, name, uid, generation } = pod.metadata;
    const path = resourcePath(PODS, namespace, name);
    const failed = (result: WriteResult): void => {
      if (!result.ok && result.error.status !== 404) this.#tools.report(result.error);
    };
    const remove = (): void =>
      this.#tools.client.delete(path, { gracePeriodSeconds: 0, preconditions: { uid } }, (result) => failed(result));
    if (hasEnded(pod)) {
      remove();
      return;
    }
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    const condition = disruptionTarget(pod, { reason: "DeletionByPodGC", message: why }, this.#tools.clock.now());
    const status = { phase: "Failed", ...observed, ...(why !== undefined && { conditions: [condition] }) };
    const patch = { metadata: { uid }, status };
    this.#tools.client.patch(`${path}/status`, "application/strategic-merge-patch+json", patch, (result) => {
      if (result.ok) remove();
      else failed(result);
    });
  }
}
