/** Checks of what a test gives to a control. */
import { MAX_DURATION_MS, parseDuration } from "../words/duration.ts";
import { ControlError } from "./control-error.ts";

/** @returns milliseconds. @throws ControlError 400 */
export function checkedDuration(given: unknown, what: string): number {
  if (typeof given === "number" && Number.isInteger(given) && given >= 0 && given <= MAX_DURATION_MS) return given;
  if (typeof given === "string")
    try {
      return parseDuration(given);
    } catch (error) {
      throw notAllowed(what, given, (error as Error).message);
    }
  throw notAllowed(what, given, `a duration such as 30s or 1h30m, or whole milliseconds from 0 to ${MAX_DURATION_MS}`);
}

/** @throws ControlError 400 */
export function checkedInteger(given: unknown, what: string, min: number, max: number): number {
  if (typeof given === "number" && Number.isInteger(given) && given >= min && given <= max) return given;
  throw notAllowed(what, given, `an integer from ${min} to ${max}`);
}

/** @throws ControlError 400 */
export function checkedText(given: unknown, what: string, maxLength: number): string {
  if (typeof given === "string" && given !== "" && given.length <= maxLength) return given;
  throw notAllowed(what, given, `a text of 1 to ${maxLength} characters`);
}

/** @throws ControlError 400 when a field is not among those that are known */
export function checkFields(given: unknown, what: string, fields: readonly string[]): void {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw notAllowed(what, given, `an object with ${fields.join(", ")}`);
  const unknown = Object.keys(given).find((name) => !fields.includes(name));
  if (unknown !== undefined)
    throw new ControlError(400, `${what} have the field ${unknown}; allowed are ${fields.join(", ")}`);
}

function notAllowed(what: string, given: unknown, allowed: string): ControlError {
  return new ControlError(400, `${what} is ${JSON.stringify(given) ?? "absent"}; allowed is ${allowed}`);
}
