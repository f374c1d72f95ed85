/**
 * The wire form of objects in protobuf: four bytes `k8s\0`, then a message with the kind, the API version and the bytes
 * of the object. Lists and the events of watches are assembled here, because they have no models.
 */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Json, JsonObject } from "../../values/types.ts";
import { isObject } from "../../values/json.ts";
import { structType, type StructType } from "../schema/schema.ts";
import { attempt, decode, ProtobufError, readFields } from "./decode.ts";
import { writeMessage } from "./encode.ts";
import { itemKind, kindType, messageOf } from "./plan.ts";

const PREFIX = [0x6b, 0x38, 0x73, 0];
/** The length before each event of a watch, in bytes. */
const FRAME_HEAD = 4;

/** Whether objects of the kind have a form in protobuf. Custom resources have none. */
export function hasProtobuf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return kindType(apiVersion, kind) !== undefined;
}

/** An object, a list or a Status. Undefined: its kind has no form in protobuf, as a Table has none. */
export function toProtobuf(object: JsonObject): Uint8Array | undefined {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined;
  const type = kindType(apiVersion, kind);
  if (type) return enveloped({ apiVersion, kind }, rawOf(object, type));
  const { metadata, items } = object;
  return listToProtobuf({ apiVersion, kind }, isObject(metadata) ? metadata : {}, Array.isArray(items) ? items : []);
}

/** A list of objects, which need not say their kind. Undefined: the kind has no form in protobuf. */
export function listToProtobuf(
  list: { readonly apiVersion: string; readonly kind: string },
  metadata: JsonObject,
  items: Iterable<Json>,
): Uint8Array | undefined {
  const type = itemKind(list.apiVersion, list.kind);
  if (!type) return undefined;
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).fork();
  writeMessage(writer, metadata, messageOf(structType("ListMeta")));
  writer.join();
  for (const item of items) writer.tag(2, WireType.LengthDelimited).bytes(rawOf(isObject(item) ? item : {}, type));
  return enveloped(list, writer.finish());
}

function enveloped(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  raw: Uint8Array,
): Uint8Array {
  const writer = new BinaryWriter().raw(Uint8Array.from(PREFIX));
  writer.tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string(apiVersion).tag(2, WireType.LengthDelimited).string(kind).join();
  writer.tag(2, WireType.LengthDelimited).bytes(raw);
  // The encoding and the type of the content, which are always empty.
  return writer.tag(3, WireType.LengthDelimited).string("").tag(4, WireType.LengthDelimited).string("").finish();
}

/** Caches the messages of objects, which never change: one object goes to many watches, and into many lists. */
const raws = new WeakMap<JsonObject, Uint8Array>();

function rawOf(object: JsonObject, type: StructType): Uint8Array {
  let raw = raws.get(object);
  if (raw === undefined) {
    const writer = new BinaryWriter();
    writeMessage(writer, object, messageOf(type));
    raw = writer.finish();
    raws.set(object, raw);
  }
  return raw;
}

/** An event of a watch with the length before it. Undefined as for `toProtobuf`. */
export function toFrame(type: string, object: JsonObject): Uint8Array | undefined {
  const inner = toProtobuf(object);
  if (!inner) return undefined;
  const event = new BinaryWriter().tag(1, WireType.LengthDelimited).string(type);
  event.tag(2, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).bytes(inner).join();
  const body = event.finish();
  const frame = new Uint8Array(FRAME_HEAD + body.length);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, FRAME_HEAD);
  return frame;
}

/** What is in an envelope. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** @throws ProtobufError with Go's text */
export function openEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new ProtobufError("empty data");
  if (PREFIX.some((byte, index) => bytes[index] !== byte))
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${PREFIX.join(" ")}]`,
    );
  if (bytes.length === PREFIX.length) throw new ProtobufError("empty body");
  const text = new TextDecoder();
  const envelope = { apiVersion: "", kind: "", raw: new Uint8Array() as Uint8Array };
  attempt(() =>
    readFields(bytes.subarray(PREFIX.length), "Unknown", (number, wireType, reader) => {
      if (number > 2 || wireType !== WireType.LengthDelimited) return false;
      if (number === 2) envelope.raw = reader.bytes();
      else
        readFields(reader.bytes(), "TypeMeta", (part, partType, inner) => {
          if (part > 2 || partType !== WireType.LengthDelimited) return false;
          envelope[part === 1 ? "apiVersion" : "kind"] = text.decode(inner.bytes());
          return true;
        });
      return true;
    }),
  );
  return envelope;
}

/**
 * The object in an envelope, not yet in written form. An envelope without a kind holds the expected one.
 * @throws ProtobufError with Go's text
 */
export function fromEnvelope(
  { apiVersion, kind, raw }: Envelope,
  expected: { readonly apiVersion: string; readonly kind: string },
): JsonObject {
  const head = { kind: kind || expected.kind, apiVersion: apiVersion || expected.apiVersion };
  const type = kindType(head.apiVersion, head.kind);
  // For an unknown kind, the server reports the error.
  return type ? { ...head, ...decode(raw, type) } : head;
}
