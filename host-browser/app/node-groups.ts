/** Says what is wrong with the node groups that the user typed, in one sentence. The Worker checks quantities again. */
import {
  GROUP_NAME,
  MAX_NODES,
  MAX_PODS_PER_NODE,
  type NodeGroup,
  QUANTITY,
} from "../../cluster/simulation/scenario.ts";

/** @returns undefined: nothing */
export function problemOfNodes(nodes: readonly NodeGroup[]): string | undefined {
  if (nodes.length === 0) return "There is no node: nothing could ever run. Add a group.";
  const total = nodes.reduce((sum, { count }) => sum + count, 0);
  if (total > MAX_NODES) return `These are ${total} nodes; at most ${MAX_NODES} are allowed.`;
  const names = nodes.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) return `Two groups are named ${twice}; each needs its own name.`;
  return nodes.map(problemOfGroup).find((problem) => problem !== undefined);
}

function problemOfGroup({ name, count, cpu, memory, pods }: NodeGroup): string | undefined {
  if (!GROUP_NAME.test(name))
    return `“${name}” cannot be a node's name: lower-case letters, digits and hyphens are allowed, at most 52.`;
  if (!isWhole(count, MAX_NODES)) return `The number of nodes of ${name} is from 1 to ${MAX_NODES}.`;
  if (!isWhole(pods, MAX_PODS_PER_NODE))
    return `The number of pods on a node of ${name} is from 1 to ${MAX_PODS_PER_NODE}.`;
  if (!QUANTITY.test(cpu)) return `The CPU of ${name} is “${cpu}”; write 4, 0.5 or 500m.`;
  if (!QUANTITY.test(memory)) return `The memory of ${name} is “${memory}”; write 16Gi or 512Mi.`;
  return undefined;
}

function isWhole(number: number, largest: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= largest;
}
