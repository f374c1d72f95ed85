/**
 * Rules of `affinity`: terms about nodes, and terms about other pods. Source: pkg/apis/core/validation,
 * validateAffinity.
 */
import { decimal } from "../json/text";
import { JsonNode } from "../json/tree";
import { dnsLabelProblems, dnsSubdomainProblems, labelValueProblems, qualifiedNameProblems } from "../model/name-rules";
import { FieldErrors } from "./field-errors";
import { numberOf } from "./pod-facts";
import { quoteWord, quote } from "./render";
import { validateSelectorSyntax } from "./selector";
import { validateLabelKeys } from "./validate-spread";

export const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
export const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
const NO_OPERATOR = "not a valid selector operator";
const WEIGHT_MAX: i64 = 100;

/** Checks `affinity` of a pod spec; null if it has none. */
export function validateAffinity(affinity: JsonNode | null, errors: FieldErrors): void {
  if (affinity === null) return;
  validateNodeAffinity(affinity.object("nodeAffinity"), errors);
  validatePodAffinity(affinity.object("podAffinity"), errors);
  validatePodAffinity(affinity.object("podAntiAffinity"), errors);
}

function validateNodeAffinity(affinity: JsonNode | null, errors: FieldErrors): void {
  if (affinity === null) return;
  const required = affinity.object(REQUIRED);
  if (required !== null) {
    const terms = required.list("nodeSelectorTerms");
    if (terms === null || terms.length == 0) {
      errors.required(required.pathOf("nodeSelectorTerms"), "must have at least one node selector term");
    } else {
      for (let term = terms.first; term !== null; term = errors.after(term)) validateNodeTerm(term, true, errors);
    }
  }
  const preferred = affinity.list(PREFERRED);
  if (preferred === null) return;
  for (let weighted = preferred.first; weighted !== null; weighted = errors.after(weighted)) {
    validateWeight(weighted, errors);
    const preference = weighted.object("preference");
    if (preference !== null) validateNodeTerm(preference, false, errors);
  }
}

// A preference may have values that no label can have: upstream only warns of those.
function validateNodeTerm(term: JsonNode, isRequired: bool, errors: FieldErrors): void {
  const expressions = term.list("matchExpressions");
  if (expressions !== null) {
    for (let expression = expressions.first; expression !== null; expression = errors.after(expression))
      validateNodeExpression(expression, isRequired, errors);
  }
  const fields = term.list("matchFields");
  if (fields === null) return;
  for (let field = fields.first; field !== null; field = errors.after(field)) validateNodeField(field, errors);
}

function validateNodeExpression(expression: JsonNode, isRequired: bool, errors: FieldErrors): void {
  const operator = expression.string("operator");
  const values = expression.list("values");
  const count = values === null ? 0 : values.length;
  const field = expression.pathOf("values");
  if (operator == "In" || operator == "NotIn") {
    if (count == 0) errors.required(field, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator == "Exists" || operator == "DoesNotExist") {
    if (count > 0) errors.forbidden(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (operator == "Gt" || operator == "Lt") {
    if (count != 1) errors.required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else {
    errors.invalid(expression.pathOf("operator"), quoteWord(operator), NO_OPERATOR);
  }
  const key = expression.string("key");
  errors.invalidEach(expression.pathOf("key"), key, qualifiedNameProblems(key));
  if (!isRequired || values === null) return;
  for (let value = values.first; value !== null; value = errors.after(value))
    errors.invalidEach(value.path(), value.asString(), labelValueProblems(value.asString()));
}

// A field of a node: only its name can be asked for.
function validateNodeField(field: JsonNode, errors: FieldErrors): void {
  const operator = field.string("operator");
  const values = field.list("values");
  if (operator == "In" || operator == "NotIn") {
    if (values === null || values.length != 1) {
      const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
      errors.required(field.pathOf("values"), detail);
    }
  } else {
    errors.invalid(field.pathOf("operator"), quoteWord(operator), NO_OPERATOR);
  }
  const key = field.string("key");
  if (key != "metadata.name") {
    errors.invalid(field.pathOf("key"), quote(key), "not a valid field selector key");
  } else if (values !== null) {
    for (let value = values.first; value !== null; value = errors.after(value))
      errors.invalidEach(value.path(), value.asString(), dnsSubdomainProblems(value.asString()));
  }
}

function validateWeight(weighted: JsonNode, errors: FieldErrors): void {
  const weight = numberOf(weighted, "weight");
  if (weight <= 0 || weight > WEIGHT_MAX) {
    errors.invalid(weighted.pathOf("weight"), decimal(weight), "must be in the range 1-100");
  }
}

function validatePodAffinity(affinity: JsonNode | null, errors: FieldErrors): void {
  if (affinity === null) return;
  const required = affinity.list(REQUIRED);
  if (required !== null) {
    for (let term = required.first; term !== null; term = errors.after(term))
      validatePodTerm(term, term.path(), errors);
  }
  const preferred = affinity.list(PREFERRED);
  if (preferred === null) return;
  for (let weighted = preferred.first; weighted !== null; weighted = errors.after(weighted)) {
    validateWeight(weighted, errors);
    const term = weighted.object("podAffinityTerm");
    validatePodTerm(term === null ? JsonNode.object() : term, weighted.pathOf("podAffinityTerm"), errors);
  }
}

function validatePodTerm(term: JsonNode, at: string, errors: FieldErrors): void {
  const selector = term.object("labelSelector");
  if (selector !== null) validateSelectorSyntax(selector, errors);
  const namespaceSelector = term.object("namespaceSelector");
  if (namespaceSelector !== null) validateSelectorSyntax(namespaceSelector, errors);
  const namespaces = term.list("namespaces");
  if (namespaces !== null) {
    for (let name = namespaces.first; name !== null; name = errors.after(name))
      errors.invalidEach(at + ".namespace", name.asString(), dnsLabelProblems(name.asString()));
  }
  validateLabelKeys(term, at, errors);
  const topologyKey = term.string("topologyKey");
  if (topologyKey.length == 0) errors.required(at + ".topologyKey", "can not be empty");
  errors.invalidEach(at + ".topologyKey", topologyKey, qualifiedNameProblems(topologyKey));
}
