/** The schemas of types that are no struct in Go, or whose JSON form differs from their fields. */

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

export const PATCH = `${META}.Patch`;

export const plainSchemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  [`${META}.Time`]: { description: "A time in RFC 3339, to the second.", type: "string", format: "date-time" },
  [`${META}.MicroTime`]: { description: "A time in RFC 3339, with microseconds.", type: "string", format: "date-time" },
  [`${META}.FieldsV1`]: {
    description: "A set of fields: their paths as nested objects, with f: for a field, k: for keys and v: for a value.",
    type: "object",
  },
  [PATCH]: { description: "The body of a PATCH request.", type: "object" },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": { description: "Any object.", type: "object" },
  "io.k8s.apimachinery.pkg.api.resource.Quantity": {
    description: "A number with a unit: 500m, 1.5, 128Mi, 1e3. Suffixes are n, u, m, k, M, G, T, P, E and Ki to Ei.",
    oneOf: [{ type: "string" }, { type: "number" }],
  },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
    description: "A number, or a text such as a percentage or the name of a port.",
    format: "int-or-string",
    oneOf: [{ type: "integer" }, { type: "string" }],
  },
  [`${EXTENSIONS}.JSON`]: { description: "Any JSON value." },
  [`${EXTENSIONS}.JSONSchemaPropsOrArray`]: { description: "A schema, or a list of schemas." },
  [`${EXTENSIONS}.JSONSchemaPropsOrBool`]: { description: "A schema, or whether anything is allowed." },
  [`${EXTENSIONS}.JSONSchemaPropsOrStringArray`]: { description: "A schema, or a list of names of fields." },
};

const names: Readonly<Record<string, string>> = {
  "ManagedFieldsEntry.fieldsV1": `${META}.FieldsV1`,
  "ControllerRevision.data": "io.k8s.apimachinery.pkg.runtime.RawExtension",
  "WatchEvent.object": "io.k8s.apimachinery.pkg.runtime.RawExtension",
  "JSONSchemaProps.default": `${EXTENSIONS}.JSON`,
  "JSONSchemaProps.enum": `${EXTENSIONS}.JSON`,
  "JSONSchemaProps.example": `${EXTENSIONS}.JSON`,
  ".Time": `${META}.Time`,
  ".MicroTime": `${META}.MicroTime`,
  ".Quantity": "io.k8s.apimachinery.pkg.api.resource.Quantity",
  ".IntOrString": "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  ".JSONSchemaPropsOrArray": `${EXTENSIONS}.JSONSchemaPropsOrArray`,
  ".JSONSchemaPropsOrBool": `${EXTENSIONS}.JSONSchemaPropsOrBool`,
  ".JSONSchemaPropsOrStringArray": `${EXTENSIONS}.JSONSchemaPropsOrStringArray`,
  ".any": "io.k8s.apimachinery.pkg.runtime.RawExtension",
};

/** The schema of a field that is `any` in the table of types, or of a plain type (`struct` is empty then). */
export function plainNameOf(struct: string, name: string): string | undefined {
  return names[`${struct}.${name}`];
}
