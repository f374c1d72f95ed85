/**
 * Turns parsed JSON into the object as the server holds it, its written form: fields are checked against the schema,
 * nulls and empty optional fields dropped, members put into Go's order, times written in UTC, quantities made
 * canonical. If an object already has that form, the same object is returned, so decoding a stored object again costs
 * no copy. Leaves out defaults and validation.
 */
import type { Json, JsonObject, KubeObject } from "../../values/types.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { UnknownFields } from "./new-fields.ts";
import { duplicateMembers, MAX_PROBLEMS, parseJson } from "../../values/go-json.ts";
import { goJsonKind, isObject, setMember } from "../../values/json.ts";
import { canonicalQuantity } from "../../values/quantities.ts";
import { type Scalar, structType, type StructField, type StructType, type Type } from "./schema.ts";
import { byteLength, hexOf } from "../../values/text.ts";
import { normalizeMicroTime, normalizeTime } from "../../values/times.ts";

/** A body that does not decode. The message is the text of Go's decoder, without the prefix of the handler. */
export class DecodeError extends Error {}

/** A value of the wrong JSON type. The strategic merge patch has its own text for this. */
export class TypeMismatch extends DecodeError {
  readonly value: Json | undefined;
  readonly type: Type | undefined;

  constructor(message: string, value?: Json, type?: Type) {
    super(message);
    this.value = value;
    this.type = type;
  }
}

/** A decoded value, and the problems that a field validation level may ignore. */
export interface Decoded<T> {
  readonly object: T;
  /** `unknown field "spec.foo"`, `duplicate field "spec.bar"`, in the order in which the server reports them. */
  readonly problems: readonly string[];
}

/**
 * Brings a value into written form.
 * @param known an object of this type in written form; parts that the value shares with it are not checked again
 * @param knownToo another one
 * @param hidden fields of the type that count as unknown
 * @throws DecodeError for a value whose JSON type does not fit
 */
export function conform(
  value: Json,
  type: StructType,
  known?: object,
  knownToo?: object,
  hidden?: UnknownFields,
): Decoded<JsonObject> {
  const walk = new Walk(hidden);
  const object = walk.struct(value, type, known as JsonObject | undefined, knownToo as JsonObject | undefined);
  return { object, problems: walk.problems };
}

/**
 * Brings an object that the server itself changed back into written form: order, empty fields, always-written fields.
 * For `known` see `conform`.
 */
export function normalize<T extends object>(object: T, type: StructType, known?: object): T {
  return new Walk().struct(object as unknown as Json, type, known as JsonObject | undefined) as T;
}

/** An object with other values for some members. Everything is in written form, also the result. */
export function withMembers<Part extends object>(object: Part, changes: Partial<Part>, type: StructType): Part {
  let hasNew = false;
  for (const name in changes) hasNew ||= object[name] === undefined;
  // A copy keeps the order, and takes less memory than an object that grows member by member.
  if (!hasNew) return { ...object, ...changes };
  const members: Partial<Part> = {};
  for (const name of type.names as (keyof Part)[]) {
    const value = changes[name] ?? object[name];
    if (value !== undefined) members[name] = value;
  }
  return members as Part;
}

/** The names of a resource's bodies in errors, and the kinds that the server knows. */
export interface BodyKind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly version: string;
  /** Go's name of the internal type: `batch.Job`. */
  readonly goType: string;
  readonly type: StructType;
  readonly isRegistered: (apiVersion: string, kind: string) => boolean;
  /** Of a custom resource: reads an object of this kind in the place of `type`. @throws DecodeError */
  readonly read?: (value: JsonObject) => Decoded<JsonObject>;
  /** Of a custom resource: the schema of its definition. */
  readonly schema?: JsonSchema;
  /** The kind of a list, if it has another name. */
  readonly listKind?: string;
  /** @throws ApiError 415 for a patch format that this kind does not accept */
  readonly checkPatch?: (format: string) => void;
}

/**
 * Decodes a request body. For `known` and `hidden` see `conform`.
 * @throws DecodeError whose message is the whole text of the 400 answer
 */
export function decodeBody(text: string, body: BodyKind, known?: object, hidden?: UnknownFields): Decoded<KubeObject> {
  const parsed = parseBody(text, body.kind);
  const { object, problems } = decodeContent(parsed, body, known, hidden);
  return { object, problems: [...duplicates(text, parsed), ...problems].slice(0, MAX_PROBLEMS) };
}

/** Decodes a request body that needs no parsing. @throws DecodeError as decodeBody */
export function decodeContent(
  content: JsonObject,
  body: BodyKind,
  known?: object,
  hidden?: UnknownFields,
): Decoded<KubeObject> {
  try {
    return decodeValue(content, body, known, undefined, hidden);
  } catch (error) {
    if (error instanceof DecodeError) throw new DecodeError(cannotBeHandled(content, body, error.message));
    throw error;
  }
}

/** The text of a 400 about a body, which names the kind and version that the body claims to be. */
export function cannotBeHandled(given: JsonObject, body: BodyKind, why: string): string {
  const kind = String(given["kind"] || body.kind);
  const version = String(given["apiVersion"] || body.apiVersion)
    .split("/")
    .at(-1);
  return `${kind} in version "${version}" cannot be handled as a ${body.kind}: ${why}`;
}

/**
 * Decodes a parsed object, for example a patched one. Messages lack the prefix that decodeBody adds. For `known`,
 * `knownToo` and `hidden` see `conform`.
 * @throws DecodeError
 */
export function decodeValue(
  value: JsonObject,
  body: BodyKind,
  known?: object,
  knownToo?: object,
  hidden?: UnknownFields,
): Decoded<KubeObject> {
  const apiVersion = value["apiVersion"] || body.apiVersion;
  const kind = value["kind"] || body.kind;
  if (
    typeof apiVersion === "string" &&
    typeof kind === "string" &&
    (apiVersion !== body.apiVersion || kind !== body.kind)
  ) {
    if (!body.isRegistered(apiVersion, kind)) {
      throw new DecodeError(
        `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
      );
    }
    throw new DecodeError(`converting (v1.${kind}) to (${body.goType}): unknown conversion`);
  }
  const { object, problems } = body.read?.(value) ?? conform(value, body.type, known, knownToo, hidden);
  return { object: normalizeHead(object, body) as KubeObject, problems };
}

function normalizeHead(object: JsonObject, body: BodyKind): JsonObject {
  if (object["kind"] === body.kind && object["apiVersion"] === body.apiVersion) return object;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return { kind: body.kind, apiVersion: body.apiVersion, ...rest };
}

/** What a field validation level may ignore of a document's text: members that it has twice. */
export function duplicates(text: string, parsed: Json): string[] {
  return duplicateMembers(text, parsed).map((path) => `duplicate field "${path}"`);
}

/** Go's name of what is read of each body first. */
export const HEAD_TYPE =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const previewBytes = 30;

function parseBody(text: string, kind: string): JsonObject {
  const reject = (reason: string): never => {
    const more = byteLength(text) > previewBytes ? " ..." : "";
    const start = text.slice(0, previewBytes);
    const shown =
      text === "" ? "<empty>" : `${text.startsWith("{") ? start : hexOf(start).slice(0, 2 * previewBytes)}${more}`;
    throw new DecodeError(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${reason} (${shown})`,
    );
  };
  let parsed: Json = null;
  try {
    parsed = parseJson(text);
  } catch (error) {
    reject((error as Error).message);
  }
  if (parsed === null) return {};
  if (!isObject(parsed)) {
    reject(`json: cannot unmarshal ${goJsonKind(parsed)} into Go value of type ${HEAD_TYPE}`);
  }
  return parsed as JsonObject;
}

/** Caches the lists last brought into written form, so that similar objects share them. */
class WrittenLists {
  readonly #lists: { readonly given: Json[]; readonly element: Type; readonly written: Json[] }[] = [];
  #oldest = 0;

  get(given: Json[], element: Type): Json[] | undefined {
    for (const known of this.#lists) if (known.given === given && known.element === element) return known.written;
    return undefined;
  }

  add(given: Json[], element: Type, written: Json[]): void {
    this.#lists[this.#oldest] = { given, element, written };
    this.#oldest = (this.#oldest + 1) % maxWrittenLists;
  }
}

const maxWrittenLists = 8;
const writtenLists = new WrittenLists();
const noMembers: JsonObject = {};
const noProblems: readonly string[] = [];
/**
 * The path of the present walk, from the root to the present struct: member names, positions of elements, and `[key]`
 * for members of maps.
 */
const path: (string | number)[] = [];
const maximum: Readonly<Partial<Record<Scalar, number>>> = { int32: 2 ** 31, int64: 2 ** 63 };

/** One pass over one object. A member that the value shares with `known` is in written form already. */
class Walk {
  /** Unknown fields. Undefined while there are none, which is the usual case. */
  #unknown: string[] | undefined;
  #depth = 0;
  /** Whether the list or map that was walked last is empty. Asking a large map itself would take long. */
  #leftEmpty = false;
  readonly #hidden: UnknownFields | undefined;

  constructor(hidden?: UnknownFields) {
    this.#hidden = hidden;
  }

  get problems(): readonly string[] {
    return this.#unknown ?? noProblems;
  }

  struct(value: Json, type: StructType, known: Json | undefined, knownToo?: Json): JsonObject {
    if (!isObject(value))
      throw new TypeMismatch(`json: cannot unmarshal ${goJsonKind(value)} into Go value of type ${type.goType}`);
    if (value === known) return value;
    const knownMembers = isObject(known) ? known : noMembers;
    const knownMembersToo = isObject(knownToo) ? knownToo : noMembers;
    /** The written form. It is built only from the first member on that differs from its written form. */
    let kept: Members | undefined;
    let lastPosition = -1;
    let alwaysWritten = 0;
    const hidden = this.#hidden?.get(type.name);
    for (const key in value) {
      const field = hidden?.has(key) ? undefined : type.fields.get(key);
      const given = value[key]!;
      let next: Json | undefined;
      if (!field) this.#reportUnknown(key);
      // Null stays if the server writes null for an unset field.
      else if (given === null) next = field.absent === null ? null : undefined;
      else if (given === knownMembers[key] || given === knownMembersToo[key]) next = given;
      else next = this.#field(given, field, type, knownMembers[key], knownMembersToo[key]);
      if (!field || next !== given || field.position < lastPosition) kept ??= membersBefore(value, key, type);
      if (!field || next === undefined) continue;
      kept?.add(field, next);
      lastPosition = field.position;
      if (field.absent !== undefined) alwaysWritten++;
    }
    if (kept === undefined && alwaysWritten === type.alwaysWritten.length) return value;
    return this.#rebuild(kept ?? membersBefore(value, undefined, type), type);
  }

  #reportUnknown(key: string): void {
    if ((this.#unknown ??= []).length < MAX_PROBLEMS) this.#unknown.push(`unknown field "${this.#at(key)}"`);
  }

  #rebuild(kept: Members, type: StructType): JsonObject {
    for (const field of type.alwaysWritten) {
      if (kept.has(field)) continue;
      const absent = field.absent as Json;
      kept.add(
        field,
        field.type.form === "struct" && absent !== null ? this.struct(absent, field.type, undefined) : absent,
      );
    }
    return kept.toObject();
  }

  /** The written form of a value, or undefined to leave the field out. */
  #field(
    value: Json,
    field: StructField,
    owner: StructType,
    known: Json | undefined,
    knownToo: Json | undefined,
  ): Json | undefined {
    const { type } = field;
    if (type.form === "scalar") {
      const scalar = this.#scalar(value, type.scalar, field, owner);
      return field.omitEmpty && (scalar === "" || scalar === 0 || scalar === false) ? undefined : scalar;
    }
    if (type.form === "struct" && !isObject(value)) throw this.#mismatch(value, field, owner);
    path[this.#depth++] = field.name;
    let written: Json;
    if (type.form === "struct") written = this.struct(value, type, known, knownToo);
    else
      written =
        type.form === "list"
          ? this.#list(value, type.element, field, owner, known)
          : this.#map(value, type.element, field, owner, known);
    this.#depth--;
    // An empty metadata.managedFields list means that no manager owns anything.
    const isLeftOut = field.omitEmpty && type.form !== "struct" && this.#leftEmpty;
    return isLeftOut && !(this.#depth === 1 && field.name === "managedFields") ? undefined : written;
  }

  #list(value: Json, element: Type, field: StructField, owner: StructType, known: Json | undefined): Json[] {
    if (!Array.isArray(value)) throw this.#mismatch(value, field, owner, true);
    this.#leftEmpty = false;
    const knownForm = value.length > 1 ? writtenLists.get(value, element) : undefined;
    if (knownForm !== undefined) return knownForm;
    const problemsBefore = this.problems.length;
    const knownItems = Array.isArray(known) ? known : [];
    let items: Json[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const next = this.#element(value[index]!, index, element, field, owner, knownItems[index]);
      if (next !== value[index]) items ??= value.slice(0, index);
      items?.push(next);
    }
    const written = items ?? value;
    if (value.length > 1 && this.problems.length === problemsBefore) writtenLists.add(value, element, written);
    this.#leftEmpty = written.length === 0;
    return written;
  }

  #map(value: Json, element: Type, field: StructField, owner: StructType, known: Json | undefined): JsonObject {
    if (!isObject(value)) throw this.#mismatch(value, field, owner, true);
    const knownMembers = isObject(known) ? known : noMembers;
    const holdsStrings = element.form === "scalar" && element.scalar === "string";
    let written: JsonObject | undefined;
    let isSorted = true;
    let lastKey = "";
    let isEmpty = true;
    for (const key in value) {
      const given = value[key]!;
      // There may be tens of thousands of labels. For a label that is a string already, nothing is looked up and no
      // path is built.
      const isWritten = holdsStrings && typeof given === "string";
      const next = isWritten ? given : this.#element(given, `[${key}]`, element, field, owner, knownMembers[key]);
      if (next !== given) written ??= valuesBefore(value, key);
      if (written !== undefined) setMember(written, key, next);
      if (key < lastKey) isSorted = false;
      lastKey = key;
      isEmpty = false;
    }
    this.#leftEmpty = isEmpty;
    return isSorted ? (written ?? value) : sortedByKey(written ?? value);
  }

  #element(
    value: Json,
    place: string | number,
    type: Type,
    field: StructField,
    owner: StructType,
    known: Json | undefined,
  ): Json {
    if (value === known) return value;
    path[this.#depth++] = place;
    const written = this.#elementAt(value, type, field, owner, known);
    this.#depth--;
    return written;
  }

  #elementAt(value: Json, type: Type, field: StructField, owner: StructType, known: Json | undefined): Json {
    if (type.form === "struct") {
      if (value !== null && !isObject(value)) throw this.#elementMismatch(value, type, owner);
      return this.struct(value ?? {}, type, known);
    }
    if (type.form !== "scalar") return value;
    if (value === null)
      return type.scalar === "any" || type.scalar === "bytes" ? null : type.scalar === "string" ? "" : 0;
    if (type.scalar === "string" && typeof value !== "string") throw this.#elementMismatch(value, type, owner);
    return this.#scalar(value, type.scalar, field, owner);
  }

  #scalar(value: Json, scalar: Scalar, field: StructField, owner: StructType): Json {
    switch (scalar) {
      case "any":
        return value;
      case "JSONSchemaPropsOrBool":
        if (typeof value !== "boolean" && !isObject(value)) throw new DecodeError("boolean or JSON schema expected");
        return this.#schemaProps(value);
      case "JSONSchemaPropsOrArray":
      case "JSONSchemaPropsOrStringArray":
        return Array.isArray(value) ? value.map((element) => this.#schemaProps(element)) : this.#schemaProps(value);
      case "string":
        if (typeof value !== "string") throw this.#mismatch(value, field, owner);
        return value;
      case "bool":
        if (typeof value !== "boolean") throw this.#mismatch(value, field, owner);
        return value;
      case "int32":
      case "int64":
        if (typeof value !== "number") throw this.#mismatch(value, field, owner);
        if (!Number.isInteger(value) || Math.abs(value) > maximum[scalar]! - (value > 0 ? 1 : 0))
          throw this.#mismatch(value, field, owner, false, ` ${value}`);
        return value;
      case "float64":
        if (typeof value !== "number") throw this.#mismatch(value, field, owner);
        return value;
      case "Time":
      case "MicroTime":
        if (typeof value !== "string") throw this.#mismatch(value, field, owner, false, "", "string");
        return refusing(scalar === "MicroTime" ? normalizeMicroTime : normalizeTime, value);
      case "Quantity":
        if (typeof value !== "string" && typeof value !== "number") throw this.#mismatch(value, field, owner);
        return refusing(canonicalQuantity, String(value));
      case "IntOrString":
        if (typeof value !== "string" && typeof value !== "number") throw this.#mismatch(value, field, owner);
        return value;
      case "bytes":
        if (typeof value !== "string") throw this.#mismatch(value, field, owner);
        return refusing(checkBase64, value);
    }
  }

  /** The schema in a field that may also have something else. */
  #schemaProps(value: Json): Json {
    return isObject(value) ? this.struct(value, structType("JSONSchemaProps"), undefined) : value;
  }

  /** `isInside`: the field's own name is already the end of the path. */
  #mismatch(
    value: Json,
    field: StructField,
    owner: StructType,
    isInside = false,
    literal = "",
    goType = field.goType,
  ): TypeMismatch {
    const name = this.#goPath(isInside ? undefined : field.name);
    return new TypeMismatch(
      `json: cannot unmarshal ${goJsonKind(value)}${literal} into Go struct field ${owner.goName}.${name} of type ${goType}`,
      value,
      field.type,
    );
  }

  #elementMismatch(value: Json, type: Type, owner: StructType): TypeMismatch {
    return new TypeMismatch(
      `json: cannot unmarshal ${goJsonKind(value)} into Go struct field ${owner.goName}.${this.#goPath()} of type ${type.goType}`,
      value,
      type,
    );
  }

  /** Go's errors name struct fields only: neither list positions nor map keys. */
  #goPath(last?: string): string {
    const names = path.slice(0, this.#depth).filter((part) => typeof part === "string" && !part.startsWith("["));
    return (last === undefined ? names : [...names, last]).join(".");
  }

  #at(key: string): string {
    return [...path.slice(0, this.#depth).map((part) => (typeof part === "number" ? `[${part}]` : part)), key]
      .join(".")
      .replaceAll(".[", "[");
  }
}

/** The members of a struct in the order of writing. */
class Members {
  readonly #fields: StructField[] = [];
  readonly #values: Json[] = [];

  /** The field mostly belongs at the end, or close to it. */
  add(field: StructField, value: Json): void {
    let place = this.#fields.length;
    for (; place > 0 && this.#fields[place - 1]!.position > field.position; place--) {
      this.#fields[place] = this.#fields[place - 1]!;
      this.#values[place] = this.#values[place - 1]!;
    }
    this.#fields[place] = field;
    this.#values[place] = value;
  }

  has(field: StructField): boolean {
    return this.#fields.includes(field);
  }

  toObject(): JsonObject {
    const object: JsonObject = {};
    for (let place = 0; place < this.#fields.length; place++) object[this.#fields[place]!.name] = this.#values[place]!;
    return object;
  }
}

/** The members that come before `key`, each as it is; all of them without `key`. */
function membersBefore(value: JsonObject, key: string | undefined, type: StructType): Members {
  const members = new Members();
  for (const name in value) {
    if (name === key) break;
    members.add(type.fields.get(name)!, value[name]!);
  }
  return members;
}

/** The members of a map that come before `key`. For a large map JavaScript's own copy would take twice as long. */
function valuesBefore(value: JsonObject, key: string): JsonObject {
  const members: JsonObject = {};
  for (const name in value) {
    if (name === key) break;
    setMember(members, name, value[name]!);
  }
  return members;
}

/** The same members sorted by code units, as Go writes a map. */
function sortedByKey(value: JsonObject): JsonObject {
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) setMember(sorted, key, value[key]!);
  return sorted;
}

function refusing(read: (text: string) => string, text: string): string {
  try {
    return read(text);
  } catch (error) {
    throw new DecodeError((error as Error).message);
  }
}

function checkBase64(text: string): string {
  const index = text.search(/[^A-Za-z0-9+/=]/);
  if (index >= 0 || text.length % 4 !== 0)
    throw new Error(`illegal base64 data at input byte ${index < 0 ? text.length : index}`);
  return text;
}
