/**
 * Discovery: the groups, versions and resources. Here in the older form, with a document for each group version;
 * aggregated-discovery.ts has the newer one.
 */
import type { ApiRequest } from "../../bindings/js/host.ts";
import { acceptsAggregated, aggregated, aggregatedMediaType } from "./aggregated-discovery.ts";
import type { ResourceDefinition, Verb } from "./definition.ts";
import type { Document } from "./documents.ts";
import { textHash } from "./etag.ts";
import { write } from "./render.ts";
import { methodNotAllowed } from "./status-errors.ts";
import { byPriority } from "./version-priority.ts";

const json = { "content-type": "application/json" };

/**
 * What is served below /api and /apis: the document of a group version, of a group, or of all groups.
 * @throws ApiError 405
 */
export function discoveryDocument(
  { group, version }: { readonly group: string | undefined; readonly version: string | undefined },
  { method, path, headers }: ApiRequest,
  definitions: readonly ResourceDefinition[],
  isIndented: boolean,
): Document {
  if (method !== "GET") throw methodNotAllowed();
  if (group !== undefined) {
    const document =
      version === undefined ? legacyGroup(definitions, group) : legacyResources(definitions, group, version);
    return { code: 200, body: write(document, isIndented), headers: json };
  }
  const isCore = /^\/api(\/|\?|$)/.test(path);
  if (acceptsAggregated(headers["accept"] ?? ""))
    return cached(write(aggregated(definitions, isCore), isIndented), headers["if-none-match"]);
  const document = isCore ? legacyCore(headers["host"] ?? "localhost") : legacyGroups(definitions);
  return { code: 200, body: write(document, isIndented), headers: { ...json, vary: "Accept" } };
}

/** @param known the entity tag of the document that the client has */
function cached(body: string, known: string | undefined): Document {
  const etag = `"${textHash(body)}"`;
  const headers = { "content-type": aggregatedMediaType, "cache-control": "public", etag, vary: "Accept" };
  return known === etag ? { code: 304, body: "", headers } : { code: 200, body, headers };
}

export function groupsOf(definitions: readonly ResourceDefinition[]): string[] {
  return [...new Set(definitions.map((definition) => definition.group))].filter((group) => group !== "");
}

/** The versions of a group, the preferred one first: v2, v1, v1beta2, v1beta1, v1alpha1, then others by name. */
export function versionsOf(definitions: readonly ResourceDefinition[], group: string): string[] {
  const versions = definitions.filter((definition) => definition.group === group).map(({ version }) => version);
  return [...new Set(versions)].toSorted(byPriority);
}

/** @param host the server's address as the client sees it, `127.0.0.1:8080` */
export function legacyCore(host: string): object {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: host }],
  };
}

/** The document of /apis. */
export function legacyGroups(definitions: readonly ResourceDefinition[]): object {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groupsOf(definitions).map((group) => groupEntry(definitions, group)),
  };
}

/** The document of /apis/GROUP. */
export function legacyGroup(definitions: readonly ResourceDefinition[], group: string): object {
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(definitions, group) };
}

function groupEntry(definitions: readonly ResourceDefinition[], name: string): object {
  const versions = versionsOf(definitions, name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

/** In the order of their names, in which kubectl shows them. */
export function servedIn(
  definitions: readonly ResourceDefinition[],
  group: string,
  version: string,
): ResourceDefinition[] {
  return definitions
    .filter((definition) => definition.group === group && definition.version === version)
    .toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
}

/** The document of a group version: its resources and subresources. */
export function legacyResources(definitions: readonly ResourceDefinition[], group: string, version: string): object {
  const entries = servedIn(definitions, group, version).flatMap((definition) => [
    {
      name: definition.resource,
      singularName: definition.singular,
      namespaced: definition.isNamespaced,
      kind: definition.body.kind,
      verbs: sorted(definition.verbs),
      ...(definition.shortNames.length > 0 && { shortNames: definition.shortNames }),
      ...(definition.categories.length > 0 && { categories: definition.categories }),
    },
    ...definition.subresources.map((subresource) => ({
      name: `${definition.resource}/${subresource.name}`,
      singularName: "",
      namespaced: definition.isNamespaced,
      ...subresource.groupVersion,
      kind: subresource.kind,
      verbs: sorted(subresource.verbs),
    })),
  ]);
  return {
    kind: "APIResourceList",
    ...(group !== "" && { apiVersion: "v1" }),
    groupVersion: group === "" ? version : `${group}/${version}`,
    resources: entries,
  };
}

export function sorted(verbs: readonly Verb[]): readonly Verb[] {
  return verbs.toSorted();
}
