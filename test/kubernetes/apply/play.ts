/**
 * Plays writes by several managers on an API server, the real one or ours, and keeps the answers in a form in which
 * both can be compared: without times and uids, with versions numbered in their order, and managers in the order of
 * their names.
 */
import { applyMergePatch } from "../../../cluster/apiserver/patch/merge-patch.ts";
import { isObject } from "../../../cluster/values/json.ts";
import type { Json, JsonObject } from "../../../cluster/index.ts";

/** One request. Objects of a sequence have names of its own. */
export interface Step {
  /** The field manager. */
  readonly as?: string;
  readonly verb: "apply" | "create" | "update" | "merge" | "strategic" | "json" | "get" | "delete";
  readonly kind: Kind;
  readonly name?: string;
  readonly subresource?: string;
  /**
   * What is sent; for an update a merge patch of what the server has. What is created or applied gets its apiVersion,
   * kind and name, unless it has an apiVersion. A text is sent as it is.
   */
  readonly body?: Json;
  /** Beside the manager: `force=true`. */
  readonly query?: string;
}

export interface Sequence {
  /** What it shows. */
  readonly name: string;
  readonly steps: readonly Step[];
}

export type Kind = "ConfigMap" | "Job" | "Namespace" | "Node" | "Pod" | "Secret" | "Lease";

const resources: Readonly<Record<Kind, readonly [apiVersion: string, collection: string]>> = {
  ConfigMap: ["v1", "/api/v1/namespaces/default/configmaps"],
  Secret: ["v1", "/api/v1/namespaces/default/secrets"],
  Pod: ["v1", "/api/v1/namespaces/default/pods"],
  Job: ["batch/v1", "/apis/batch/v1/namespaces/default/jobs"],
  Lease: ["coordination.k8s.io/v1", "/apis/coordination.k8s.io/v1/namespaces/default/leases"],
  Namespace: ["v1", "/api/v1/namespaces"],
  Node: ["v1", "/api/v1/nodes"],
};

export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly warnings: readonly string[];
}

/** Sends one request. */
export type Send = (method: string, path: string, body?: Json, contentType?: string) => Promise<Answer> | Answer;

const requests: Readonly<Record<Step["verb"], readonly [method: string, contentType?: string]>> = {
  apply: ["PATCH", "application/apply-patch+yaml"],
  create: ["POST"],
  update: ["PUT"],
  merge: ["PATCH", "application/merge-patch+json"],
  strategic: ["PATCH", "application/strategic-merge-patch+json"],
  json: ["PATCH", "application/json-patch+json"],
  get: ["GET"],
  delete: ["DELETE"],
};

/**
 * The comparable answers to the steps of a sequence.
 * @param object the name of the object, unless a step has another
 */
export async function play({ steps }: Sequence, object: string, send: Send): Promise<Json[]> {
  const versions = new Map<string, string>();
  const answers: Json[] = [];
  for (const step of steps) answers.push(comparable(await ask({ name: object, ...step }, send), versions));
  return answers;
}

async function ask(step: Step & { readonly name: string }, send: Send): Promise<Answer> {
  const { as, verb, kind, name, subresource, query } = step;
  const [, collection] = resources[kind];
  const object = `${collection}/${name}`;
  const parameters = [as === undefined ? "" : `fieldManager=${encodeURIComponent(as)}`, query ?? ""].filter(
    (part) => part !== "",
  );
  const path = verb === "create" ? collection : subresource === undefined ? object : `${object}/${subresource}`;
  const target = parameters.length === 0 ? path : `${path}?${parameters.join("&")}`;
  const [method, contentType] = requests[verb];
  if (verb !== "update") return send(method, target, bodyOf(step), contentType);
  const { body: current } = await send("GET", object);
  return send(method, target, applyMergePatch(current, step.body ?? {}), contentType);
}

function bodyOf({ verb, kind, name, body }: Step & { readonly name: string }): Json | undefined {
  if ((verb !== "apply" && verb !== "create") || !isObject(body) || "apiVersion" in body) return body;
  const metadata = { name, ...(body["metadata"] as JsonObject | undefined) };
  return { apiVersion: resources[kind][0], kind, ...body, metadata };
}

/** The answers to a sequence as they are recorded: one line. */
export function written({ name }: Pick<Sequence, "name">, answers: readonly Json[]): string {
  return JSON.stringify({ name, answers });
}

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** A pod template in the text of an error: the real server shows its own structs. */
const GO_STRUCT =
  /\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*\})*\})*\}(?=: field is immutable)/g;
/** What is wrong with a text that is no YAML: each reader has its own words. */
const YAML_ERROR = /(error (?:decoding YAML: error converting YAML to JSON|encoding patch): yaml: )(?:[^"\\]|\\.)*/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** An answer without what differs in each run. */
export function comparable({ status, body, warnings }: Answer, versions: Map<string, string>): Json {
  const text = JSON.stringify(body)
    .replace(UID, "UID")
    .replace(TIME, "TIME")
    .replace(GO_STRUCT, "OBJECT")
    .replace(YAML_ERROR, "$1");
  const value = JSON.parse(text) as JsonObject;
  const details = value["details"] as { causes?: Json[] } | undefined;
  if (details?.causes !== undefined) details.causes = distinct(details.causes);
  const metadata = value["metadata"] as JsonObject | undefined;
  if (typeof metadata?.["resourceVersion"] === "string") {
    const { resourceVersion } = metadata;
    if (!versions.has(resourceVersion)) versions.set(resourceVersion, `#${versions.size + 1}`);
    metadata["resourceVersion"] = versions.get(resourceVersion)!;
  }
  if (Array.isArray(metadata?.["managedFields"])) metadata["managedFields"].sort(byManager as never);
  return { status, body: value, ...(warnings.length > 0 && { warnings: [...warnings] }) };
}

/** The real server says some things twice, and conflicts with managers in no order. */
function distinct(causes: readonly Json[]): Json[] {
  const texts = new Set(causes.map((cause) => JSON.stringify(cause)));
  return [...texts].sort().map((text) => JSON.parse(text) as Json);
}

function byManager(a: JsonObject, b: JsonObject): number {
  const key = ({ operation, manager, apiVersion, subresource }: JsonObject): string =>
    JSON.stringify([operation, manager, apiVersion, subresource]);
  return key(a) < key(b) ? -1 : 1;
}
