/**
 * Reads protobuf messages into objects, as Go's types read themselves: unknown fields are skipped, a message that
 * comes twice is merged. The objects are not yet in written form: schema/decode.ts brings them into it. Leaves out the
 * envelope round an object: envelope.ts has it.
 */
import { base64Encode, BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { Json, JsonObject } from "../../values/types.ts";
import { parseJson } from "../../values/go-json.ts";
import { setMember } from "../../values/json.ts";
import { type Scalar, structType, type StructType, type Type } from "../schema/schema.ts";
import { type Field, type Message, messageOf } from "./plan.ts";

/** A message that cannot be read. The text is Go's. */
export class ProtobufError extends Error {}

/** Messages may be nested as deeply as JSON. */
const MAX_DEPTH = 1_000;
const FIRST_YEAR_SECONDS = -62_135_596_800n;
const LAST_YEAR_SECONDS = 253_402_300_799n;

/** @throws ProtobufError */
export function decode(bytes: Uint8Array, type: StructType): JsonObject {
  return attempt(() => readMessage(bytes, messageOf(type), {}, 0));
}

/** Runs a reader of the library, and translates its errors into Go's words. @throws ProtobufError */
export function attempt<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    // The library knows only "premature EOF" and varints that do not end.
    if (error instanceof ProtobufError || !(error instanceof Error)) throw error;
    if (error instanceof RangeError) throw new ProtobufError("unexpected EOF");
    throw new ProtobufError(/varint/.test(error.message) ? "proto: integer overflow" : `proto: ${error.message}`);
  }
}

/** Calls back with each field of a message, and skips a field that the callback does not read. @throws ProtobufError */
export function readFields(
  bytes: Uint8Array,
  goName: string,
  read: (number: number, wireType: WireType, reader: BinaryReader) => boolean,
): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const number = tag >>> 3;
    const wireType = tag & 7;
    if (wireType === WireType.EndGroup) throw new ProtobufError(`proto: ${goName}: wiretype end group for non-group`);
    if (number === 0) throw new ProtobufError(`proto: ${goName}: illegal tag ${number} (wire type ${wireType})`);
    if (wireType > WireType.Bit32) throw new ProtobufError(`proto: illegal wireType ${wireType}`);
    if (!read(number, wireType, reader)) reader.skip(wireType, number);
    if (reader.pos > reader.len) throw new ProtobufError("unexpected EOF");
  }
}

function readMessage(bytes: Uint8Array, message: Message, object: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw new ProtobufError("exceeded max depth");
  readFields(bytes, message.goName, (number, wireType, reader) => {
    const field = message.byNumber.get(number);
    if (!field) return false;
    readField(reader, wireType, field, object, depth + 1);
    return true;
  });
  return object;
}

function readField(reader: BinaryReader, wireType: WireType, field: Field, object: JsonObject, depth: number): void {
  if (field.form === "embedded") {
    expectWireType(wireType, WireType.LengthDelimited, field.message.goName);
    readMessage(reader.bytes(), field.message, object, depth);
    return;
  }
  const { name, type } = field;
  switch (type.form) {
    case "list": {
      const list = (object[name] ??= []) as Json[];
      if (field.isNamedList) list.push(...readNamedList(reader.bytes(), type.element, depth));
      else readElement(reader, wireType, type.element, list, name, depth);
      return;
    }
    case "map":
      expectWireType(wireType, WireType.LengthDelimited, name);
      readEntry(reader.bytes(), (object[name] ??= {}) as JsonObject, type.element, depth);
      return;
    default:
      object[name] = readValue(reader, wireType, type, name, depth, object[name]);
  }
}

/** An element of a list. Numbers may also come packed, many in one field. */
function readElement(
  reader: BinaryReader,
  wireType: WireType,
  type: Type,
  list: Json[],
  name: string,
  depth: number,
): void {
  const isNumber = expectedWireType(type) === WireType.Varint;
  if (!isNumber || wireType !== WireType.LengthDelimited) {
    list.push(readValue(reader, wireType, type, name, depth));
    return;
  }
  const packed = new BinaryReader(reader.bytes());
  while (packed.pos < packed.len) list.push(readValue(packed, WireType.Varint, type, name, depth));
}

function readNamedList(bytes: Uint8Array, element: Type, depth: number): Json[] {
  const list: Json[] = [];
  readFields(bytes, "items", (number, wireType, reader) => {
    if (number !== 1) return false;
    list.push(readValue(reader, wireType, element, "Items", depth));
    return true;
  });
  return list;
}

function readEntry(bytes: Uint8Array, map: JsonObject, element: Type, depth: number): void {
  let key = "";
  let value: Json | undefined;
  readFields(bytes, "map", (number, wireType, reader) => {
    if (number === 1) key = readValue(reader, wireType, stringType, "mapkey", depth) as string;
    else if (number === 2) value = readValue(reader, wireType, element, "mapvalue", depth);
    else return false;
    return true;
  });
  setMember(map, key, value ?? unset(element));
}

const stringType: Type = { form: "scalar", scalar: "string", goType: "string" };
const intType: Type = { form: "scalar", scalar: "int64", goType: "int64" };
const boolType: Type = { form: "scalar", scalar: "bool", goType: "bool" };

/** The value of a map's entry that has only a key. */
function unset(type: Type): Json {
  if (type.form === "struct") return {};
  if (type.form === "scalar" && (type.scalar === "string" || type.scalar === "bytes")) return "";
  return type.form === "scalar" && type.scalar === "Quantity" ? "0" : null;
}

function readValue(
  reader: BinaryReader,
  wireType: WireType,
  type: Type,
  name: string,
  depth: number,
  before?: Json,
): Json {
  expectWireType(wireType, expectedWireType(type), name);
  if (type.form === "struct")
    return readMessage(reader.bytes(), messageOf(type), (before as JsonObject | undefined) ?? {}, depth);
  if (type.form === "list") return readNamedList(reader.bytes(), type.element, depth);
  if (type.form !== "scalar") throw new Error(`${type.goType} cannot stand in a list or a map`);
  switch (type.scalar) {
    case "string":
      return reader.string();
    case "bool":
      return reader.bool();
    case "int32":
      return reader.int32();
    case "int64":
      return Number(reader.int64());
    case "float64":
      return reader.double();
    case "bytes":
      return base64Encode(reader.bytes());
    default:
      return readSpecial(reader.bytes(), type.scalar, depth);
  }
}

function expectedWireType(type: Type): WireType {
  if (type.form !== "scalar") return WireType.LengthDelimited;
  if (type.scalar === "float64") return WireType.Bit64;
  return type.scalar === "int32" || type.scalar === "int64" || type.scalar === "bool"
    ? WireType.Varint
    : WireType.LengthDelimited;
}

function expectWireType(given: WireType, expected: WireType, name: string): void {
  if (given === expected) return;
  const goName = name === "metadata" ? "ObjectMeta" : `${name[0]!.toUpperCase()}${name.slice(1)}`;
  throw new ProtobufError(`proto: wrong wireType = ${given} for field ${goName}`);
}

/** Reads the types that have their own JSON form. */
function readSpecial(bytes: Uint8Array, scalar: Scalar, depth: number): Json {
  switch (scalar) {
    case "Time":
    case "MicroTime":
      return readTime(bytes, scalar === "MicroTime");
    case "Quantity":
      return (readParts(bytes, { 1: stringType }, depth)[1]?.[0] as string | undefined) ?? "0";
    case "IntOrString": {
      const parts = readParts(bytes, { 1: intType, 2: intType, 3: stringType }, depth);
      return parts[1]?.at(-1) === 1 ? (parts[3]?.at(-1) ?? "") : (parts[2]?.at(-1) ?? 0);
    }
    case "JSONSchemaPropsOrArray": {
      const parts = readParts(bytes, { 1: structType("JSONSchemaProps"), 2: structType("JSONSchemaProps") }, depth);
      return parts[2] ?? parts[1]?.at(-1) ?? null;
    }
    case "JSONSchemaPropsOrBool": {
      const parts = readParts(bytes, { 1: boolType, 2: structType("JSONSchemaProps") }, depth);
      return parts[2]?.at(-1) ?? parts[1]?.at(-1) ?? false;
    }
    case "JSONSchemaPropsOrStringArray": {
      const parts = readParts(bytes, { 1: structType("JSONSchemaProps"), 2: stringType }, depth);
      return parts[2] ?? parts[1]?.at(-1) ?? null;
    }
    default: {
      const raw = readParts(bytes, { 1: stringType }, depth)[1]?.at(-1) ?? "";
      return raw === "" ? null : readJson(raw as string);
    }
  }
}

/** The values of a small message by number. */
function readParts(bytes: Uint8Array, types: Readonly<Record<number, Type>>, depth: number): Record<number, Json[]> {
  if (depth > MAX_DEPTH) throw new ProtobufError("exceeded max depth");
  const parts: Record<number, Json[]> = {};
  readFields(bytes, "part", (number, wireType, reader) => {
    const type = types[number];
    if (type) (parts[number] ??= []).push(readValue(reader, wireType, type, "part", depth + 1));
    return type !== undefined;
  });
  return parts;
}

function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw new ProtobufError((error as Error).message);
  }
}

/** Go writes no time as year 1, or as an empty message. JSON has null for both. */
function readTime(bytes: Uint8Array, hasMicroseconds: boolean): Json {
  let seconds = bytes.length === 0 ? FIRST_YEAR_SECONDS : 0n;
  let nanos = 0;
  readFields(bytes, "Timestamp", (number, wireType, reader) => {
    if (number > 2) return false;
    expectWireType(wireType, WireType.Varint, number === 1 ? "Seconds" : "Nanos");
    if (number === 1) seconds = BigInt(reader.int64());
    else nanos = reader.int32();
    return true;
  });
  if (seconds === FIRST_YEAR_SECONDS) return null;
  if (seconds < FIRST_YEAR_SECONDS || seconds > LAST_YEAR_SECONDS)
    throw new ProtobufError(`time of ${seconds} seconds: year outside of range [0,9999]`);
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${text}${hasMicroseconds ? `.${String(Math.floor(nanos / 1000)).padStart(6, "0")}` : ""}Z`;
}
