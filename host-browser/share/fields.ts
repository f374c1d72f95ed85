/**
 * Reads plain data from an untrusted source, field by field.
 *
 * Invariant: the result has exactly the fields that are named here, with the types and within the limits that are
 * named; everything else is refused with one sentence: where, what was given, what is allowed.
 */

/** What is wrong with the data, as one sentence for users. */
export class SharedDataError extends Error {
  override readonly name = "SharedDataError";
}

/** A sentence repeats this many characters of a wrong value. */
const MAX_SHOWN = 60;

export function fail(path: string, given: unknown, allowed: string): never {
  const text = JSON.stringify(given) ?? "absent";
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  throw new SharedDataError(`${path} is ${shown}; allowed is ${allowed}`);
}

export type Fields = Readonly<Record<string, unknown>>;

/** An object with no other fields than these. */
export function record(value: unknown, path: string, allowed: readonly string[]): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(path, value, "an object");
  const unknown = Object.keys(value).find((name) => !allowed.includes(name));
  if (unknown !== undefined)
    throw new SharedDataError(`${path} has a field ${JSON.stringify(unknown)}; allowed are ${allowed.join(", ")}`);
  return value as Fields;
}

export function list(value: unknown, path: string, maxLength: number): readonly unknown[] {
  if (!Array.isArray(value)) fail(path, value, "a list");
  if (value.length > maxLength)
    throw new SharedDataError(`${path} has ${value.length} entries; allowed are ${maxLength}`);
  return value;
}

export function text(value: unknown, path: string, maxLength: number): string {
  if (typeof value !== "string") fail(path, value, "a text");
  if (value.length > maxLength)
    throw new SharedDataError(`${path} is ${value.length} characters long; allowed are ${maxLength}`);
  return value;
}

export function matching(value: unknown, path: string, pattern: RegExp, allowed: string): string {
  if (typeof value !== "string" || !pattern.test(value)) fail(path, value, allowed);
  return value;
}

export function number(value: unknown, path: string): number {
  if (typeof value !== "number") fail(path, value, "a number");
  return value;
}

export function integer(value: unknown, path: string, min: number, max: number): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max)
    fail(path, value, `an integer from ${min} to ${max}`);
  return value;
}
