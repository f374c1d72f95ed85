/**
 * Reads Kubernetes objects from YAML or JSON text. Each can tell where in the text a field is.
 *
 * Invariant: an object is what kubectl would send for the same text: YAML 1.1 as kubectl reads it (yes, on, octal
 * numbers, merge keys), several documents, and lists (`kind: List`) taken apart. Leaves out what the fields mean: the
 * API server checks that.
 */
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type Tags,
  visit,
} from "yaml";
import type { KubeObject } from "../types.ts";
import type { Diagnostic, Position } from "./diagnostic.ts";
import { parseFieldPath } from "./field-path.ts";
import { parseYamlDocuments, TooDeepError } from "./yaml-documents.ts";

/** Documents and list items of one file. */
export const MAX_OBJECTS_PER_FILE = 1000;
/** Errors that are reported for one file. Later ones are mostly consequences of the first. */
const MAX_DIAGNOSTICS_PER_FILE = 10;
/** Limit for values that aliases of one document expand to, because a small text could expand to gigabytes. */
const MAX_ALIASES = 100;

const TRUE_WORDS = /^(?:true|True|TRUE|yes|Yes|YES|on|On|ON)$/;
const FALSE_WORDS = /^(?:false|False|FALSE|no|No|NO|off|Off|OFF)$/;

/** A text of the user, and its name. */
export interface InputText {
  /** As given on the command line; `<stdin>` for standard input. */
  readonly file: string;
  readonly text: string;
}

/** One object of a text. */
export interface Manifest {
  /** The object as in the text: without defaults, and without uid. */
  readonly object: Pick<KubeObject, "apiVersion" | "kind"> & {
    metadata?: Partial<KubeObject["metadata"]>;
    [field: string]: any;
  };
  /** The place of the value of a field, or of the nearest existing field around it. "" is the object itself. */
  valueAt(path: string): Position;
  /** The place of the name of a field, or of the nearest field around it. */
  nameAt(path: string): Position;
  /**
   * For a path without list indexes, as in type errors of the API server: the place of the first value for which
   * `isMeant` is true, or of the nearest field around it.
   */
  firstAt(path: string, isMeant: (value: unknown) => boolean): Position;
}

export interface ParsedManifests {
  readonly manifests: readonly Manifest[];
  readonly diagnostics: readonly Diagnostic[];
}

/** All objects of a text, and its mistakes. It does not throw. */
export function parseManifests({ file, text }: InputText): ParsedManifests {
  const reader = new ManifestReader(file, text);
  return { manifests: reader.manifests, diagnostics: reader.diagnostics.slice(0, MAX_DIAGNOSTICS_PER_FILE) };
}

class ManifestReader {
  readonly manifests: Manifest[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly #file: string;
  readonly #lines = new LineCounter();

  constructor(file: string, text: string) {
    this.#file = file;
    let documents: Document.Parsed[];
    try {
      documents = parseYamlDocuments(text, {
        lineCounter: this.#lines,
        customTags: (tags) => tags.flatMap(asKubectlReads),
      });
    } catch (error) {
      this.#report(error instanceof TooDeepError ? error.offset : 0, (error as Error).message);
      return;
    }
    for (const document of documents) this.#read(document);
    if (this.manifests.length === 0 && this.diagnostics.length === 0)
      this.#report(0, "there is no Kubernetes object in this file");
  }

  #read(document: Document.Parsed): void {
    const problems = [...document.errors, ...document.warnings];
    for (const { pos, message } of problems) this.#report(pos[0], message);
    if (problems.length > 0 || document.contents === null || isEmptyScalar(document.contents)) return;
    const value = this.#valueOf(document);
    if (value !== undefined) this.#take(document, document.contents, value);
  }

  #valueOf(document: Document.Parsed): unknown {
    visit(document, {
      Scalar: (_key, node) => {
        if (typeof node.value === "number" && !Number.isFinite(node.value))
          this.#report(node.range![0], `${node.source} is a number that JSON cannot hold`);
      },
    });
    try {
      return document.toJS({ maxAliasCount: MAX_ALIASES });
    } catch (error) {
      this.#report(0, (error as Error).message);
      return undefined;
    }
  }

  #take(document: Document.Parsed, node: Node, value: unknown): void {
    const at = node.range?.[0] ?? 0;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.#report(at, `here is ${typeName(value)}; allowed is a Kubernetes object with apiVersion and kind`);
      return;
    }
    const object = value as Manifest["object"];
    for (const field of ["apiVersion", "kind"] as const) {
      if (typeof object[field] === "string" && object[field] !== "") continue;
      this.#report(
        at,
        object[field] === undefined
          ? `${field} is missing; every Kubernetes object has one`
          : `${field} is ${typeName(object[field])}; allowed is a text such as ${field === "kind" ? "Job" : "batch/v1"}`,
      );
      return;
    }
    if (object["items"] !== undefined && object.kind!.endsWith("List")) {
      const items = isMap(node) ? resolve(document, node.get("items", true) as Node) : undefined;
      if (!isSeq(items)) this.#report(at, "items of a list must be a list");
      else items.items.forEach((item, i) => this.#take(document, resolve(document, item as Node), object["items"][i]));
      return;
    }
    if (this.manifests.length === MAX_OBJECTS_PER_FILE)
      this.#report(at, `this is object number ${MAX_OBJECTS_PER_FILE + 1}; allowed are ${MAX_OBJECTS_PER_FILE} a file`);
    if (this.manifests.length >= MAX_OBJECTS_PER_FILE) return;
    const position = (of: Node): Position => this.#position(of.range?.[0] ?? at);
    this.manifests.push({
      object,
      valueAt: (path) => position(find(document, node, parseFieldPath(path)).value),
      nameAt: (path) => position(find(document, node, parseFieldPath(path)).name),
      firstAt: (path, isMeant) =>
        position(
          findFirst(document, node, parseFieldPath(path), isMeant) ?? find(document, node, parseFieldPath(path)).value,
        ),
    });
  }

  #report(offset: number, message: string): void {
    this.diagnostics.push({ position: this.#position(offset), message });
  }

  #position(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    // For an empty text the library returns line 0.
    return { file: this.#file, line: Math.max(1, line), column: Math.max(1, col) };
  }
}

/** kubectl's reader knows no dates and no numbers to base 60, and reads y and n as text. */
function asKubectlReads(tag: Tags[number]): Tags {
  if (typeof tag === "string") return [tag];
  if (tag.tag === "tag:yaml.org,2002:timestamp" || ("format" in tag && tag.format === "TIME")) return [];
  if (tag.tag === "tag:yaml.org,2002:bool" && "test" in tag)
    return [{ ...tag, test: tag.test!.test("true") ? TRUE_WORDS : FALSE_WORDS } as Tags[number]];
  return [tag];
}

/** The deepest existing node on the path, and the node that names it: its key, or in a list the node itself. */
function find(
  document: Document,
  root: Node,
  path: readonly (string | number)[],
): { readonly value: Node; readonly name: Node } {
  let value = root;
  let name = root;
  for (const segment of path) {
    const container = resolve(document, value);
    if (isMap(container)) {
      const pair = memberOf(container, String(segment));
      if (pair === undefined) break;
      name = pair.key as Node;
      value = isEmptyScalar(pair.value as Node) ? name : (pair.value as Node);
    } else if (isSeq(container) && typeof segment === "number" && container.items[segment] !== undefined) {
      name = value = container.items[segment] as Node;
    } else {
      break;
    }
  }
  return { value, name };
}

/** Looks into every item of the lists on the way. */
function findFirst(
  document: Document,
  node: Node,
  path: readonly (string | number)[],
  isMeant: (value: unknown) => boolean,
): Node | undefined {
  const here = resolve(document, node);
  const [segment, ...rest] = path;
  if (segment === undefined && isMeant(here.toJS(document))) return here;
  const next = isSeq(here)
    ? here.items
    : isMap(here) && segment !== undefined
      ? [memberOf(here, String(segment))?.value]
      : [];
  for (const child of next) {
    const found = isNode(child) ? findFirst(document, child, isSeq(here) ? path : rest, isMeant) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function memberOf(map: { readonly items: readonly unknown[] }, name: string): Pair | undefined {
  return map.items.find((pair): pair is Pair => isPair(pair) && isScalar(pair.key) && String(pair.key.value) === name);
}

function resolve(document: Document, node: Node): Node {
  return isAlias(node) ? (node.resolve(document) ?? node) : node;
}

function isEmptyScalar(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return (
    { string: "a text", number: "a number", boolean: "true or false", object: "a map" }[typeof value as "string"] ??
    typeof value
  );
}
