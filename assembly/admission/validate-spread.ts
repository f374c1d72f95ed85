/**
 * Rules of `topologySpreadConstraints`, and of the label keys that they share with affinity. Source:
 * pkg/apis/core/validation validateTopologySpreadConstraints, ValidateMatchLabelKeysAndMismatchLabelKeys.
 */
import { decimal, StringSet } from "../json/text";
import { ABSENT, after, JsonNode } from "../json/tree";
import { qualifiedNameProblems } from "../model/name-rules";
import { FieldErrors } from "./field-errors";
import { numberOf } from "./pod-facts";
import { quote } from "./render";
import { validateSelectorSyntax } from "./selector";

const ACTIONS = "DoNotSchedule,ScheduleAnyway";
const NODE_POLICIES = "Honor,Ignore";
const NOT_POSITIVE = "must be greater than zero";

/** Checks `topologySpreadConstraints` of a pod spec; null if it has none. */
export function validateSpread(constraints: JsonNode | null, errors: FieldErrors): void {
  if (constraints === null) return;
  const later = repeatedLater(constraints);
  for (let constraint = constraints.first; constraint !== null; constraint = errors.after(constraint))
    validateConstraint(constraint, later[constraint.index], errors);
}

// Whether a later constraint has the same key and action, by the positions of the list.
function repeatedLater(constraints: JsonNode): bool[] {
  const nodes = new Array<JsonNode>();
  for (let one = constraints.first; one !== null; one = after(one)) nodes.push(one);
  const seen = new StringSet();
  const repeated = new Array<bool>(nodes.length);
  for (let i = nodes.length - 1; i >= 0; i--) repeated[i] = !seen.add(pairOf(nodes[i]));
  return repeated;
}

function pairOf(constraint: JsonNode): string {
  return "{" + constraint.string("topologyKey") + ", " + constraint.string("whenUnsatisfiable") + "}";
}

function validateConstraint(constraint: JsonNode, isRepeated: bool, errors: FieldErrors): void {
  const maxSkew = numberOf(constraint, "maxSkew");
  if (maxSkew <= 0) errors.invalid(constraint.pathOf("maxSkew"), decimal(maxSkew), NOT_POSITIVE);
  if (constraint.string("topologyKey").length == 0)
    errors.required(constraint.pathOf("topologyKey"), "can not be empty");
  errors.oneOf(constraint, "whenUnsatisfiable", ACTIONS);
  if (isRepeated) {
    errors.duplicate(constraint.pathOf("{topologyKey, whenUnsatisfiable}"), quote(pairOf(constraint)));
  }
  const minDomains = constraint.integer("minDomains");
  if (minDomains != ABSENT) {
    const field = constraint.pathOf("minDomains");
    const action = constraint.string("whenUnsatisfiable");
    if (minDomains <= 0) errors.invalid(field, decimal(minDomains), NOT_POSITIVE);
    if (action != "DoNotSchedule") {
      const detail = "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + action;
      errors.invalid(field, decimal(minDomains), detail);
    }
  }
  errors.oneOfIfSet(constraint, "nodeAffinityPolicy", NODE_POLICIES);
  errors.oneOfIfSet(constraint, "nodeTaintsPolicy", NODE_POLICIES);
  validateLabelKeys(constraint, constraint.path(), errors);
  const selector = constraint.object("labelSelector");
  if (selector !== null) validateSelectorSyntax(selector, errors);
}

/**
 * Checks `matchLabelKeys` and `mismatchLabelKeys` of a term or a constraint at `at`: they need a label selector, are
 * keys of labels, and no key is asked for in two ways.
 */
export function validateLabelKeys(term: JsonNode, at: string, errors: FieldErrors): void {
  const selector = term.object("labelSelector");
  const matched = term.list("matchLabelKeys");
  const mismatched = term.list("mismatchLabelKeys");
  validateKeys(matched, selector, errors);
  validateKeys(mismatched, selector, errors);
  if (matched === null) return;
  if (selector !== null) validateTwice(matched, selector, at, errors);
  if (mismatched === null) return;
  const others = new StringSet();
  for (let key = mismatched.first; key !== null; key = errors.after(key)) others.add(key.asString());
  for (let key = matched.first; key !== null; key = errors.after(key)) {
    if (others.has(key.asString()))
      errors.invalid(key.path(), quote(key.asString()), "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

function validateKeys(keys: JsonNode | null, selector: JsonNode | null, errors: FieldErrors): void {
  if (keys === null || keys.length == 0) return;
  if (selector === null) {
    errors.forbidden(keys.path(), "must not be specified when labelSelector is not set");
    return;
  }
  for (let key = keys.first; key !== null; key = errors.after(key))
    errors.invalidEach(key.path(), key.asString(), qualifiedNameProblems(key.asString()));
}

// The API server turns each key into an expression. A key that the selector has twice was in it before.
function validateTwice(matched: JsonNode, selector: JsonNode, at: string, errors: FieldErrors): void {
  const indexes = new Map<string, JsonNode>();
  for (let key = matched.first; key !== null; key = errors.after(key)) indexes.set(key.asString(), key);
  const seen = new StringSet();
  const labels = selector.object("matchLabels");
  if (labels !== null) {
    for (let label = labels.first; label !== null; label = errors.after(label)) seen.add(label.key);
  }
  const expressions = selector.list("matchExpressions");
  if (expressions === null) return;
  for (let expression = expressions.first; expression !== null; expression = errors.after(expression)) {
    const key = expression.string("key");
    if (!seen.add(key) && indexes.has(key)) {
      const field = at + "[" + decimal(indexes.get(key).index) + "]";
      errors.invalid(field, quote(key), "exists in both matchLabelKeys and labelSelector");
    }
  }
}
