/**
 * The limits of a scenario, in one place: the reader of untrusted scenarios (share/) and the simulation both check
 * them.
 *
 * Invariant: each fault is one sentence: where, what was given, what is allowed. Leaves out the shape of the data:
 * share/ reads it, and types are right from there on. Leaves out the manifest, too, but for its length: whether the API
 * server takes it shows when it runs.
 */
import { OutcomeError, parseOutcome } from "../kubelet/simulation-outcome.ts";
import {
  type Action,
  GROUP_NAME,
  type Input,
  MAX_INPUTS,
  MAX_NODES,
  MAX_OUTCOMES,
  MAX_PODS_OF_JOB,
  MAX_PODS_PER_NODE,
  MAX_RUN_MS,
  MAX_SPAN_MS,
  MAX_YAML_LENGTH,
  type NodeGroup,
  type OutcomeRule,
  QUANTITY,
  type Scenario,
} from "./scenario.ts";

const MAX_INT32 = 2 ** 31 - 1;

/** The numbers of all kinds of actions. */
const ACTION_NUMBERS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  forMs: [1, MAX_SPAN_MS],
  delayMs: [0, MAX_SPAN_MS],
  downMs: [0, MAX_SPAN_MS],
  status: [400, 599],
  parallelism: [0, MAX_PODS_OF_JOB],
  completions: [0, MAX_PODS_OF_JOB],
};

/** Empty: it can be run and shared. */
export function scenarioFaults({ yaml, seed, nodes, outcomes, inputs }: Scenario): readonly string[] {
  return [
    ...lengthFaults(yaml, "yaml"),
    ...seedFaults(seed, "seed"),
    ...nodeFaults(nodes, "nodes"),
    ...outcomeFaults(outcomes, "outcomes"),
    ...inputFaults(inputs, "inputs"),
  ];
}

export function seedFaults(seed: number, at: string): readonly string[] {
  return integer(at, seed, 0, 2 ** 32 - 1);
}

export function nodeFaults(groups: readonly NodeGroup[], at: string): readonly string[] {
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  const names = groups.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  const faults = groups.flatMap(({ name, count, cpu, memory, pods }, i) => [
    ...matching(`${at}[${i}].name`, name, GROUP_NAME, "a name of at most 52 lower-case letters, digits and hyphens"),
    ...integer(`${at}[${i}].count`, count, 1, MAX_NODES),
    ...matching(`${at}[${i}].cpu`, cpu, QUANTITY, "a quantity such as 500m or 8"),
    ...matching(`${at}[${i}].memory`, memory, QUANTITY, "a quantity such as 32Gi"),
    ...integer(`${at}[${i}].pods`, pods, 1, MAX_PODS_PER_NODE),
  ]);
  if (faults.length === 0 && (total < 1 || total > MAX_NODES))
    faults.push(`${at} has ${total} nodes; allowed are 1 to ${MAX_NODES}`);
  if (twice !== undefined) faults.push(`${at} has two groups named ${twice}; each needs its own name`);
  return faults;
}

export function outcomeFaults(rules: readonly OutcomeRule[], at: string): readonly string[] {
  return [...count(at, rules, MAX_OUTCOMES), ...rules.flatMap((rule, i) => faultsOfRule(rule, `${at}[${i}]`))];
}

export function inputFaults(inputs: readonly Input[], at: string): readonly string[] {
  const late = inputs.findIndex(({ atMs }, i) => i > 0 && atMs < inputs[i - 1]!.atMs);
  return [
    ...count(at, inputs, MAX_INPUTS),
    ...inputs.flatMap(({ atMs, action }, i) => [
      ...integer(`${at}[${i}].atMs`, atMs, 0, MAX_RUN_MS),
      ...faultsOfAction(action, `${at}[${i}].action`),
    ]),
    ...(late < 0
      ? []
      : [
          `${at}[${late}].atMs is ${inputs[late]!.atMs}, before the input in front of it; allowed is the order of time`,
        ]),
  ];
}

function faultsOfRule({ match, share, outcome, pod }: OutcomeRule, at: string): string[] {
  const faults: string[] = [];
  if (share !== undefined && !(share > 0 && share <= 1))
    faults.push(`${at}.share is ${share}; allowed is a number above 0, up to 1`);
  if (pod !== undefined && match?.container !== undefined)
    faults.push(`${at}.match.container cannot be together with ${at}.pod; leave one of both out`);
  if (pod?.kind === "evicted") {
    const [fromMs, toMs] = pod.afterMs;
    faults.push(...integer(`${at}.pod.afterMs[0]`, fromMs, 0, MAX_SPAN_MS));
    faults.push(...integer(`${at}.pod.afterMs[1]`, toMs, fromMs, MAX_SPAN_MS));
  }
  for (const field of ["completionIndex", "attempt"] as const)
    if (match?.[field] !== undefined) faults.push(...integer(`${at}.match.${field}`, match[field], 0, MAX_INT32));
  try {
    parseOutcome(outcome, `${at}.outcome`);
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw error;
    faults.push(error.message);
  }
  return faults;
}

function faultsOfAction(action: Action, at: string): string[] {
  return Object.entries(action).flatMap(([field, value]: [string, unknown]) => {
    if (field === "yaml") return lengthFaults(value as string, `${at}.yaml`);
    const limits = ACTION_NUMBERS[field];
    return limits === undefined || value === undefined ? [] : integer(`${at}.${field}`, value as number, ...limits);
  });
}

function lengthFaults(yaml: string, at: string): string[] {
  if (yaml.length <= MAX_YAML_LENGTH) return [];
  return [`${at} is ${yaml.length} characters long; allowed are ${MAX_YAML_LENGTH}`];
}

function count(at: string, list: readonly unknown[], max: number): string[] {
  return list.length <= max ? [] : [`${at} has ${list.length} entries; allowed are ${max}`];
}

function integer(at: string, value: number, min: number, max: number): string[] {
  if (Number.isInteger(value) && value >= min && value <= max) return [];
  return [`${at} is ${value}; allowed is an integer from ${min} to ${max}`];
}

function matching(at: string, value: string, pattern: RegExp, allowed: string): string[] {
  return pattern.test(value) ? [] : [`${at} is ${JSON.stringify(value)}; allowed is ${allowed}`];
}
