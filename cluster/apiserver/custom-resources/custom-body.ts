/**
 * Reads the bodies of custom resources: checks metadata as for every object; prunes and defaults the rest by the schema
 * of the version.
 */
import type { Json, JsonObject, KubeObject } from "../../values/types.ts";
import { type BodyKind, conform, type Decoded } from "../schema/decode.ts";
import { deepEqual, isObject, setMember } from "../../values/json.ts";
import { type StructField, structType, type StructType } from "../schema/schema.ts";
import { type ApiError, badRequest, invalid } from "../contract/status-errors.ts";
import { withDefaults } from "./defaulting.ts";
import type { Names } from "./definition-spec.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { pruned } from "./pruning.ts";

/** The order of writing: that of Go's maps. */
const places: Readonly<Record<string, number>> = { apiVersion: 0, kind: 1, metadata: 2 };

export function customBody(group: string, version: string, names: Names, schema: JsonSchema): BodyKind {
  const { kind } = names;
  const apiVersion = `${group}/${version}`;
  const read = (value: JsonObject): Decoded<JsonObject> => {
    if (!value["apiVersion"]) throw otherVersion("", apiVersion);
    const { metadata, ...rest } = value;
    const head = metadataOf(metadata ?? {});
    const { object, unknown } = pruned(rest, schema);
    const complete = sorted(withDefaults(object, schema)) as JsonObject;
    const { apiVersion: _apiVersion, kind: _kind, ...members } = complete;
    return {
      object: { apiVersion, kind, metadata: head.object, ...members },
      problems: [...head.problems, ...unknown.map((path) => `unknown field "${path}"`)],
    };
  };
  return {
    kind,
    apiVersion,
    version,
    goType: "unstructured.Unstructured",
    type: openType(kind, group),
    isRegistered: (givenVersion, givenKind) => refuseType(givenVersion, givenKind, group, version, kind),
    ...(names.listKind !== undefined && { listKind: names.listKind }),
    read,
    schema,
  };
}

/**
 * A version's view of stored objects: with the defaults of the stored version, and with the fields of both versions. It
 * outlives a change of the definition, so that open watches follow that.
 */
export class VersionView {
  readonly #apiVersion: string;
  #stored: JsonSchema = {};
  #own: JsonSchema = {};
  #known = new WeakMap<KubeObject, KubeObject>();

  constructor(apiVersion: string) {
    this.#apiVersion = apiVersion;
  }

  /** @param stored the schema of the version in which objects are stored */
  use(own: JsonSchema, stored: JsonSchema): void {
    if (deepEqual(own, this.#own) && deepEqual(stored, this.#stored)) return;
    this.#own = own;
    this.#stored = stored;
    this.#known = new WeakMap();
  }

  shown(stored: KubeObject): KubeObject {
    const made = this.#known.get(stored) ?? this.#shownAnew(stored);
    this.#known.set(stored, made);
    return made;
  }

  #shownAnew(stored: KubeObject): KubeObject {
    const { metadata, ...rest } = stored;
    const complete = withDefaults(pruned(rest as JsonObject, this.#stored).object, this.#stored);
    return restored(pruned(complete, this.#own).object, metadata, this.#apiVersion, stored);
  }
}

/** An object of another version as it is stored. */
export function asStored(object: KubeObject, apiVersion: string, schema: JsonSchema): KubeObject {
  if (object["apiVersion"] === apiVersion) return object;
  const { metadata, ...rest } = object;
  return restored(pruned(rest as JsonObject, schema).object, metadata, apiVersion, object);
}

function restored(
  { apiVersion: given, kind, ...members }: JsonObject,
  metadata: KubeObject["metadata"],
  apiVersion: string,
  before: KubeObject,
): KubeObject {
  const next = { apiVersion, kind, metadata, ...members } as unknown as KubeObject;
  return given === apiVersion && deepEqual(next, before) ? before : next;
}

function otherVersion(given: string, expected: string): ApiError {
  return badRequest(`the API version in the data (${given}) does not match the expected API version (${expected})`);
}

/** @throws ApiError always: the body has another kind or version */
function refuseType(givenVersion: string, givenKind: string, group: string, version: string, kind: string): never {
  const apiVersion = `${group}/${version}`;
  if (givenVersion !== apiVersion) throw otherVersion(givenVersion, apiVersion);
  throw invalid({ group, name: givenKind }, "", [
    { kind: "Invalid", field: "kind", value: givenKind, detail: `must be ${kind}` },
  ]);
}

/** Sorts the members of all objects by name. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const members: JsonObject = {};
  for (const name of Object.keys(value).sort()) setMember(members, name, sorted(value[name]!));
  return members;
}

function metadataField(): StructField {
  const type = structType("ObjectMeta");
  return { name: "metadata", type, position: places["metadata"]!, omitEmpty: false, goType: type.goType };
}

/** @throws DecodeError */
function metadataOf(value: Json): Decoded<JsonObject> {
  const { object, problems } = conform(value, structType("ObjectMeta"));
  return { object, problems: problems.map((problem) => problem.replace('"', '"metadata.')) };
}

/** An object with metadata and any other members. */
function openType(kind: string, group: string): StructType {
  return struct(`${kind}.${group}`, new OpenFields([["metadata", metadataField()]]));
}

function struct(name: string, fields: ReadonlyMap<string, StructField>): StructType {
  return { form: "struct", name, goName: name, goType: `v1.${name}`, fields, names: [], alwaysWritten: [] };
}

/** Has a field of every name. */
class OpenFields extends Map<string, StructField> {
  override get(name: string): StructField {
    return (
      super.get(name) ?? {
        name,
        type: { form: "scalar", scalar: "any", goType: "interface {}" },
        position: places[name] ?? 3,
        omitEmpty: false,
        goType: "interface {}",
      }
    );
  }
}
