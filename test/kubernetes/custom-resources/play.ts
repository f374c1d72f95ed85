/**
 * Plays requests about custom resources on an API server, the real one or ours, and keeps the answers in a form in
 * which both can be compared. Leaves out managedFields, which test/kubernetes/apply compares.
 */
import { isObject } from "../../../cluster/values/json.ts";
import type { Json, JsonObject } from "../../../cluster/index.ts";
import { comparable, type Send } from "../apply/play.ts";
import { crds, widget, widgetDefinition } from "./widgets.ts";

export type Verb = "create" | "update" | "merge" | "json" | "strategic" | "apply" | "get" | "delete" | "list";

/** One request. Without a name it is about the object `w`. */
export interface Step {
  readonly verb: Verb;
  /** Of an object; a definition is named by its plural. */
  readonly name?: string;
  readonly version?: string;
  readonly subresource?: string;
  readonly query?: string;
  /** What is sent as it is. */
  readonly body?: Json;
  /** The spec of an object to be created or updated, and what it has beside that. */
  readonly spec?: object;
  readonly rest?: object;
  /** The step is about the definition: the body is made by this function. */
  readonly definition?: (group: string) => Json;
}

export interface Sequence {
  /** What it shows. */
  readonly name: string;
  /** The one version of its Widgets beside the schema; undefined: the sequence begins with no definition. */
  readonly version?: object;
  readonly steps: readonly Step[];
}

const contentTypes: Readonly<Partial<Record<Verb, string>>> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};
const methods: Readonly<Record<Verb, string>> = {
  create: "POST",
  update: "PUT",
  merge: "PATCH",
  json: "PATCH",
  strategic: "PATCH",
  apply: "PATCH",
  get: "GET",
  list: "GET",
  delete: "DELETE",
};

/**
 * The comparable answers to the steps.
 * @param group of the sequence alone
 * @param settle lets the server do what it does after a write of a definition
 */
export async function play(
  { version, steps }: Sequence,
  group: string,
  send: Send,
  settle: (path: string) => Promise<void>,
): Promise<Json[]> {
  const path = `${crds}/widgets.${group}`;
  if (version !== undefined) {
    await send("POST", crds, widgetDefinition(group, version));
    await settle(path);
  }
  const versions = new Map<string, string>();
  const answers: Json[] = [];
  for (const step of steps) {
    const answer = await ask(step, group, send);
    if (step.definition !== undefined || step.name?.includes(".")) await settle(path);
    // Others write meanwhile, so a list has any version.
    const body = plain(answer.body, step.verb !== "list");
    answers.push(withoutOrder(comparable({ ...answer, body }, versions)));
  }
  return answers;
}

async function ask(step: Step, group: string, send: Send) {
  const { verb, name = "w", subresource, query, definition, version = "v1" } = step;
  const isDefinition = definition !== undefined || name.includes(".");
  const collection = isDefinition ? crds : `/apis/${group}/${version}/namespaces/default/widgets`;
  const object = `${collection}/${isDefinition ? `widgets.${group}` : name}${subresource ? `/${subresource}` : ""}`;
  const target = verb === "create" || verb === "list" ? collection : object;
  const path = query === undefined ? target : `${target}?${query}`;
  if (verb !== "update") return send(methods[verb], path, bodyOf(step, group, name), contentTypes[verb]);
  const { body: current } = await send("GET", object);
  const given = definition?.(group) as JsonObject | undefined;
  const next = given === undefined ? changed(current as JsonObject, step) : withVersionOf(given, current as JsonObject);
  return send("PUT", path, next);
}

function bodyOf({ verb, body, spec, rest, definition }: Step, group: string, name: string): Json | undefined {
  if (definition !== undefined) return definition(group);
  if (body !== undefined || (verb !== "create" && verb !== "apply")) return body;
  return widget(group, name, spec, rest);
}

function changed(current: JsonObject, { body, spec, rest }: Step): JsonObject {
  if (isObject(body)) return { ...current, ...body };
  return { ...current, ...(spec !== undefined && { spec: { ...(current["spec"] as object), ...spec } }), ...rest };
}

function withVersionOf(given: JsonObject, { metadata }: JsonObject): JsonObject {
  const { resourceVersion } = metadata as JsonObject;
  return { ...given, metadata: { ...(given["metadata"] as JsonObject), resourceVersion: resourceVersion! } };
}

/** A body without managers, without the versions of lists and items, and without a token that is empty. */
function plain(body: Json, isRoot = false): Json {
  if (Array.isArray(body)) return body.map((item) => plain(item));
  if (!isObject(body)) return body;
  const members = Object.entries(body).filter(
    ([name, value]) => name !== "managedFields" && !(name === "continue" && value === ""),
  );
  const kept = members.map(([name, value]) => [name, plain(value, isRoot && name === "metadata")] as const);
  return Object.fromEntries(isRoot ? kept : kept.filter(([name]) => name !== "resourceVersion"));
}

/** What an error shows of a definition: the real server shows its own structs. */
const VERSIONS = /(?<=Invalid value: )\[\{.*\}\](?=: must )/gs;
/** The object in the error of a patch, whose members have another order. */
const PATCHED = /(?<=patch: Invalid value: )"\{.*\}"|(?<=^Invalid value: )"\{.*\}"/gs;

/** The real server names violations in no order; the message has them all, as the causes do. */
function withoutOrder(answer: Json): Json {
  const { body } = answer as { body: { message?: string; details?: { causes?: { message: string }[] } } };
  const causes = body.details?.causes ?? [];
  for (const cause of causes) cause.message = cause.message.replace(VERSIONS, "VERSIONS").replace(PATCHED, "OBJECT");
  if (body.message === undefined) return answer;
  body.message =
    causes.length > 1
      ? body.message.replace(/ is invalid: .*/s, " is invalid")
      : body.message.replace(VERSIONS, "VERSIONS").replace(PATCHED, "OBJECT");
  return answer;
}
