/**
 * How protobuf lays out the structs of the schema: the fields of a message in the order of their numbers, with the
 * messages that are embedded in Go's structs and that JSON does not show. A plan is built once for each struct.
 */
import { structType, type StructType, type Type } from "../schema/schema.ts";
import { fieldNumbers } from "../schema/schema-served.ts";

export interface Message {
  /** Name of the Go struct, for errors. */
  readonly goName: string;
  /** In the order of their numbers, which is the order of writing. */
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
}

/** A field of an object; or an embedded message, whose fields are fields of the same object. */
export type Field =
  | {
      readonly form: "field";
      readonly number: number;
      readonly name: string;
      readonly type: Type;
      /** A pointer is written only when it is set. Other fields of Go, but for lists and maps, are always written. */
      readonly isPointer: boolean;
      /** A list of strings that is a separate message, because its type in Go has a name. */
      readonly isNamedList: boolean;
    }
  | { readonly form: "embedded"; readonly number: number; readonly message: Message };

const messages = new Map<string, Message>();
/** Fields whose type in Go is a named list: `Struct.field`. */
const namedLists = new Set(["APIResource.verbs"]);

export function messageOf(type: StructType): Message {
  const known = messages.get(type.name);
  if (known) return known;
  const numbers = fieldNumbers(type.name);
  const message = { goName: type.goName, fields: [] as Field[], byNumber: new Map<number, Field>() };
  messages.set(type.name, message);
  type.names.forEach((name, position) => {
    const number = numbers[position]!;
    if (number === "-") return;
    const path = number.replace("*", "").split(".").map(Number);
    const owner = path.slice(0, -1).reduce(embedded, message);
    owner.fields.push({
      form: "field",
      number: path.at(-1)!,
      name,
      type: type.fields.get(name)!.type,
      isPointer: number.endsWith("*"),
      isNamedList: namedLists.has(`${type.name}.${name}`),
    });
  });
  settle(message);
  return message;
}

type Draft = { readonly goName: string; readonly fields: Field[]; readonly byNumber: Map<number, Field> };

function embedded(owner: Draft, number: number): Draft {
  const known = owner.fields.find((field) => field.form === "embedded" && field.number === number);
  if (known?.form === "embedded") return known.message as Draft;
  const message: Draft = { goName: owner.goName, fields: [], byNumber: new Map() };
  owner.fields.push({ form: "embedded", number, message });
  return message;
}

function settle({ fields, byNumber }: Draft): void {
  fields.sort((a, b) => a.number - b.number);
  for (const field of fields) {
    byNumber.set(field.number, field);
    if (field.form === "embedded") settle(field.message as Draft);
  }
}

/** Kinds whose name is that of another one in another group. */
const ownNames: Readonly<Record<string, string>> = {
  "events.k8s.io/Event": "EventsEvent",
  "resource.k8s.io/ResourceClaim": "ResourceResourceClaim",
};
const MAX_NAME = 100;

/** The struct of a kind. Undefined: the schema does not have it. For a list see `itemKind`. */
export function kindType(apiVersion: string, kind: string): StructType | undefined {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  const name = ownNames[`${group}/${kind}`] ?? kind;
  // A struct without `kind` is no kind, and a name that is too long is none.
  if (name.length > MAX_NAME || fieldNumbers(name)[0] !== "-") return undefined;
  return structType(name);
}

/** The kind of the items of a list, which has no separate model. */
export function itemKind(apiVersion: string, kind: string): StructType | undefined {
  return kind.endsWith("List") ? kindType(apiVersion, kind.slice(0, -"List".length)) : undefined;
}
