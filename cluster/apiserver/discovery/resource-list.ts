/** The discovery document of a group version: its resources and subresources. discovery.ts has those of groups. */
import type { ResourceDefinition, Verb } from "../contract/context.ts";

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

/** As discovery lists them. */
export function sorted(verbs: readonly Verb[]): readonly Verb[] {
  return verbs.toSorted();
}

export function servedIn(
  definitions: readonly ResourceDefinition[],
  group: string,
  version: string,
): ResourceDefinition[] {
  return definitions
    .filter((definition) => definition.group === group && definition.version === version)
    .toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
}
