/**
 * Rules of single numbers that several kinds of fields share (docs/spec/api.md V5, V17, V52). Limits that depend on
 * other fields are left out.
 */
import { decimal } from "../json/text";
import { ABSENT, JsonNode } from "../json/tree";
import { FieldErrors } from "./field-errors";

const PORT_MAX: i64 = 65535;
const UNIX_ID_MAX: i64 = i32.MAX_VALUE;
const UNIX_ID = "must be between 0 and 2147483647, inclusive";

/** Checks that an integer, if it is there, is not negative. */
export function validateNotNegative(node: JsonNode, key: string, errors: FieldErrors): void {
  const value = node.integer(key);
  if (value != ABSENT && value < 0)
    errors.invalid(node.pathOf(key), decimal(value), "must be greater than or equal to 0");
}

/** Checks that an integer, if it is there, is a user or a group of Unix. */
export function validateUnixId(node: JsonNode, key: string, errors: FieldErrors): void {
  const id = node.integer(key);
  if (id != ABSENT && !isUnixId(id)) errors.invalid(node.pathOf(key), decimal(id), UNIX_ID);
}

/** Checks the elements of a list of groups. */
export function validateUnixIds(ids: JsonNode | null, errors: FieldErrors): void {
  if (ids === null) return;
  for (let id = ids.first; id !== null; id = errors.after(id)) {
    if (!isUnixId(id.asInteger())) errors.invalid(id.path(), decimal(id.asInteger()), UNIX_ID);
  }
}

function isUnixId(id: i64): bool {
  return id >= 0 && id <= UNIX_ID_MAX;
}

/** Checks the number of a port. A missing one counts as 0, which is no port. */
export function validatePortNumber(node: JsonNode, key: string, errors: FieldErrors): void {
  const number = node.has(key) ? node.integer(key) : 0;
  if (number >= 1 && number <= PORT_MAX) return;
  errors.invalid(node.pathOf(key), decimal(number), "must be between 1 and 65535, inclusive");
}
