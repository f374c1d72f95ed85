/**
 * Reads a scenario from data that a stranger may have written: an address, a file, what the browser had stored.
 *
 * Invariant: the result keeps every limit of scenario.ts, its inputs are in the order of their times, and its outcomes
 * are ones that the simulated kubelet takes. Leaves out whether the API server takes the manifest: a run shows that.
 */
import { OutcomeError, parseOutcome } from "../../cluster/kubelet/simulation-outcome.ts";
import {
  GROUP_NAME,
  type Input,
  MAX_INPUTS,
  MAX_NODES,
  MAX_OUTCOMES,
  MAX_PODS_PER_NODE,
  MAX_RUN_MS,
  MAX_SPAN_MS,
  type NodeGroup,
  type OutcomeRule,
  type PodOutcome,
  QUANTITY,
  type Scenario,
} from "../scenario.ts";
import { fail, integer, list, matching, record, SharedDataError, text } from "./fields.ts";
import { MAX_YAML_LENGTH, readAction } from "./read-action.ts";

const NAME_LENGTH = 253;
const MAX_INDEX = 2 ** 31 - 1;

/** @throws SharedDataError */
export function readScenario(value: unknown, path = "scenario"): Scenario {
  const given = record(value, path, ["yaml", "seed", "nodes", "outcomes", "inputs"]);
  return {
    yaml: text(given["yaml"], `${path}.yaml`, MAX_YAML_LENGTH),
    seed: readSeed(given["seed"], `${path}.seed`),
    nodes: readNodes(given["nodes"], `${path}.nodes`),
    outcomes: readOutcomes(given["outcomes"], `${path}.outcomes`),
    inputs: readInputs(given["inputs"], `${path}.inputs`),
  };
}

export function readSeed(value: unknown, path: string): number {
  return integer(value, path, 0, 2 ** 32 - 1);
}

export function readNodes(value: unknown, path: string): readonly NodeGroup[] {
  const groups = list(value, path, MAX_NODES).map((entry, i) => readNodeGroup(entry, `${path}[${i}]`));
  const nodes = groups.reduce((sum, { count }) => sum + count, 0);
  if (nodes > MAX_NODES) throw new SharedDataError(`${path} has ${nodes} nodes; allowed are ${MAX_NODES}`);
  const twice = groups.find(({ name }, i) => groups.findIndex((other) => other.name === name) !== i);
  if (twice !== undefined)
    throw new SharedDataError(`${path} has two groups named ${twice.name}; each needs a name of its own`);
  return groups;
}

function readNodeGroup(value: unknown, path: string): NodeGroup {
  const given = record(value, path, ["name", "count", "cpu", "memory", "pods"]);
  const quantity = (field: string): string =>
    matching(given[field], `${path}.${field}`, QUANTITY, "a quantity such as 500m, 8 or 32Gi");
  return {
    name: matching(given["name"], `${path}.name`, GROUP_NAME, "a name of lower-case letters, digits and hyphens"),
    count: integer(given["count"], `${path}.count`, 1, MAX_NODES),
    cpu: quantity("cpu"),
    memory: quantity("memory"),
    pods: integer(given["pods"], `${path}.pods`, 1, MAX_PODS_PER_NODE),
  };
}

export function readOutcomes(value: unknown, path: string): readonly OutcomeRule[] {
  return list(value, path, MAX_OUTCOMES).map((entry, i) => readOutcome(entry, `${path}[${i}]`));
}

function readOutcome(value: unknown, path: string): OutcomeRule {
  const { match, share, outcome, pod } = record(value, path, ["match", "share", "outcome", "pod"]);
  if (share !== undefined && !(typeof share === "number" && share > 0 && share <= 1))
    fail(`${path}.share`, share, "a number above 0, up to 1");
  const read = match === undefined ? undefined : readMatch(match, `${path}.match`);
  if (pod !== undefined && read?.container !== undefined)
    throw new SharedDataError(`${path}.match.container cannot be together with ${path}.pod; leave one of both out`);
  try {
    parseOutcome(outcome, `${path}.outcome`);
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw error;
    throw new SharedDataError(error.message);
  }
  return {
    ...(read === undefined ? {} : { match: read }),
    ...(share === undefined ? {} : { share }),
    outcome: outcome as OutcomeRule["outcome"],
    ...(pod === undefined ? {} : { pod: readPodOutcome(pod, `${path}.pod`) }),
  };
}

function readPodOutcome(value: unknown, path: string): PodOutcome {
  const { kind, afterMs } = record(value, path, ["kind", "afterMs"]);
  if (kind === "never-scheduled" && afterMs === undefined) return { kind };
  if (kind !== "evicted") fail(`${path}.kind`, kind, '"evicted" with afterMs, or "never-scheduled" without');
  const [from, to] = list(afterMs, `${path}.afterMs`, 2);
  const fromMs = integer(from, `${path}.afterMs[0]`, 0, MAX_SPAN_MS);
  return { kind, afterMs: [fromMs, integer(to, `${path}.afterMs[1]`, fromMs, MAX_SPAN_MS)] };
}

function readMatch(value: unknown, path: string): NonNullable<OutcomeRule["match"]> {
  const given = record(value, path, ["jobName", "completionIndex", "container", "attempt"]);
  const match: Record<string, unknown> = {};
  for (const field of ["jobName", "container"]) {
    if (given[field] !== undefined) match[field] = text(given[field], `${path}.${field}`, NAME_LENGTH);
  }
  for (const field of ["completionIndex", "attempt"]) {
    if (given[field] !== undefined) match[field] = integer(given[field], `${path}.${field}`, 0, MAX_INDEX);
  }
  return match;
}

export function readInputs(value: unknown, path: string): readonly Input[] {
  const inputs = list(value, path, MAX_INPUTS).map((entry, i): Input => {
    const { atMs, action } = record(entry, `${path}[${i}]`, ["atMs", "action"]);
    return {
      atMs: integer(atMs, `${path}[${i}].atMs`, 0, MAX_RUN_MS),
      action: readAction(action, `${path}[${i}].action`),
    };
  });
  const late = inputs.findIndex(({ atMs }, i) => i > 0 && atMs < inputs[i - 1]!.atMs);
  if (late > 0)
    throw new SharedDataError(
      `${path}[${late}].atMs is ${inputs[late]!.atMs}, before the input in front of it; allowed is the order of time`,
    );
  return inputs;
}
