/** Resources as a version of Kubernetes serves them: without later kinds, and without the later status of a kind. */
import { isBefore, type ServedVersion } from "../../values/kubernetes-versions.ts";
import type { ResourceDefinition } from "../contract/context.ts";
import { unknownFields } from "../schema/new-fields.ts";
import type { StructType } from "../schema/schema.ts";

/** What a version has of a resource: one definition or none. */
export function servedBy(kubernetes: ServedVersion): (definition: ResourceDefinition) => ResourceDefinition[] {
  const unknown = unknownFields(kubernetes);
  return (definition) => {
    const { since, body, subresources } = definition;
    if (since !== undefined && isBefore(kubernetes, since)) return [];
    if (!unknown?.get(body.kind)?.has("status")) return [definition];
    const type = withoutField(body.type, "status");
    const others = subresources.filter(({ name }) => name !== "status");
    return [{ ...definition, body: { ...body, type }, subresources: others }];
  };
}

function withoutField(type: StructType, left: string): StructType {
  return {
    ...type,
    fields: new Map([...type.fields].filter(([name]) => name !== left)),
    names: type.names.filter((name) => name !== left),
    alwaysWritten: type.alwaysWritten.filter(({ name }) => name !== left),
  };
}
