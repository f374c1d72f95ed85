/**
 * Discovery: the groups and their versions. Here in the older form, with documents of groups; resource-list.ts has the
 * resources of a group version, and aggregated-discovery.ts the newer form, which is one document.
 */
import type { ApiRequest } from "../../../bindings/js/host.ts";
import { acceptsAggregated, aggregated, aggregatedMediaType } from "./aggregated-discovery.ts";
import type { Document } from "../contract/output.ts";
import type { ResourceDefinition } from "../contract/context.ts";
import { taggedDocument } from "./etag.ts";
import { groupsOf, versionsOf } from "./group-list.ts";
import { write } from "../http/render.ts";

const json = { "content-type": "application/json" };

/** The document of a group, or of all groups; the one of /api for the path of that. */
export function groupsDocument(
  group: string | undefined,
  { path, headers }: ApiRequest,
  definitions: readonly ResourceDefinition[],
  isIndented: boolean,
): Document {
  if (group !== undefined)
    return { code: 200, body: write(legacyGroup(definitions, group), isIndented), headers: json };
  const isCore = /^\/api(\/|\?|$)/.test(path);
  if (acceptsAggregated(headers["accept"] ?? ""))
    return taggedDocument(
      write(aggregated(definitions, isCore), isIndented),
      { "content-type": aggregatedMediaType, "cache-control": "public", vary: "Accept" },
      headers["if-none-match"],
    );
  const document = isCore ? legacyCore(headers["host"] ?? "localhost") : legacyGroups(definitions);
  return { code: 200, body: write(document, isIndented), headers: { ...json, vary: "Accept" } };
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
