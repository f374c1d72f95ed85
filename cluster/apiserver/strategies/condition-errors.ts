/** The rules of conditions of the metav1 kind. Source: ValidateConditions in pkg/apis/meta/v1/validation. */
import type { Condition } from "../../values/kinds.ts";
import { qualifiedNameErrors } from "../../values/names.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { invalid, invalidAll, notSupported, required } from "./field-errors.ts";

const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;
const STATUSES = ["False", "True", "Unknown"];
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const REASON_TEXT =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

export function conditionErrors(conditions: readonly Condition[], field: string): FieldError[] {
  const types = new Set<string>();
  return conditions.flatMap((condition, index) => {
    const place = `${field}[${index}]`;
    const isSecond = types.has(condition.type);
    types.add(condition.type);
    const duplicate: FieldError[] = isSecond ? [{ kind: "Duplicate", field: place, value: condition.type }] : [];
    return [...duplicate, ...errorsOfOne(condition, place)];
  });
}

function errorsOfOne(condition: Condition, field: string): FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  return [
    ...(type
      ? invalidAll(qualifiedNameErrors(type), `${field}.type`, type)
      : [required(`${field}.type`, "is required")]),
    ...statusErrors(status, `${field}.status`),
    ...(observedGeneration < 0
      ? [invalid(`${field}.observedGeneration`, observedGeneration, "must be greater than or equal to zero")]
      : []),
    ...(lastTransitionTime ? [] : [required(`${field}.lastTransitionTime`)]),
    ...reasonErrors(reason, `${field}.reason`),
    ...tooLong(message, MAX_MESSAGE_BYTES, `${field}.message`),
  ];
}

function statusErrors(status: string, field: string): FieldError[] {
  if (!status) return [required(field)];
  return STATUSES.includes(status) ? [] : [notSupported(status, STATUSES, field)];
}

function reasonErrors(reason: string, field: string): FieldError[] {
  if (!reason) return [required(field)];
  return [
    ...(REASON.test(reason) ? [] : [invalid(field, reason, REASON_TEXT)]),
    ...tooLong(reason, MAX_REASON_BYTES, field),
  ];
}

export function tooLong(text: string, limit: number, field: string): FieldError[] {
  return text.length > limit ? [{ kind: "TooLong", field, detail: `may not be more than ${limit} bytes` }] : [];
}
