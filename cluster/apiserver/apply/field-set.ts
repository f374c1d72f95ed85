/**
 * Sets of fields, in the form in which metadata.managedFields has them (`fieldsV1`): a tree of path elements. A field
 * is in the set if its node is empty or has the member ".".
 *
 * Invariant: sets do not change once they are made, so they share their parts. No node but the root is without a field
 * below it. Sets need not be in order until `sorted` writes them. Source: structured-merge-diff's fieldpath.Set.
 */
import type { Json } from "../../types.ts";
import { isObject } from "../json.ts";
import { fieldElement, inOrder, normalElement, type PathElement, printElement } from "./path-element.ts";

export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** In a node: the field itself is in the set, and so are fields below it. */
const SELF = ".";
export const noFields: FieldSet = {};
const selfNode: FieldSet = {};

export function isEmptySet(set: FieldSet): boolean {
  for (const _element in set) return false;
  return true;
}

function holdsSelf(node: FieldSet | undefined): boolean {
  return node !== undefined && (SELF in node || isEmptySet(node));
}

/** Whether the field that the element leads to is in the set. */
export function hasField(set: FieldSet, element: PathElement): boolean {
  return holdsSelf(set[element]);
}

/** The fields below an element; empty if there are none. */
export function fieldsBelow(set: FieldSet, element: PathElement): FieldSet {
  return withoutSelf(set[element] ?? noFields);
}

function withoutSelf(node: FieldSet): FieldSet {
  if (!(SELF in node)) return node;
  const { [SELF]: _self, ...below } = node;
  return below;
}

/** A node from its parts. Undefined: nothing is in it. */
export function nodeOf(isIn: boolean, below: FieldSet): FieldSet | undefined {
  if (isEmptySet(below)) return isIn ? selfNode : undefined;
  return isIn ? { [SELF]: selfNode, ...below } : below;
}

interface Draft {
  isIn: boolean;
  readonly below: Map<PathElement, Draft>;
}

const newDraft = (): Draft => ({ isIn: false, below: new Map() });

/** Collects the fields of a set one by one, in maps: a list may have tens of thousands of items. */
export class FieldSetBuilder {
  readonly #root = newDraft();

  get set(): FieldSet {
    return setOfDraft(this.#root);
  }

  /** The root itself is never in a set: nobody owns a whole object. */
  add(path: readonly PathElement[]): void {
    let node = this.#root;
    for (const element of path) {
      const next = node.below.get(element) ?? newDraft();
      node.below.set(element, next);
      node = next;
    }
    if (node !== this.#root) node.isIn = true;
  }
}

function setOfDraft({ below }: Draft): FieldSet {
  const set: Record<PathElement, FieldSet> = {};
  for (const [element, draft] of below) set[element] = nodeOf(draft.isIn, setOfDraft(draft))!;
  return set;
}

export function setOf(...paths: readonly (readonly string[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.add(path.map(fieldElement));
  return builder.set;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  const result: Record<PathElement, FieldSet> = { ...a };
  for (const element in b) {
    const node = b[element]!;
    result[element] = element in a && element !== SELF ? unionNode(a[element]!, node) : node;
  }
  return result;
}

function unionNode(a: FieldSet, b: FieldSet): FieldSet {
  return nodeOf(holdsSelf(a) || holdsSelf(b), union(withoutSelf(a), withoutSelf(b)))!;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return combined(a, (node, element) => {
    const other = b[element];
    if (other === undefined) return undefined;
    return nodeOf(holdsSelf(node) && holdsSelf(other), intersection(withoutSelf(node), withoutSelf(other)));
  });
}

/** The fields of `a` that are not in `b`. What is below a field of `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) return a;
  return combined(a, (node, element) => {
    const other = b[element];
    if (other === undefined) return node;
    return nodeOf(holdsSelf(node) && !holdsSelf(other), difference(withoutSelf(node), withoutSelf(other)));
  });
}

/** The fields of `a` that are neither in `b` nor below a field of it. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) return a;
  return combined(a, (node, element) => {
    const other = b[element];
    if (other === undefined) return node;
    if (holdsSelf(other)) return undefined;
    return nodeOf(holdsSelf(node), recursiveDifference(withoutSelf(node), other));
  });
}

/** Makes a set node by node. The set itself, if no node is another one. */
function combined(set: FieldSet, change: (node: FieldSet, element: PathElement) => FieldSet | undefined): FieldSet {
  const result: Record<PathElement, FieldSet> = {};
  let isSame = true;
  for (const element in set) {
    const node = set[element]!;
    const next = change(node, element);
    if (next !== node) isSame = false;
    if (next !== undefined) result[element] = next;
  }
  return isSame ? set : result;
}

/** The paths of all fields in the set, as conflicts name them: first the fields of a level, then those below each. */
export function printedPaths(set: FieldSet, prefix = ""): string[] {
  const elements = inOrder(Object.keys(set));
  return [
    ...elements.filter((element) => hasField(set, element)).map((element) => `${prefix}${printElement(element)}`),
    ...elements.flatMap((element) => printedPaths(fieldsBelow(set, element), `${prefix}${printElement(element)}`)),
  ];
}

/** The set as it is written. */
export function sorted(set: FieldSet): FieldSet {
  const elements = Object.keys(set);
  const result: Record<PathElement, FieldSet> = {};
  if (SELF in set) result[SELF] = selfNode;
  for (const element of inOrder(elements.filter((other) => other !== SELF))) result[element] = sorted(set[element]!);
  return result;
}

/** Reads a set that a client wrote. @throws SyntaxError */
export function readFieldSet(value: Json): FieldSet {
  if (!isObject(value)) throw new SyntaxError("a set of fields is an object");
  return withoutSelf(readNode(value));
}

function readNode(value: Json): FieldSet {
  if (!isObject(value)) throw new SyntaxError("a set of fields is an object");
  const below: Record<PathElement, FieldSet> = {};
  for (const text in value) {
    const element = text === SELF ? undefined : normalElement(text);
    if (element === undefined) continue;
    const node = readNode(value[text]!);
    const known = below[element];
    below[element] = known === undefined ? node : unionNode(known, node);
  }
  return nodeOf(SELF in value || isEmptySet(below), below)!;
}
