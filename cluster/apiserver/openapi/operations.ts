/**
 * The paths of a resource and of its subresources in an OpenAPI v3 document: an operation for each verb, with its kind
 * and its action, by which clients find it. Leaves out the deprecated paths under /watch/, which this server does not
 * have.
 */
import type { ResourceDefinition, Subresource, Verb } from "../contract/context.ts";
import { parameter, parametersOf } from "./parameters.ts";
import { PATCH } from "./plain-schemas.ts";
import type { Components, GroupVersionKind, Schema } from "./schemas.ts";

export type Paths = Record<string, Readonly<Record<string, unknown>>>;
type Asked = Exclude<Verb, "watch">;
type Code = keyof typeof sentences;

/** The operations of one path. */
interface Place {
  readonly path: string;
  readonly inPath: readonly string[];
  readonly verbs: readonly Verb[];
  /** What ids of operations say between the group and the kind: `Namespaced`. */
  readonly scope: string;
  readonly suffix: string;
  readonly subresource: Subresource | undefined;
  readonly kind: GroupVersionKind;
  readonly self: Schema;
}

const sentences = { 200: "OK", 201: "Created", 202: "Accepted" } as const;
const json = "application/json";
const protobuf = "application/vnd.kubernetes.protobuf";
const mediaTypes = [json, "application/yaml", protobuf];
const streamTypes = [`${json};stream=watch`, `${protobuf};stream=watch`];
const patchTypes = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];
const methods: Readonly<Record<Asked, string>> = {
  create: "post",
  delete: "delete",
  deletecollection: "delete",
  get: "get",
  list: "get",
  patch: "patch",
  update: "put",
};
const codes: Readonly<Record<Asked, readonly Code[]>> = {
  create: [200, 201, 202],
  delete: [200, 202],
  deletecollection: [200],
  get: [200],
  list: [200],
  patch: [200, 201],
  update: [200, 201],
};
/** How the id of an operation begins. */
const words: Readonly<Record<Asked, string>> = {
  create: "create",
  delete: "delete",
  deletecollection: "delete",
  get: "read",
  list: "list",
  patch: "patch",
  update: "replace",
};
/** Subresources whose requests become streams, and the kind that their parameters are. */
const connected: Readonly<Record<string, string>> = {
  attach: "PodAttachOptions",
  exec: "PodExecOptions",
  portforward: "PodPortForwardOptions",
};

/** `api/v1`, `apis/batch/v1`. */
export function pathOf({ group, version }: Pick<ResourceDefinition, "group" | "version">): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** All paths of a resource. The schemas that its operations name are added to the components. */
export function pathsOf(definition: ResourceDefinition, components: Components): Paths {
  const { group, version, resource, isNamespaced, body, subresources } = definition;
  const base = `/${pathOf(definition)}`;
  const collection = `${base}${isNamespaced ? "/namespaces/{namespace}" : ""}/${resource}`;
  const inPath = isNamespaced ? ["namespace"] : [];
  const kind = { group, version, kind: body.kind };
  const common = {
    scope: isNamespaced ? "Namespaced" : "",
    suffix: "",
    subresource: undefined,
    kind,
    self: components.kind(kind, body.type.name),
  };
  const only = (...verbs: Verb[]): Verb[] => verbs.filter((verb) => definition.verbs.includes(verb));
  const item = `${collection}/{name}`;
  const places: Place[] = [
    { ...common, path: collection, inPath, verbs: only("create", "deletecollection", "list") },
    { ...common, path: item, inPath: [...inPath, "name"], verbs: only("delete", "get", "patch", "update") },
    ...subresources.map((subresource) => ({
      ...common,
      path: `${item}/${subresource.name}`,
      inPath: [...inPath, "name"],
      verbs: subresource.verbs,
      suffix: subresource.name[0]!.toUpperCase() + subresource.name.slice(1),
      subresource,
      ...ownKind(definition, subresource, components),
    })),
  ];
  if (isNamespaced)
    places.push({
      ...common,
      path: `${base}/${resource}`,
      inPath: [],
      verbs: only("list"),
      scope: "",
      suffix: "ForAllNamespaces",
    });
  return Object.fromEntries(
    places
      .filter(({ verbs }) => verbs.length > 0)
      .map((place) => [
        place.path,
        {
          ...Object.fromEntries(
            place.subresource && place.subresource.name in connected
              ? ["get", "post"].map((method) => [method, connection(definition, place, method)])
              : place.verbs.map((verb) => [
                  methods[verb as Asked],
                  operation(definition, place, verb as Asked, components),
                ]),
          ),
          parameters: [...place.inPath.map((name) => parameter(name, "path")), parameter("pretty")],
        },
      ]),
  );
}

/** The kind of a subresource: often the resource's own, else one of another group. */
function ownKind(
  { group, version, body }: ResourceDefinition,
  { kind, groupVersion, name }: Subresource,
  components: Components,
): Pick<Place, "kind" | "self"> {
  const own = { ...(groupVersion ?? { group, version }), kind };
  if (name in connected) return { kind: { ...own, kind: connected[name]! }, self: { type: "string" } };
  if (name === "log") return { kind: own, self: { type: "string" } };
  return { kind: own, self: components.kind(own, kind === body.kind ? body.type.name : kind) };
}

function operation(definition: ResourceDefinition, place: Place, verb: Asked, components: Components): object {
  const { subresource, kind, self } = place;
  const collection = verb === "deletecollection" ? "Collection" : "";
  const body = verb === "create" || verb === "update" ? self : bodyOf(verb, components);
  const isLog = subresource?.name === "log";
  const answer =
    verb === "list"
      ? components.list(definition)
      : verb === "deletecollection" || (verb === "delete" && !definition.returnsDeletedObject)
        ? components.meta("Status")
        : self;
  if (verb === "list") components.meta("WatchEvent");
  return {
    description: describe(verb, definition.body.kind, subresource),
    operationId: `${words[verb]}${groupName(definition)}${collection}${idOf(definition, place)}`,
    parameters: parametersOf[isLog ? "log" : verb].map((name) => parameter(name)),
    ...(body && { requestBody: requestBody(body, verb) }),
    responses: {
      ...Object.fromEntries(
        codes[verb].map((code) => [
          code,
          {
            description: sentences[code],
            content: content(
              answer,
              verb === "list" ? [...mediaTypes, ...streamTypes] : isLog ? ["text/plain"] : mediaTypes,
            ),
          },
        ]),
      ),
      401: { description: "Unauthorized" },
    },
    tags: [tagOf(definition)],
    "x-kubernetes-action": verb === "create" ? "post" : verb === "update" ? "put" : verb,
    "x-kubernetes-group-version-kind": kind,
  };
}

function connection(definition: ResourceDefinition, place: Place, method: string): object {
  const name = place.subresource!.name as "attach" | "exec" | "portforward";
  const word = method === "get" ? "Get" : "Post";
  return {
    description: `connect ${method.toUpperCase()} requests to ${name} of ${definition.body.kind}`,
    operationId: `connect${groupName(definition)}${word}${idOf(definition, place)}`,
    parameters: parametersOf[name].map((parameterName) => parameter(parameterName)),
    responses: {
      200: { description: "OK", content: content(place.self, ["*/*"]) },
      401: { description: "Unauthorized" },
    },
    tags: [tagOf(definition)],
    "x-kubernetes-action": "connect",
    "x-kubernetes-group-version-kind": place.kind,
  };
}

function bodyOf(verb: Asked, components: Components): Schema | undefined {
  if (verb === "patch") return components.plain(PATCH);
  return verb === "delete" || verb === "deletecollection" ? components.meta("DeleteOptions") : undefined;
}

function requestBody(schema: Schema, verb: Asked): object {
  const isRequired = verb !== "delete" && verb !== "deletecollection";
  return { content: content(schema, verb === "patch" ? patchTypes : ["*/*"]), ...(isRequired && { required: true }) };
}

function content(schema: Schema, types: readonly string[]): object {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function describe(verb: Asked, kind: string, subresource: Subresource | undefined): string {
  const one = `${/^[AEIOU]/.test(kind) ? "an" : "a"} ${kind}`;
  const specified = `${subresource ? `${subresource.name} of ` : ""}the specified ${kind}`;
  switch (verb) {
    case "create":
      return subresource ? `create ${subresource.name} of ${one}` : `create ${one}`;
    case "delete":
      return `delete ${one}`;
    case "deletecollection":
      return `delete collection of ${kind}`;
    case "get":
      return `read ${specified}`;
    case "list":
      return `list or watch objects of kind ${kind}`;
    case "patch":
      return `partially update ${specified}`;
    case "update":
      return `replace ${specified}`;
  }
}

/** `NamespacedPodStatus`. */
function idOf({ body }: ResourceDefinition, { scope, suffix }: Place): string {
  return `${scope}${body.kind}${suffix}`;
}

/** `CoreV1`, `BatchV1`, `RbacAuthorizationV1`. */
function groupName({ group, version }: ResourceDefinition): string {
  return [...groupWords(group), version].map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}

/** `core_v1`, `rbacAuthorization_v1`. */
function tagOf({ group, version }: ResourceDefinition): string {
  const [first, ...rest] = groupWords(group);
  return `${first}${rest.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("")}_${version}`;
}

function groupWords(group: string): string[] {
  return group === "" ? ["core"] : group.replace(/\.k8s\.io$/, "").split(".");
}
