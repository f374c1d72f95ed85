/**
 * The TypeScript interfaces of the kinds that code reads, as the text of build/kinds.ts: the fields that the API server
 * serves, by their names in JSON, with the first sentence of their description.
 *
 * Invariant: a field is required exactly if Go writes it always, so what the types promise, every served object has. A
 * time that is not set and a pointer without omitempty are written as null. Leaves out ObjectMeta, which is written by
 * hand in cluster/values/types.ts: what all served objects have there, its Go struct calls optional.
 */
import type { SchemaField, SchemaType } from "../../cluster/apiserver/schema/schema-text.ts";
import type { TypeText } from "../../cluster/apiserver/openapi/type-texts.ts";

const INTRO = `/**
 * Written by scripts/build-schema.ts: the kinds that code reads. scripts/schema/fields/ has them, and
 * cluster/values/kinds.ts exports them.
 */
import type { ObjectMeta, TypedObject } from "../cluster/values/types.ts";
`;
const PRIMITIVES: Readonly<Record<string, string>> = {
  string: "string",
  int32: "number",
  int64: "number",
  float64: "number",
  bool: "boolean",
  bytes: "string",
  Quantity: "string",
  IntOrString: "number | string",
  Time: "string",
  MicroTime: "string",
  any: "unknown",
  ObjectMeta: "Partial<ObjectMeta>",
};
const IS_NAME = /^[A-Za-z]\w*$/;

/**
 * @param roots names of the kinds in `types`
 * @param texts by the same names
 * @throws Error if `types` lacks a type that a kind reaches
 */
export function kindTypes(
  roots: readonly string[],
  types: Readonly<Record<string, SchemaType>>,
  texts: Readonly<Record<string, TypeText>>,
): string {
  const written = new Map<string, string>();
  const pending = [...roots];
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (written.has(name)) continue;
    const type = types[name];
    if (type === undefined) throw new Error(`scripts/schema/fields/: no kind that is served reaches the type ${name}`);
    const head = roots.includes(name) ? ` extends TypedObject<"${type.goName}">` : "";
    const fields = head === "" ? type.fields : type.fields.filter(({ name }) => !ofAllKinds.has(name));
    const lines = fields.map((field) => fieldText(field, texts[name]?.fields[field.name], (to) => pending.push(to)));
    const comment = commentText(texts[name]?.description, "");
    written.set(name, `${comment}export interface ${name}${head} {\n${lines.join("")}}\n`);
  }
  return [INTRO, ...[...written].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)].join("\n");
}

/** The fields of TypedObject. */
const ofAllKinds = new Set(["kind", "apiVersion", "metadata"]);

function fieldText(field: SchemaField, description: string | undefined, reached: (type: string) => void): string {
  const { name, type } = field;
  const isList = type.startsWith("[]") || type.startsWith("map[");
  // A list without omitempty would be null when it is not set. Validation wants an element of all that are read.
  const isNullable = "absent" in field && field.absent === null && !isList;
  const mark = "absent" in field ? "" : "?";
  const key = IS_NAME.test(name) ? name : JSON.stringify(name);
  return `${commentText(description, "  ")}  ${key}${mark}: ${typeText(type, reached)}${isNullable ? " | null" : ""};\n`;
}

/** The type in TypeScript's notation of one in Go's: `Record<string, string>` of `map[string]Quantity`. */
function typeText(type: string, reached: (type: string) => void): string {
  if (type.startsWith("map[string]")) return `Record<string, ${typeText(type.slice("map[string]".length), reached)}>`;
  if (type.startsWith("[]")) {
    const element = typeText(type.slice("[]".length), reached);
    return element.includes(" ") ? `(${element})[]` : `${element}[]`;
  }
  const primitive = PRIMITIVES[type];
  if (primitive === undefined) reached(type);
  return primitive ?? type;
}

function commentText(description: string | undefined, indent: string): string {
  const sentence = /^.*?(?=\.\s|\.?$)/s
    .exec(description ?? "")?.[0]
    .replaceAll(/\s+/g, " ")
    .replaceAll("*/", "*\\/");
  return sentence ? `${indent}/** ${sentence}. */\n` : "";
}
