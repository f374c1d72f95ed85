/**
 * JSON Patch (RFC 6902) as the API server's library applies it (evanphx/json-patch, version 4).
 *
 * Invariant: the given document does not change, and the cost of a patch is limited by its length. A container is
 * copied when it is first changed, and after that changed in place. There are limits for what `copy` adds, for the list
 * elements that move, and for the depth of the result. Leaves out the library's texts: the API server does not show
 * them.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import { MAX_DEPTH } from "../../values/go-json.ts";
import { deepEqual, isObject, setMember, stringify } from "../../values/json.ts";
import { byteLength } from "../../values/text.ts";

export interface JsonPatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

/**
 * An operation that cannot be applied: a missing path, a failed test, an unknown operation, more than a limit allows.
 */
export class JsonPatchError extends Error {}

/** Bytes of JSON that the `copy` operations of one patch may copy. Upstream: the API server's JSONPatchMaxCopyBytes. */
export const MAX_COPIED_BYTES = 3 * 1024 * 1024;
/** List elements that one patch may move by insertions and removals before them. */
export const MAX_MOVED_ELEMENTS = 20_000_000;

type Container = JsonObject | Json[];

/**
 * @returns of the type of the document; only a patch from a client can make it anything else, and is decoded afterwards
 * @throws JsonPatchError
 */
export function applyJsonPatch<Document>(document: Document, operations: readonly JsonPatchOperation[]): Document {
  const draft = new Draft(document as Json);
  for (const operation of operations) draft.apply(operation);
  return draft.finish() as Document;
}

/** A document that a patch is being applied to. */
class Draft {
  #root: Json;
  /** Containers that this draft has copied, and may change in place. */
  readonly #own = new Set<Container>();
  #copiedBytes = 0;
  #movedElements = 0;

  constructor(document: Json) {
    this.#root = document;
  }

  apply({ op, path, from, value = null }: JsonPatchOperation): void {
    switch (op) {
      case "add":
        return this.#add(path, value);
      case "remove":
        return this.#remove(path);
      case "replace":
        return this.#replace(path, value);
      case "move": {
        const moved = this.#read(from);
        this.#remove(from);
        return this.#add(path, moved);
      }
      case "copy":
        return this.#add(path, this.#copyOf(this.#read(from), 0));
      case "test":
        // The comparison costs as much as the longer value. That is fine: a test that fails is the last operation, and
        // if it holds, both values are equal.
        if (!deepEqual(path === "" ? this.#root : this.#read(path), value))
          throw new JsonPatchError(`testing value ${path} failed`);
        return;
      default:
        throw new JsonPatchError(`Unexpected kind: ${op}`);
    }
  }

  finish(): Json {
    checkDepth(this.#root, 0);
    return this.#root;
  }

  #add(path: string, value: Json): void {
    const [parent, key] = this.#locate(path);
    if (!Array.isArray(parent)) return setMember(parent, key, value);
    const place = key === "-" ? parent.length : indexIn(parent, key, parent.length + 1);
    this.#moveElements(parent.length - place);
    parent.splice(place, 0, value);
  }

  #remove(path: string | undefined): void {
    const [parent, key] = this.#locate(path);
    if (Array.isArray(parent)) {
      const place = indexIn(parent, key, parent.length);
      this.#moveElements(parent.length - place);
      parent.splice(place, 1);
      return;
    }
    if (!Object.hasOwn(parent, key)) throw missing(key);
    delete parent[key];
  }

  #replace(path: string, value: Json): void {
    if (path === "") {
      if (typeof value !== "object" || value === null)
        throw new JsonPatchError("replace operation value must be object or array");
      this.#root = value;
      return;
    }
    const [parent, key] = this.#locate(path);
    if (Array.isArray(parent)) parent[indexIn(parent, key, parent.length)] = value;
    // Upstream quirk: a missing member is added.
    else setMember(parent, key, value);
  }

  /** Upstream quirk: a missing member reads as null, also for `copy`. */
  #read(path: string | undefined): Json {
    const [parent, key] = this.#locate(path);
    if (Array.isArray(parent)) return parent[indexIn(parent, key, parent.length)]!;
    return Object.hasOwn(parent, key) ? parent[key]! : null;
  }

  /** The container at the path, ready to be changed, and the last part of the path. */
  #locate(path: string | undefined): readonly [Container, string] {
    // Upstream quirk: text before the first slash is ignored.
    const [, ...parts] = typeof path === "string" ? path.split("/").map(decoded) : [];
    const last = parts.pop();
    if (last === undefined) throw new JsonPatchError(`"${path}" names nothing in a document`);
    let container = this.#owned(this.#root, "");
    if (container !== this.#root) this.#root = container;
    for (const part of parts) {
      const key = Array.isArray(container) ? indexIn(container, part, container.length) : part;
      const parent = container as JsonObject;
      const child: Json = Object.hasOwn(parent, key) ? parent[key]! : null;
      container = this.#owned(child, part);
      if (container !== child) setMember(parent, String(key), container);
    }
    return [container, last];
  }

  #owned(node: Json, part: string): Container {
    if (typeof node !== "object" || node === null) throw missing(part);
    if (this.#own.has(node)) return node;
    const copy = Array.isArray(node) ? [...node] : { ...node };
    this.#own.add(copy);
    return copy;
  }

  #copyOf(value: Json, depth: number): Json {
    if (typeof value !== "object" || value === null) {
      this.#countCopied(typeof value === "string" ? jsonBytes(value) : String(value).length);
      return value;
    }
    refuseDeeper(depth);
    // Counts brackets, and a comma after all elements but the last.
    this.#countCopied(1);
    if (Array.isArray(value)) {
      const list: Json[] = [];
      for (const item of value) {
        this.#countCopied(1);
        list.push(this.#copyOf(item, depth + 1));
      }
      return list;
    }
    const object: JsonObject = {};
    for (const key in value) {
      this.#countCopied(jsonBytes(key) + 2);
      setMember(object, key, this.#copyOf(value[key]!, depth + 1));
    }
    return object;
  }

  #countCopied(bytes: number): void {
    this.#copiedBytes += bytes;
    if (this.#copiedBytes > MAX_COPIED_BYTES)
      throw new JsonPatchError(`the operations copy more than ${MAX_COPIED_BYTES} bytes`);
  }

  #moveElements(elements: number): void {
    this.#movedElements += elements;
    if (this.#movedElements > MAX_MOVED_ELEMENTS)
      throw new JsonPatchError(`the operations move more than ${MAX_MOVED_ELEMENTS} list elements`);
  }
}

/** Texts that need no escapes, as most do. */
const plainText = /^[ !#-%'-;=?-[\]-~]*$/;

function jsonBytes(text: string): number {
  return plainText.test(text) ? text.length + 2 : byteLength(stringify(text));
}

function decoded(part: string): string {
  return part.includes("~") ? part.replaceAll("~1", "/").replaceAll("~0", "~") : part;
}

function missing(part: string): JsonPatchError {
  return new JsonPatchError(`nothing to go into at "${part}"`);
}

/** Upstream quirk: signs and leading zeros are accepted, and a negative index counts from the end. */
function indexIn(list: readonly Json[], part: string, limit: number): number {
  const given = /^[+-]?\d+$/.test(part) ? Number(part) : NaN;
  const index = given < 0 ? given + limit : given;
  if (!(index >= 0 && index < limit)) throw new JsonPatchError(`index "${part}" is outside a list of ${list.length}`);
  return index;
}

function checkDepth(value: Json, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  refuseDeeper(depth);
  if (Array.isArray(value)) for (const item of value) checkDepth(item, depth + 1);
  else if (isObject(value)) for (const key in value) checkDepth(value[key]!, depth + 1);
}

function refuseDeeper(depth: number): void {
  if (depth >= MAX_DEPTH) throw new JsonPatchError(`the document is nested more than ${MAX_DEPTH} deep`);
}
