/**
 * Writes what the in-memory API server knows of the types of its kinds. build/schema.json is a part of every bundle:
 * the fields of the kinds that every cluster has. build/schema-served.json is loaded by `stint serve` alone: the fields
 * of all other kinds, and for all types the numbers of protobuf and the lists of server-side apply. build/openapi.json
 * is large, and is read on the first request for a document of OpenAPI: what only these need. build/kinds.ts has the
 * TypeScript interfaces of the kinds that code reads; only types are in it, so nothing loads it.
 *
 * The types come from the models of @kubernetes/client-node, so PodSpec is not copied by hand. The models lack some
 * facts: scripts/schema/fields/ has these, and the files beside it what few types need. Run it again after an update of
 * the client library.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SchemaFile } from "../cluster/apiserver/schema/schema.ts";
import type { TypeText } from "../cluster/apiserver/openapi/type-texts.ts";
import type { ServedSchemaFile } from "../cluster/apiserver/schema/schema-served.ts";
import { type SchemaField, schemaText, type SchemaType, zeroOf } from "../cluster/apiserver/schema/schema-text.ts";
import { describe } from "./schema/descriptions.ts";
import { allStructs, type GoField, type GoStruct, goName, goPackage, goStruct, typeName } from "./schema/fields.ts";
import { kindTypes } from "./schema/kind-types.ts";
import { declaredDefaults, patchStrategies, unions } from "./schema/openapi-facts.ts";
import { modelFields } from "./schema/types.ts";

/** Types that are no struct in Go. */
const plain = new Set(["string", "int32", "int64", "float64", "bool", "bytes"]);
const numbers: Record<string, string> = {};
const texts: Record<string, TypeText> = {};
const readKinds = allStructs.filter(({ isRead }) => isRead).map(({ name }) => name);
const small = reachedFrom(classesOf("everywhere"), {});
const served = reachedFrom(classesOf("served"), small);

write("schema.json", { types: textsOf(small), mergeKeys: said(small, "mergeKey") } satisfies SchemaFile);
write("schema-served.json", {
  types: textsOf(served),
  mergeKeys: said(served, "mergeKey"),
  numbers,
  listTypes: said({ ...small, ...served }, "listType"),
  atomicStructs: allStructs
    .filter(({ isAtomic }) => isAtomic)
    .map(({ name }) => name)
    .toSorted(),
} satisfies ServedSchemaFile);
write("openapi.json", texts);
writeText("kinds.ts", kindTypes(readKinds, { ...small, ...served }, texts));

/** The model classes of these kinds. Sorted, so that the output does not depend on the order of rows. */
function classesOf(servedBy: GoStruct["servedBy"]): string[] {
  return allStructs
    .filter((struct) => struct.servedBy === servedBy)
    .map(({ className }) => className!)
    .toSorted();
}

/** The types of these classes, and all that they reach, but for those that are known already. */
function reachedFrom(
  roots: readonly string[],
  known: Readonly<Record<string, SchemaType>>,
): Record<string, SchemaType> {
  const types: Record<string, SchemaType> = {};
  const pending = [...roots];
  for (let className = pending.shift(); className; className = pending.shift()) {
    const name = typeName(className);
    if (!(name in known)) types[name] ??= typeOf(className, (reached) => pending.push(reached));
  }
  return types;
}

function typeOf(className: string, reached: (className: string) => void): SchemaType {
  const name = typeName(className);
  const types = modelFields(className, reached);
  const { fields } = goStruct(name);
  const declared = new Set(fields.map((field) => field.name));
  const head = ["kind", "apiVersion"].filter((field) => types.has(field) && !declared.has(field));
  for (const field of types.keys())
    if (!declared.has(field) && !head.includes(field))
      throw new Error(`scripts/schema/fields/: ${name} lacks "${field}", which @kubernetes/client-node has`);
  numbers[name] = [
    ...head.map(() => "-"),
    ...fields.map(({ number, isPointer }) => (isPointer ? `${number}*` : number)),
  ].join(" ");
  texts[name] = textOf(name, className, fields);
  // A class whose name contains its group has a list whose name does not.
  const list = describe(`${className}List`) ?? describe(`V1${goName(className)}List`);
  if (list) texts[`${name}List`] = { description: list.text, fields: list.fields, required: list.required };
  return {
    goName: goName(className),
    fields: [
      ...head.map((field) => ({ name: field, type: "string", omitEmpty: true })),
      ...fields.map((field) => describeField(field, types.get(field.name) ?? missing(name, field.name))),
    ],
  };
}

function textOf(name: string, className: string, fields: readonly GoField[]): TypeText {
  const described = describe(className);
  const enums = fields.flatMap((field) => (field.values === undefined ? [] : [[field.name, field.values] as const]));
  return {
    description: described?.text ?? "",
    fields: described?.fields ?? {},
    required: described?.required ?? [],
    ...(enums.length > 0 && { enums: Object.fromEntries(enums) }),
    goPackage: goPackage(name),
    defaults: declaredDefaults[name],
    patchStrategies: patchStrategies[name],
    union: unions[name],
  };
}

function missing(struct: string, field: string): never {
  throw new Error(`scripts/schema/fields/: ${struct} has "${field}", which @kubernetes/client-node does not have`);
}

function describeField({ name, isPointer, omitEmpty, omitZero, goType }: GoField, type: string): SchemaField {
  const isContainer = type.startsWith("[]") || type.startsWith("map[");
  const isWritten = !omitEmpty || (!isPointer && !isContainer && !plain.has(type) && !omitZero);
  return {
    name,
    type,
    omitEmpty: !isPointer && !isWritten,
    ...(isWritten && { absent: isPointer ? null : zeroOf(type) }),
    ...(goType !== undefined && { goType }),
  };
}

function textsOf(types: Readonly<Record<string, SchemaType>>): Record<string, string> {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, schemaText(name, type)]));
}

/** What the rows of these types say of their fields. */
function said(
  types: Readonly<Record<string, SchemaType>>,
  what: "listType" | "mergeKey",
): Record<string, Record<string, string>> {
  const all = Object.keys(types).map((name) => {
    const fields = goStruct(name).fields.flatMap(({ name: field, [what]: text }) =>
      text === undefined ? [] : [[field, text] as const],
    );
    return [name, Object.fromEntries(fields)] as const;
  });
  return Object.fromEntries(all.filter(([, fields]) => Object.keys(fields).length > 0));
}

function write(name: string, content: unknown): void {
  writeText(name, `${JSON.stringify(content)}\n`);
}

function writeText(name: string, text: string): void {
  const target = join(dirname(fileURLToPath(import.meta.url)), "..", "build", name);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
