/** The conditions of a CustomResourceDefinition: whether its names are accepted, and the condition that follows. */
import type { KubeObject } from "../../values/types.ts";
import { deepEqual } from "../../values/json.ts";
import { formatTime } from "../../values/times.ts";
import { type Condition, conditionOf, isTrue, type Names, specOf, statusOf } from "./definition-spec.ts";

/** The definition with a condition. A new status sets a new time. */
export function withCondition(crd: KubeObject, nowMs: number, condition: Condition): KubeObject {
  const before = conditionOf(crd, condition.type);
  const lastTransitionTime =
    before?.status === condition.status && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : formatTime(nowMs);
  const { type, status, reason, message } = condition;
  const next: Condition = { type, status, lastTransitionTime, reason, message };
  const conditions = statusOf(crd).conditions ?? [];
  const replaced =
    before === undefined ? [...conditions, next] : conditions.map((one) => (one === before ? next : one));
  return { ...crd, status: { ...statusOf(crd), conditions: replaced } };
}

/**
 * The definition with its accepted names, and the condition about the others.
 * @param others all other definitions of its group
 */
export function withAcceptedNames(crd: KubeObject, others: readonly KubeObject[], nowMs: number): KubeObject {
  const wanted = specOf(crd).names;
  if (deepEqual(wanted, statusOf(crd).acceptedNames)) return crd;
  const { accepted, conflict } = negotiated(wanted, statusOf(crd).acceptedNames, others);
  const named = { ...crd, status: { ...statusOf(crd), acceptedNames: accepted } };
  const judged = withCondition(named, nowMs, conflict ?? noConflicts);
  if (isTrue(crd, "Established")) return judged;
  return withCondition(judged, nowMs, conflict === undefined ? installing : notAccepted);
}

/** The definition, established if all its names are accepted. */
export function asEstablished(crd: KubeObject, nowMs: number): KubeObject {
  return isTrue(crd, "NamesAccepted") && !isTrue(crd, "Established") ? withCondition(crd, nowMs, established) : crd;
}

const acceptedText = "the initial names have been accepted";
const noConflicts: Condition = {
  type: "NamesAccepted",
  status: "True",
  reason: "NoConflicts",
  message: "no conflicts found",
};
const installing: Condition = { type: "Established", status: "False", reason: "Installing", message: acceptedText };
const notAccepted: Condition = {
  type: "Established",
  status: "False",
  reason: "NotAccepted",
  message: "not all names are accepted",
};
const established: Condition = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: acceptedText,
};

interface Negotiated {
  readonly accepted: Names;
  /** Undefined: all names are accepted. */
  readonly conflict: Condition | undefined;
}

function negotiated(wanted: Names, accepted: Names, others: readonly KubeObject[]): Negotiated {
  const taken = others.map((other) => statusOf(other).acceptedNames);
  const resources = new Set(
    taken.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular, ...shortNames]),
  );
  const kinds = new Set(taken.flatMap(({ kind, listKind }) => [kind, listKind]));
  let conflict: Condition | undefined;
  const refuse = (reason: string, names: readonly string[]): void => {
    const texts = names.map((name) => `${JSON.stringify(name)} is already in use`);
    const message = texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`;
    conflict = { type: "NamesAccepted", status: "False", reason, message };
  };
  const choose = (name: "plural" | "singular" | "kind" | "listKind", used: ReadonlySet<string | undefined>): string => {
    const [next = "", before = ""] = [wanted[name], accepted[name]];
    if (next === before || !used.has(next)) return next;
    refuse(`${name.slice(0, 1).toUpperCase()}${name.slice(1)}Conflict`, [next]);
    return before;
  };
  const plural = choose("plural", resources);
  const singular = choose("singular", resources);
  const shortNames = wanted.shortNames ?? [];
  const before = accepted.shortNames ?? [];
  const clashing = shortNames.filter((name) => !before.includes(name) && resources.has(name));
  if (clashing.length > 0) refuse("ShortNamesConflict", clashing);
  const kind = choose("kind", kinds);
  const listKind = choose("listKind", kinds);
  const short = clashing.length > 0 ? before : shortNames;
  const categories = wanted.categories ?? [];
  return {
    accepted: {
      plural,
      ...(singular !== "" && { singular }),
      ...(short.length > 0 && { shortNames: short }),
      kind,
      ...(listKind !== "" && { listKind }),
      ...(categories.length > 0 && { categories }),
    },
    conflict,
  };
}
