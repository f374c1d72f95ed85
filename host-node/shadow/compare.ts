/**
 * Compares what two controllers write: statuses of a Job, and pods as they are created.
 *
 * Times count as the same within a tolerance. Conditions are matched by type, and lists of UIDs are sets: their order
 * says nothing. A number that is 0 may be left out.
 */
import type { KubeObject } from "../../cluster/values/types.ts";

type Fields = Readonly<Record<string, any>>;

/** The conditions that end a Job, or announce the end. */
const ENDS: ReadonlySet<string> = new Set(["Complete", "Failed", "SuccessCriteriaMet", "FailureTarget"]);
const TIME = /Time$/;
const MAX_DEPTH = 64;
/** If a rule of the pod failure policy matches several pods, upstream names any of them. */
const POLICY_MESSAGE = /^(Container \S+ for pod|Pod) \S+ .* matching FailJob rule at index \d+$/;

/** A field that differs. */
export interface Mismatch {
  /** `status.succeeded`, `status.conditions[Failed].reason`. */
  readonly field: string;
  readonly kind: "status" | "condition" | "end" | "timing";
  readonly builtIn: unknown;
  readonly stint: unknown;
}

export function compareStatuses(builtIn: Fields = {}, stint: Fields = {}, toleranceMs: number): Mismatch[] {
  const found: Mismatch[] = [];
  const compare = (field: string, kind: Mismatch["kind"], one: unknown, other: unknown): void => {
    if (!isSame(field, one, other, toleranceMs))
      found.push({ field, kind: areTimes(field, one, other) ? "timing" : kind, builtIn: one, stint: other });
  };
  for (const field of membersOf(builtIn, stint)) {
    if (field === "conditions") continue;
    compare(`status.${field}`, "status", plain(builtIn[field]), plain(stint[field]));
  }
  const conditions = [builtIn, stint].map(
    ({ conditions }) =>
      new Map<string, Fields>((conditions ?? []).map((condition: Fields) => [condition["type"], condition])),
  );
  for (const type of new Set(conditions.flatMap((some) => [...some.keys()]))) {
    const kind = ENDS.has(type) ? "end" : "condition";
    const [one, other] = conditions.map((some) => some.get(type));
    if (one === undefined || other === undefined) compare(`status.conditions[${type}]`, kind, one, other);
    else
      for (const member of membersOf(one, other))
        compare(`status.conditions[${type}].${member}`, kind, one[member], other[member]);
  }
  return found;
}

function membersOf(one: Fields, other: Fields): Set<string> {
  return new Set([...Object.keys(one), ...Object.keys(other)]);
}

function isSame(field: string, one: unknown, other: unknown, toleranceMs: number): boolean {
  if (POLICY_MESSAGE.test(String(one)) && POLICY_MESSAGE.test(String(other))) return true;
  return areTimes(field, one, other)
    ? Math.abs(Date.parse(one as string) - Date.parse(other as string)) <= toleranceMs
    : JSON.stringify(one) === JSON.stringify(other);
}

function areTimes(field: string, one: unknown, other: unknown): boolean {
  return TIME.test(field) && typeof one === "string" && typeof other === "string";
}

/** Missing values, 0 and empty objects count as the same. */
function plain(value: unknown): unknown {
  if (value === 0 || value === "" || value === null) return undefined;
  if (typeof value !== "object") return value;
  const lists = Object.entries(value as Readonly<Record<string, readonly string[]>>)
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => [name, list.toSorted()] as const);
  return lists.length === 0 ? undefined : Object.fromEntries(lists.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The first field of a pod to create that the created pod does not have, as a path; undefined: it has all. The server
 * and its admission may add fields, and members of lists.
 */
export function missingField(created: KubeObject, wanted: KubeObject): string | undefined {
  const { generateName, labels, annotations, ownerReferences, finalizers } = wanted.metadata;
  return (
    missingIn(created.metadata, { generateName, labels, annotations, ownerReferences, finalizers }, "metadata") ??
    missingIn(created["spec"], wanted["spec"], "spec")
  );
}

function missingIn(created: unknown, wanted: unknown, path: string, depth = 0): string | undefined {
  if (wanted === undefined || wanted === null || depth > MAX_DEPTH) return undefined;
  if (Array.isArray(wanted)) return missingInList(created, wanted, path, depth);
  if (typeof wanted !== "object") return created === wanted ? undefined : path;
  const has = typeof created === "object" && created !== null ? (created as Fields) : {};
  for (const [member, value] of Object.entries(wanted)) {
    const missing = missingIn(has[member], value, `${path}.${member}`, depth + 1);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** The wanted members exist in their order; others may be between them. */
function missingInList(created: unknown, wanted: readonly unknown[], path: string, depth: number): string | undefined {
  const list = Array.isArray(created) ? (created as readonly unknown[]) : [];
  let at = 0;
  for (const [index, value] of wanted.entries()) {
    const place = `${path}[${index}]`;
    while (at < list.length && missingIn(list[at], value, place, depth + 1) !== undefined) at++;
    if (at === list.length) return place;
    at++;
  }
  return undefined;
}
