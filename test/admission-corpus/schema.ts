/**
 * The fields of a kind as a real API server describes them: its OpenAPI v3 document, with references followed. Leaves
 * out what the document does not say: which strings are names, and which fields exclude each other.
 */

/** A node of an OpenAPI v3 document. */
export interface OpenApiNode {
  readonly "$ref"?: string;
  readonly allOf?: readonly OpenApiNode[];
  readonly oneOf?: readonly OpenApiNode[];
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiNode>>;
  readonly additionalProperties?: OpenApiNode;
  readonly items?: OpenApiNode;
}

export interface OpenApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, OpenApiNode>> };
}

/** What a field holds. A map has members of one type, whatever their names. */
export type Field =
  | { readonly form: "struct"; readonly members: () => ReadonlyMap<string, Field> }
  | { readonly form: "list" | "map"; readonly element: Field }
  | { readonly form: "string"; readonly words: readonly string[] }
  | { readonly form: "integer" | "boolean" | "quantity" | "integer or string" | "time" | "anything" };

const REFERENCE = "#/components/schemas/";
const QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";

/** The kind with this name in the document, for example `io.k8s.api.batch.v1.Job`. @throws Error when there is none */
export function kindIn(document: OpenApiDocument, name: string): Field {
  return followed(document, { $ref: `${REFERENCE}${name}` });
}

function followed(document: OpenApiDocument, node: OpenApiNode): Field {
  const reference = node.$ref ?? node.allOf?.[0]?.$ref;
  if (reference === undefined) return fieldOf(document, node);
  const name = reference.slice(REFERENCE.length);
  const target = document.components.schemas[name];
  if (target === undefined) throw new Error(`the OpenAPI document has no schema "${name}"`);
  return name === QUANTITY ? { form: "quantity" } : fieldOf(document, target);
}

function fieldOf(document: OpenApiDocument, node: OpenApiNode): Field {
  const { type, format, items, properties, additionalProperties } = node;
  if (type === "array" && items !== undefined) return { form: "list", element: followed(document, items) };
  if (format === "int-or-string") return { form: "integer or string" };
  if (format === "date-time") return { form: "time" };
  if (type === "integer" || type === "boolean") return { form: type };
  if (type === "string") return { form: "string", words: node.enum ?? [] };
  if (properties !== undefined) {
    // Lazy: a type may contain itself.
    const members = (): ReadonlyMap<string, Field> =>
      new Map(Object.entries(properties).map(([name, member]) => [name, followed(document, member)]));
    return { form: "struct", members };
  }
  if (additionalProperties !== undefined) return { form: "map", element: followed(document, additionalProperties) };
  return { form: "anything" };
}
