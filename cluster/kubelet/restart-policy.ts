/**
 * Whether a container that is over runs again (docs/spec/api.md 5.4): its restartPolicyRules first, then its own
 * restartPolicy, then the pod's. A pure function of spec and exit code; when it runs again is crash-loop-backoff.ts.
 * Source: ShouldContainerBeRestarted in pkg/kubelet/container/helpers.go.
 */
import type { ContainerKind } from "./container-status.ts";

export type RestartDecision = "No" | "Restart" | "RestartAllContainers";

interface RestartRule {
  readonly action: "Restart" | "RestartAllContainers";
  readonly exitCodes?: { readonly operator: "In" | "NotIn"; readonly values?: readonly number[] };
}

export function restartDecision(
  podSpec: Readonly<Record<string, any>>,
  container: Readonly<Record<string, any>>,
  kind: ContainerKind,
  exitCode: number,
): RestartDecision {
  for (const rule of (container["restartPolicyRules"] ?? []) as RestartRule[]) {
    const { operator, values = [] } = rule.exitCodes ?? { operator: "In" };
    if (values.includes(exitCode) === (operator === "In")) return rule.action;
  }
  // A regular init container has done its work with exit code 0, whatever the pod's policy says.
  if (kind === "init" && exitCode === 0) return "No";
  const policy: string = container["restartPolicy"] ?? podSpec["restartPolicy"] ?? "Always";
  if (policy === "Never" || (policy === "OnFailure" && exitCode === 0)) return "No";
  return "Restart";
}
