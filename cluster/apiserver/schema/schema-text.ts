/**
 * The types of build/schema.json as short texts, because the file is a part of every bundle:
 *
 *     kind,apiVersion,metadata:ObjectMeta!,items:[]KeyToPath,mode:int32+,policy~PullPolicy
 *
 * A field without `:type` is a string. Strings, lists and maps are left out when they are empty, other fields are not;
 * `+` says the opposite. With `!` the empty value is written if the field is not set, with `?` null. `~` is followed by
 * Go's name of the type, which is in package v1 unless it says another. A type whose Go struct has another name begins
 * with that and a `|`.
 */

/** Fields are in the order in which Go writes them. */
export interface SchemaType {
  /** Name of the Go struct, as decoding errors print it. */
  readonly goName: string;
  readonly fields: readonly SchemaField[];
}

export interface SchemaField {
  readonly name: string;
  readonly type: string;
  /** The field is left out when it is an empty list, map or string, zero, or false. */
  readonly omitEmpty?: boolean;
  /** The value that is written if the field is not set. */
  readonly absent?: unknown;
  /** Name of the Go type in errors, if it differs from `type`. */
  readonly goType?: string;
}

const FIELD = /^(\$?\w[^:+!?~]*)(?::([^+!?~]*))?([+!?])?(?:~(.*))?$/;

export function schemaText(name: string, { goName, fields }: SchemaType): string {
  return `${goName === name ? "" : `${goName}|`}${fields.map(fieldText).join()}`;
}

function fieldText(field: SchemaField): string {
  const { name, type, omitEmpty = false, goType } = field;
  return [
    name,
    type === "string" ? "" : `:${type}`,
    "absent" in field
      ? field.absent === null && zeroOf(type) !== null
        ? "?"
        : "!"
      : omitEmpty === isLeftOut(type)
        ? ""
        : "+",
    goType === undefined ? "" : `~${goType.replace(/^v1\./, "")}`,
  ].join("");
}

/** @throws Error for a text that `schemaText` does not write */
export function readSchemaText(name: string, text: string): SchemaType {
  const [before, after] = text.split("|");
  const list = after ?? before!;
  const fields = list === "" ? [] : list.split(",").map((field) => readField(name, field));
  return { goName: after === undefined ? name : before!, fields };
}

function readField(struct: string, text: string): SchemaField {
  const [, name, type = "string", mark, goType] = FIELD.exec(text) ?? [];
  if (name === undefined)
    throw new Error(`build/schema.json: ${struct} has ${JSON.stringify(text)}, which is no field`);
  const isWritten = mark === "!" || mark === "?";
  return {
    name,
    type,
    omitEmpty: !isWritten && isLeftOut(type) !== (mark === "+"),
    ...(isWritten && { absent: mark === "!" ? zeroOf(type) : null }),
    ...(goType !== undefined && { goType: goType.includes(".") ? goType : `v1.${goType}` }),
  };
}

function isLeftOut(type: string): boolean {
  return type === "string" || type.startsWith("[]") || type.startsWith("map[");
}

const zeros: Readonly<Record<string, unknown>> = {
  string: "",
  int32: 0,
  int64: 0,
  float64: 0,
  bool: false,
  Quantity: "0",
  IntOrString: 0,
};
const nullZeros = new Set(["bytes", "Time", "MicroTime", "any"]);

/** Go's written value of an unset field of this type that is always written. */
export function zeroOf(type: string): unknown {
  return type in zeros ? zeros[type] : nullZeros.has(type) || isLeftOut(type) ? null : {};
}
