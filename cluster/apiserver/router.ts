/** From the path of a request to the resource it names. Leaves out what is not under /api or /apis. */
import type { Method } from "../../bindings/js/host.ts";
import type { ResourceDefinition, Subresource, Verb } from "./definition.ts";
import { methodNotAllowed, pathNotFound } from "./status-errors.ts";

export interface Route {
  readonly definition: ResourceDefinition;
  readonly subresource: Subresource | undefined;
  readonly namespace: string;
  readonly name: string;
}

/** What a path under /api or /apis is about. */
export type Target =
  | { readonly kind: "resource"; readonly route: Route }
  /** A discovery document: the group version, a group, or the root `/api` or `/apis`. */
  | { readonly kind: "discovery"; readonly group: string | undefined; readonly hasVersion: boolean }
  /** Not even the group exists. */
  | { readonly kind: "nothing" };

/**
 * @param path without the query: `/apis/batch/v1/namespaces/default/jobs`
 * @throws ApiError 404 for an unknown resource, subresource or version of a known group
 */
export function resolve(path: string, definitions: readonly ResourceDefinition[]): Target {
  const segments = path.split("/").slice(1).map(decodeSegment);
  if (segments.at(-1) === "") segments.pop();
  const [root, ...rest] = segments;
  const group = root === "api" ? "" : rest.shift();
  if (group === undefined) return { kind: "discovery", group: undefined, hasVersion: false };
  const ofGroup = definitions.filter((definition) => definition.group === group);
  if (ofGroup.length === 0) return { kind: "nothing" };
  const version = rest.shift();
  if (version === undefined) return { kind: "discovery", group: root === "api" ? undefined : group, hasVersion: false };
  const served = ofGroup.filter((definition) => definition.version === version);
  if (served.length === 0) throw pathNotFound();
  if (rest.length === 0) return { kind: "discovery", group, hasVersion: true };
  return { kind: "resource", route: resourceRoute(rest, served) };
}

function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function resourceRoute(segments: readonly string[], served: readonly ResourceDefinition[]): Route {
  const find = (resource: string | undefined): ResourceDefinition => {
    const definition = served.find((other) => other.resource === resource);
    if (!definition) throw pathNotFound();
    return definition;
  };
  const isInNamespace = segments[0] === "namespaces" && segments.length > 2 && !isNamespaceSubresource(segments, served);
  const [resource, name = "", subresourceName, ...extra] = isInNamespace ? segments.slice(2) : segments;
  const definition = find(resource);
  const subresource = definition.subresources.find((other) => other.name === subresourceName);
  if (extra.length > 0 || (subresourceName !== undefined && !subresource)) throw pathNotFound();
  // Names belong to a namespace; without one there is only the list over all namespaces.
  if (isInNamespace !== definition.isNamespaced && (isInNamespace || name !== "")) throw pathNotFound();
  return { definition, subresource, namespace: isInNamespace ? segments[1]! : "", name };
}

function isNamespaceSubresource(segments: readonly string[], served: readonly ResourceDefinition[]): boolean {
  const namespaces = served.find((definition) => definition.resource === "namespaces");
  return segments.length === 3 && Boolean(namespaces?.subresources.some((subresource) => subresource.name === segments[2]));
}

/** The verb of a request, if the resource has it. @throws ApiError 405 */
export function verbOf(method: Method, { definition, subresource, namespace, name }: Route, isWatch: boolean): Verb {
  const verb = verbFor(method, name !== "", subresource !== undefined, isWatch);
  const isOverAllNamespaces = definition.isNamespaced && namespace === "";
  if (!verb || !(subresource ?? definition).verbs.includes(verb) || (isOverAllNamespaces && verb !== "list" && verb !== "watch")) throw methodNotAllowed();
  return verb;
}

function verbFor(method: Method, isItem: boolean, isSubresource: boolean, isWatch: boolean): Verb | undefined {
  switch (method) {
    case "GET":
      return isItem ? "get" : isWatch ? "watch" : "list";
    case "POST":
      return isItem && !isSubresource ? undefined : "create";
    case "PUT":
      return isItem ? "update" : undefined;
    case "PATCH":
      return isItem ? "patch" : undefined;
    case "DELETE":
      return isItem ? "delete" : "deletecollection";
    default:
      return undefined;
  }
}
