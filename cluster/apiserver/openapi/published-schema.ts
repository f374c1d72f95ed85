/**
 * The schema of a custom resource as OpenAPI v3 publishes it: kubectl explain shows it, and clients merge by it. What
 * every object has is added: at the root, and where an object is embedded. Source: apiextensions-apiserver,
 * pkg/controller/openapi/builder.
 */
import { type JsonSchema, valuesOf } from "../schema/json-schema.ts";

type Published = Readonly<Record<string, unknown>>;

/** The schemas of apiVersion, kind and metadata. */
export type MetaSchemas = Readonly<Record<"apiVersion" | "kind" | "metadata", Published>>;

export function publishedSchema(schema: JsonSchema, meta: MetaSchemas): Published {
  const { properties, ...rest } = published(schema, meta);
  return { ...rest, properties: { ...meta, ...(properties as Published | undefined), metadata: meta.metadata } };
}

function published(schema: JsonSchema, meta: MetaSchemas): Published {
  const { items, properties, anyOf, required = [], "x-kubernetes-embedded-resource": isEmbedded } = schema;
  const own = properties && mapped(properties, (property) => published(property, meta));
  const values = valuesOf(schema);
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
  return {
    ...schema,
    ...(items !== undefined && { items: published(items, meta) }),
    ...(values !== undefined && { additionalProperties: published(values, meta) }),
    ...(own !== undefined && { properties: own }),
    ...(isIntOrString && anyOf === undefined && { anyOf: [{ type: "integer" }, { type: "string" }] }),
    ...(isEmbedded && {
      required: [...new Set([...required, "kind", "apiVersion"])],
      properties: { ...meta, ...own },
    }),
  };
}

function mapped(schemas: Readonly<Record<string, JsonSchema>>, map: (schema: JsonSchema) => Published): Published {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, map(schema)]));
}
