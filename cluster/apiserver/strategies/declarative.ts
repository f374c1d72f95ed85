/**
 * The checks that upstream declares as tags of its types, with their texts: unions, fields that cannot change, keyed
 * lists. A check gets the field before the update; where there is none, the object is new.
 */
import { deepEqual } from "../../values/json.ts";
import { labelErrors, pathSegmentErrors, subdomainErrors } from "../../values/names.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { forbidden, invalid, invalidAll, required } from "./field-errors.ts";

/** A field of the object and, on an update, of the object before it. */
export interface Change<T> {
  readonly now: T;
  readonly before: T | undefined;
  readonly isUpdate: boolean;
}

/** A member of both objects. */
export function memberOf<T, Name extends keyof T>(
  { now, before, isUpdate }: Change<T>,
  name: Name,
): Change<T[Name] | undefined> {
  return { now: now?.[name], before: before?.[name], isUpdate };
}

export function isUnchanged({ now, before, isUpdate }: Change<unknown>): boolean {
  return isUpdate && deepEqual(now, before);
}

/** Exactly one of the members is set. Members that were wrong before may stay so. */
export function unionErrors<T extends object>(
  { now, before }: Change<T>,
  members: readonly (keyof T & string)[],
  field: string,
): FieldError[] {
  const set = members.filter((name) => isSet(now[name]));
  if (before !== undefined && members.every((name) => isSet(now[name]) === isSet(before[name]))) return [];
  const all = members.map((name) => `\`${name}\``).join(", ");
  if (set.length === 0) return [invalid(field, "", `must specify one of: ${all}`)];
  return set.length === 1 ? [] : [invalid(field, `{${set.join(", ")}}`, `must specify exactly one of: ${all}`)];
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

export function immutableErrors(change: Change<unknown>, field: string): FieldError[] {
  return change.isUpdate && !isUnchanged(change) ? [invalid(field, null, "field is immutable")] : [];
}

/** A field that an update may change, but neither set nor clear. */
export function presenceErrors({ now, before, isUpdate }: Change<unknown>, field: string): FieldError[] {
  if (!isUpdate || isSet(now) === isSet(before)) return [];
  return [invalid(field, null, isSet(now) ? "field cannot be set once created" : "field cannot be cleared once set")];
}

/** An update may neither add items to a list nor remove them. Items are known by their names. */
export function itemErrors<T extends { readonly name: string }>(
  { now, before, isUpdate }: Change<readonly T[]>,
  field: string,
): FieldError[] {
  if (!isUpdate) return [];
  const had = new Set((before ?? []).map(({ name }) => name));
  const has = new Set(now.map(({ name }) => name));
  return [
    ...now.flatMap(({ name }, index) =>
      had.has(name) ? [] : [forbidden(`${field}[${index}]`, "item may not be added")],
    ),
    ...(before ?? []).flatMap(({ name }) => (has.has(name) ? [] : [forbidden(field, "item may not be removed")])),
  ];
}

export function tooManyErrors(list: readonly unknown[], max: number, field: string): FieldError[] {
  if (list.length <= max) return [];
  const items = max === 1 ? "item" : "items";
  return [{ kind: "TooMany", field, value: list.length, detail: `must have at most ${max} ${items}` }];
}

/** The later ones of items with the same name. */
export function duplicateErrors(list: readonly { readonly name: string }[], field: string): FieldError[] {
  const first = new Map<string, number>();
  list.forEach(({ name }, index) => first.has(name) || first.set(name, index));
  return list.flatMap((item, index) =>
    first.get(item.name) === index ? [] : [{ kind: "Duplicate", field: `${field}[${index}]`, value: item } as const],
  );
}

export function minimumErrors(value: number, min: number, field: string): FieldError[] {
  return value < min ? [invalid(field, value, `must be greater than or equal to ${min}`)] : [];
}

export function maximumErrors(value: number, max: number, field: string): FieldError[] {
  return value > max ? [invalid(field, value, `must be less than or equal to ${max}`)] : [];
}

type Format = "label" | "subdomain" | "path segment";

const formats: Readonly<Record<Format, (text: string) => readonly string[]>> = {
  label: labelErrors,
  subdomain: subdomainErrors,
  "path segment": pathSegmentErrors,
};

/** These checks count bytes, where those of metadata speak of characters. */
export function formatErrors(text: string | undefined, format: Format, field: string): FieldError[] {
  if (text === undefined) return [];
  return invalidAll(
    formats[format](text).map((detail) => detail.replace(/ characters$/, " bytes")),
    field,
    text,
  );
}

export function requiredFormatErrors(text: string | undefined, format: Format, field: string): FieldError[] {
  return text ? formatErrors(text, format, field) : [required(field)];
}
