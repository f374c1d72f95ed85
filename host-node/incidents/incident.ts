/**
 * An incident of examples/incidents, read: the objects that a user applies, the world around them, the answer, and the
 * remedy. examples/incidents/README.md describes the format.
 *
 * Invariant: a field that the format does not have is an error, so that no part of an incident is without effect.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseAllDocuments } from "yaml";
import { applyMergePatch } from "../../cluster/apiserver/patch/merge-patch.ts";
import type { Json, KubeObject } from "../../cluster/values/types.ts";
import { checkedDuration, checkFields } from "../control/check-input.ts";
import { MachineError } from "../usage-error.ts";

/** Seen from the built command, and from this file. */
const FOLDERS = ["../examples/incidents", "../../examples/incidents"];
const EXTENSION = ".yaml";

/** The parts of the pack, in the order of its table. */
export const GROUPS = [
  "Pods cannot start",
  "Pods get no node",
  "Pods are refused",
  "The program fails",
  "The Job never ends",
  "Retries and rules",
  "The world intervenes",
  "The Job is not run",
  "CronJobs",
] as const;

/** Who says the cause: a part of the product. README.md says which of its codes that is. */
export const SOURCES = ["account", "verdict", "explain", "why", "pods", "event", "lint", "refusal"] as const;
export type Source = (typeof SOURCES)[number];

export interface Node {
  readonly name: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
}

/** Containers of pods that are like `when`: they end so, whatever the annotation of the pod says. */
export interface Program {
  readonly when: Json;
  readonly outcome: Readonly<Record<string, Json>>;
}

export interface ObjectReference {
  readonly kind: string;
  readonly name: string;
}

/** Something that is done at an instant, and again `times` times, each `every` later. One of the last four is there. */
export interface Step {
  readonly at: string;
  readonly every?: string;
  readonly times?: number;
  /** A POST of the control API. Its fields are in `with`. */
  readonly call?: string;
  /** A merge patch; `with` has it. The name of a Job with `pods: true` stands for its pods. */
  readonly patch?: ObjectReference & { readonly subresource?: string; readonly pods?: boolean };
  readonly with?: Readonly<Record<string, Json>>;
  readonly delete?: ObjectReference;
  readonly apply?: KubeObject;
}

export interface World {
  /** One node, unless given. */
  readonly nodes?: readonly Node[];
  readonly programs?: readonly Program[];
  readonly steps?: readonly Step[];
  /** How long it is looked at; an hour unless given. */
  readonly limit?: string;
}

export interface Answer {
  readonly cause: string;
  readonly by: Source;
  /** What is at fault: `container main`, `node node-1`, `field spec.suspend`. Who says the cause names it. */
  readonly object: string;
  /** The words that name it, where that is not done by its name. */
  readonly named?: string;
}

export interface Remedy {
  readonly says: string;
  /** Merge patches of the objects, before they are applied. */
  readonly patches?: readonly { readonly patch: ObjectReference; readonly with: Json }[];
  readonly steps?: readonly Step[];
}

export interface Incident {
  readonly name: string;
  readonly file: string;
  readonly group: (typeof GROUPS)[number];
  readonly title: string;
  readonly story: string;
  readonly world: World;
  readonly answer: Answer;
  readonly remedy: Remedy;
  /** What `stint run --runtime simulated` shows of it; undefined: it needs more of a world than that has. */
  readonly run: string | undefined;
  readonly objects: readonly KubeObject[];
  /** The Job or CronJob that the incident is about: the first one, unless given. */
  readonly subject: ObjectReference;
}

const FIELDS = {
  incident: [
    "apiVersion",
    "kind",
    "metadata",
    "group",
    "subject",
    "title",
    "story",
    "world",
    "answer",
    "remedy",
    "run",
  ],
  world: ["nodes", "programs", "steps", "limit"],
  node: ["name", "cpu", "memory", "pods", "labels", "taints"],
  program: ["when", "outcome"],
  step: ["at", "every", "times", "call", "patch", "with", "delete", "apply"],
  answer: ["cause", "by", "object", "named"],
  remedy: ["says", "patches", "steps"],
  patch: ["patch", "with"],
};

/** The folder of the incidents. @throws MachineError where they are not beside the command */
export function incidentFolder(): string {
  const folders = FOLDERS.map((folder) => resolve(import.meta.dirname, folder));
  const found = folders.find((folder) => existsSync(folder));
  if (found === undefined)
    throw new MachineError(`the incidents are not beside this command, in ${folders.join(" or ")}`);
  return found;
}

/** The names of all incidents. */
export function incidentNames(): string[] {
  return readdirSync(incidentFolder())
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => basename(file, EXTENSION))
    .sort();
}

export function isIncidentName(name: string): boolean {
  return incidentNames().includes(name);
}

/** @throws Error naming the file, and what is wrong with it */
export function readIncident(name: string): Incident {
  const file = join(incidentFolder(), `${name}${EXTENSION}`);
  try {
    return incidentOf(name, file, readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}

function incidentOf(name: string, file: string, text: string): Incident {
  const documents = parseAllDocuments(text).map((document) => {
    for (const error of document.errors) throw error;
    return document.toJS() as KubeObject;
  });
  const [said, ...more] = documents.filter(({ kind }) => kind === "Incident");
  if (said === undefined || more.length > 0) throw new Error("it has not exactly one document of the kind Incident");
  check(said);
  if (said.metadata.name !== name) throw new Error(`metadata.name is ${said.metadata.name}`);
  const objects = documents.filter((each) => each !== said);
  const { group, title, story, world = {}, answer, remedy, run, subject = firstOf(objects) } = said;
  return { name, file, group, title, story, world, answer, remedy, run, objects, subject };
}

function firstOf(objects: readonly KubeObject[]): ObjectReference {
  const first = objects.find(({ kind }) => kind === "Job" || kind === "CronJob");
  if (first === undefined) throw new Error("no Job and no CronJob");
  return { kind: first.kind!, name: first.metadata.name! };
}

function check(said: KubeObject): void {
  checkFields(said, "the incident", FIELDS.incident);
  if (!GROUPS.includes(said["group"])) throw new Error(`group is ${said["group"]}; allowed are ${GROUPS.join(", ")}`);
  for (const field of ["title", "story", "answer", "remedy"]) if (!(field in said)) throw new Error(`no ${field}`);
  const { world = {}, answer, remedy } = said;
  checkFields(world, "the world", FIELDS.world);
  checkFields(answer, "the answer", FIELDS.answer);
  checkFields(remedy, "the remedy", FIELDS.remedy);
  for (const node of world.nodes ?? []) checkFields(node, "a node", FIELDS.node);
  for (const program of world.programs ?? []) checkFields(program, "a program", FIELDS.program);
  for (const patch of remedy.patches ?? []) checkFields(patch, "a patch of the remedy", FIELDS.patch);
  for (const step of [...(world.steps ?? []), ...(remedy.steps ?? [])]) checkStep(step);
  if (!SOURCES.includes(answer.by)) throw new Error(`answer.by is ${answer.by}; allowed are ${SOURCES.join(", ")}`);
  if ((remedy.patches ?? remedy.steps ?? []).length === 0) throw new Error("the remedy does nothing");
}

function checkStep(step: Step): void {
  checkFields(step, "a step", FIELDS.step);
  checkedDuration(step.at, "at");
  const acts = [step.call, step.patch, step.delete, step.apply].filter((act) => act !== undefined);
  if (acts.length !== 1) throw new Error(`the step at ${step.at} does ${acts.length} things`);
}

/** The incident with its remedy: what is applied is patched, and the steps of the remedy are taken, too. */
export function repaired(incident: Incident): Incident {
  const { remedy, world } = incident;
  const objects = [...incident.objects];
  for (const { patch, with: change } of remedy.patches ?? []) {
    const at = objects.findIndex(({ kind, metadata }) => kind === patch.kind && metadata.name === patch.name);
    if (at < 0) throw new Error(`${incident.file}: the remedy patches ${patch.kind} ${patch.name}, which is not there`);
    objects[at] = applyMergePatch(objects[at] as Json, change) as unknown as KubeObject;
  }
  const steps = [...(world.steps ?? []), ...(remedy.steps ?? [])];
  return { ...incident, objects, world: { ...world, steps } };
}
