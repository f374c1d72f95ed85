/**
 * Keeps the status of PodDisruptionBudgets: how many of their pods are healthy, and how many may be evicted. Evictions
 * use that up (apiserver/admission-plugins/disruption-budgets.ts). Leaves out the events of pods that were evicted and
 * stay, and the scale subresource of custom kinds. Source: pkg/controller/disruption.
 */
import { deepEqual } from "../../values/json.ts";
import { formatTime, parseTime } from "../../values/times.ts";
import {
  type ApiResource,
  DISRUPTION_BUDGETS,
  isRetryable,
  PODS,
  resourcePath,
  type WriteResult,
} from "../../client/client.ts";
import { collectionKey, type ControllerOptions } from "../../client/collections.ts";
import type { EventRecorder, EventType } from "../../client/event-recorder.ts";
import { matchesLabels } from "../../values/label-selector.ts";
import type { WorkOutcome } from "../../client/work-queue.ts";
import type { Part } from "../../client/part.ts";
import type { WatchEventType } from "../../client/reflector.ts";
import type { TypedObject } from "../../values/types.ts";
import { DELETION_TIMEOUT_MS, isReady, statusOf, withDisruptionCondition } from "../../values/budget-status.ts";
import { type ControllerTools, type Done, keyedController, type KeyedWork } from "../keyed-controller.ts";
import { expectedPods, SCALED } from "./expected-pods.ts";
import type { Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../values/kinds.ts";

const COMPONENT = "controllermanager";
const SETTINGS = { userAgent: "disruption-controller", watched: [DISRUPTION_BUDGETS, PODS, ...SCALED] };

/** Its keys are budgets, `namespace/name`. */
export function disruptionController(options: ControllerOptions): Part {
  return keyedController(options, SETTINGS, (tools) => new Disruption(tools));
}

class Disruption implements KeyedWork {
  readonly #tools: ControllerTools;
  readonly #events: EventRecorder;

  constructor(tools: ControllerTools) {
    this.#tools = tools;
    this.#events = tools.eventsOf(COMPONENT);
  }

  changed(resource: ApiResource, object: TypedObject, type: WatchEventType): void {
    if (resource !== DISRUPTION_BUDGETS) this.#disturbed(object.metadata.namespace!);
    else if (type === "DELETED") this.#tools.queue.forget(collectionKey(object));
    else this.#tools.queue.add(collectionKey(object));
  }

  /** Budgets are few, and labels change, so every budget of the namespace is synced. */
  #disturbed(namespace: string): void {
    const { known, queue } = this.#tools;
    for (const budget of known.list(DISRUPTION_BUDGETS, namespace)) queue.add(collectionKey(budget));
  }

  sync(key: string, done: Done): void {
    const budget = this.#tools.known.get(DISRUPTION_BUDGETS, key);
    if (!budget) {
      done("done");
      return;
    }
    const { namespace } = budget.metadata;
    const pods = this.#tools.known
      .list(PODS, namespace)
      .filter(({ metadata }) => matchesLabels(budget.spec?.selector, metadata.labels));
    if (pods.length === 0) this.#event(budget, "Normal", "NoPods", "No matching pods found");
    const { status, againAfterMs } = this.#judge(budget, pods);
    if (deepEqual(status, budget.status)) {
      done(againAfterMs === undefined ? "done" : { againAfterMs });
      return;
    }
    const path = resourcePath(DISRUPTION_BUDGETS, namespace, budget.metadata.name, "status");
    this.#tools.client.update(path, { ...budget, status }, (result) => done(this.#outcome(result, againAfterMs)));
  }

  #outcome(result: WriteResult, againAfterMs: number | undefined): WorkOutcome {
    if (result.ok) return againAfterMs === undefined ? "done" : { againAfterMs };
    if (result.error.status === 404) return "done";
    // After a conflict there is a newer state, which the watch delivers.
    if (result.error.status !== 409) this.#tools.report(result.error);
    return isRetryable(result.error) ? "failed" : "done";
  }

  /** The desired status of the budget, and when to sync it again without a change. */
  #judge(
    budget: PodDisruptionBudget,
    pods: readonly Pod[],
  ): { status: PodDisruptionBudgetStatus; againAfterMs?: number } {
    const before = statusOf(budget);
    const nowMs = this.#tools.clock.now();
    try {
      const expected = expectedPods(budget, pods, this.#tools.known);
      if (expected.hasUnmanaged) this.#event(budget, "Warning", "UnmanagedPods", unmanagedText(budget));
      const { disruptedPods, nextMs } = stillThere(before.disruptedPods ?? {}, pods, nowMs);
      const healthy = pods.filter(
        (pod) => !pod.metadata.deletionTimestamp && disruptedPods[pod.metadata.name] === undefined && isReady(pod),
      ).length;
      const allowed = expected.pods <= 0 ? 0 : Math.max(0, healthy - expected.healthy);
      const { generation } = budget.metadata;
      const status: PodDisruptionBudgetStatus = {
        ...(generation !== undefined && { observedGeneration: generation }),
        ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
        disruptionsAllowed: allowed,
        currentHealthy: healthy,
        desiredHealthy: expected.healthy,
        expectedPods: expected.pods,
        ...(before.conditions && { conditions: before.conditions }),
      };
      return {
        status: withDisruptionCondition(status, nowMs),
        ...(nextMs !== undefined && { againAfterMs: nextMs - nowMs + 1 }),
      };
    } catch (error) {
      const { message } = error as Error;
      const text = `Failed to calculate the number of expected pods: ${message}`;
      this.#event(budget, "Warning", "CalculateExpectedPodCountFailed", text);
      return { status: withDisruptionCondition({ ...before, disruptionsAllowed: 0 }, nowMs, message) };
    }
  }

  #event(budget: PodDisruptionBudget, type: EventType, reason: string, message: string): void {
    const { apiVersion, kind } = DISRUPTION_BUDGETS;
    this.#events.record({ apiVersion, kind, object: budget }, type, reason, message);
  }
}

/** As upstream says it, with the selector as Go prints it. */
function unmanagedText({ spec }: PodDisruptionBudget): string {
  const { matchLabels = {}, matchExpressions = [] } = spec.selector ?? {};
  const labels = Object.keys(matchLabels)
    .toSorted()
    .map((key) => `${key}: ${matchLabels[key]},`);
  const requirements = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  const selector = `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join("")}},}`;
  return `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
}

/** The evicted pods that have not been deleted yet, and when the next of them counts as available again. */
function stillThere(
  evicted: Readonly<Record<string, string>>,
  pods: readonly Pod[],
  nowMs: number,
): { disruptedPods: Record<string, string>; nextMs?: number } {
  const waiting = pods
    .filter(({ metadata }) => !metadata.deletionTimestamp && evicted[metadata.name] !== undefined)
    .map(({ metadata: { name } }) => ({ name, untilMs: parseTime(evicted[name]) + DELETION_TIMEOUT_MS }))
    .filter(({ untilMs }) => untilMs >= nowMs);
  return {
    disruptedPods: Object.fromEntries(
      waiting.map(({ name, untilMs }) => [name, formatTime(untilMs - DELETION_TIMEOUT_MS)]),
    ),
    ...(waiting.length > 0 && { nextMs: Math.min(...waiting.map(({ untilMs }) => untilMs)) }),
  };
}
