/**
 * Writes objects as Go's types write themselves in protobuf, byte by byte: the fields in the order of their numbers,
 * the keys of maps sorted, scalars also when they are zero. Leaves out the envelope round an object, which envelope.ts
 * has.
 */
import { base64Decode, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Json, JsonObject } from "../../values/types.ts";
import { isObject, stringify } from "../../values/json.ts";
import { type Scalar, structType, type StructType, type Type } from "../schema/schema.ts";
import { type Message, messageOf } from "./plan.ts";

const text = new TextEncoder();
const MICROSECONDS = /\.(\d{6})/;

/** The message of an object in written form. */
export function encode(object: JsonObject, type: StructType): Uint8Array {
  const writer = new BinaryWriter();
  writeMessage(writer, object, messageOf(type));
  return writer.finish();
}

export function writeMessage(writer: BinaryWriter, object: JsonObject, message: Message): void {
  for (const field of message.fields) {
    if (field.form === "embedded") {
      nested(writer, field.number, () => writeMessage(writer, object, field.message));
      continue;
    }
    const value = object[field.name] ?? null;
    if (field.type.form === "list" && field.isNamedList) {
      if (Array.isArray(value)) nested(writer, field.number, () => writeList(writer, 1, value, field.type));
    } else if (field.type.form === "list") writeList(writer, field.number, value, field.type);
    else if (field.type.form === "map") writeMap(writer, field.number, value, field.type.element);
    else if (value !== null || !(field.isPointer || isBytes(field.type)))
      writeValue(writer, field.number, value, field.type);
  }
}

function writeList(writer: BinaryWriter, number: number, value: Json, type: Type): void {
  if (type.form === "list" && Array.isArray(value))
    for (const element of value) writeValue(writer, number, element, type.element);
}

function writeMap(writer: BinaryWriter, number: number, value: Json, element: Type): void {
  if (!isObject(value)) return;
  for (const key of sortedKeys(value)) {
    nested(writer, number, () => {
      writer.tag(1, WireType.LengthDelimited).string(key);
      const member = value[key]!;
      if (member !== null || !isBytes(element)) writeValue(writer, 2, member, element);
    });
  }
}

/** Go sorts strings by their bytes: in the order of code points, which differs from JavaScript's. */
function sortedKeys(map: JsonObject): string[] {
  return Object.keys(map).sort((a, b) => {
    const [left, right] = [text.encode(a), text.encode(b)];
    const at = left.findIndex((byte, index) => byte !== right[index]);
    return at < 0 ? left.length - right.length : left[at]! - (right[at] ?? -1);
  });
}

function isBytes(type: Type): boolean {
  return type.form === "scalar" && type.scalar === "bytes";
}

function nested(writer: BinaryWriter, number: number, write: () => void): void {
  writer.tag(number, WireType.LengthDelimited).fork();
  write();
  writer.join();
}

/** Writes one value with its tag. Null is written as Go writes an unset field. */
function writeValue(writer: BinaryWriter, number: number, value: Json, type: Type): void {
  if (type.form === "struct")
    nested(writer, number, () => writeMessage(writer, isObject(value) ? value : {}, messageOf(type)));
  else if (type.form === "list") nested(writer, number, () => writeList(writer, 1, value, type));
  else if (type.form === "scalar") writeScalar(writer, number, value, type.scalar);
  else throw new Error(`${type.goType} cannot stand in a list or a map`);
}

function writeScalar(writer: BinaryWriter, number: number, value: Json, scalar: Scalar): void {
  switch (scalar) {
    case "string":
      writer.tag(number, WireType.LengthDelimited).string((value ?? "") as string);
      break;
    case "bool":
      writer.tag(number, WireType.Varint).bool((value ?? false) as boolean);
      break;
    case "int32":
    case "int64":
      writer.tag(number, WireType.Varint).int64(BigInt((value ?? 0) as number));
      break;
    case "float64":
      writer.tag(number, WireType.Bit64).double((value ?? 0) as number);
      break;
    case "bytes":
      writer.tag(number, WireType.LengthDelimited).bytes(base64Decode((value ?? "") as string));
      break;
    default:
      nested(writer, number, () => writeSpecial(writer, value, scalar));
  }
}

/** Writes the types that have their own JSON form, and are messages in protobuf. */
function writeSpecial(writer: BinaryWriter, value: Json, scalar: Exclude<Scalar, "string">): void {
  switch (scalar) {
    case "Time":
    case "MicroTime":
      if (typeof value === "string") writeTime(writer, value);
      break;
    case "Quantity":
      writeScalar(writer, 1, String(value ?? "0"), "string");
      break;
    case "IntOrString":
      writeScalar(writer, 1, typeof value === "string" ? 1 : 0, "int64");
      writeScalar(writer, 2, typeof value === "string" ? 0 : value, "int32");
      writeScalar(writer, 3, typeof value === "string" ? value : "", "string");
      break;
    case "JSONSchemaPropsOrArray":
      if (isObject(value)) writeProps(writer, 1, value);
      else if (Array.isArray(value)) for (const props of value) writeProps(writer, 2, props);
      break;
    case "JSONSchemaPropsOrBool":
      writeScalar(writer, 1, isObject(value) || value === true, "bool");
      if (isObject(value)) writeProps(writer, 2, value);
      break;
    case "JSONSchemaPropsOrStringArray":
      if (isObject(value)) writeProps(writer, 1, value);
      else if (Array.isArray(value)) for (const property of value) writeScalar(writer, 2, property, "string");
      break;
    default:
      // Raw JSON, as of managed fields and the defaults in the schema of a custom resource.
      if (value !== null) writer.tag(1, WireType.LengthDelimited).string(stringify(value));
  }
}

function writeProps(writer: BinaryWriter, number: number, value: Json): void {
  writeValue(writer, number, value, structType("JSONSchemaProps"));
}

/** Seconds and nanoseconds since 1970. */
function writeTime(writer: BinaryWriter, time: string): void {
  writeScalar(writer, 1, Math.floor(Date.parse(time) / 1000), "int64");
  writeScalar(writer, 2, Number(MICROSECONDS.exec(time)?.[1] ?? 0) * 1000, "int32");
}
