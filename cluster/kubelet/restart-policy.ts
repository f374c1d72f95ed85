/**
 * Decides whether a container that has ended runs again (docs/spec/api.md 5.4): by its restartPolicyRules, else its own
 * restartPolicy, else that of the pod. A pure function of spec and exit code. crash-loop-backoff.ts decides when it
 * runs again. Source: ShouldContainerBeRestarted in pkg/kubelet/container/helpers.go.
 */
import type { ContainerKind } from "./container-status.ts";
import type { Container, PodSpec } from "../values/kinds.ts";

export type RestartDecision = "No" | "Restart" | "RestartAllContainers";

interface RestartRule {
  readonly action: "Restart" | "RestartAllContainers";
  readonly exitCodes?: { readonly operator: "In" | "NotIn"; readonly values?: readonly number[] };
}

/** Whether a container that ended with this exit code runs again. */
export function restartDecision(
  podSpec: Pick<PodSpec, "restartPolicy">,
  container: Pick<Container, "restartPolicy" | "restartPolicyRules">,
  kind: ContainerKind,
  exitCode: number,
): RestartDecision {
  for (const rule of (container.restartPolicyRules ?? []) as RestartRule[]) {
    const { operator, values = [] } = rule.exitCodes ?? { operator: "In" };
    if (values.includes(exitCode) === (operator === "In")) return rule.action;
  }
  // A regular init container with exit code 0 has done its work, whatever the pod's policy says.
  if (kind === "init" && exitCode === 0) return "No";
  const policy: string = container.restartPolicy ?? podSpec.restartPolicy ?? "Always";
  if (policy === "Never" || (policy === "OnFailure" && exitCode === 0)) return "No";
  return "Restart";
}
