/**
 * The types of build/schema.json as short texts, because the file is a part of every bundle:
 *
 *     kind,apiVersion,metadata:ObjectMeta={},items:[]KeyToPath,mode:int32+,policy~v1.PullPolicy
 *
 * A field without `:type` is a string. Strings, lists and maps are left out when they are empty, other fields are not;
 * `+` says the opposite. `=` is followed by what is written if the field is not set (then it is never left out), `~` by
 * Go's name of the type. A type whose Go struct has another name begins with that and a `|`.
 */
import type { SchemaField, SchemaType } from "./schema.ts";

const FIELD = /^(\w[^:+=~]*)(?::([^+=~]*))?(\+)?(?:=([^~]*))?(?:~(.*))?$/;

export function schemaText(name: string, { goName, fields }: SchemaType): string {
  return `${goName === name ? "" : `${goName}|`}${fields.map(fieldText).join()}`;
}

function fieldText(field: SchemaField): string {
  const { name, type, omitEmpty = false, goType } = field;
  const isOther = omitEmpty !== isLeftOut(type, "absent" in field);
  return [
    name,
    type === "string" ? "" : `:${type}`,
    isOther ? "+" : "",
    "absent" in field ? `=${JSON.stringify(field.absent)}` : "",
    goType === undefined ? "" : `~${goType}`,
  ].join("");
}

/** @throws Error for a text that `schemaText` does not write */
export function readSchemaText(name: string, text: string): SchemaType {
  const [before, after] = text.split("|");
  const fields = (after ?? before!).split(",").map((field) => readField(name, field));
  return { goName: after === undefined ? name : before!, fields };
}

function readField(struct: string, text: string): SchemaField {
  const [, name, type = "string", other, absent, goType] = FIELD.exec(text) ?? [];
  if (name === undefined)
    throw new Error(`build/schema.json: ${struct} has ${JSON.stringify(text)}, which is no field`);
  const hasAbsent = absent !== undefined;
  return {
    name,
    type,
    omitEmpty: isLeftOut(type, hasAbsent) !== (other !== undefined),
    ...(hasAbsent && { absent: JSON.parse(absent) as unknown }),
    ...(goType !== undefined && { goType }),
  };
}

function isLeftOut(type: string, hasAbsent: boolean): boolean {
  return !hasAbsent && (type === "string" || type.startsWith("[]") || type.startsWith("map["));
}
