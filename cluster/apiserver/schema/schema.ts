/**
 * The fields of the served kinds: typed look-ups in build/schema.json, which scripts/build-schema.ts writes. A field's
 * type is a string in Go's notation (`[]Container`, `map[string]Quantity`, `int32`); it is resolved once, on first use.
 * Leaves out what the fields mean: decode.ts walks objects along this schema. Leaves out the kinds that only
 * `stint serve` has: schema-served.ts adds them.
 */
import schemaFile from "../../../build/schema.json" with { type: "json" };
import { readSchemaText } from "./schema-text.ts";

/** The JSON document that scripts/build-schema.ts writes: types as schema-text.ts has them. */
export interface SchemaFile {
  readonly types: Readonly<Record<string, string>>;
  /** Struct → field → what a strategic merge patch does with it; scripts/schema/fields.ts says how to read it. */
  readonly mergeKeys: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export type Scalar =
  | "string"
  | "int32"
  | "int64"
  | "float64"
  | "bool"
  | "bytes"
  | "Time"
  | "MicroTime"
  | "Quantity"
  | "IntOrString"
  | "JSONSchemaPropsOrArray"
  | "JSONSchemaPropsOrBool"
  | "JSONSchemaPropsOrStringArray"
  | "any";

/** A type with its references resolved. */
export type Type =
  | { readonly form: "scalar"; readonly scalar: Scalar; readonly goType: string }
  | { readonly form: "list" | "map"; readonly element: Type; readonly goType: string }
  | StructType;

export interface StructType {
  readonly form: "struct";
  /** Name in the schema, which is unique. */
  readonly name: string;
  readonly goName: string;
  readonly goType: string;
  readonly fields: ReadonlyMap<string, StructField>;
  /** The names of the fields in the order of writing. */
  readonly names: readonly string[];
  /** The fields that are written even when they are not set. */
  readonly alwaysWritten: readonly StructField[];
}

export interface StructField {
  readonly name: string;
  readonly type: Type;
  /** Position in the order of writing. */
  readonly position: number;
  readonly omitEmpty: boolean;
  /** The value that is written if the field is not set. Undefined: nothing is written. */
  readonly absent?: unknown;
  /** Go's name of the type, for errors. */
  readonly goType: string;
}

const structs = new Map<string, StructType>();
const texts = new Map<string, string>();
/** By field in maps, because a plain object has inherited members, which a client could name. */
const mergeKeys = new Map<string, ReadonlyMap<string, string>>();
const scalars = new Set<string>([
  "string",
  "int32",
  "int64",
  "float64",
  "bool",
  "bytes",
  "Time",
  "MicroTime",
  "Quantity",
  "IntOrString",
  "JSONSchemaPropsOrArray",
  "JSONSchemaPropsOrBool",
  "JSONSchemaPropsOrStringArray",
  "any",
]);
const goScalarNames: Readonly<Record<string, string>> = {
  bytes: "[]uint8",
  Time: "v1.Time",
  MicroTime: "v1.MicroTime",
  Quantity: "resource.Quantity",
  IntOrString: "intstr.IntOrString",
  any: "interface {}",
};

addTypes(schemaFile);

function resolve(name: string): Type {
  if (name.startsWith("[]")) {
    const element = resolve(name.slice(2));
    return { form: "list", element, goType: `[]${element.goType}` };
  }
  if (name.startsWith("map[string]")) {
    const element = resolve(name.slice("map[string]".length));
    return { form: "map", element, goType: `map[string]${element.goType}` };
  }
  if (scalars.has(name)) return { form: "scalar", scalar: name as Scalar, goType: goScalarNames[name] ?? name };
  return structType(name);
}

/** Adds types: those of kinds that not every cluster has. */
export function addTypes(more: SchemaFile): void {
  for (const [name, text] of Object.entries(more.types)) texts.set(name, text);
  for (const [name, keys] of Object.entries(more.mergeKeys)) mergeKeys.set(name, new Map(Object.entries(keys)));
}

/**
 * How a strategic merge patch merges a field that it does not replace: a list by the field that matches elements, or ""
 * for plain values, which merge as a set. `replace`: a struct that is not merged.
 */
export function mergeKeyOf(struct: string, field: string): string | undefined {
  return mergeKeys.get(struct)?.get(field);
}

/** Whether the schema has a struct with this name. */
export function hasType(name: string): boolean {
  return texts.has(name);
}

/**
 * The struct with this name in build/schema.json (`PodSpec`; the Event of events.k8s.io is `EventsEvent`).
 * @throws Error if the schema does not have it
 */
export function structType(name: string): StructType {
  const known = structs.get(name);
  if (known) return known;
  const text = texts.get(name);
  if (text === undefined)
    throw new Error(`type "${name}" is not in the schema: add its row to scripts/schema/fields/, and build`);
  const source = readSchemaText(name, text);
  const fields = new Map<string, StructField>();
  const alwaysWritten: StructField[] = [];
  const struct: StructType = {
    form: "struct",
    name,
    goName: source.goName,
    goType: `v1.${source.goName}`,
    fields,
    names: source.fields.map(({ name }) => name),
    alwaysWritten,
  };
  structs.set(name, struct); // before the fields: types may contain themselves
  source.fields.forEach((field, position) => {
    const type = resolve(field.type);
    const resolved: StructField = {
      name: field.name,
      type,
      position,
      omitEmpty: field.omitEmpty ?? false,
      goType: field.goType ?? type.goType,
      ...("absent" in field && { absent: field.absent }),
    };
    fields.set(field.name, resolved);
    if ("absent" in field) alwaysWritten.push(resolved);
  });
  return struct;
}
