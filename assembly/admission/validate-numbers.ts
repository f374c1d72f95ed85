/**
 * Rules of single numbers that several kinds of fields share (docs/spec/api.md V5, V17, V52). Limits that depend on
 * other fields are left out.
 */
import { decimal } from "../json/text";
import { ABSENT, JsonNode } from "../json/tree";
import { FieldErrors } from "./field-errors";

const PORT_MAX: i64 = 65535;

/** Checks that an integer, if it is there, is not negative. */
export function validateNotNegative(node: JsonNode, key: string, errors: FieldErrors): void {
  const value = node.integer(key);
  if (value != ABSENT && value < 0)
    errors.invalid(node.pathOf(key), decimal(value), "must be greater than or equal to 0");
}

/** Checks the number of a port. A missing one counts as 0, which is no port. */
export function validatePortNumber(node: JsonNode, key: string, errors: FieldErrors): void {
  const number = node.has(key) ? node.integer(key) : 0;
  if (number >= 1 && number <= PORT_MAX) return;
  errors.invalid(node.pathOf(key), decimal(number), "must be between 1 and 65535, inclusive");
}
