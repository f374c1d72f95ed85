/** Errors of fields that many kinds share, each with the text of the API server. */
import { deepEqual } from "../../values/json.ts";
import type { FieldError } from "../contract/status-errors.ts";

const AT_LEAST_ZERO = "must be greater than or equal to 0";
const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** The values that a field may have. One may ask for a field that is not set, which has none of them. */
export type Values = readonly (string | undefined)[];

export function required(field: string, detail = ""): FieldError {
  return { kind: "Required", field, detail };
}

export function forbidden(field: string, detail: string): FieldError {
  return { kind: "Forbidden", field, detail };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { kind: "Invalid", field, value, detail };
}

export function invalidAll(details: readonly string[], field: string, value: unknown): FieldError[] {
  return details.map((detail) => invalid(field, value, detail));
}

/** A value that may be left out. */
export function among<Owner>(owner: Owner, name: keyof Owner & string, allowed: Values, field: string): FieldError[] {
  const value = owner[name];
  return value === undefined ? [] : oneOf(value, allowed, `${field}.${name}`);
}

export function oneOf(value: unknown, allowed: Values, field: string): FieldError[] {
  return allowed.includes(value as string) ? [] : [notSupported(value, allowed, field)];
}

export function notSupported(value: unknown, allowed: Values, field: string): FieldError {
  const detail = `supported values: ${allowed.map((one) => JSON.stringify(one)).join(", ")}`;
  return { kind: "NotSupported", field, value, detail };
}

/** Optional numbers that must not be negative. */
export function notNegative<Owner>(
  owner: Owner,
  names: readonly (keyof Owner & string)[],
  field: string,
): FieldError[] {
  return names
    .filter((name) => (owner[name] as number) < 0)
    .map((name) => invalid(member(field, name), owner[name], AT_LEAST_ZERO));
}

/** An optional number of pods, or a share of them. */
export function amountErrors(field: string, value: string | number | undefined): FieldError[] {
  if (typeof value === "number") return value < 0 ? [invalid(field, value, AT_LEAST_ZERO)] : [];
  return value === undefined || /^\d+%$/.test(value) ? [] : [invalid(field, value, PERCENT)];
}

export function shareErrors(field: string, value: string | number | undefined): FieldError[] {
  const isTooMuch = typeof value === "string" && /^\d+%$/.test(value) && Number.parseInt(value, 10) > 100;
  return isTooMuch ? [invalid(field, value, "must not be greater than 100%")] : [];
}

/** @param current undefined: the object is new */
export function immutable<Owner extends object>(
  names: readonly (keyof Owner & string)[],
  object: Owner,
  current: Owner | undefined,
  field = "",
): FieldError[] {
  if (current === undefined) return [];
  return names
    .filter((name) => !deepEqual(object[name], current[name]))
    .map((name) => invalid(member(field, name), object[name], "field is immutable"));
}

function member(field: string, name: string): string {
  return field === "" ? name : `${field}.${name}`;
}
