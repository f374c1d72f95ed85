/**
 * Whether an object from a file has the form that an API server gives it, as far as this program follows references in
 * it. Leaves out values, and fields that nothing reads here: the engine judges those that it reads.
 */
import { isObject } from "../values/json.ts";

/** Deeper than any field of a Job or pod. */
const MAX_DEPTH = 100;
const MAPS = ["spec", "status", "metadata.annotations", "metadata.labels", "status.uncountedTerminatedPods"];
const LISTS_OF_TEXT = ["metadata.finalizers"];
const LISTS_OF_MAPS = [
  "metadata.managedFields",
  "metadata.ownerReferences",
  "status.conditions",
  "status.initContainerStatuses",
  "status.containerStatuses",
  "status.ephemeralContainerStatuses",
];

/** The first thing that is wrong, as the words after `its object`: `has no metadata.uid`. Undefined: nothing. */
export function shapeProblem(object: unknown): string | undefined {
  for (const path of ["metadata.name", "metadata.uid"])
    if (typeof memberAt(object, path) !== "string") return `has no ${path}`;
  const map = MAPS.find((path) => isWrong(object, path, isObject));
  if (map !== undefined) return `has a ${map} that is no object`;
  const texts = LISTS_OF_TEXT.find((path) => isWrong(object, path, (value) => isListOf(value, isText)));
  if (texts !== undefined) return `has a ${texts} that is no list of text`;
  const maps = LISTS_OF_MAPS.find((path) => isWrong(object, path, (value) => isListOf(value, isObject)));
  if (maps !== undefined) return `has a ${maps} that is no list of objects`;
  return isDeeperThan(object, MAX_DEPTH) ? `is nested more than ${MAX_DEPTH} levels deep` : undefined;
}

/** It exists, and has the wrong type. */
function isWrong(object: unknown, path: string, isRight: (value: unknown) => boolean): boolean {
  const value = memberAt(object, path);
  return value !== undefined && !isRight(value);
}

function memberAt(object: unknown, path: string): unknown {
  return path.split(".").reduce((value, name) => (isObject(value) ? value[name] : undefined), object);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isListOf(value: unknown, isRight: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isRight);
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}
