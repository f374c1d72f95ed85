/**
 * The phase of a pod as a pure function of its containers, in the order of the five rules of docs/spec/api.md 5.4.
 * Leaves out that terminal phases never change and are not written while a container still runs: the pod worker
 * enforces that. Source: getPhase in pkg/kubelet/kubelet_pods.go.
 */
import type { ContainerView } from "./container-status.ts";

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed";

/** @param tearingDown the pod is being deleted or evicted: nothing will be restarted any more. */
export function podPhase(containers: readonly ContainerView[], tearingDown: boolean): PodPhase {
  const main = containers.filter((view) => view.kind === "main");
  const neverRan = (view: ContainerView): boolean =>
    view.status.state.waiting !== undefined && view.status.lastState.terminated === undefined;
  const mainHasRun = main.some((view) => !neverRan(view));

  let initFinished = true;
  for (const { kind, status, willRestart } of containers) {
    if (kind === "init") {
      const { terminated } = status.state;
      if (terminated !== undefined && terminated.exitCode !== 0 && !willRestart) return "Failed";
      if (terminated?.exitCode !== 0) initFinished = false;
    } else if (kind === "sidecar" && !status.started && !mainHasRun) {
      initFinished = false;
    }
  }
  if (!initFinished || main.some(neverRan)) return "Pending";

  const mainRuns = main.some((view) => view.status.state.running !== undefined);
  if (mainRuns) return "Running";
  if (!tearingDown && main.some((view) => view.willRestart)) return "Running";
  const exitCodes = main.map((view) => (view.status.state.terminated ?? view.status.lastState.terminated)?.exitCode);
  return exitCodes.every((exitCode) => exitCode === 0) ? "Succeeded" : "Failed";
}
