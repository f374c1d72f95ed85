/**
 * Rules of a pod's tolerations (docs/spec/api.md V107). The operators Lt and Gt are behind a switch that is off
 * (TaintTolerationComparisonOperators). Source: pkg/apis/core/validation ValidateTolerations.
 */
import { joined } from "../json/text";
import { JsonNode } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { labelValueProblems, qualifiedNameProblems } from "../model/name-rules";
import { quote, quoteWord } from "./render";

const EFFECTS = "NoSchedule,PreferNoSchedule,NoExecute";

/** Checks V107 for `tolerations` of a pod spec; null if it has none. */
export function validateTolerations(tolerations: JsonNode | null, errors: FieldErrors): void {
  if (tolerations === null) return;
  for (let toleration = tolerations.first; toleration !== null; toleration = errors.after(toleration))
    validateToleration(toleration, errors);
}

function validateToleration(toleration: JsonNode, errors: FieldErrors): void {
  const key = toleration.string("key");
  const operator = toleration.string("operator");
  const effect = toleration.string("effect");
  if (key.length > 0) {
    errors.invalidEach(toleration.pathOf("key"), key, qualifiedNameProblems(key));
  } else if (operator != "Exists") {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.invalid(toleration.pathOf("operator"), quoteWord(operator), detail);
  }
  if (toleration.has("tolerationSeconds") && effect != "NoExecute") {
    errors.invalid(
      toleration.pathOf("effect"),
      quoteWord(effect),
      "effect must be 'NoExecute' when `tolerationSeconds` is set",
    );
  }
  validateOperator(toleration, operator, errors);
  if (effect.length > 0) errors.oneOf(toleration, "effect", EFFECTS);
}

// Checks operator and value. A wrong value is reported on the operator, as upstream does.
function validateOperator(toleration: JsonNode, operator: string, errors: FieldErrors): void {
  const field = toleration.pathOf("operator");
  const value = toleration.string("value");
  if (operator == "Exists") {
    if (value.length > 0) errors.invalid(field, quote(value), "value must be empty when `operator` is 'Exists'");
  } else if (operator.length == 0 || operator == "Equal") {
    const problems = labelValueProblems(value);
    if (problems.length > 0) errors.invalid(field, quote(value), joined(problems, ";"));
  } else {
    errors.wordNotSupported(
      field,
      operator,
      operator == "Lt" || operator == "Gt" ? "Equal,Exists,Lt,Gt" : "Equal,Exists",
    );
  }
}
