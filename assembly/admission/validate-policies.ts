/**
 * Rules of a Job's policies (docs/spec/api.md 2.4: V31 to V42): which pod failures matter, what counts as success, and
 * when a failed pod is replaced. Source: pkg/apis/batch/validation validatePodFailurePolicy, validateSuccessPolicy,
 * validatePodReplacementPolicy.
 */
import { byteLength, decimal, StringSet, wordsOf } from "../json/text";
import { ABSENT, after, JsonNode, objectOf } from "../json/tree";
import { FieldErrors, OMITTED } from "./field-errors";
import { intervalCount, intervalProblem } from "./index-text";
import { qualifiedNameProblems } from "../model/name-rules";
import { quote, quoteSlice, renderNode } from "./render";
import { validateNotNegative } from "./validate-numbers";

const RULES_MAX: i32 = 20;
const POD_CONDITIONS_MAX: i32 = 20;
const EXIT_CODES_MAX: i32 = 255;
const SUCCEEDED_INDEXES_BYTES_MAX: i32 = 65536;

const ACTIONS = "Count,FailIndex,FailJob,Ignore";
const OPERATORS = "In,NotIn";
const CONDITION_STATUSES = "False,True,Unknown";

/** Checks V31 to V37. */
export function validatePodFailurePolicy(policy: JsonNode, spec: JsonNode, errors: FieldErrors): void {
  const rules = policy.list("rules");
  if (rules === null) return;
  if (rules.length > RULES_MAX) errors.tooMany(rules.path(), rules.length, RULES_MAX);
  const containerNames = namesOfContainers(spec);
  for (let rule = rules.first; rule !== null; rule = errors.after(rule)) {
    validateAction(rule, spec.has("backoffLimitPerIndex"), errors);
    const exitCodes = rule.object("onExitCodes");
    const conditions = rule.list("onPodConditions");
    const hasConditions = conditions !== null && conditions.length > 0;
    if (exitCodes !== null) validateExitCodes(exitCodes, containerNames, errors);
    if (conditions !== null) validatePodConditions(conditions, errors);
    if (exitCodes !== null && hasConditions) {
      errors.invalid(rule.path(), OMITTED, "specifying both OnExitCodes and OnPodConditions is not supported");
    }
    if (exitCodes === null && !hasConditions) {
      errors.invalid(rule.path(), OMITTED, "specifying one of OnExitCodes and OnPodConditions is required");
    }
  }
}

/** Checks V38. */
export function validatePodReplacementPolicy(spec: JsonNode, errors: FieldErrors): void {
  errors.oneOf(spec, "podReplacementPolicy", spec.has("podFailurePolicy") ? "Failed" : "Failed,TerminatingOrFailed");
}

/**
 * Checks V39 to V42. V22 reports missing completions. Without them there is nothing to check indexes and counts
 * against; the reference server crashes then.
 */
export function validateSuccessPolicy(policy: JsonNode, completions: i64, errors: FieldErrors): void {
  const rules = policy.list("rules");
  if (rules === null || rules.length == 0) {
    errors.required(policy.pathOf("rules"), "at least one rules must be specified when the successPolicy is specified");
    return;
  }
  if (rules.length > RULES_MAX) errors.tooMany(rules.path(), rules.length, RULES_MAX);
  for (let rule = rules.first; rule !== null; rule = errors.after(rule)) {
    if (!rule.has("succeededIndexes") && !rule.has("succeededCount")) {
      errors.required(rule.path(), "at least one of succeededCount or succeededIndexes must be specified");
    } else if (completions != ABSENT) {
      validateSuccessRule(rule, completions, errors);
    }
  }
}

function validateSuccessRule(rule: JsonNode, completions: i64, errors: FieldErrors): void {
  let indexes = ABSENT;
  if (rule.has("succeededIndexes")) {
    const field = rule.pathOf("succeededIndexes");
    const text = rule.string("succeededIndexes");
    if (byteLength(text) > SUCCEEDED_INDEXES_BYTES_MAX) errors.tooLong(field, SUCCEEDED_INDEXES_BYTES_MAX);
    const utf8 = String.UTF8.encode(text);
    const problem = intervalProblem(changetype<usize>(utf8), utf8.byteLength, completions);
    if (problem.length > 0) errors.invalid(field, quote(text), "error parsing succeededIndexes: " + problem);
    indexes = intervalCount();
  }
  if (!rule.has("succeededCount")) return;
  validateNotNegative(rule, "succeededCount", errors);
  const count = rule.integer("succeededCount");
  const field = rule.pathOf("succeededCount");
  if (count > completions) {
    const detail = "must be less than or equal to " + decimal(completions) + " (the number of specified completions)";
    errors.invalid(field, decimal(count), detail);
  }
  if (indexes != ABSENT && count > indexes) {
    const detail =
      "must be less than or equal to " +
      decimal(indexes) +
      " (the number of indexes in the specified succeededIndexes field)";
    errors.invalid(field, decimal(count), detail);
  }
}

function validateAction(rule: JsonNode, hasLimitPerIndex: bool, errors: FieldErrors): void {
  const action = rule.string("action");
  const field = rule.pathOf("action");
  if (action.length == 0) errors.required(field, "valid values: " + quoteSlice(wordsOf(ACTIONS)));
  else errors.oneOf(rule, "action", ACTIONS);
  if (action == "FailIndex" && !hasLimitPerIndex)
    errors.invalid(field, quote(action), "requires the backoffLimitPerIndex to be set");
}

function validateExitCodes(exitCodes: JsonNode, containerNames: StringSet, errors: FieldErrors): void {
  const operator = exitCodes.string("operator");
  if (operator.length == 0)
    errors.required(exitCodes.pathOf("operator"), "valid values: " + quoteSlice(wordsOf(OPERATORS)));
  else errors.oneOf(exitCodes, "operator", OPERATORS);
  const containerName = exitCodes.string("containerName");
  if (exitCodes.has("containerName") && !containerNames.has(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    errors.invalid(exitCodes.pathOf("containerName"), quote(containerName), detail);
  }
  const values = exitCodes.list("values");
  const field = exitCodes.pathOf("values");
  if (values === null || values.length == 0) {
    errors.invalid(field, renderNode(values), "at least one value is required");
    return;
  }
  if (values.length > EXIT_CODES_MAX) errors.tooMany(field, values.length, EXIT_CODES_MAX);
  const seen = new StringSet();
  let ordered = true;
  let previous: i64 = i64.MIN_VALUE;
  for (let value = values.first; value !== null; value = errors.after(value)) {
    const code = value.asInteger();
    if (operator == "In" && code == 0) errors.invalid(value.path(), "0", "must not be 0 for the In operator");
    if (!seen.add(decimal(code))) errors.duplicate(value.path(), decimal(code));
    if (previous > code) ordered = false;
    previous = code;
  }
  if (!ordered) errors.invalid(field, renderNode(values), "must be ordered");
}

function validatePodConditions(conditions: JsonNode, errors: FieldErrors): void {
  if (conditions.length > POD_CONDITIONS_MAX) errors.tooMany(conditions.path(), conditions.length, POD_CONDITIONS_MAX);
  for (let condition = conditions.first; condition !== null; condition = errors.after(condition)) {
    const type = condition.string("type");
    errors.invalidEach(condition.pathOf("type"), type, qualifiedNameProblems(type));
    errors.oneOf(condition, "status", CONDITION_STATUSES);
  }
}

function namesOfContainers(spec: JsonNode): StringSet {
  const names = new StringSet();
  const podSpec = objectOf(spec.object("template"), "spec");
  if (podSpec === null) return names;
  addNames(podSpec.list("containers"), names);
  addNames(podSpec.list("initContainers"), names);
  return names;
}

function addNames(containers: JsonNode | null, names: StringSet): void {
  if (containers === null) return;
  for (let container = containers.first; container !== null; container = after(container))
    names.add(container.string("name"));
}
