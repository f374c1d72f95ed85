/**
 * The rules of LimitRanges. Leaves out huge pages and other resources that may not be overcommitted. Source:
 * pkg/apis/core/v1/defaults.go, pkg/apis/core/validation.
 */
import type { LimitRange, LimitRangeItem } from "../../values/kinds.ts";
import type { Strategy } from "../contract/context.ts";
import { qualifiedNameErrors } from "../../values/names.ts";
import { milliOf } from "../../values/quantities.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { forbidden, invalid, invalidAll, required } from "./field-errors.ts";

/** The defaults of containers: the maximum as limit, and the limit or the minimum as request. */
function withLimitDefaults(range: LimitRange): LimitRange {
  const limits = range.spec?.limits;
  if (!limits) return range;
  const filled = limits.map((item) => {
    if (item.type !== "Container") return item;
    const limit = { ...item.max, ...item.default };
    const request = { ...item.min, ...limit, ...item.defaultRequest };
    return { ...item, default: limit, defaultRequest: request };
  });
  return { ...range, spec: { ...range.spec, limits: filled } };
}

type Member = "min" | "max" | "default" | "defaultRequest";

/** The first of each pair may not exceed the second: the error text, the refused field, its value. */
const ORDERED: readonly (readonly [
  lower: Member,
  upper: Member,
  names: [string, string],
  field: Member,
  value: Member,
])[] = [
  ["min", "max", ["min value", "max value"], "min", "min"],
  ["min", "defaultRequest", ["min value", "default request value"], "defaultRequest", "defaultRequest"],
  ["defaultRequest", "max", ["default request value", "max value"], "defaultRequest", "defaultRequest"],
  ["defaultRequest", "default", ["default request value", "default limit value"], "defaultRequest", "defaultRequest"],
  ["min", "default", ["min value", "default value"], "default", "min"],
  ["default", "max", ["default value", "max value"], "default", "max"],
];

const MEMBERS: readonly Member[] = ["max", "min", "default", "defaultRequest"];
const TYPES = ["Pod", "Container", "PersistentVolumeClaim"];
const CONTAINER_RESOURCES = ["cpu", "memory", "ephemeral-storage"];
const RESOURCES = [
  ...CONTAINER_RESOURCES,
  ...["requests", "limits"].flatMap((part) => CONTAINER_RESOURCES.map((name) => `${part}.${name}`)),
  ...["pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps"],
  ...["persistentvolumeclaims", "storage", "requests.storage", "services.nodeports", "services.loadbalancers"],
];

export const limitRangeStrategy: Strategy<LimitRange> = {
  prepareCreate: withLimitDefaults,
  prepareUpdate: withLimitDefaults,
  validate(range) {
    const limits = range.spec?.limits ?? [];
    return limits.flatMap((item, index) => {
      const path = `spec.limits[${index}]`;
      const isRepeated = limits.findIndex(({ type }) => type === item.type) < index;
      return [
        ...typeErrors(item.type, `${path}.type`),
        ...(isRepeated ? [{ kind: "Duplicate", field: `${path}.type`, value: item.type } as const] : []),
        ...limitErrors(item, path),
      ];
    });
  },
};

function typeErrors(type: string, field: string): FieldError[] {
  const errors = invalidAll(qualifiedNameErrors(type), field, type);
  if (errors.length > 0 || type.includes("/") || TYPES.includes(type)) return errors;
  return [invalid(field, type, "must be a standard limit type or fully qualified")];
}

function limitErrors(item: LimitRangeItem, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const members: readonly Member[] = item.type === "Pod" ? ["max", "min"] : MEMBERS;
  const given = [...members, "maxLimitRequestRatio" as const].flatMap((member) =>
    Object.keys(item[member] ?? {}).map((name) => [member, name] as const),
  );
  for (const [member, name] of given) errors.push(...resourceErrors(item.type, name, `${path}.${member}[${name}]`));
  if (item.type === "Pod")
    for (const member of ["default", "defaultRequest"] as const)
      if (item[member]) errors.push(forbidden(`${path}.${member}`, "may not be specified when `type` is 'Pod'"));
  if (item.type === "PersistentVolumeClaim" && !item.min?.storage && !item.max?.storage)
    errors.push(
      required(`${path}.limits`, "either minimum or maximum storage value is required, but neither was provided"),
    );
  for (const name of [...new Set(given.map(([, one]) => one))].toSorted())
    errors.push(...orderErrors(item, name, path), ...ratioErrors(item, name, `${path}.maxLimitRequestRatio[${name}]`));
  return errors;
}

function resourceErrors(type: string, name: string, field: string): FieldError[] {
  const errors = invalidAll(qualifiedNameErrors(name), field, name);
  if (errors.length > 0 || name.includes("/")) return errors;
  if (!RESOURCES.includes(name))
    errors.push(invalid(field, name, "must be a standard resource type or fully qualified"));
  if (type !== "PersistentVolumeClaim" && TYPES.includes(type) && !CONTAINER_RESOURCES.includes(name))
    errors.push(invalid(field, name, "must be a standard resource for containers"));
  return errors;
}

function orderErrors(item: LimitRangeItem, name: string, path: string): FieldError[] {
  return ORDERED.flatMap(([lower, upper, [lowerText, upperText], field, value]) => {
    const [low, high] = [item[lower]?.[name], item[upper]?.[name]];
    if (low === undefined || high === undefined || milliOf(low) <= milliOf(high)) return [];
    const detail = `${lowerText} ${low} is greater than ${upperText} ${high}`;
    return [invalid(`${path}.${field}[${name}]`, item[value]![name]!, detail)];
  });
}

function ratioErrors({ maxLimitRequestRatio, min, max }: LimitRangeItem, name: string, field: string): FieldError[] {
  const ratio = maxLimitRequestRatio?.[name];
  if (ratio === undefined) return [];
  const errors: FieldError[] = [];
  const value = Number(milliOf(ratio)) / 1000;
  if (value < 1) errors.push(invalid(field, ratio, `ratio ${ratio} is less than 1`));
  if (min?.[name] === undefined || max?.[name] === undefined) return errors;
  const limit = Number(milliOf(max[name])) / Number(milliOf(min[name]));
  if (value > limit) errors.push(invalid(field, ratio, `ratio ${ratio} is greater than max/min = ${limit.toFixed(6)}`));
  return errors;
}
