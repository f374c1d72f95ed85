/** What was done to the cluster, in a few words: for lists and labels. */
import type { Action } from "../../cluster/simulation/scenario.ts";

/** What an input does, in a few words. */
export function actionText(action: Action): string {
  switch (action.kind) {
    case "apply":
      return "apply the edited manifest";
    case "delete-job":
      return `delete job/${action.name}`;
    case "delete-pod":
      return `delete pod/${action.name}`;
    case "evict-pod":
      return `evict pod/${action.name}`;
    case "never-schedule":
      return `never schedule pod/${action.name}`;
    case "suspend":
      return `suspend job/${action.name}`;
    case "resume":
      return `resume job/${action.name}`;
    case "scale":
      return `scale job/${action.name} to parallelism ${action.parallelism}`;
    case "cordon":
    case "uncordon":
    case "drain":
      return `${action.kind} node/${action.node}`;
    case "lose-node":
      return `lose node/${action.node}`;
    case "restart-controller":
      return `restart the controller (${action.downMs / 1000} s down)`;
    case "api-errors":
      return `API server answers ${action.status} for ${action.forMs / 1000} s`;
    case "slow-api":
      return `API answers ${action.delayMs / 1000} s late for ${action.forMs / 1000} s`;
    case "stop-scheduler":
      return `no scheduling for ${action.forMs / 1000} s`;
  }
}
