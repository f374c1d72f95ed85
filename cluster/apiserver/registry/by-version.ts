/** Resources as a version of Kubernetes serves them: without the status of a kind that got one later. */
import type { ServedVersion } from "../../values/kubernetes-versions.ts";
import type { ResourceDefinition } from "../contract/context.ts";
import { unknownFields } from "../schema/new-fields.ts";
import type { StructType } from "../schema/schema.ts";

export function servedBy(kubernetes: ServedVersion): (definition: ResourceDefinition) => ResourceDefinition {
  const unknown = unknownFields(kubernetes);
  return (definition) => {
    const { body, subresources } = definition;
    if (!unknown?.get(body.kind)?.has("status")) return definition;
    return {
      ...definition,
      body: { ...body, type: withoutField(body.type, "status") },
      subresources: subresources.filter(({ name }) => name !== "status"),
    };
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
