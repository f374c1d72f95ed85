/**
 * Discovery: the groups, versions and resources, in the aggregated form (apidiscovery.k8s.io/v2) and in the older form
 * with a document for each group version. Also /version.
 */
import type { ResourceDefinition, Subresource, Verb } from "./definition.ts";
import { parseAccept } from "./negotiate.ts";

export const aggregatedMediaType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** kubectl compares the minor version with its own. */
export const versionInfo = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.3",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "",
  goVersion: "",
  compiler: "stint",
  platform: "linux/amd64",
};

/** Whether the client prefers the aggregated form. */
export function acceptsAggregated(accept: string): boolean {
  const [first] = parseAccept(accept).filter(({ parameters }) => !parameters.has("as") || parameters.get("v") === "v2");
  return first?.parameters.get("as") === "APIGroupDiscoveryList" && first.parameters.get("g") === "apidiscovery.k8s.io";
}

function groupsOf(definitions: readonly ResourceDefinition[]): string[] {
  return [...new Set(definitions.map((definition) => definition.group))].filter((group) => group !== "");
}

// Every group is served in one version.
function versionOf(definitions: readonly ResourceDefinition[], group: string): string {
  return definitions.find((definition) => definition.group === group)!.version;
}

/** `isCore`: the document of /api instead of /apis. */
export function aggregated(definitions: readonly ResourceDefinition[], isCore: boolean): object {
  const groups = isCore ? [""] : groupsOf(definitions);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map((group) => ({
      metadata: group === "" ? {} : { name: group },
      versions: [
        {
          version: versionOf(definitions, group),
          resources: definitions.filter((definition) => definition.group === group).map(aggregatedResource),
          freshness: "Current",
        },
      ],
    })),
  };
}

function aggregatedResource({
  resource,
  body,
  isNamespaced,
  singular,
  verbs,
  shortNames,
  categories,
  subresources,
}: ResourceDefinition): object {
  return {
    resource,
    responseKind: { group: "", version: "", kind: body.kind },
    scope: isNamespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: sorted(verbs),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && { subresources: subresources.map(aggregatedSubresource) }),
  };
}

function aggregatedSubresource({ name, kind, groupVersion, verbs }: Subresource): object {
  return {
    subresource: name,
    responseKind: { ...(groupVersion ?? { group: "", version: "" }), kind },
    verbs: sorted(verbs),
  };
}

function sorted(verbs: readonly Verb[]): readonly Verb[] {
  return verbs.toSorted();
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
  const version = { groupVersion: `${name}/${versionOf(definitions, name)}`, version: versionOf(definitions, name) };
  return { name, versions: [version], preferredVersion: version };
}

/** The document of a group version: its resources and subresources. */
export function legacyResources(definitions: readonly ResourceDefinition[], group: string): object {
  const entries = definitions
    .filter((definition) => definition.group === group)
    .flatMap((definition) => [
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
    groupVersion: group === "" ? "v1" : `${group}/${versionOf(definitions, group)}`,
    resources: entries,
  };
}
