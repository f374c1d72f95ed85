/**
 * Carries out the actions of a scenario: through the API as a user's kubectl would, or on its controller and scheduler.
 *
 * Invariant: an action never ends a run. Its flag carries the API server's errors, and everything else continues.
 */
import { JOBS, NODES, PODS, resourcePath, withQuery } from "../client/client.ts";
import { formatTime } from "../values/times.ts";
import type { FlagRecord } from "./recorder.ts";
import type { Action } from "./scenario.ts";
import type { Answer, Api } from "./api.ts";
import type { PodName } from "./never-scheduled.ts";
import { type Applying, applyYaml } from "./apply.ts";
import type { Pod } from "../values/kinds.ts";

/** What actions are done to. */
export interface Theatre extends Applying {
  restartController(downMs: number): void;
  failRequests(status: number, forMs: number): void;
  delayAnswers(delayMs: number, forMs: number): void;
  stopScheduler(forMs: number): void;
  /** @returns the problem, if the pod exists already; a pod created later stays without a node anyway */
  neverSchedule(pod: PodName): string[];
  /** The node's kubelet says nothing more. */
  loseNode(node: string): void;
}

/** Carries out the action, and records it in a flag. */
export function perform(theatre: Theatre, action: Action, atMs: number): FlagRecord {
  const problems = doIt(theatre, action);
  const lastsMs = durationOf(action);
  return {
    atMs,
    ...(lastsMs === undefined ? {} : { untilMs: atMs + lastsMs }),
    kind: action.kind,
    label: labelOf(action),
    ...(problems.length === 0 ? {} : { problem: problems.join("; ") }),
  };
}

/** @returns what went wrong */
function doIt(theatre: Theatre, action: Action): string[] {
  const { api } = theatre;
  switch (action.kind) {
    case "apply":
      return applyYaml(theatre, action.yaml);
    case "delete-job":
      return problemOf(api.delete(resourcePath(JOBS, action.namespace, action.name)));
    case "delete-pod":
      return problemOf(api.delete(resourcePath(PODS, action.namespace, action.name)));
    case "evict-pod":
      return evict(api, action.namespace, action.name);
    case "never-schedule":
      return theatre.neverSchedule(action);
    case "suspend":
    case "resume":
      return patchJob(api, action, { suspend: action.kind === "suspend" });
    case "scale": {
      const { parallelism, completions } = action;
      return patchJob(api, action, { parallelism, ...(completions === undefined ? {} : { completions }) });
    }
    case "cordon":
    case "uncordon":
      return cordon(api, action.node, action.kind === "cordon");
    case "drain":
      return drain(api, action.node);
    case "lose-node": {
      const problems = problemOf(api.delete(resourcePath(NODES, undefined, action.node)));
      if (problems.length === 0) theatre.loseNode(action.node);
      return problems;
    }
    case "restart-controller":
      theatre.restartController(action.downMs);
      return [];
    case "api-errors":
      theatre.failRequests(action.status, action.forMs);
      return [];
    case "slow-api":
      theatre.delayAnswers(action.delayMs, action.forMs);
      return [];
    case "stop-scheduler":
      theatre.stopScheduler(action.forMs);
      return [];
  }
}

function patchJob(api: Api, job: { readonly namespace: string; readonly name: string }, spec: object): string[] {
  return problemOf(api.mergePatch(resourcePath(JOBS, job.namespace, job.name), { spec }));
}

/** @returns what went wrong */
export function evict(api: Api, namespace: string, name: string): string[] {
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
  return problemOf(api.create(resourcePath(PODS, namespace, name, "eviction"), body));
}

function cordon(api: Api, node: string, unschedulable: boolean): string[] {
  return problemOf(api.mergePatch(resourcePath(NODES, undefined, node), { spec: { unschedulable } }));
}

function drain(api: Api, node: string): string[] {
  const problems = cordon(api, node, true);
  if (problems.length > 0) return problems;
  return podsOf(api, node).flatMap(({ metadata }) => evict(api, metadata.namespace ?? "", metadata.name));
}

function podsOf(api: Api, node: string): readonly Pod[] {
  const pods = api.get(withQuery(resourcePath(PODS), { fieldSelector: `spec.nodeName=${node}` }));
  return pods.ok ? (pods.object.items ?? []) : [];
}

/** Fails and removes pods of a missing node. Source: pkg/controller/podgc/gc_controller.go. */
export function collectLost(api: Api, node: string, nowMs: number): void {
  for (const { metadata, status } of podsOf(api, node)) {
    const path = resourcePath(PODS, metadata.namespace, metadata.name);
    if (!["Succeeded", "Failed"].includes(status.phase!)) {
      const type = "DisruptionTarget";
      const condition = {
        type,
        status: "True",
        lastProbeTime: null,
        lastTransitionTime: formatTime(nowMs),
        reason: "DeletionByPodGC",
        message: "PodGC: node no longer exists",
      };
      const others = (status.conditions ?? []).filter((other) => other.type !== type);
      api.mergePatch(`${path}/status`, { status: { phase: "Failed", conditions: [...others, condition] } });
    }
    api.delete(path, { gracePeriodSeconds: 0 });
  }
}

function problemOf(answer: Answer): string[] {
  return answer.ok ? [] : [answer.message];
}

function durationOf(action: Action): number | undefined {
  if (action.kind === "restart-controller") return action.downMs;
  return "forMs" in action ? action.forMs : undefined;
}

function labelOf(action: Action): string {
  switch (action.kind) {
    case "apply":
      return "apply an edited manifest";
    case "delete-job":
      return `delete job ${action.name}`;
    case "delete-pod":
      return `delete pod ${action.name}`;
    case "evict-pod":
      return `evict pod ${action.name}`;
    case "never-schedule":
      return `never schedule pod ${action.name}`;
    case "scale": {
      const { name, parallelism, completions } = action;
      const size = completions === undefined ? `${parallelism}` : `${parallelism}, completions ${completions}`;
      return `scale ${name} to parallelism ${size}`;
    }
    case "suspend":
    case "resume":
      return `${action.kind} ${action.name}`;
    case "cordon":
    case "uncordon":
    case "drain":
      return `${action.kind} ${action.node}`;
    case "lose-node":
      return `lose ${action.node}`;
    case "restart-controller":
      return "restart the controller";
    case "api-errors":
      return `API server answers ${action.status}`;
    case "slow-api":
      return `API server answers ${action.delayMs} ms later`;
    case "stop-scheduler":
      return "stop the scheduler";
  }
}
