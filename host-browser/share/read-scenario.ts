/**
 * Reads a scenario from untrusted data: an address, a file, what the browser had stored.
 *
 * Invariant: the result has the shape of scenario.ts and keeps every limit of scenario-limits.ts. Leaves out whether
 * the API server takes the manifest: a run shows that.
 */
import { inputFaults, nodeFaults, outcomeFaults, seedFaults } from "../../cluster/simulation/scenario-limits.ts";
import {
  type Input,
  MAX_INPUTS,
  MAX_NODES,
  MAX_OUTCOMES,
  MAX_YAML_LENGTH,
  type NodeGroup,
  type OutcomeRule,
  type PodOutcome,
  type Scenario,
} from "../../cluster/simulation/scenario.ts";
import { SERVED_VERSIONS, type ServedVersion } from "../../cluster/values/kubernetes-versions.ts";
import { fail, list, number, record, SharedDataError, text } from "./fields.ts";
import { readAction } from "./read-action.ts";

const NAME_LENGTH = 253;

/** @throws SharedDataError */
export function readScenario(value: unknown): Scenario {
  const given = record(value, "scenario", ["yaml", "seed", "nodes", "outcomes", "inputs", "kubernetes"]);
  return {
    yaml: text(given["yaml"], "yaml", MAX_YAML_LENGTH),
    seed: readSeed(given["seed"], "seed"),
    nodes: readNodes(given["nodes"], "nodes"),
    outcomes: readOutcomes(given["outcomes"], "outcomes"),
    inputs: readInputs(given["inputs"], "inputs"),
    ...(given["kubernetes"] === undefined ? {} : { kubernetes: readVersion(given["kubernetes"], "kubernetes") }),
  };
}

export function readVersion(value: unknown, path: string): ServedVersion {
  return SERVED_VERSIONS.find((version) => version === value) ?? fail(path, value, SERVED_VERSIONS.join(", "));
}

export function readSeed(value: unknown, path: string): number {
  const seed = number(value, path);
  return kept(seed, seedFaults(seed, path));
}

export function readNodes(value: unknown, path: string): readonly NodeGroup[] {
  const groups = list(value, path, MAX_NODES).map((entry, i) => readNodeGroup(entry, `${path}[${i}]`));
  return kept(groups, nodeFaults(groups, path));
}

export function readOutcomes(value: unknown, path: string): readonly OutcomeRule[] {
  const rules = list(value, path, MAX_OUTCOMES).map((entry, i) => readOutcome(entry, `${path}[${i}]`));
  return kept(rules, outcomeFaults(rules, path));
}

export function readInputs(value: unknown, path: string): readonly Input[] {
  const inputs = list(value, path, MAX_INPUTS).map((entry, i): Input => {
    const { atMs, action } = record(entry, `${path}[${i}]`, ["atMs", "action"]);
    return { atMs: number(atMs, `${path}[${i}].atMs`), action: readAction(action, `${path}[${i}].action`) };
  });
  return kept(inputs, inputFaults(inputs, path));
}

function kept<T>(value: T, [fault]: readonly string[]): T {
  if (fault !== undefined) throw new SharedDataError(fault);
  return value;
}

function readNodeGroup(value: unknown, path: string): NodeGroup {
  const given = record(value, path, ["name", "count", "cpu", "memory", "pods"]);
  return {
    name: text(given["name"], `${path}.name`, NAME_LENGTH),
    count: number(given["count"], `${path}.count`),
    cpu: text(given["cpu"], `${path}.cpu`, NAME_LENGTH),
    memory: text(given["memory"], `${path}.memory`, NAME_LENGTH),
    pods: number(given["pods"], `${path}.pods`),
  };
}

function readOutcome(value: unknown, path: string): OutcomeRule {
  const { match, share, outcome, pod } = record(value, path, ["match", "share", "outcome", "pod"]);
  return {
    ...(match === undefined ? {} : { match: readMatch(match, `${path}.match`) }),
    ...(share === undefined ? {} : { share: number(share, `${path}.share`) }),
    outcome: outcome as OutcomeRule["outcome"],
    ...(pod === undefined ? {} : { pod: readPodOutcome(pod, `${path}.pod`) }),
  };
}

function readPodOutcome(value: unknown, path: string): PodOutcome {
  const { kind, afterMs } = record(value, path, ["kind", "afterMs"]);
  if (kind === "never-scheduled" && afterMs === undefined) return { kind };
  if (kind !== "evicted") fail(`${path}.kind`, kind, '"evicted" with afterMs, or "never-scheduled" without');
  const [from, to] = list(afterMs, `${path}.afterMs`, 2);
  return { kind, afterMs: [number(from, `${path}.afterMs[0]`), number(to, `${path}.afterMs[1]`)] };
}

function readMatch(value: unknown, path: string): NonNullable<OutcomeRule["match"]> {
  const given = record(value, path, ["jobName", "completionIndex", "container", "attempt"]);
  const match: Record<string, unknown> = {};
  for (const field of ["jobName", "container"]) {
    if (given[field] !== undefined) match[field] = text(given[field], `${path}.${field}`, NAME_LENGTH);
  }
  for (const field of ["completionIndex", "attempt"]) {
    if (given[field] !== undefined) match[field] = number(given[field], `${path}.${field}`);
  }
  return match;
}
