/** Finds the resource that the path of a request names. Leaves out paths that are not under /api or /apis. */
import type { Method } from "../../../bindings/js/host.ts";
import type { ResourceDefinition, Subresource, Verb } from "../contract/context.ts";
import { methodNotAllowed, pathNotFound } from "../contract/status-errors.ts";

export interface Route {
  readonly definition: ResourceDefinition;
  readonly subresource: Subresource | undefined;
  readonly namespace: string;
  readonly name: string;
}

/** What a path under /api or /apis names. */
export type Target =
  | { readonly kind: "resource"; readonly route: Route }
  /** A discovery document: the group version, a group, or the root `/api` or `/apis`. */
  | { readonly kind: "discovery"; readonly group: string | undefined; readonly version: string | undefined }
  /** Not even the group exists. */
  | { readonly kind: "nothing" };

/**
 * @param path without the query: `/apis/batch/v1/namespaces/default/jobs`
 * @throws ApiError 404 for an unknown resource, subresource or version of a known group
 */
export function resolve(path: string, definitions: readonly ResourceDefinition[]): Target {
  const index = indexOf(definitions);
  const known = knownRoute(path, index.collections);
  if (known !== undefined) return { kind: "resource", route: known };
  const target = resolveAnew(path, index);
  if (target.kind === "resource") note(path, target.route, index.collections);
  return target;
}

/** A collection in a namespace with recent requests. */
interface Collection {
  /** Without a slash at the end. */
  readonly path: string;
  readonly definition: ResourceDefinition;
  readonly namespace: string;
}

/** The size of the cache: components write pods, their bindings and events in one namespace or two. */
const MAX_COLLECTIONS = 8;

/** The route of a path in a cached collection. Undefined: the path must be parsed. */
function knownRoute(path: string, collections: readonly Collection[]): Route | undefined {
  for (const { path: collection, definition, namespace } of collections) {
    if (!path.startsWith(collection)) continue;
    const end = collection.length;
    if (path.length === end) return { definition, subresource: undefined, namespace, name: "" };
    if (path[end] !== "/" || path.includes("%", end)) continue;
    const slash = path.indexOf("/", end + 1);
    const name = path.slice(end + 1, slash < 0 ? undefined : slash);
    if (name === "") return undefined;
    if (slash < 0) return { definition, subresource: undefined, namespace, name };
    const rest = path.slice(slash + 1);
    const subresource = definition.subresources.find((other) => other.name === rest);
    return subresource && { definition, subresource, namespace, name };
  }
  return undefined;
}

function note(path: string, { definition, subresource, namespace, name }: Route, collections: Collection[]): void {
  const tail = `${name === "" ? "" : `/${name}`}${subresource ? `/${subresource.name}` : ""}`;
  if (namespace === "" || path.includes("%") || !path.endsWith(`/${definition.resource}${tail}`)) return;
  collections.unshift({ path: path.slice(0, path.length - tail.length), definition, namespace });
  collections.splice(MAX_COLLECTIONS);
}

function resolveAnew(path: string, { groups }: Index): Target {
  const segments = path.split("/");
  for (let place = 0; place < segments.length; place++) segments[place] = decodeSegment(segments[place]!);
  if (segments.at(-1) === "") segments.pop();
  const isCore = segments[1] === "api";
  const group = isCore ? "" : segments[2];
  if (group === undefined) return { kind: "discovery", group: undefined, version: undefined };
  const versions = groups.get(group);
  if (versions === undefined) return { kind: "nothing" };
  const afterGroup = isCore ? 2 : 3;
  const version = segments[afterGroup];
  if (version === undefined) return { kind: "discovery", group: isCore ? undefined : group, version };
  const served = versions.get(version);
  if (served === undefined) throw pathNotFound();
  const first = afterGroup + 1;
  if (segments.length === first) return { kind: "discovery", group, version };
  return { kind: "resource", route: resourceRoute(segments, first, served) };
}

interface Index {
  /** Definitions by group, version and resource. */
  readonly groups: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, ResourceDefinition>>>;
  /** The latest first. */
  readonly collections: Collection[];
}

/** Indexes by list of definitions. A server always passes the same list. */
const indexes = new WeakMap<readonly ResourceDefinition[], Index>();

function indexOf(definitions: readonly ResourceDefinition[]): Index {
  let index = indexes.get(definitions);
  if (index === undefined) {
    index = makeIndex(definitions);
    indexes.set(definitions, index);
  }
  return index;
}

function makeIndex(definitions: readonly ResourceDefinition[]): Index {
  const groups = new Map<string, Map<string, Map<string, ResourceDefinition>>>();
  for (const definition of definitions) {
    const { group, version, resource } = definition;
    const versions = groups.get(group) ?? new Map<string, Map<string, ResourceDefinition>>();
    const served = versions.get(version) ?? new Map<string, ResourceDefinition>();
    groups.set(group, versions.set(version, served.set(resource, definition)));
  }
  return { groups, collections: [] };
}

function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** `first` is the index of the first segment after the version. */
function resourceRoute(
  segments: readonly string[],
  first: number,
  served: ReadonlyMap<string, ResourceDefinition>,
): Route {
  const isNamespaced = segments[first] === "namespaces" && segments.length > first + 2;
  // If there are three segments, the third may be a subresource of the namespace.
  const isInNamespace =
    isNamespaced &&
    !(
      segments.length === first + 3 &&
      served.get("namespaces")?.subresources.some(({ name }) => name === segments[first + 2])
    );
  const start = isInNamespace ? first + 2 : first;
  const definition = served.get(segments[start]!);
  if (!definition) throw pathNotFound();
  const name = segments[start + 1] ?? "";
  const subresourceName = segments[start + 2];
  const subresource =
    subresourceName === undefined ? undefined : definition.subresources.find((other) => other.name === subresourceName);
  if (segments.length > start + 3 || (subresourceName !== undefined && !subresource)) throw pathNotFound();
  // A name needs a namespace. Without one there is only the list over all namespaces.
  if (isInNamespace !== definition.isNamespaced && (isInNamespace || name !== "")) throw pathNotFound();
  return { definition, subresource, namespace: isInNamespace ? segments[first + 1]! : "", name };
}

/** The verb of a request, if the resource has it. @throws ApiError 405 */
export function verbOf(method: Method, { definition, subresource, namespace, name }: Route, isWatch: boolean): Verb {
  const verb = verbFor(method, name !== "", subresource !== undefined, isWatch);
  const isOverAllNamespaces = definition.isNamespaced && namespace === "";
  if (
    !verb ||
    !(subresource ?? definition).verbs.includes(verb) ||
    (isOverAllNamespaces && verb !== "list" && verb !== "watch")
  )
    throw methodNotAllowed();
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
