/**
 * JSON Patch (RFC 6902) on immutable documents: every operation copies the path to its target and shares the
 * rest, so the document that came in stays as it was.
 */
import type { Json, JsonObject } from "../../types.ts";
import { deepEqual, isObject } from "../json.ts";

export interface JsonPatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

/** An operation that cannot be applied: a missing path, a failed test, an unknown operation. */
export class JsonPatchError extends Error {}

/** @throws JsonPatchError */
export function applyJsonPatch(document: Json, operations: readonly JsonPatchOperation[]): Json {
  return operations.reduce(applyOperation, document);
}

function applyOperation(document: Json, operation: JsonPatchOperation): Json {
  const path = pointer(operation.path);
  switch (operation.op) {
    case "add":
      return add(document, path, operation.value ?? null);
    case "remove":
      return remove(document, path);
    case "replace":
      return change(document, path, () => operation.value ?? null);
    case "move": {
      const from = pointer(operation.from);
      const value = read(document, from);
      return add(remove(document, from), path, value);
    }
    case "copy":
      return add(document, path, read(document, pointer(operation.from)));
    case "test":
      if (!deepEqual(readOrNull(document, path), operation.value ?? null)) throw new JsonPatchError(`testing value ${operation.path} failed`);
      return document;
    default:
      throw new JsonPatchError(`Unexpected kind: ${operation.op}`);
  }
}

function pointer(text: string | undefined): string[] {
  if (typeof text !== "string" || (text !== "" && !text.startsWith("/"))) throw new JsonPatchError(`"${text}" is no JSON pointer: it must be empty or begin with "/"`);
  return text.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function missing(part: string): JsonPatchError {
  return new JsonPatchError(`nothing at "${part}"`);
}

function indexIn(list: readonly Json[], part: string, limit: number): number {
  const index = Number(part);
  if (!/^(0|[1-9]\d*)$/.test(part) || index >= limit) throw new JsonPatchError(`index "${part}" is outside a list of ${list.length}`);
  return index;
}

function child(node: Json, part: string): Json {
  if (Array.isArray(node)) return node[indexIn(node, part, node.length)]!;
  if (!isObject(node) || !Object.hasOwn(node, part)) throw missing(part);
  return node[part]!;
}

function read(document: Json, path: readonly string[]): Json {
  return path.reduce(child, document);
}

/** A test of a missing member for null holds. */
function readOrNull(document: Json, path: readonly string[]): Json {
  const last = path.at(-1);
  if (last === undefined) return document;
  const parent = read(document, path.slice(0, -1));
  return isObject(parent) && !Object.hasOwn(parent, last) ? null : child(parent, last);
}

/** Replaces what is at `path`, of which `depth` parts lead to `node`, by what `next` makes of it. */
function change(node: Json, path: readonly string[], next: (value: Json) => Json, depth = 0): Json {
  const part = path[depth];
  if (part === undefined) return next(node);
  const value = change(child(node, part), path, next, depth + 1);
  if (Array.isArray(node)) return node.with(Number(part), value);
  return { ...(node as JsonObject), [part]: value };
}

function add(document: Json, path: readonly string[], value: Json): Json {
  const last = path.at(-1);
  if (last === undefined) return value;
  return change(document, path.slice(0, -1), (parent) => {
    if (Array.isArray(parent)) {
      return parent.toSpliced(last === "-" ? parent.length : indexIn(parent, last, parent.length + 1), 0, value);
    }
    if (!isObject(parent)) throw missing(last);
    return { ...parent, [last]: value };
  });
}

function remove(document: Json, path: readonly string[]): Json {
  const last = path.at(-1);
  if (last === undefined) throw missing("");
  return change(document, path.slice(0, -1), (parent) => {
    if (Array.isArray(parent)) return parent.toSpliced(indexIn(parent, last, parent.length), 1);
    child(parent, last);
    const { [last]: _removed, ...rest } = parent as JsonObject;
    return rest;
  });
}
