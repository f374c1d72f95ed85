/**
 * What is wrong with a scenario beside its YAML. Scenarios come from addresses, so nothing in them is believed.
 *
 * Leaves out the shape of the data: share/ reads it, and types are right from there on.
 */
import { OutcomeError, parseOutcome } from "../../cluster/kubelet/simulation-outcome.ts";
import { milliOf } from "../../cluster/apiserver/quantities.ts";
import type { Problem } from "../messages.ts";
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
  type Scenario,
} from "../scenario.ts";

/** Empty: it can be loaded. */
export function scenarioProblems({ seed, nodes, outcomes, inputs }: Scenario): Problem[] {
  const messages = [
    ...(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32
      ? []
      : [`seed: ${seed} is not allowed; give a whole number from 0 to 4294967295`]),
    ...nodeMessages(nodes),
    ...(outcomes.length > MAX_OUTCOMES
      ? [`outcomes: there are ${outcomes.length} rules; allowed are ${MAX_OUTCOMES}`]
      : outcomes.flatMap(outcomeMessages)),
    ...inputMessages(inputs),
  ];
  return messages.map((message) => ({ severity: "error", message }));
}

function nodeMessages(groups: readonly NodeGroup[]): string[] {
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  return [
    ...(total >= 1 && total <= MAX_NODES ? [] : [`nodes: there are ${total}; allowed are 1 to ${MAX_NODES}`]),
    ...groups.flatMap(({ name, count, cpu, memory, pods }, i) => {
      const at = `nodes[${i}]`;
      return [
        ...(GROUP_NAME.test(name)
          ? []
          : [`${at}.name: ${JSON.stringify(name)} is not allowed; give a short name of a-z, 0-9 and -`]),
        ...(groups.findIndex((group) => group.name === name) === i
          ? []
          : [`${at}.name: ${JSON.stringify(name)} is the name of another group, too; give each its own`]),
        ...wholeNumber(`${at}.count`, count, 1, MAX_NODES),
        ...quantity(`${at}.cpu`, cpu),
        ...quantity(`${at}.memory`, memory),
        ...wholeNumber(`${at}.pods`, pods, 1, MAX_PODS_PER_NODE),
      ];
    }),
  ];
}

function outcomeMessages({ match, share, outcome, pod }: OutcomeRule, index: number): string[] {
  const at = `outcomes[${index}]`;
  const ofShare = [
    ...(share === undefined || (share > 0 && share <= 1)
      ? []
      : [`${at}.share: ${share} is not allowed; give a number above 0, at most 1`]),
    ...(pod !== undefined && match?.container !== undefined
      ? [`${at}.match.container: a rule with pod is about whole pods and names no container; leave one of both out`]
      : []),
    ...(pod?.kind === "evicted" ? rangeMessages(`${at}.pod.afterMs`, pod.afterMs) : []),
  ];
  try {
    parseOutcome(outcome, `${at}.outcome`);
    return ofShare;
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw error;
    return [...ofShare, error.message];
  }
}

function inputMessages(inputs: readonly Input[]): string[] {
  if (inputs.length > MAX_INPUTS) return [`inputs: there are ${inputs.length}; allowed are ${MAX_INPUTS}`];
  return inputs.flatMap(({ atMs, action }, i) => {
    const at = `inputs[${i}]`;
    return [
      ...wholeNumber(`${at}.atMs`, atMs, 0, MAX_RUN_MS),
      ...(i > 0 && atMs < inputs[i - 1]!.atMs
        ? [`${at}.atMs: ${atMs} lies before the input in front of it; give them in the order of their times`]
        : []),
      ...("forMs" in action ? wholeNumber(`${at}.action.forMs`, action.forMs, 1, MAX_SPAN_MS) : []),
      ...("delayMs" in action ? wholeNumber(`${at}.action.delayMs`, action.delayMs, 0, MAX_SPAN_MS) : []),
      ...("downMs" in action ? wholeNumber(`${at}.action.downMs`, action.downMs, 0, MAX_SPAN_MS) : []),
      ...("status" in action ? wholeNumber(`${at}.action.status`, action.status, 400, 599) : []),
    ];
  });
}

function rangeMessages(at: string, [fromMs, toMs]: readonly [number, number]): string[] {
  return [...wholeNumber(`${at}[0]`, fromMs, 0, MAX_SPAN_MS), ...wholeNumber(`${at}[1]`, toMs, fromMs, MAX_SPAN_MS)];
}

function wholeNumber(at: string, value: number, min: number, max: number): string[] {
  if (Number.isInteger(value) && value >= min && value <= max) return [];
  return [`${at}: ${value} is not allowed; give a whole number from ${min} to ${max}`];
}

function quantity(at: string, text: string): string[] {
  try {
    if (milliOf(text) >= 0n) return [];
  } catch {
    // It is none; said below.
  }
  return [`${at}: ${JSON.stringify(text)} is not allowed; give an amount such as 8, 500m or 32Gi`];
}
