/**
 * Nodes whose kubelet rejects the pods of Jobs: each rejected pod has failed, counts against the limit of its Job, and
 * the next one comes to the same node. Source: the reasons of the kubelet's admission of pods, pkg/kubelet/lifecycle.
 */
import type { Commands } from "./commands.ts";
import type { Finding } from "./finding.ts";
import type { Pod } from "../../../cluster/values/kinds.ts";

/** Also `OutOf` with a resource: OutOfcpu, OutOfpods, OutOfnvidia.com/gpu. */
const REASONS: ReadonlySet<string> = new Set([
  ...["NodeAffinity", "UnexpectedAdmissionError", "PodOSNotSupported", "PodOSSelectorNodeLabelDoesNotMatch"],
  ...["TopologyAffinityError", "NodePorts", "AdmissionError", "InvalidNodeInfo"],
]);
/** This many rejected pods on one node are no accident of two schedulers. */
const MANY_PODS = 5;
/** At most this many nodes are counted. */
const MAX_NODES = 10_000;

interface Rejections {
  count: number;
  /** The last one that was read. */
  reason: string;
  message: string;
}

export class RejectingNodes {
  readonly #byNode = new Map<string, Rejections>();

  /** Counts a rejected pod of a Job. */
  pod({ spec, status }: Pod): void {
    const node: unknown = spec?.nodeName;
    const reason: unknown = status?.reason;
    if (status?.phase !== "Failed" || typeof node !== "string" || typeof reason !== "string") return;
    if (!REASONS.has(reason) && !reason.startsWith("OutOf")) return;
    const known = this.#byNode.get(node);
    if (known === undefined && this.#byNode.size >= MAX_NODES) return;
    this.#byNode.set(node, { count: (known?.count ?? 0) + 1, reason, message: String(status.message ?? "") });
  }

  findings(commands: Commands): Finding[] {
    return [...this.#byNode]
      .filter(([, { count }]) => count >= MANY_PODS)
      .map(([name, { count, reason, message }]) => ({
        id: "NodeRejectsPods",
        kind: "node",
        name,
        sentence: `its kubelet has rejected ${count} pods of Jobs, the last with ${reason}${message === "" ? "" : `: ${message}`}`,
        fix: commands.kubectl(undefined, "cordon", name),
      }));
  }
}
