/**
 * The fields of an object that a pattern names. `[*]` matches each element of a list: `spec.containers[*].image` may
 * match many.
 */
import { objectIn } from "../../manifests/job-in.ts";

const ANY_ELEMENT = "[*]";

export interface Field {
  /** As manifests have it: `spec.containers[1].image`. */
  readonly path: string;
  readonly value: unknown;
}

/** Those that are there and not null. */
export function fieldsAt(object: unknown, pattern: string): Field[] {
  return fieldsBelow(object, pattern.split("."), "");
}

function fieldsBelow(object: unknown, [step, ...steps]: readonly string[], parent: string): Field[] {
  if (step === undefined) return [{ path: parent, value: object }];
  const isList = step.endsWith(ANY_ELEMENT);
  const name = isList ? step.slice(0, -ANY_ELEMENT.length) : step;
  const value: unknown = objectIn(object)[name];
  if (value === undefined || value === null) return [];
  const path = parent === "" ? name : `${parent}.${name}`;
  if (!isList) return fieldsBelow(value, steps, path);
  return Array.isArray(value) ? value.flatMap((element, i) => fieldsBelow(element, steps, `${path}[${i}]`)) : [];
}
