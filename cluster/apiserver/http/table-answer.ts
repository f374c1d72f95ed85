/**
 * The response to a client that wants a Table: kubectl get. Leaves out what a kind puts into its rows
 * (tables/table.ts), and how the client asks for it (accept.ts).
 */
import type { KubeObject } from "../../values/types.ts";
import type { Output } from "../contract/output.ts";
import type { ResourceRequest, TableForm } from "../contract/context.ts";
import { badRequest } from "../contract/status-errors.ts";
import { type IncludeObject, type TableDefinition, tableRow } from "../tables/table.ts";

/** @throws ApiError 400 for a bad includeObject */
export function includeObjectOf({ query }: ResourceRequest): IncludeObject {
  const include = query.text("includeObject") || "Metadata";
  if (include !== "None" && include !== "Metadata" && include !== "Object") {
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  }
  return include;
}

/** A Table of objects. */
export function table(
  objects: readonly KubeObject[],
  metadata: object,
  output: Output,
  request: ResourceRequest,
  { hasColumns, isList }: TableForm,
  definition: TableDefinition,
): object {
  const { conversion } = request.definition;
  const include = includeObjectOf(request);
  const nowMs = request.server.clock.now();
  const printed = definition.printed?.(isList ? objects : [], request.server.kubernetes) ?? definition;
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${output.metaVersion}`,
    metadata,
    columnDefinitions: hasColumns ? definition.columns : null,
    // All group versions of a kind print the table of the stored version.
    rows: objects.map((object) => {
      const row = tableRow(conversion?.toStored(object) ?? object, printed, include, nowMs, output.metaVersion);
      return include === "Object" ? { ...row, object } : row;
    }),
  };
}
