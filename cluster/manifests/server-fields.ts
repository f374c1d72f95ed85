/**
 * Removes from an object what a server adds to it: so the output of `kubectl get -o yaml` is read as the manifest that
 * it came from. A new object must not have some of these fields, and none of them says what the user wants.
 *
 * Invariant: the given object is not changed, and every removed field that was not empty is reported. Leaves out
 * defaults, which a manifest may have too, and owners, which lint checks.
 */
import { isObject } from "../values/json.ts";
import type { Json, JsonObject } from "../values/types.ts";

const METADATA = [
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
  "uid",
] as const;
const ANNOTATIONS = ["batch.kubernetes.io/job-tracking", "kubectl.kubernetes.io/last-applied-configuration"] as const;
/** Labels that say which Job a pod belongs to. Only a server writes them, unless the Job has manualSelector. */
const UID_LABELS = ["batch.kubernetes.io/controller-uid", "controller-uid"] as const;
const JOB_LABELS = [...UID_LABELS, "batch.kubernetes.io/job-name", "job-name"] as const;

export interface WithoutServerFields {
  readonly object: JsonObject;
  /** The paths of the removed fields, in the order of the fields: `metadata.uid`. */
  readonly dropped: readonly string[];
}

/** @param object as it was read: any of its fields may have any type */
export function withoutServerFields(object: JsonObject): WithoutServerFields {
  const dropped: string[] = [];
  let rest = without(object, [], ["metadata"], METADATA, dropped);
  rest = without(rest, [], ["metadata", "annotations"], ANNOTATIONS, dropped);
  if (hasGeneratedSelector(rest)) {
    rest = without(rest, [], ["metadata", "labels"], JOB_LABELS, dropped);
    if (isGenerated(memberAt(rest, ["spec", "selector"]))) rest = without(rest, [], ["spec"], ["selector"], dropped);
    rest = without(rest, [], ["spec", "template", "metadata", "labels"], JOB_LABELS, dropped);
  }
  rest = without(rest, [], [], ["status"], dropped);
  return { object: rest, dropped };
}

function hasGeneratedSelector(object: JsonObject): boolean {
  if (object["kind"] !== "Job" || memberAt(object, ["spec", "manualSelector"]) === true) return false;
  const labels = memberAt(object, ["spec", "template", "metadata", "labels"]);
  return (
    isGenerated(memberAt(object, ["spec", "selector"])) ||
    (isObject(labels) && UID_LABELS.some((name) => Object.hasOwn(labels, name)))
  );
}

function isGenerated(selector: Json | undefined): boolean {
  if (!isObject(selector) || Object.keys(selector).join() !== "matchLabels") return false;
  const labels = selector["matchLabels"];
  const names = isObject(labels) ? Object.keys(labels) : [];
  return names.length > 0 && names.every((name) => (UID_LABELS as readonly string[]).includes(name));
}

function memberAt(object: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce((value: Json | undefined, name) => (isObject(value) ? value[name] : undefined), object);
}

/** The object without some members of the map at a path; without that map, too, if it has no others. */
function without(
  object: JsonObject,
  parents: readonly string[],
  [step, ...steps]: readonly string[],
  names: readonly string[],
  dropped: string[],
): JsonObject {
  if (step !== undefined) {
    const inner = object[step];
    if (!isObject(inner)) return object;
    const rest = without(inner, [...parents, step], steps, names, dropped);
    if (rest === inner) return object;
    const isLeftOut = Object.keys(rest).length === 0 && (step === "labels" || step === "annotations");
    return withMember(object, step, isLeftOut ? undefined : rest);
  }
  let rest = object;
  for (const name of names) {
    const value = object[name];
    if (value === undefined) continue;
    rest = withMember(rest, name, undefined);
    if (!isEmpty(value)) dropped.push(pathOf(parents, name));
  }
  return rest;
}

/** `kubectl create --dry-run` writes `creationTimestamp: null` and `status: {}`, which mean nothing. */
function isEmpty(value: Json): boolean {
  return value === null || value === "" || (isObject(value) && Object.keys(value).length === 0);
}

function pathOf(parents: readonly string[], name: string): string {
  if (name.includes("/") || name.includes("-")) return `${parents.join(".")}[${name}]`;
  return [...parents, name].join(".");
}

function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  const entries = Object.entries(object).flatMap(([key, old]): [string, Json][] =>
    key !== name ? [[key, old]] : value === undefined ? [] : [[key, value]],
  );
  return Object.fromEntries(entries);
}

/** Enough to see what kind of fields they are. */
const MAX_NAMED = 3;

/** One sentence about all objects of an input; undefined: nothing was removed. */
export function serverFieldsNote(
  objects: readonly { readonly dropped: readonly string[]; valueAt(path: string): { file: string; line: number } }[],
): string | undefined {
  const changed = objects.filter(({ dropped }) => dropped.length > 0);
  const [first] = changed;
  if (first === undefined) return undefined;
  const paths = [...new Set(changed.flatMap(({ dropped }) => dropped))];
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  const { file, line } = first.valueAt("");
  const where = changed.length === 1 ? `${file}:${line}` : `${changed.length} objects, first ${file}:${line}`;
  return `passed over the fields that a server has added (${where}): ${paths.slice(0, MAX_NAMED).join(", ")}${more}`;
}
