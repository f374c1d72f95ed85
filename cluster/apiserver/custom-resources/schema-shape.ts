/** How the parts of a custom resource merge in server-side apply, from the schema of its version. */
import { deduced, type MapShape, type Shape, structShape } from "../apply/shape.ts";
import { structType } from "../schema/schema.ts";
import { type JsonSchema, propertyOf, valuesOf } from "../schema/json-schema.ts";

const text: Shape = { form: "scalar", scalar: "string" };
const untyped: Shape = { form: "scalar", scalar: "untyped" };

/** The shape of a whole object. */
export function resourceShape(schema: JsonSchema): MapShape {
  const own = mapShape(schema);
  return { ...own, field: (name) => metaShape(name) ?? own.field(name) };
}

function metaShape(name: string): Shape | undefined {
  if (name === "metadata") return structShape(structType("ObjectMeta"));
  return name === "apiVersion" || name === "kind" ? text : undefined;
}

function shapeOf(schema: JsonSchema): Shape {
  if (schema["x-kubernetes-int-or-string"]) return untyped;
  switch (schema.type) {
    case "object":
      return schema["x-kubernetes-embedded-resource"] ? resourceShape(schema) : mapShape(schema);
    case "array":
      return {
        form: "list",
        element: schema.items === undefined ? deduced : shapeOf(schema.items),
        elements: elementsOf(schema),
      };
    case "string":
      return text;
    case "integer":
    case "number":
      return { form: "scalar", scalar: "numeric" };
    case "boolean":
      return { form: "scalar", scalar: "boolean" };
    default:
      return deduced;
  }
}

function mapShape(schema: JsonSchema): MapShape {
  const fields = new Map<string, Shape>();
  const values = valuesOf(schema);
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] || schema.additionalProperties === true;
  return {
    form: "map",
    isAtomic: schema["x-kubernetes-map-type"] === "atomic",
    field(name) {
      const property = propertyOf(schema, name);
      if (property !== undefined && !fields.has(name)) fields.set(name, shapeOf(property));
      return fields.get(name);
    },
    others: values !== undefined ? shapeOf(values) : keepsUnknown ? deduced : undefined,
  };
}

function elementsOf(
  schema: JsonSchema,
): "atomic" | "set" | { name: string; absent?: NonNullable<JsonSchema["default"]> }[] {
  const type = schema["x-kubernetes-list-type"];
  if (type === "set") return "set";
  if (type !== "map") return "atomic";
  return (schema["x-kubernetes-list-map-keys"] ?? []).map((name) => {
    const absent = schema.items && propertyOf(schema.items, name)?.default;
    return { name, ...(absent !== undefined && absent !== null && { absent }) };
  });
}
