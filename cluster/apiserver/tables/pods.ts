/** The table of Pods. Source: printPod in pkg/printers/internalversion. */
import { age, since } from "./duration.ts";
import { hasCondition, isSidecar, summarize } from "./pod-summary.ts";
import { column, type TableDefinition, wide } from "./table.ts";
import type { Pod } from "../../values/kinds.ts";

export const podTable: TableDefinition<Pod> = {
  columns: [
    column("Name"),
    column("Ready"),
    column("Status"),
    column("Restarts"),
    column("Age"),
    wide("IP"),
    wide("Node"),
    wide("Nominated Node"),
    wide("Readiness Gates"),
  ],
  cells(pod, nowMs) {
    const spec = pod.spec ?? {};
    const status = pod.status ?? {};
    const total = (spec.containers?.length ?? 0) + (spec.initContainers ?? []).filter(isSidecar).length;
    const { reason, ready, restarts, lastRestartMs } = summarize(pod);
    const ago =
      restarts > 0 && lastRestartMs > 0 ? ` (${since(new Date(lastRestartMs).toISOString(), nowMs)} ago)` : "";
    return [
      pod.metadata.name ?? "",
      `${ready}/${total}`,
      reason,
      `${restarts}${ago}`,
      age(pod, nowMs),
      status.podIPs?.[0]?.ip || "<none>",
      spec.nodeName || "<none>",
      status.nominatedNodeName || "<none>",
      readinessGates(pod),
    ];
  },
  conditions(pod) {
    const phase = pod.status?.phase;
    if (phase !== "Succeeded" && phase !== "Failed") return undefined;
    return [
      {
        type: "Completed",
        status: "True",
        reason: phase,
        message: phase === "Succeeded" ? "The pod has completed successfully." : "The pod failed.",
      },
    ];
  },
};

function readinessGates(pod: Pod): string {
  const gates: { conditionType: string }[] = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  return `${gates.filter((gate) => hasCondition(pod, gate.conditionType, "True")).length}/${gates.length}`;
}
