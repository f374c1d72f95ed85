/**
 * Finds what would keep the pods of a Job from ever starting in a cluster that has only the objects of a run:
 * references to missing objects, and requirements that no node meets. No user could fix that while the Job waits.
 *
 * Each problem says what it is about, because a simulation needs none of the objects, labels and devices of a real
 * cluster (`assumed`). Invariant: it uses the rules of the kubelet and the scheduler themselves. Leaves out what other
 * pods take, because that may become free, and the commands of containers.
 */
import { type EnvSource, EnvError, envSourcesNeeded, resolveEnv, type WithEnv } from "../kubelet/env.ts";
import { volumeProblems } from "../kubelet/volume-files.ts";
import { type NodeFacts, mismatch, placementOf } from "../scheduler/node-match.ts";
import { type Amounts, podRequests } from "../values/resource-amounts.ts";
import { DEFAULT_SCHEDULER_NAME } from "../scheduler/scheduler.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Manifest } from "./manifests.ts";
import type { ConfigMap, Job, Pod, PodSpec, ResourceRequirements, Secret } from "../values/kinds.ts";

/** What a cluster may have that the files of a run do not show. */
export type Assumption = "objects" | "labels" | "schedulers" | "resources";

/** What pods can refer to, and where they can run. */
export interface Surroundings {
  /** Undefined: it does not exist. */
  find(source: EnvSource & { readonly namespace: string }): ConfigMap | Secret | undefined;
  /** At least one. */
  readonly nodes: readonly { readonly facts: NodeFacts; readonly allocatable: Amounts }[];
  /** Whether `find` knows all objects of the run. If not, a missing object may still exist. */
  readonly isComplete: boolean;
  /** What is assumed to exist, and is no problem; nothing unless given. */
  readonly assumed?: ReadonlySet<Assumption>;
}

interface Problem {
  /** In the pod: `spec.containers[0].env[1].valueFrom`. */
  readonly path: string;
  readonly message: string;
  /** What is missing; undefined: the manifest contradicts itself or the cluster. */
  readonly lacks?: Assumption;
}

/** A problem, with its place in the file. */
export interface PlacedProblem extends Diagnostic {
  readonly lacks: Assumption | undefined;
}

/** The most nodes that a message names. */
const MAX_NODES_NAMED = 5;
const ADVICE = "; add it to the files of this run, or set optional: true";

/** @param job as stored */
export function neverStarting(job: Job, manifest: Manifest, surroundings: Surroundings): PlacedProblem[] {
  const { metadata, spec } = job.spec.template;
  const pod = {
    metadata: { ...metadata, name: "", namespace: job.metadata.namespace, uid: "" },
    spec,
  } as unknown as Pod;
  const ofObjects = [...environmentProblems(pod, surroundings), ...missingObjects(pod, surroundings)];
  const problems = [...ofObjects, ...placementProblems(spec, surroundings)];
  const isAssumed = ({ lacks }: Problem): boolean =>
    lacks !== undefined && surroundings.assumed !== undefined && surroundings.assumed.has(lacks);
  return problems
    .filter((problem) => !isAssumed(problem))
    .map(({ path, message, lacks }) => {
      const whole = `spec.template.${path}`;
      return { position: manifest.valueAt(whole), message: `${whole}: ${message}`, lacks };
    });
}

function environmentProblems(pod: Pod, surroundings: Surroundings): Problem[] {
  const context = {
    pod,
    podIP: "",
    hostIP: "",
    source: (source: EnvSource) => surroundings.find({ ...source, namespace: pod.metadata.namespace! }),
  };
  /** The problem of one variable, or of one source of many variables. */
  const problemOf = (path: string, part: WithEnv): Problem[] => {
    try {
      resolveEnv(part, context);
      return [];
    } catch (error) {
      if (!(error instanceof EnvError)) throw error;
      if (error.isAbsence && !surroundings.isComplete) return [];
      const isObject = error.isAbsence && !isObjectThere(part, pod, surroundings);
      const message = `${error.message}${error.isAbsence ? ADVICE : ""}`;
      return [{ path, message, ...(isObject && { lacks: "objects" as const }) }];
    }
  };
  return (["initContainers", "containers"] as const).flatMap((list) =>
    (pod.spec[list] ?? []).flatMap((container, i) => [
      ...(container.envFrom ?? []).flatMap((source, j) =>
        problemOf(`spec.${list}[${i}].envFrom[${j}]`, { envFrom: [source] }),
      ),
      ...(container.env ?? []).flatMap((variable, j) =>
        problemOf(`spec.${list}[${i}].env[${j}].valueFrom`, { env: [variable] }),
      ),
    ]),
  );
}

/** Whether the object of a variable exists, so that only its key is missing. */
function isObjectThere(part: WithEnv, pod: Pod, surroundings: Surroundings): boolean {
  const namespace = pod.metadata.namespace!;
  return envSourcesNeeded(part).every((source) => surroundings.find({ ...source, namespace }) !== undefined);
}

function missingObjects(pod: Pod, surroundings: Surroundings): Problem[] {
  const namespace = pod.metadata.namespace!;
  const problems = volumeProblems(pod, (source) => surroundings.find({ ...source, namespace }));
  return problems.flatMap(({ path, message, source: { kind, name }, keys }) => {
    if (keys === undefined)
      return surroundings.isComplete ? [{ path, message: `${message}${ADVICE}`, lacks: "objects" }] : [];
    const given = keys.length === 0 ? "none" : keys.join(", ");
    return [{ path, message: `${message}; ${kind.toLowerCase()} ${JSON.stringify(name)} has ${given}` }];
  });
}

function placementProblems(spec: PodSpec, { nodes }: Surroundings): Problem[] {
  const { schedulerName = DEFAULT_SCHEDULER_NAME, schedulingGates = [], nodeName = "" } = spec;
  const problems: Problem[] = [];
  if (schedulerName !== DEFAULT_SCHEDULER_NAME)
    problems.push({
      path: "spec.schedulerName",
      message: `${JSON.stringify(schedulerName)} does not run here; remove it, or name ${DEFAULT_SCHEDULER_NAME}`,
      lacks: "schedulers",
    });
  if (schedulingGates.length > 0)
    problems.push({
      path: "spec.schedulingGates",
      message: "no controller here removes scheduling gates; remove them from the pod to run this Job",
    });
  const named = nodes.filter(({ facts }) => facts.name === nodeName);
  if (nodeName !== "" && named.length === 0)
    problems.push({
      path: "spec.nodeName",
      message: `there is no node ${JSON.stringify(nodeName)}; ${theNodes(nodes)}`,
    });
  const candidates = named.length > 0 ? named : nodes;
  const { nodeSelector, tolerations, nodeSelectorTerms } = placementOf(spec);
  const misses = (wanted: Partial<ReturnType<typeof placementOf>>): boolean =>
    candidates.every(
      ({ facts }) =>
        mismatch({ nodeSelector: {}, nodeSelectorTerms: undefined, tolerations, ...wanted }, facts) !== undefined,
    );
  const labels = Object.entries(nodes[0]!.facts.labels).map(([key, value]) => `${key}=${value}`);
  const having = nodes.length === 1 ? "with the labels" : "the first with the labels";
  const noNode = `no node has that; ${theNodes(nodes)}, ${having} ${labels.join(", ")}`;
  if (misses({ nodeSelector })) problems.push({ path: "spec.nodeSelector", message: noNode, lacks: "labels" });
  if (misses({ nodeSelectorTerms }))
    problems.push({
      path: "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
      message: noNode,
      lacks: "labels",
    });
  return [
    ...problems,
    ...resourceProblems(spec, candidates, nodes.length === 1 ? "the only node" : `node ${nodeName}`),
  ];
}

function theNodes(nodes: Surroundings["nodes"]): string {
  const names = nodes.map(({ facts }) => facts.name);
  if (names.length === 1) return `the only one is ${names[0]}`;
  const shown = names.slice(0, MAX_NODES_NAMED).join(", ");
  return `there are ${shown}${names.length > MAX_NODES_NAMED ? " and more" : ""}`;
}

/** @param theNode the name of the candidate, if there is only one */
function resourceProblems(spec: PodSpec, candidates: Surroundings["nodes"], theNode: string): Problem[] {
  return [...podRequests(withRequests(spec))].flatMap(([resource, amount]) => {
    const available = Math.max(...candidates.map(({ allocatable }) => allocatable.get(resource) ?? 0));
    if (amount <= available) return [];
    const least = candidates.length > 1 ? "no node has more than" : `${theNode} has`;
    const path = (["containers", "initContainers"] as const).flatMap((list) =>
      (spec[list] ?? []).flatMap(({ resources }, i) =>
        (resources?.requests?.[resource] ?? resources?.limits?.[resource]) === undefined
          ? []
          : [`spec.${list}[${i}].resources`],
      ),
    )[0];
    return [
      {
        path: path ?? "spec",
        message: `the pod requests ${amount / 1000} of ${resource}; ${least} ${available / 1000}`,
        ...(available === 0 && { lacks: "resources" as const }),
      },
    ];
  });
}

/** The spec as the API server stores that of a pod: what has a limit and no request requests its limit. */
function withRequests(spec: PodSpec): PodSpec {
  const whole = <Part extends { resources?: ResourceRequirements }>(part: Part): Part =>
    part.resources?.limits === undefined
      ? part
      : { ...part, resources: { ...part.resources, requests: requestsOf(part.resources) } };
  const containers = (spec.containers ?? []).map(whole);
  const initContainers = (spec.initContainers ?? []).map(whole);
  return { ...whole(spec), containers, initContainers };
}

function requestsOf({ requests, limits }: ResourceRequirements): Record<string, string> {
  return { ...limits, ...requests };
}
