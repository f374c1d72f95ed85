/**
 * The type data that only a server for many clients needs, from build/schema-served.json: the kinds that not every
 * cluster has, the field numbers of protobuf, and the lists of server-side apply. The kinds are added to schema.ts when
 * this module is loaded. The playground does not import it, and so does not carry them.
 */
import servedFile from "../../../build/schema-served.json" with { type: "json" };
import { addTypes, type SchemaFile } from "./schema.ts";

/** The JSON document that scripts/build-schema.ts writes. It is about all types, but for `types` and `mergeKeys`. */
export interface ServedSchemaFile extends SchemaFile {
  /** A number for each field, in the order of writing, as `fieldNumbers` has them. */
  readonly numbers: Readonly<Record<string, string>>;
  /** Struct → field → `set`, `map KEY…`, `atomic` or `granular`, as scripts/schema/fields.ts has them. */
  readonly listTypes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly atomicStructs: readonly string[];
}

/** How server-side apply treats a marked field. */
export type ListType =
  | { readonly type: "set" | "atomic" | "granular" }
  | { readonly type: "map"; readonly keys: readonly ListKey[] };

/** One of the fields that identify an element of a list. */
export interface ListKey {
  readonly field: string;
  /** What counts if an element lacks the field. */
  readonly default?: string;
}

const file: ServedSchemaFile = servedFile;
/** Maps, because a plain object has inherited members, which a client could name. */
const listTypes = new Map(
  Object.entries(file.listTypes).map(([struct, fields]) => [struct, new Map(Object.entries(fields))]),
);
const atomicStructs = new Set(file.atomicStructs);

let isAdded = false;
addServedTypes();

/** Adds these kinds to schema.ts, once. Whatever asks for their types while it is loaded calls this before. */
export function addServedTypes(): void {
  if (!isAdded) addTypes(file);
  isAdded = true;
}

/** The mark of a field for server-side apply. Without one, lists are atomic, and maps and structs granular. */
export function listTypeOf(struct: string, field: string): ListType | undefined {
  const text = listTypes.get(struct)?.get(field);
  if (text === undefined) return undefined;
  if (!text.startsWith("map ")) return { type: text as "set" | "atomic" | "granular" };
  const keys = text
    .slice("map ".length)
    .split(" ")
    .map((key): ListKey => {
      const [name, value] = key.split("=");
      return { field: name!, ...(value !== undefined && { default: value }) };
    });
  return { type: "map", keys };
}

/** Whether one manager owns the struct as a whole. */
export function isAtomic(struct: string): boolean {
  return atomicStructs.has(struct);
}

/**
 * The numbers of a struct's fields in protobuf, in the order of writing: `3`, or `1.20` for number 20 in an embedded
 * message with number 1. `-` marks `kind` and `apiVersion`, which have none. A `*` at the end marks a pointer.
 */
export function fieldNumbers(struct: string): readonly string[] {
  return (file.numbers[struct] ?? "").split(" ").filter((number) => number !== "");
}
