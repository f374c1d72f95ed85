/**
 * Migrates objects that client-side `kubectl apply` managed. Such an object has the last configuration in an
 * annotation. Fields that this names, and the object still has, belong to kubectl: no conflict. From then on the
 * annotation follows each apply, so that both ways can be used.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import type { ResourceRequest } from "../contract/context.ts";
import { isObject, setMember, stringify } from "../../values/json.ts";
import { compare } from "./compare.ts";
import { difference, type FieldSet, isEmptySet } from "./field-set.ts";
import { fieldsOf } from "./fields-of.ts";
import type { Conflict } from "./ownership.ts";
import { structShape } from "./shape.ts";
import { ShapeError, validate } from "./validate.ts";

const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
/** The manager that kubectl applies as, unless a user names another one. */
const KUBECTL = "kubectl";

/** The conflicts that remain; none: the apply may be forced. */
export function remainingConflicts(
  conflicts: readonly Conflict[],
  live: JsonObject,
  request: ResourceRequest,
): readonly Conflict[] {
  const own = request.query.text("fieldManager") === KUBECTL ? lastAppliedFields(live, request) : undefined;
  if (own === undefined) return conflicts;
  return conflicts
    .map(({ manager, fields }) => ({ manager, fields: difference(fields, own) }))
    .filter(({ fields }) => !isEmptySet(fields));
}

/** The fields of the annotation's configuration that the object still has with the same value. */
function lastAppliedFields(live: JsonObject, { definition }: ResourceRequest): FieldSet | undefined {
  const shape = structShape(definition.body.type);
  const text = annotationsOf(live)[ANNOTATION];
  if (typeof text !== "string" || text === "") return undefined;
  try {
    const configuration = JSON.parse(text) as Json;
    if (!isObject(configuration) || configuration["apiVersion"] !== definition.body.apiVersion) return undefined;
    validate(configuration, shape, { allowsDuplicates: false });
    validate(live, shape, { allowsDuplicates: false });
    const { written, removed } = compare(configuration, live, shape);
    return difference(difference(fieldsOf(configuration, shape), written), removed);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ShapeError) return undefined;
    throw error;
  }
}

/** The object with an updated annotation, if it has one and kubectl applied. */
export function withLastApplied(object: JsonObject, configuration: JsonObject, { query }: ResourceRequest): JsonObject {
  if (query.text("fieldManager") !== KUBECTL || !annotationsOf(object)[ANNOTATION]) return object;
  const annotations = {
    ...annotationsOf(object),
    [ANNOTATION]: `${stringify(inOrder(withoutAnnotation(configuration)))}\n`,
  };
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), annotations } };
}

function withoutAnnotation(configuration: JsonObject): JsonObject {
  const { [ANNOTATION]: _last, ...annotations } = annotationsOf(configuration);
  if (_last === undefined) return configuration;
  return { ...configuration, metadata: { ...(configuration["metadata"] as JsonObject), annotations } };
}

/** Sorts the members of all objects by name, as Go writes a map. */
function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  const ordered: JsonObject = {};
  for (const name of Object.keys(value).sort()) setMember(ordered, name, inOrder(value[name]!));
  return ordered;
}

function annotationsOf(object: JsonObject): JsonObject {
  const metadata = object["metadata"];
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  return isObject(annotations) ? annotations : {};
}
