/**
 * An incident as two scenarios of the playground, broken and repaired, where that has room for its world: Jobs and
 * quotas on nodes that are alike, programs that the manifest tells apart, and what users do to Jobs and nodes.
 *
 * Invariant: what the playground cannot show is never left out: then there are no scenarios.
 */
import { stringify } from "yaml";
import type { Action, Input, NodeGroup, Scenario } from "../cluster/simulation/scenario.ts";
import type { Json, KubeObject } from "../cluster/values/types.ts";
import { checkedDuration } from "../host-node/control/check-input.ts";
import { type Incident, type Node, type Program, repaired, type Step } from "../host-node/incidents/incident.ts";
import { isLike } from "../host-node/incidents/like.ts";
import { DEFAULT_NODE } from "../host-node/incidents/world.ts";

const SEED = 1;
const NAMESPACE = "default";
const SIMULATE = "stint.dev/simulate";
/** What the playground's API server has. */
const KINDS: ReadonlySet<string> = new Set(["Job", "ResourceQuota"]);
/** What they show needs probes, refusals in the place of a run, or times that the playground does not have. */
export const NOT_AS_IN_A_CLUSTER: ReadonlySet<string> = new Set([
  "deadline-in-queue",
  "liveness-kills",
  "managed-by-typo",
  "nodes-full",
  "quota-of-jobs",
  "quota-used-up",
  "request-over-limit",
  "restart-always",
  "signal-not-passed-on",
  "startup-too-slow",
  "ttl-zero",
]);
const NODE_NAME = /^(.*)-(\d+)$/;

export interface IncidentScenarios {
  readonly broken: Scenario;
  readonly repaired: Scenario;
}

/** Undefined: the playground has no room for its world. */
export function scenariosOf(incident: Incident): IncidentScenarios | undefined {
  return NOT_AS_IN_A_CLUSTER.has(incident.name) ? undefined : convertedOf(incident);
}

/** The same, also where the run is not as in a cluster. */
export function convertedOf(incident: Incident): IncidentScenarios | undefined {
  const broken = scenarioOf(incident);
  const after = scenarioOf(repaired(incident));
  return broken === undefined || after === undefined ? undefined : { broken, repaired: after };
}

function scenarioOf({ objects, world }: Incident): Scenario | undefined {
  const { programs = [], steps = [] } = world;
  const nodes = nodesOf(world.nodes ?? [{ name: "node-1" }]);
  const inputs = steps.flatMap((step) => inputsOf(step, programs));
  const isRoom = objects.every(({ kind }) => KINDS.has(kind!)) && inputs.every((input) => input !== undefined);
  if (nodes === undefined || !isRoom) return undefined;
  const yaml = objects.map((object) => yamlOf(object, programs)).join("---\n");
  const inOrder = (inputs as Input[]).toSorted((a, b) => a.atMs - b.atMs);
  return { yaml, seed: SEED, nodes, outcomes: [], inputs: inOrder };
}

/** Undefined: they are not alike. */
function nodesOf(nodes: readonly Node[]): readonly NodeGroup[] | undefined {
  const shapes = nodes.map(({ name: _, ...shape }) => JSON.stringify({ ...DEFAULT_NODE, ...shape }));
  const parts = nodes.map(({ name }) => NODE_NAME.exec(name));
  const [first] = parts;
  const [node] = nodes;
  const areAlike =
    new Set(shapes).size === 1 && parts.every((part, i) => part?.[1] === first?.[1] && part?.[2] === String(i + 1));
  if (first == null || node === undefined || !areAlike || node.labels !== undefined || node.taints !== undefined)
    return undefined;
  const { cpu, memory, pods } = { ...DEFAULT_NODE, ...node };
  return [{ name: first[1]!, count: nodes.length, cpu, memory, pods: Number(pods) }];
}

function inputsOf(step: Step, programs: readonly Program[]): (Input | undefined)[] {
  const fromMs = checkedDuration(step.at, "at");
  const everyMs = step.every === undefined ? 0 : checkedDuration(step.every, "every");
  const action = actionOf(step, programs);
  return Array.from({ length: step.times ?? 1 }, (_, i) => action && { atMs: fromMs + i * everyMs, action });
}

/** Undefined: the playground has no such action. */
function actionOf(
  { call, patch, with: fields = {}, apply, delete: gone }: Step,
  programs: readonly Program[],
): Action | undefined {
  if (apply !== undefined) return KINDS.has(apply.kind!) ? { kind: "apply", yaml: yamlOf(apply, programs) } : undefined;
  if (gone?.kind === "Job") return { kind: "delete-job", namespace: NAMESPACE, name: gone.name };
  if (patch?.kind === "Job" && patch.pods !== true) return changeOf(patch.name, fields);
  const { node } = fields;
  if (typeof node !== "string" || Object.keys(fields).length > 1) return undefined;
  if (call === "nodes/drain") return { kind: "drain", node };
  if (call === "nodes/uncordon") return { kind: "uncordon", node };
  return call === "nodes/lose" ? { kind: "lose-node", node } : undefined;
}

function changeOf(name: string, change: Readonly<Record<string, Json>>): Action | undefined {
  const job = { namespace: NAMESPACE, name };
  const { suspend, parallelism, ...more } = (change["spec"] ?? {}) as Readonly<Record<string, Json>>;
  if (Object.keys(change).length !== 1 || Object.keys(more).length > 0) return undefined;
  if (typeof suspend === "boolean" && parallelism === undefined)
    return { kind: suspend ? "suspend" : "resume", ...job };
  return typeof parallelism === "number" && suspend === undefined ? { kind: "scale", ...job, parallelism } : undefined;
}

/** What a program does is an annotation of its pods. */
function yamlOf(object: KubeObject, programs: readonly Program[]): string {
  const template = object["spec"]?.template as KubeObject | undefined;
  const program = template && programs.find(({ when }) => isLike(template, when));
  if (program === undefined) return stringify(object);
  const metadata = template!.metadata ?? {};
  const annotations = { ...metadata.annotations, [SIMULATE]: JSON.stringify(program.outcome) };
  const changed = { ...template, metadata: { ...metadata, annotations } };
  return stringify({ ...object, spec: { ...object["spec"], template: changed } });
}
