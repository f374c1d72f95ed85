/**
 * The components of an OpenAPI v3 document: a schema for each struct that its operations name, and for all that these
 * reach. They come from the same table that requests are decoded by, so they say what the server takes. Types that are
 * no struct in Go (times, quantities, any JSON) are in plain-schemas.ts.
 */
import { isAhead } from "../../values/kubernetes-changes.ts";
import type { KubernetesVersion } from "../../values/kubernetes-versions.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { publishedSchema } from "./published-schema.ts";
import type { ResourceDefinition } from "../contract/context.ts";
import { mergeKeyOf, structType, type StructField, type StructType, type Type } from "../schema/schema.ts";
import { type UnknownFields, unknownFields } from "../schema/new-fields.ts";
import { fieldNumbers, isAtomic, listTypeOf } from "../schema/schema-served.ts";
import { plainNameOf, plainSchemas } from "./plain-schemas.ts";
import type { TypeText, TypeTexts } from "./type-texts.ts";
import { textBy } from "./by-version.ts";

export type Schema = Readonly<Record<string, unknown>>;

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

type GroupVersion = Pick<ResourceDefinition, "group" | "version">;

const REFERENCE = "#/components/schemas/";
const META = "io.k8s.apimachinery.pkg.apis.meta.v1";
const unnamed: TypeText = { description: "", fields: {}, required: [] };
const formats: Readonly<Record<string, Schema>> = {
  string: { type: "string" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  float64: { type: "number", format: "double" },
  bool: { type: "boolean" },
  bytes: { type: "string", format: "byte" },
};
/** The default of elements of lists and maps: the zero of their type. */
const zeros: Readonly<Record<string, unknown>> = { string: "", int32: 0, int64: 0, float64: 0, bool: false };

export class Components {
  readonly schemas: Record<string, Schema> = {};
  readonly #texts: TypeTexts;
  readonly #kubernetes: KubernetesVersion;
  readonly #hidden: UnknownFields | undefined;
  readonly #elementsHaveDefaults: boolean;
  readonly #home: GroupVersion;
  /** By the names of their types. */
  readonly #custom: ReadonlyMap<string, JsonSchema>;

  /** @param served the resources of the document's group version @param kubernetes the version of the server */
  constructor(served: readonly ResourceDefinition[], texts: TypeTexts, kubernetes: KubernetesVersion) {
    const { group, version } = served[0]!;
    this.#home = { group, version };
    this.#texts = texts;
    this.#kubernetes = kubernetes;
    this.#hidden = unknownFields(kubernetes);
    this.#elementsHaveDefaults = isAhead("elements-without-defaults", kubernetes);
    this.#custom = new Map(served.flatMap(({ body: { type, schema } }) => (schema ? [[type.name, schema]] : [])));
  }

  /** The schema of a kind. @param schema its name in the schema, if it differs from the kind */
  kind({ group, version, kind }: GroupVersionKind, schema = kind): Schema {
    const custom = this.#custom.get(schema);
    if (custom !== undefined) return this.#customKind({ group, version, kind }, custom);
    return this.#struct(structType(schema), { group, version });
  }

  #customKind({ group, version, kind }: GroupVersionKind, schema: JsonSchema): Schema {
    const name = `${customPackageOf({ group, version })}.${kind}`;
    // Every kind has the same texts for these.
    const { apiVersion, kind: kindText, metadata } = (this.#texts["Pod"] ?? unnamed).fields;
    this.schemas[name] ??= {
      ...publishedSchema(schema, {
        apiVersion: { ...withText(apiVersion), type: "string" },
        kind: { ...withText(kindText), type: "string" },
        metadata: { ...withText(metadata), allOf: [this.#struct(structType("ObjectMeta"), this.#home)] },
      }),
      "x-kubernetes-group-version-kind": [{ group, kind, version }],
    };
    return { $ref: REFERENCE + name };
  }

  /** The list of a kind, which is no type of the schema. */
  list({ group, version, body }: ResourceDefinition): Schema {
    const kind = body.listKind ?? `${body.kind}List`;
    const name = `${body.schema ? customPackageOf({ group, version }) : goPackageOf({ group, version })}.${kind}`;
    const text = this.#texts[`${body.type.name}List`];
    const element = this.kind({ group, version, kind: body.kind }, body.type.name);
    const described = (field: string): object => withText(text?.fields[field]);
    this.schemas[name] ??= {
      ...withText(text?.description ?? `A list of objects of kind ${body.kind}.`),
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: { ...described("apiVersion"), type: "string" },
        items: {
          ...described("items"),
          type: "array",
          items: this.#elementsHaveDefaults ? { allOf: [element], default: {} } : element,
        },
        kind: { ...described("kind"), type: "string" },
        metadata: { ...withText(this.#texts["ListMeta"]?.description), allOf: [this.meta("ListMeta")], default: {} },
      },
      "x-kubernetes-group-version-kind": [{ group, version, kind }],
    };
    return { $ref: REFERENCE + name };
  }

  /** A type of metadata. Options and watch events are in every group version, a Status only in v1. */
  meta(struct: "DeleteOptions" | "WatchEvent" | "Status" | "ListMeta"): Schema {
    const core = { group: "", kind: struct, version: "v1" };
    const kinds =
      struct === "ListMeta"
        ? []
        : struct === "Status"
          ? [core]
          : distinct([core, { group: this.#home.group, kind: struct, version: this.#home.version }]);
    return this.#struct(structType(struct), this.#home, kinds);
  }

  plain(name: string): Schema {
    this.schemas[name] ??= plainSchemas[name]!;
    return { $ref: REFERENCE + name };
  }

  /** @param reachedFrom the group version that the struct belongs to, if its type names no package */
  #struct(struct: StructType, reachedFrom: GroupVersion, kinds?: readonly GroupVersionKind[]): Schema {
    const text = textBy(this.#kubernetes, struct.name, this.#texts[struct.name] ?? unnamed);
    const home = ownHomeOf(text.goPackage) ?? reachedFrom;
    const name = `${goPackageOf(home, text.goPackage)}.${struct.goName}`;
    if (!(name in this.schemas)) {
      this.schemas[name] = {}; // before the fields: types may contain themselves
      this.schemas[name] = this.#describe(struct, text, home, kinds ?? kindsOf(struct, text, home));
    }
    return { $ref: REFERENCE + name };
  }

  #describe(struct: StructType, text: TypeText, home: GroupVersion, kinds: readonly GroupVersionKind[]): Schema {
    const numbers = fieldNumbers(struct.name);
    const hidden = this.#hidden?.get(struct.name);
    const known = [...struct.fields.values()].filter(({ name }) => !hidden?.has(name));
    const fields = known.map((field): [string, Schema] => [
      field.name,
      this.#field(struct, field, numbers[field.position]?.endsWith("*") ?? false, text, home),
    ]);
    return {
      ...withText(text.description),
      type: "object",
      ...(fields.length > 0 && { properties: Object.fromEntries(fields) }),
      ...(text.required.length > 0 && { required: text.required }),
      ...(kinds.length > 0 && { "x-kubernetes-group-version-kind": kinds }),
      ...(isAtomic(struct.name) && { "x-kubernetes-map-type": "atomic" }),
      ...(text.union && { "x-kubernetes-unions": [text.union] }),
    };
  }

  #field(struct: StructType, field: StructField, isPointer: boolean, text: TypeText, home: GroupVersion): Schema {
    const { name, type } = field;
    const value = text.defaults?.[name] ?? defaultOf(field, isPointer);
    // A field without a description has that of its type.
    const own = {
      ...withText(text.fields[name] ?? (type.form === "struct" ? this.#texts[type.name]?.description : undefined)),
      ...(value !== undefined && { default: value }),
      ...marksOf(struct.name, field, text),
    };
    const schema = withValues(this.#type(type, home, plainNameOf(struct.name, name)), text.enums?.[name]);
    if (!("$ref" in schema)) return { ...schema, ...own };
    return Object.keys(own).length === 0 ? schema : { allOf: [schema], ...own };
  }

  #type(type: Type, home: GroupVersion, anyName: string | undefined): Schema {
    switch (type.form) {
      case "struct":
        return this.#struct(type, home);
      case "list":
        return { type: "array", items: this.#element(type.element, home, anyName) };
      case "map":
        return { type: "object", additionalProperties: this.#element(type.element, home, anyName) };
      case "scalar":
        return formats[type.scalar] ?? this.plain(anyName ?? plainNameOf("", type.scalar)!);
    }
  }

  #element(type: Type, home: GroupVersion, anyName: string | undefined): Schema {
    const schema = this.#type(type, home, anyName);
    if (!this.#elementsHaveDefaults) return schema;
    if (type.form === "struct") return { allOf: [schema], default: {} };
    const zero = type.form === "scalar" ? zeros[type.scalar] : undefined;
    return zero === undefined ? schema : { ...schema, default: zero };
  }
}

/** Structs with kind, apiVersion and metadata are kinds. A PersistentVolumeClaim is one in a StatefulSet, too. */
function kindsOf({ fields, goName }: StructType, text: TypeText, home: GroupVersion): readonly GroupVersionKind[] {
  if (!["kind", "apiVersion", "metadata"].every((name) => fields.has(name))) return [];
  const { group, version } = text.goPackage === "core" ? { group: "", version: "v1" } : home;
  return [{ group, kind: goName, version }];
}

/** The default of a field that is no pointer: the zero of its type if it is always written, {} for a struct. */
function defaultOf({ type, absent }: StructField, isPointer: boolean): unknown {
  if (isPointer || absent === undefined || absent === null) return undefined;
  return type.form === "struct" ? {} : type.form === "scalar" && type.scalar in zeros ? absent : undefined;
}

/** How server-side apply and patches of kubectl treat the field. */
function marksOf(struct: string, { name, type }: StructField, text: TypeText): Schema {
  const marked = listTypeOf(struct, name);
  const keys = marked?.type === "map" ? marked.keys.map(({ field }) => field) : undefined;
  const mergeKey = mergeKeyOf(struct, name);
  const strategy =
    text.patchStrategies?.[name] ?? (mergeKey === undefined ? undefined : mergeKey === "replace" ? "replace" : "merge");
  return {
    ...(keys && { "x-kubernetes-list-map-keys": keys }),
    // Only the lists of discovery have no mark.
    ...(type.form === "list" && struct !== "APIResource" && { "x-kubernetes-list-type": marked?.type ?? "atomic" }),
    ...(type.form !== "list" && marked && { "x-kubernetes-map-type": marked.type }),
    ...(mergeKey !== undefined &&
      mergeKey !== "" &&
      mergeKey !== "replace" && { "x-kubernetes-patch-merge-key": mergeKey }),
    ...(strategy !== undefined && { "x-kubernetes-patch-strategy": strategy }),
  };
}

/** The group version that a Go package names; undefined for the packages of core and of metadata. */
function ownHomeOf(goPackage: TypeText["goPackage"]): GroupVersion | undefined {
  const [group, version] = goPackage?.split("/") ?? [];
  return group === undefined || version === undefined ? undefined : { group, version };
}

/** The Go package as names of schemas have it: `io.k8s.api.batch.v1`. */
function goPackageOf({ group, version }: GroupVersion, goPackage?: TypeText["goPackage"]): string {
  if (goPackage === "meta") return META;
  if (goPackage === "core" || group === "") return "io.k8s.api.core.v1";
  const name = group.split(".")[0]!;
  return group === "apiextensions.k8s.io"
    ? `io.k8s.apiextensions-apiserver.pkg.apis.${name}.${version}`
    : `io.k8s.api.${name}.${version}`;
}

/** The beginning of the names of custom resources: `com.example.v1`. */
function customPackageOf({ group, version }: GroupVersion): string {
  return [...group.split(".").toReversed(), version].join(".");
}

/** For a list or a map, the values are those of the elements. */
function withValues(schema: Schema, values: readonly string[] | undefined): Schema {
  if (!values) return schema;
  const place = schema["type"] === "array" ? "items" : schema["type"] === "object" ? "additionalProperties" : undefined;
  return place === undefined
    ? { ...schema, enum: values }
    : { ...schema, [place]: { ...(schema[place] as Schema), enum: values } };
}

function distinct(kinds: readonly GroupVersionKind[]): readonly GroupVersionKind[] {
  return [...new Map(kinds.map((kind) => [`${kind.group}/${kind.version}`, kind])).values()];
}

function withText(text: string | undefined): { readonly description?: string } {
  return text === undefined || text === "" ? {} : { description: text };
}
