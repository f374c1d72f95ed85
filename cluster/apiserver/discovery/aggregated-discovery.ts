/** Discovery in the aggregated form (apidiscovery.k8s.io/v2): one document for all groups and their resources. */
import type { ResourceDefinition, Subresource } from "../contract/context.ts";
import { groupsOf, versionsOf } from "./group-list.ts";
import { servedIn, sorted } from "./resource-list.ts";
import { parseAccept } from "../http/accept.ts";

export const aggregatedMediaType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Whether the client prefers the aggregated form. */
export function acceptsAggregated(accept: string): boolean {
  const [first] = parseAccept(accept).filter(({ parameters }) => !parameters.has("as") || parameters.get("v") === "v2");
  return first?.parameters.get("as") === "APIGroupDiscoveryList" && first.parameters.get("g") === "apidiscovery.k8s.io";
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
      versions: versionsOf(definitions, group).map((version) => ({
        version,
        resources: servedIn(definitions, group, version).map(aggregatedResource),
        freshness: "Current",
      })),
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
