/**
 * Detects nodes that no longer report. A node reports by changing the heartbeat of its condition Ready, or by renewing
 * its Lease. The controller's own clock counts, from when it saw the change: clocks of nodes may be wrong. Source:
 * pkg/controller/nodelifecycle, tryUpdateNodeHealth.
 */
import type { Clock } from "../../../bindings/js/host.ts";
import { formatTime, parseTime } from "../../values/times.ts";
import { livedTimeMs } from "../../time/lived-time.ts";
import type { Lease, Node, Pod } from "../../values/kinds.ts";

/** A node that has not reported for this time is lost. */
export const MONITOR_GRACE_MS = 50_000;
/** The same for a node that has never reported whether it is ready. */
export const STARTUP_GRACE_MS = 60_000;
/** The conditions that only the kubelet knows. */
const CONDITIONS_OF_KUBELET = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

export type Readiness = "True" | "False" | "Unknown";

export interface NodeCondition {
  readonly type: string;
  readonly status: Readiness;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Heard {
  /** Of the condition Ready; undefined: there was none. */
  heartbeat: string | undefined;
  /** Of the Lease. */
  renewTime: string;
  /** In lived time: time without heartbeats does not count as the node's silence. */
  sinceMs: number;
}

export class NodeHealth {
  readonly #clock: Clock;
  /** By name of the node. */
  readonly #heard = new Map<string, Heard>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  forget(nodeName: string): void {
    this.#heard.delete(nodeName);
  }

  /** Counts all nodes as having reported now. */
  pardonAll(): void {
    for (const heard of this.#heard.values()) heard.sinceMs = livedTimeMs(this.#clock);
  }

  /** Records the reports of the node and its Lease, and returns whether it is lost. */
  isLost(node: Node, lease: Lease | undefined): boolean {
    const livedMs = livedTimeMs(this.#clock);
    const ready = conditionOf(node, "Ready");
    const heartbeat = ready && (ready.lastHeartbeatTime ?? "");
    const renewTime: string = lease?.spec?.renewTime ?? "";
    const heard = this.#heard.get(node.metadata.name);
    const isNews = heard === undefined ? ready !== undefined : heard.heartbeat !== heartbeat;
    const isRenewed = renewTime > (heard?.renewTime ?? "");
    const sinceMs = isNews || isRenewed ? livedMs : (heard?.sinceMs ?? livedMs - ageMs(node, this.#clock.now()));
    this.#heard.set(node.metadata.name, { heartbeat, renewTime, sinceMs });
    return livedMs > sinceMs + (ready === undefined ? STARTUP_GRACE_MS : MONITOR_GRACE_MS);
  }
}

function ageMs(node: Node, nowMs: number): number {
  return nowMs - parseTime(node.metadata.creationTimestamp!);
}

export function conditionOf(node: Node | Pod, type: string): NodeCondition | undefined {
  return conditionsOf(node).find((condition) => condition.type === type);
}

export function conditionsOf(node: Node | Pod): readonly NodeCondition[] {
  return (node.status?.conditions ?? []) as readonly NodeCondition[];
}

/** The conditions of a lost node: its own reports no longer count. */
export function lostConditions(node: Node, nowMs: number): readonly NodeCondition[] {
  const lastTransitionTime = formatTime(nowMs);
  const kept = conditionsOf(node).map((condition) =>
    CONDITIONS_OF_KUBELET.includes(condition.type) && condition.status !== "Unknown"
      ? {
          ...condition,
          status: "Unknown" as const,
          lastTransitionTime,
          reason: "NodeStatusUnknown",
          message: "Kubelet stopped posting node status.",
        }
      : condition,
  );
  const missing = CONDITIONS_OF_KUBELET.filter((type) => !conditionOf(node, type)).map((type) => ({
    type,
    status: "Unknown" as const,
    lastHeartbeatTime: node.metadata.creationTimestamp!,
    lastTransitionTime,
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status.",
  }));
  return [...kept, ...missing];
}
