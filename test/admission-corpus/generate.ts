/**
 * The cases of the corpus: a valid Job, or Pod, of some parts, and one to three changes of it; or an update of a Job
 * that is there. A case is a function of the seed and its number alone.
 */
import { isObject } from "../../cluster/values/json.ts";
import type { Json, JsonObject } from "../../cluster/values/types.ts";
import { Chance } from "../simulation/chance.ts";
import { mutate } from "./mutate.ts";
import type { Field } from "./schema.ts";
import { CONTAINER, CONTAINER_PARTS, EDITS, HANDLERS, JOB_SPECS, METADATA, POD_PARTS, VOLUMES } from "./specimens.ts";

export interface Kinds {
  readonly Job: Field;
  readonly Pod: Field;
}

/** How strict the server is about fields that are none. */
export type FieldValidation = "Strict" | "Warn";

export interface CorpusCase {
  readonly number: number;
  readonly kind: keyof Kinds;
  readonly verb: "create" | "update";
  readonly fieldValidation: FieldValidation;
  /** The object of a create. Of an update: the changes, to be made to the object that is there. */
  readonly change: (stored?: JsonObject) => JsonObject;
  /** The name of the Job that an update is about. */
  readonly name: string;
}

const NAME = "corpus";
const UPDATE_SHARE = 0.18;
const POD_SHARE = 0.12;
const MAX_PARTS = 3;

/** The Jobs that the updates are about: as they are created, and what a controller has then said of them. */
export const STORED_JOBS: readonly { readonly job: JsonObject; readonly status?: JsonObject }[] = JOB_SPECS.filter(
  (spec) => !("manualSelector" in spec),
).flatMap((spec, index) => {
  const job = jobOf(`stored-${index}`, spec, {
    containers: [{ ...CONTAINER, resources: { requests: { cpu: "1" } } }],
    nodeSelector: { disk: "fast" },
  });
  if (spec["suspend"] !== true) return [{ job }];
  const running = jobOf(`stored-${index}-active`, spec, {});
  return [{ job }, { job: running, status: { active: 1, startTime: "2026-01-01T00:00:00Z" } }];
});

/** The case with this number. */
export function generate(seed: number, number: number, kinds: Kinds): CorpusCase {
  const chance = new Chance(seed, `case ${number}`);
  const fieldValidation = chance.isHit(0.5) ? "Strict" : "Warn";
  const base = { number, fieldValidation } as const;
  if (chance.isHit(UPDATE_SHARE)) {
    const name = nameOf(chance.pick(STORED_JOBS).job);
    const change = (stored: JsonObject = {}): JsonObject => update(stored, chance.fork("update"), kinds.Job);
    return { ...base, kind: "Job", verb: "update", name, change };
  }
  const kind = chance.isHit(POD_SHARE / (1 - UPDATE_SHARE)) ? "Pod" : "Job";
  const object = kind === "Pod" ? validPod(chance) : validJob(chance);
  mutateSome(object, kinds[kind], chance, kind);
  return { ...base, kind, verb: "create", name: NAME, change: () => object };
}

function update(stored: JsonObject, chance: Chance, kind: Field): JsonObject {
  const object = structuredClone(stored);
  if (chance.isHit(0.6)) merge(object["spec"] as JsonObject, chance.pick(EDITS));
  else mutateSome(object, kind, chance, "Job");
  return object;
}

function mutateSome(object: JsonObject, field: Field, chance: Chance, kind: keyof Kinds): void {
  const count = chance.weighted([
    { weight: 6, count: 1 },
    { weight: 3, count: 2 },
    { weight: 1, count: 3 },
  ]).count;
  for (let i = 0; i < count; i++) {
    // What Jobs have more than Pods would else be hit rarely: a pod has hundreds of fields.
    const within = kind === "Job" && chance.isHit(0.4) ? "spec" : undefined;
    mutate(object, field, chance, within);
  }
}

function validJob(chance: Chance): JsonObject {
  const spec = structuredClone(chance.pick(JOB_SPECS));
  const job = jobOf(NAME, spec, podSpec(chance));
  if (chance.isHit(0.4)) Object.assign(job["metadata"] as JsonObject, structuredClone(chance.pick(METADATA)));
  const template = (job["spec"] as JsonObject)["template"] as JsonObject;
  const metadata =
    "manualSelector" in spec ? { labels: { app: "corpus" } } : chance.pick([{}, ...METADATA.slice(0, 2)]);
  template["metadata"] = structuredClone(metadata);
  return job;
}

function jobOf(name: string, spec: JsonObject, pod: JsonObject): JsonObject {
  const template = { metadata: {}, spec: { restartPolicy: "Never", containers: [{ ...CONTAINER }], ...pod } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { ...structuredClone(spec), template } };
}

function validPod(chance: Chance): JsonObject {
  const metadata = { name: NAME, ...structuredClone(chance.pick([{}, ...METADATA])) };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: podSpec(chance) };
}

function podSpec(chance: Chance): JsonObject {
  const spec: JsonObject = { restartPolicy: "Never" };
  for (let i = chance.integer(0, MAX_PARTS); i > 0; i--) Object.assign(spec, structuredClone(chance.pick(POD_PARTS)));
  const volumes = Array.from({ length: chance.integer(0, 2) }, (_none, index) => ({
    name: `volume-${index}`,
    ...structuredClone(chance.pick(VOLUMES)),
  }));
  if (volumes.length > 0) spec["volumes"] = volumes;
  spec["containers"] = [container("main", chance, HANDLERS, volumes)];
  if (chance.isHit(0.15)) (spec["containers"] as Json[]).push(container("second", chance, HANDLERS, volumes));
  const initializing = [
    ...(chance.isHit(0.15) ? [container("first", chance, [], volumes)] : []),
    ...(chance.isHit(0.15) ? [{ ...container("sidecar", chance, HANDLERS, []), restartPolicy: "Always" }] : []),
  ];
  if (initializing.length > 0) spec["initContainers"] = initializing;
  return spec;
}

function container(
  name: string,
  chance: Chance,
  handlers: readonly JsonObject[],
  volumes: readonly { readonly name: string }[],
): JsonObject {
  const parts = [...CONTAINER_PARTS, ...handlers];
  const made: JsonObject = { ...CONTAINER, name };
  for (let i = chance.integer(0, MAX_PARTS); i > 0; i--) Object.assign(made, structuredClone(chance.pick(parts)));
  if (volumes.length > 0) {
    made["volumeMounts"] = volumes.map((volume) => ({ name: volume.name, mountPath: `/mnt/${volume.name}` }));
  }
  return made;
}

export const nameOf = (object: JsonObject): string => (object["metadata"] as JsonObject)["name"] as string;

/** As a merge patch: null takes a member away. */
function merge(target: JsonObject, changes: JsonObject): void {
  for (const [name, value] of Object.entries(changes)) {
    const known = target[name];
    if (value === null) delete target[name];
    else if (isObject(value) && isObject(known)) merge(known, value);
    else target[name] = structuredClone(value);
  }
}
