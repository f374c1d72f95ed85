/**
 * Parses Kubernetes objects from YAML or JSON text. Each object maps its fields to places in the text.
 *
 * Invariant: an object is what kubectl would send for the same text: YAML 1.1 as kubectl reads it (yes, on, octal
 * numbers, merge keys), several documents, and lists (`kind: List`) taken apart. Leaves out what the fields mean: the
 * API server checks that.
 */
import type { JsonObject, KubeObject } from "../values/types.ts";
import type { Diagnostic, Position } from "./diagnostic.ts";
import { parseFieldPath } from "./field-path.ts";
import { LineTable } from "./line-table.ts";
import { wrongHead } from "./served-versions.ts";
import { withoutServerFields } from "./server-fields.ts";
import type { YamlDocument, YamlMember, YamlNode, YamlReader } from "../yaml/yaml-tree.ts";

/** Documents and list items of one file. */
export const MAX_OBJECTS_PER_FILE = 1000;
/** Errors that are reported for one file. Later ones are mostly consequences of the first. */
const MAX_DIAGNOSTICS_PER_FILE = 10;
const JSON_FILE = /\.json$/i;

/** A text of the user, and its name. */
export interface InputText {
  /** As given on the command line; `<stdin>` for standard input. */
  readonly file: string;
  readonly text: string;
}

/** One object of a text. */
export interface Manifest {
  /** The object as in the text: without defaults, and without what a server adds. */
  readonly object: Pick<KubeObject, "apiVersion" | "kind"> & {
    metadata?: Partial<KubeObject["metadata"]>;
    [field: string]: any;
  };
  /**
   * What is wrong with apiVersion or kind; undefined: nothing. It is also among the diagnostics of the text. The object
   * has the corrected head.
   */
  readonly wrongHead: Diagnostic | undefined;
  /** The paths of server fields that were removed from the object: server-fields.ts. */
  readonly dropped: readonly string[];
  /** The whole text that contains the object. */
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
  /** How many documents are no Kubernetes objects and were skipped, with {@link ParseOptions.skipsOthers}. */
  readonly others: number;
}

export interface ParseOptions {
  /** Objects keep what a server has added, and any head, for a caller that sends them to a server. Default: false. */
  readonly isVerbatim?: boolean;
  /**
   * Counts documents that are no Kubernetes objects, because they have neither apiVersion nor kind, and reports none of
   * them. Default: false.
   */
  readonly skipsOthers?: boolean;
}

/** All objects of a text, and its mistakes. It does not throw. */
export function parseManifests(
  { file, text }: InputText,
  readYaml: YamlReader,
  options: ParseOptions = {},
): ParsedManifests {
  const { manifests, diagnostics, others } = new ManifestReader(file, text, readYaml, options);
  return { manifests, diagnostics: diagnostics.slice(0, MAX_DIAGNOSTICS_PER_FILE), others };
}

class ManifestReader {
  readonly manifests: Manifest[] = [];
  readonly diagnostics: Diagnostic[] = [];
  others = 0;
  readonly #file: string;
  readonly #text: string;
  readonly #lines: LineTable;
  readonly #isVerbatim: boolean;
  readonly #skipsOthers: boolean;

  constructor(file: string, text: string, readYaml: YamlReader, options: ParseOptions) {
    const { isVerbatim = false, skipsOthers = false } = options;
    this.#file = file;
    this.#text = text;
    this.#isVerbatim = isVerbatim;
    this.#skipsOthers = skipsOthers;
    this.#lines = new LineTable(text);
    for (const document of readYaml(text, JSON_FILE.test(file))) this.#read(document);
    if (this.manifests.length === 0 && this.diagnostics.length === 0 && !skipsOthers)
      this.#report(0, "there is no Kubernetes object in this file");
  }

  #read({ problems, root }: YamlDocument): void {
    for (const { offset, message, before } of problems)
      this.#report(
        offset,
        before === undefined
          ? message
          : `${message}; the first one is in line ${this.#lines.place(before).line}, and kubectl takes the last one`,
      );
    if (root !== undefined) this.#take(root);
  }

  #take(node: YamlNode): void {
    const { offset: at, value } = node;
    if (this.#skipsOthers && !hasHead(value)) {
      ++this.others;
      return;
    }
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
    this.#add(node, value as JsonObject);
  }

  #add(node: YamlNode, value: JsonObject): void {
    const wrong = this.#isVerbatim ? undefined : wrongHead(value["apiVersion"] as string, value["kind"] as string);
    const diagnostic = wrong && {
      position: this.#position(find(node, [wrong.field]).value),
      message: `${wrong.field}: ${wrong.message}`,
    };
    if (diagnostic !== undefined) this.diagnostics.push(diagnostic);
    if (wrong !== undefined && wrong.meant === undefined) return;
    const { object, dropped } = this.#isVerbatim ? { object: value, dropped: [] } : withoutServerFields(value);
    const head = wrong?.meant && { apiVersion: wrong.meant.apiVersion, kind: wrong.meant.kind };
    this.manifests.push({
      object: { ...object, ...head },
      wrongHead: diagnostic,
      dropped,
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

/** Whether a document wants to be a Kubernetes object: it has an apiVersion, or a kind. */
function hasHead(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "apiVersion") || Object.hasOwn(value, "kind");
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

/** Searches every item of the lists on the path. */
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
