/**
 * The Job's selector: generates it, with the pod labels that it needs (docs/spec/api.md 3.3), and checks the rules V11
 * to V16. Source: pkg/registry/batch/job/strategy.go generateSelector, validateGeneratedSelector, and meta/v1's label
 * selectors.
 */
import { after, JsonNode, memberOf } from "../json/tree";
import { labelsOfTemplate } from "./defaults-job";
import { defaultObject } from "./default-fields";
import { FieldErrors } from "./field-errors";
import { labelValueProblems, qualifiedNameProblems } from "../model/name-rules";
import { quoteWord, renderMap, renderNode } from "./render";
import { validateLabels } from "./validate-metadata";

const CONTROLLER_UID = "batch.kubernetes.io/controller-uid";
const JOB_NAME = "batch.kubernetes.io/job-name";
const LEGACY_CONTROLLER_UID = "controller-uid";
const LEGACY_JOB_NAME = "job-name";

/**
 * Adds the labels to the template, and the uid to the selector, where they are missing. With manualSelector it does
 * nothing.
 */
export function generateSelector(job: JsonNode): void {
  const metadata = job.object("metadata");
  const spec = job.object("spec");
  if (metadata === null || spec === null || spec.boolean("manualSelector")) return;
  const name = metadata.string("name");
  const uid = metadata.string("uid");
  const labels = defaultObject(defaultObject(defaultObject(spec, "template"), "metadata"), "labels");
  if (labels !== null) {
    addMissing(labels, LEGACY_JOB_NAME, name);
    addMissing(labels, JOB_NAME, name);
    addMissing(labels, LEGACY_CONTROLLER_UID, uid);
    addMissing(labels, CONTROLLER_UID, uid);
  }
  const matchLabels = defaultObject(defaultObject(spec, "selector"), "matchLabels");
  if (matchLabels !== null) addMissing(matchLabels, CONTROLLER_UID, uid);
}

/**
 * Checks V11 to V13. `prefixed`: the two labels with a domain are required, too. `uid` is the Job's, which the object
 * may leave out.
 */
export function validateGenerated(job: JsonNode, uid: string, prefixed: bool, errors: FieldErrors): void {
  const spec = job.object("spec");
  const metadata = job.object("metadata");
  if (spec === null || metadata === null || spec.boolean("manualSelector")) return;
  const selector = spec.object("selector");
  if (selector === null) return;
  if (uid.length == 0) errors.required("metadata.uid");
  const name = metadata.string("name");
  const labels = labelsOfTemplate(job);
  const expected = JsonNode.object();
  requireLabel(labels, LEGACY_CONTROLLER_UID, uid, expected, errors);
  requireLabel(labels, LEGACY_JOB_NAME, name, expected, errors);
  if (prefixed) {
    requireLabel(labels, CONTROLLER_UID, uid, expected, errors);
    requireLabel(labels, JOB_NAME, name, expected, errors);
  }
  if (isSelector(selector) && !selects(selector, expected)) {
    errors.invalid("spec.selector", renderNode(selector), "`selector` not auto-generated");
  }
}

/** Whether the stored template has the two labels with a domain. If not, updates need not add them. */
export function hasPrefixedLabels(job: JsonNode): bool {
  const labels = labelsOfTemplate(job);
  return labels !== null && labels.has(CONTROLLER_UID) && labels.has(JOB_NAME);
}

/** Checks V14 to V16. */
export function validateSelector(job: JsonNode, errors: FieldErrors): void {
  const spec = job.object("spec");
  if (spec === null) return;
  const selector = spec.object("selector");
  if (selector === null) errors.required("spec.selector");
  else validateSelectorSyntax(selector, errors);
  const labels = labelsOfTemplate(job);
  if (selector !== null && (!isSelector(selector) || selects(selector, labels))) return;
  errors.invalid("spec.template.metadata.labels", renderMap(labels), "`selector` does not match template `labels`");
}

function addMissing(labels: JsonNode, key: string, value: string): void {
  if (!labels.has(key)) labels.set(key, JsonNode.string(value));
}

function requireLabel(
  labels: JsonNode | null,
  key: string,
  value: string,
  expected: JsonNode,
  errors: FieldErrors,
): void {
  expected.set(key, JsonNode.string(value));
  const field = "spec.template.metadata.labels[" + key + "]";
  const detail = "must be '" + value + "'";
  if (labels === null || !labels.has(key)) errors.required(field, detail);
  else if (labels.string(key) != value) errors.invalid(field, renderMap(labels), detail);
}

/** Checks V15 of any label selector. */
export function validateSelectorSyntax(selector: JsonNode, errors: FieldErrors): void {
  validateLabels(selector.object("matchLabels"), selector.pathOf("matchLabels"), errors);
  const expressions = selector.list("matchExpressions");
  if (expressions === null) return;
  for (let expression = expressions.first; expression !== null; expression = errors.after(expression)) {
    const operator = expression.string("operator");
    const values = expression.list("values");
    const count = values === null ? 0 : values.length;
    if (operator == "In" || operator == "NotIn") {
      if (count == 0)
        errors.required(expression.pathOf("values"), "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (operator == "Exists" || operator == "DoesNotExist") {
      if (count > 0) {
        errors.forbidden(
          expression.pathOf("values"),
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        );
      }
    } else {
      errors.invalid(expression.pathOf("operator"), quoteWord(operator), "not a valid selector operator");
    }
    const key = expression.string("key");
    errors.invalidEach(expression.pathOf("key"), key, qualifiedNameProblems(key));
    if (values === null) continue;
    for (let value = values.first; value !== null; value = errors.after(value)) {
      const text = value.asString();
      errors.invalidEach(value.path(), text, labelValueProblems(text));
    }
  }
}

// Whether the selector has no syntax error. One with an error selects nothing, and is not compared with labels.
function isSelector(selector: JsonNode): bool {
  const errors = new FieldErrors();
  validateSelectorSyntax(selector, errors);
  return errors.length == 0;
}

function selects(selector: JsonNode, labels: JsonNode | null): bool {
  const matchLabels = selector.object("matchLabels");
  if (matchLabels !== null) {
    for (let wanted = matchLabels.first; wanted !== null; wanted = after(wanted)) {
      const label = memberOf(labels, wanted.key);
      if (label === null || label.asString() != wanted.asString()) return false;
    }
  }
  const expressions = selector.list("matchExpressions");
  if (expressions === null) return true;
  for (let expression = expressions.first; expression !== null; expression = after(expression)) {
    if (!satisfies(expression, labels)) return false;
  }
  return true;
}

function satisfies(expression: JsonNode, labels: JsonNode | null): bool {
  const operator = expression.string("operator");
  const label = memberOf(labels, expression.string("key"));
  if (operator == "Exists") return label !== null;
  if (operator == "DoesNotExist") return label === null;
  const listed = label !== null && lists(expression.list("values"), label.asString());
  return operator == "In" ? listed : !listed;
}

function lists(values: JsonNode | null, text: string): bool {
  if (values === null) return false;
  for (let value = values.first; value !== null; value = after(value)) {
    if (value.asString() == text) return true;
  }
  return false;
}
