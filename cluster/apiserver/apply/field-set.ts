/**
 * Sets of fields, in the form in which metadata.managedFields has them (`fieldsV1`): a tree of path elements. A field
 * is in the set if its node is empty or has the member ".".
 *
 * Invariant: sets do not change once they are made, so they share their parts, and an operation that changes nothing
 * returns the set that it was given. The elements of a node are in the order in which they are written. No node but the
 * root is without a field below it. Source: structured-merge-diff's fieldpath.Set.
 */
import type { Json } from "../../values/types.ts";
import { isObject } from "../../values/json.ts";
import { fieldElement, inOrder, normalElement, type PathElement, printElement } from "./path-element.ts";

export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** A node of a set under construction; its elements come in any order. */
export type Draft = Record<PathElement, FieldSet>;

/** In a node: the field itself is in the set, and so are fields below it. */
const SELF = ".";
export const noFields: FieldSet = {};
/** The node of a field that is in the set, with nothing below it. */
export const selfNode: FieldSet = {};

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

/** The set with the elements of a draft. */
export function setFrom(draft: Draft): FieldSet {
  const given = Object.keys(draft);
  const others = given[0] === SELF ? given.slice(1) : given.filter((element) => element !== SELF);
  const ordered = inOrder(others);
  if (ordered === others && (given[0] === SELF || others.length === given.length)) return draft;
  const set: Draft = {};
  if (others.length < given.length) set[SELF] = selfNode;
  for (const element of ordered) set[element] = draft[element]!;
  return set;
}

export function setOf(...paths: readonly (readonly string[])[]): FieldSet {
  return paths.reduce((set, path) => union(set, setOfOne(path)), noFields);
}

/** The set with one field. */
function setOfOne(path: readonly string[]): FieldSet {
  return path.reduceRight<FieldSet>((below, name) => ({ [fieldElement(name)]: below }), selfNode);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  return isEmptySet(a) ? b : joined(a, b);
}

/** The union of two sets, or of two nodes with something below them. */
function joined(a: FieldSet, b: FieldSet): FieldSet {
  let draft: Draft | undefined;
  let hasNew = false;
  for (const element of Object.keys(b)) {
    const own = a[element];
    const node = own === undefined ? b[element]! : unionNode(own, b[element]!);
    if (node === own) continue;
    hasNew ||= own === undefined;
    (draft ??= { ...a })[element] = node;
  }
  return draft === undefined ? a : hasNew ? setFrom(draft) : draft;
}

/** The node of a field in the union of two sets. */
export function unionNode(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (isEmptySet(a)) return SELF in b ? b : nodeOf(true, b)!;
  if (isEmptySet(b)) return SELF in a ? a : nodeOf(true, a)!;
  return joined(a, b);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const common: Draft = {};
  for (const element of Object.keys(b)) {
    const node = a[element];
    const shared = node === undefined ? undefined : intersectionNode(node, b[element]!);
    if (shared !== undefined) common[element] = shared;
  }
  return common;
}

function intersectionNode(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (isEmptySet(a)) return holdsSelf(b) ? selfNode : undefined;
  if (isEmptySet(b)) return SELF in a ? selfNode : undefined;
  return normalNode(intersection(a, b));
}

/** A node in its written form. Undefined: it is empty. */
function normalNode(node: FieldSet): FieldSet | undefined {
  for (const element in node) if (element !== SELF) return node;
  return SELF in node ? selfNode : undefined;
}

/** The fields of `a` that are not in `b`. What is below a field of `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return reduced(a, b, (node, other) => {
    if (isEmptySet(node)) return holdsSelf(other) ? undefined : node;
    return isEmptySet(other) ? withoutSelf(node) : normalNode(difference(node, other));
  });
}

/** The fields of `a` that are neither in `b` nor below a field of it. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return reduced(a, b, (node, other) => {
    if (holdsSelf(other)) return undefined;
    return isEmptySet(node) ? node : normalNode(recursiveDifference(node, other));
  });
}

/** The set with another node, or without a node, for each element that `b` has too. */
function reduced(
  a: FieldSet,
  b: FieldSet,
  change: (node: FieldSet, other: FieldSet) => FieldSet | undefined,
): FieldSet {
  let draft: Draft | undefined;
  let isLess = false;
  for (const element of Object.keys(b)) {
    const node = a[element];
    if (node === undefined) continue;
    const next = change(node, b[element]!);
    if (next === node) continue;
    isLess ||= next === undefined;
    (draft ??= { ...a })[element] = next!;
  }
  return draft === undefined ? a : isLess ? withoutUndefined(draft) : draft;
}

/** A copy: V8 is slow with an object that has lost a member. */
function withoutUndefined(draft: Readonly<Record<PathElement, FieldSet | undefined>>): FieldSet {
  const set: Draft = {};
  for (const element of Object.keys(draft)) {
    const node = draft[element];
    if (node !== undefined) set[element] = node;
  }
  return set;
}

/** The paths of all fields in the set, as conflicts name them: first the fields of a level, then those below each. */
export function printedPaths(set: FieldSet, prefix = ""): string[] {
  const elements = Object.keys(set);
  return [
    ...elements.filter((element) => hasField(set, element)).map((element) => `${prefix}${printElement(element)}`),
    ...elements.flatMap((element) => printedPaths(fieldsBelow(set, element), `${prefix}${printElement(element)}`)),
  ];
}

/** Reads a set that a client wrote. @throws SyntaxError */
export function readFieldSet(value: Json): FieldSet {
  if (!isObject(value)) throw new SyntaxError("a set of fields is an object");
  return withoutSelf(readNode(value));
}

function readNode(value: Json): FieldSet {
  if (!isObject(value)) throw new SyntaxError("a set of fields is an object");
  const below: Draft = {};
  for (const text in value) {
    const element = text === SELF ? undefined : normalElement(text);
    if (element === undefined) continue;
    const node = readNode(value[text]!);
    const known = below[element];
    below[element] = known === undefined ? node : unionNode(known, node);
  }
  return nodeOf(SELF in value || isEmptySet(below), setFrom(below))!;
}
