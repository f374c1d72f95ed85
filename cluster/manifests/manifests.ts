/**
 * Reads Kubernetes objects from YAML or JSON text. Each can tell where in the text a field is.
 *
 * Invariant: an object is what kubectl would send for the same text: YAML 1.1 as kubectl reads it (yes, on, octal
 * numbers, merge keys), several documents, and lists (`kind: List`) taken apart. Leaves out what the fields mean: the
 * API server checks that.
 */
import type { KubeObject } from "../types.ts";
import type { Diagnostic, Position } from "./diagnostic.ts";
import { parseFieldPath } from "./field-path.ts";
import { LineTable } from "./line-table.ts";
import type { YamlDocument, YamlMember, YamlNode, YamlReader } from "./yaml-tree.ts";

/** Documents and list items of one file. */
export const MAX_OBJECTS_PER_FILE = 1000;
/** Errors that are reported for one file. Later ones are mostly consequences of the first. */
const MAX_DIAGNOSTICS_PER_FILE = 10;

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
  /** The whole text that the object stands in. */
  readonly text: string;
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
export function parseManifests({ file, text }: InputText, readYaml: YamlReader): ParsedManifests {
  const reader = new ManifestReader(file, text, readYaml);
  return { manifests: reader.manifests, diagnostics: reader.diagnostics.slice(0, MAX_DIAGNOSTICS_PER_FILE) };
}

class ManifestReader {
  readonly manifests: Manifest[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly #file: string;
  readonly #text: string;
  readonly #lines: LineTable;

  constructor(file: string, text: string, readYaml: YamlReader) {
    this.#file = file;
    this.#text = text;
    this.#lines = new LineTable(text);
    for (const document of readYaml(text)) this.#read(document);
    if (this.manifests.length === 0 && this.diagnostics.length === 0)
      this.#report(0, "there is no Kubernetes object in this file");
  }

  #read({ problems, root }: YamlDocument): void {
    for (const { offset, message } of problems) this.#report(offset, message);
    if (root !== undefined) this.#take(root);
  }

  #take(node: YamlNode): void {
    const { offset: at, value } = node;
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
      const items = node.members?.get("items")?.node?.items;
      if (items === undefined) this.#report(at, "items of a list must be a list");
      else for (const item of items) this.#take(item);
      return;
    }
    if (this.manifests.length === MAX_OBJECTS_PER_FILE)
      this.#report(at, `this is object number ${MAX_OBJECTS_PER_FILE + 1}; allowed are ${MAX_OBJECTS_PER_FILE} a file`);
    if (this.manifests.length >= MAX_OBJECTS_PER_FILE) return;
    this.manifests.push({
      object,
      text: this.#text,
      valueAt: (path) => this.#position(find(node, parseFieldPath(path)).value),
      nameAt: (path) => this.#position(find(node, parseFieldPath(path)).name),
      firstAt: (path, isMeant) =>
        this.#position(
          findFirst(node, parseFieldPath(path), isMeant)?.offset ?? find(node, parseFieldPath(path)).value,
        ),
    });
  }

  #report(offset: number, message: string): void {
    this.diagnostics.push({ position: this.#position(offset), message });
  }

  #position(offset: number): Position {
    return { file: this.#file, ...this.#lines.place(offset) };
  }
}

/** Where the deepest existing value on the path begins, and what names it: its key, or in a list the value itself. */
function find(root: YamlNode, path: readonly (string | number)[]): { readonly value: number; readonly name: number } {
  let node: YamlNode | undefined = root;
  let value = root.offset;
  let name = root.offset;
  for (const segment of path) {
    const member: YamlMember | undefined = node?.members?.get(String(segment));
    const item: YamlNode | undefined = typeof segment === "number" ? node?.items?.[segment] : undefined;
    if (member !== undefined) {
      name = member.offset;
      value = member.node?.offset ?? name;
      node = member.node;
    } else if (item !== undefined) {
      name = value = item.offset;
      node = item;
    } else {
      break;
    }
  }
  return { value, name };
}

/** Looks into every item of the lists on the way. */
function findFirst(
  node: YamlNode,
  path: readonly (string | number)[],
  isMeant: (value: unknown) => boolean,
): YamlNode | undefined {
  const [segment, ...rest] = path;
  if (segment === undefined && isMeant(node.value)) return node;
  if (node.items !== undefined) {
    for (const item of node.items) {
      const found = findFirst(item, path, isMeant);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const child = segment === undefined ? undefined : node.members?.get(String(segment))?.node;
  return child === undefined ? undefined : findFirst(child, rest, isMeant);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return (
    { string: "a text", number: "a number", boolean: "true or false", object: "a map" }[typeof value as "string"] ??
    typeof value
  );
}
