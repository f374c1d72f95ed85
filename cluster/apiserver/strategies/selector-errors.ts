/** Validates label selectors. Source: apimachinery, ValidateLabelSelector. */
import type { LabelSelector } from "../../values/label-selector.ts";
import { labelValueErrors, qualifiedNameErrors } from "../../values/names.ts";
import type { FieldError } from "../contract/status-errors.ts";

export function selectorErrors(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  field: string,
): FieldError[] {
  return [
    ...Object.entries(matchLabels).flatMap(([key, value]) => [
      ...keyErrors(key, `${field}.matchLabels`),
      ...valueErrors(value, `${field}.matchLabels`),
    ]),
    ...matchExpressions.flatMap(({ key, operator, values = [] }, index) => {
      const at = `${field}.matchExpressions[${index}]`;
      return [
        ...operatorErrors(operator, values, at),
        ...keyErrors(key, `${at}.key`),
        ...values.flatMap((value, place) => valueErrors(value, `${at}.values[${place}]`)),
      ];
    }),
  ];
}

function operatorErrors(operator: string, values: readonly string[], at: string): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return [
        { kind: "Required", field: `${at}.values`, detail: "must be specified when `operator` is 'In' or 'NotIn'" },
      ];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [
        {
          kind: "Forbidden",
          field: `${at}.values`,
          detail: "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        },
      ];
    default:
      return [{ kind: "Invalid", field: `${at}.operator`, value: operator, detail: "not a valid selector operator" }];
  }
}

function keyErrors(key: string, field: string): FieldError[] {
  return qualifiedNameErrors(key).map((detail) => ({ kind: "Invalid", field, value: key, detail }));
}

function valueErrors(value: string, field: string): FieldError[] {
  return labelValueErrors(value).map((detail) => ({ kind: "Invalid", field, value, detail }));
}
