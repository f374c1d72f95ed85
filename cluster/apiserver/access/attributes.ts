/**
 * The attributes of a request for authorization: a verb, and a resource or a path. They come from the path alone,
 * whether or not such a resource is served.
 */
import type { ServerRequest, User } from "../contract/context.ts";
import { Query } from "../contract/query.ts";

export interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  /** Empty: the resource itself. */
  readonly subresource: string;
  /** Empty: all namespaces, or none. */
  readonly namespace: string;
  /** Empty: all. */
  readonly name: string;
}

export interface Attributes {
  readonly user: User;
  readonly verb: string;
  /** A path, if it is not a resource's. */
  readonly target: ResourceAttributes | string;
}

const VERBS: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
const NAMESPACE_SUBRESOURCES: readonly string[] = ["status", "finalize"];

export function attributesOf({ method, path }: ServerRequest, user: User): Attributes {
  // The query begins at the first question mark, and may have more of them.
  const [, address = "", query = ""] = /^([^?]*)\??(.*)$/s.exec(path)!;
  const resource = resourceOf(address);
  if (resource === undefined) return { user, verb: method.toLowerCase(), target: address };
  return verbOf(method, resource, new Query(query), user);
}

function resourceOf(address: string): ResourceAttributes | undefined {
  const parts = address
    .replace(/^\/+|\/+$/g, "")
    .split("/")
    .map(decoded);
  const isCore = parts[0] === "api";
  if (!(isCore || parts[0] === "apis") || parts.length < (isCore ? 3 : 4)) return undefined;
  const group = isCore ? "" : parts[1]!;
  const rest = parts.slice(isCore ? 2 : 3);
  const isNamespace = rest[0] === "namespaces" && rest.length > 1;
  const isInside = isNamespace && rest.length > 2 && !NAMESPACE_SUBRESOURCES.includes(rest[2]!);
  const [resource = "", name = "", subresource = ""] = isInside ? rest.slice(2) : rest;
  return { group, resource, subresource, namespace: isNamespace ? rest[1]! : "", name };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A collection has its own verbs, and a list that selects one object by name is about that object. */
function verbOf(method: string, resource: ResourceAttributes, query: Query, user: User): Attributes {
  const verb = VERBS[method] ?? "";
  if (resource.name !== "" || (verb !== "get" && verb !== "delete")) return { user, verb, target: resource };
  if (verb === "delete") return { user, verb: "deletecollection", target: resource };
  const [, name = ""] = /(?:^|,)metadata\.name==?([^,!=]+)/.exec(query.text("fieldSelector")) ?? [];
  return { user, verb: query.boolean("watch") ? "watch" : "list", target: { ...resource, name } };
}
