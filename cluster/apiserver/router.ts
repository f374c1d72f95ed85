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
  const segments = path.split("/");
  for (let place = 0; place < segments.length; place++) segments[place] = decodeSegment(segments[place]!);
  if (segments.at(-1) === "") segments.pop();
  const isCore = segments[1] === "api";
  const group = isCore ? "" : segments[2];
  if (group === undefined) return { kind: "discovery", group: undefined, hasVersion: false };
  if (!definitions.some((definition) => definition.group === group)) return { kind: "nothing" };
  const afterGroup = isCore ? 2 : 3;
  const version = segments[afterGroup];
  if (version === undefined) return { kind: "discovery", group: isCore ? undefined : group, hasVersion: false };
  if (!definitions.some((definition) => isOf(definition, group, version))) throw pathNotFound();
  const first = afterGroup + 1;
  if (segments.length === first) return { kind: "discovery", group, hasVersion: true };
  const find = (resource: string | undefined): ResourceDefinition | undefined =>
    definitions.find((definition) => definition.resource === resource && isOf(definition, group, version));
  return { kind: "resource", route: resourceRoute(segments, first, find) };
}

function isOf(definition: ResourceDefinition, group: string, version: string): boolean {
  return definition.group === group && definition.version === version;
}

function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** `first`: where the segments behind the version begin. */
function resourceRoute(segments: readonly string[], first: number, find: (resource: string | undefined) => ResourceDefinition | undefined): Route {
  const isNamespaced = segments[first] === "namespaces" && segments.length > first + 2;
  // Of three segments the third may be a subresource of the namespace.
  const isInNamespace = isNamespaced && !(segments.length === first + 3 && find("namespaces")?.subresources.some(({ name }) => name === segments[first + 2]));
  const start = isInNamespace ? first + 2 : first;
  const definition = find(segments[start]);
  if (!definition) throw pathNotFound();
  const name = segments[start + 1] ?? "";
  const subresourceName = segments[start + 2];
  const subresource = subresourceName === undefined ? undefined : definition.subresources.find((other) => other.name === subresourceName);
  if (segments.length > start + 3 || (subresourceName !== undefined && !subresource)) throw pathNotFound();
  // Names belong to a namespace; without one there is only the list over all namespaces.
  if (isInNamespace !== definition.isNamespaced && (isInNamespace || name !== "")) throw pathNotFound();
  return { definition, subresource, namespace: isInNamespace ? segments[first + 1]! : "", name };
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
