/**
 * The rules of the kinds that need a few lines each: accounts, limit ranges, budgets, classes.
 */
import type { JsonObject, KubeObject } from "../../types.ts";
import type { Strategy } from "../definition.ts";
import { milliOf } from "../quantities.ts";
import type { FieldError } from "../status-errors.ts";

/** A status that its controller fills. */
const emptyStatusStrategy: Strategy = { prepareCreate: (object) => ({ ...object, status: {} }) };

const EVICTION_POLICIES = ["AlwaysAllow", "IfHealthyBudget"];

export const disruptionBudgetStrategy: Strategy = {
  ...emptyStatusStrategy,
  validate({ spec }, _current, request) {
    if (request.subresource) return [];
    const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
    const errors: FieldError[] = [];
    if (minAvailable !== undefined && maxUnavailable !== undefined)
      errors.push({
        kind: "Invalid",
        field: "spec",
        value: goSpec(spec),
        detail: "minAvailable and maxUnavailable cannot be both set",
      });
    for (const field of ["minAvailable", "maxUnavailable"]) errors.push(...amountErrors(`spec.${field}`, spec[field]));
    if (policy !== undefined && !EVICTION_POLICIES.includes(policy))
      errors.push(notSupported("spec.unhealthyPodEvictionPolicy", policy, EVICTION_POLICIES));
    return errors;
  },
};

/** As upstream's internal type is written, which has no names for JSON. */
function goSpec({ minAvailable, selector, maxUnavailable, unhealthyPodEvictionPolicy }: JsonObject): JsonObject {
  return {
    MinAvailable: minAvailable ?? null,
    Selector: selector ?? null,
    MaxUnavailable: maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
  };
}

/** Of a number of pods, or a share of them. */
function amountErrors(field: string, value: string | number | undefined): FieldError[] {
  const error = (detail: string): FieldError[] => [{ kind: "Invalid", field, value, detail }];
  if (value === undefined) return [];
  if (typeof value === "number") return value < 0 ? error("must be greater than or equal to 0") : [];
  if (!/^\d+%$/.test(value))
    return error(
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    );
  return Number.parseInt(value, 10) > 100 ? error("must not be greater than 100%") : [];
}

const MAX_USER_PRIORITY = 1_000_000_000;
const PREEMPTION_POLICIES = ["PreemptLowerPriority", "Never"];
const SYSTEM_PREFIX = "system-";
/** The values of the classes that have the prefix. */
const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  "system-node-critical": 2_000_001_000,
  "system-cluster-critical": 2_000_000_000,
};

function priorityClassDefaults(priorityClass: KubeObject): KubeObject {
  return { ...priorityClass, preemptionPolicy: priorityClass["preemptionPolicy"] ?? "PreemptLowerPriority" };
}
export const priorityClassStrategy: Strategy = {
  prepareCreate: priorityClassDefaults,
  prepareUpdate: priorityClassDefaults,
  validate(priorityClass, current) {
    const { metadata, value, preemptionPolicy } = priorityClass;
    const errors: FieldError[] = [];
    const forbid = (field: string, detail: string): void => void errors.push({ kind: "Forbidden", field, detail });
    const why = metadata.name.startsWith(SYSTEM_PREFIX) ? systemError(priorityClass) : undefined;
    if (current === undefined && why !== undefined)
      forbid(
        "metadata.name",
        `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${why}`,
      );
    if (current === undefined && !metadata.name.startsWith(SYSTEM_PREFIX) && value > MAX_USER_PRIORITY)
      forbid("value", `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`);
    if (current === undefined && !PREEMPTION_POLICIES.includes(preemptionPolicy))
      errors.push(notSupported("preemptionPolicy", preemptionPolicy, PREEMPTION_POLICIES));
    if (current !== undefined && value !== current["value"]) forbid("value", "may not be changed in an update.");
    if (current !== undefined && preemptionPolicy !== current["preemptionPolicy"])
      errors.push({
        kind: "Invalid",
        field: "preemptionPolicy",
        value: preemptionPolicy,
        detail: "field is immutable",
      });
    return errors;
  },
};

/** Why a class may not have a name with the system's prefix. */
function systemError({ metadata: { name }, value, globalDefault = false }: KubeObject): string | undefined {
  if (!Object.hasOwn(SYSTEM_CLASSES, name)) return `${name} is not a known system priority class`;
  if (SYSTEM_CLASSES[name] !== value) return `value of ${name} PriorityClass must be ${SYSTEM_CLASSES[name]}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function notSupported(field: string, value: string, allowed: readonly string[]): FieldError {
  const names = allowed.map((name) => `"${name}"`);
  return { kind: "NotSupported", field, value, detail: `supported values: ${names.join(", ")}` };
}

type Quantities = Readonly<Record<string, string>>;

interface LimitRangeItem {
  readonly type: string;
  readonly max?: Quantities;
  readonly min?: Quantities;
  readonly default?: Quantities;
  readonly defaultRequest?: Quantities;
}

/** What a container gets unless it says: the maximum as its limit, and the limit or the minimum as its request. */
function withLimitDefaults(range: KubeObject): KubeObject {
  const limits: readonly LimitRangeItem[] = range["spec"]?.limits ?? [];
  const filled = limits.map((item) => {
    if (item.type !== "Container") return item;
    const limit = { ...item.max, ...item.default };
    const request = { ...item.min, ...limit, ...item.defaultRequest };
    return { ...item, default: limit, defaultRequest: request };
  });
  return { ...range, spec: { ...range["spec"], limits: filled } };
}

type Member = "min" | "max" | "default" | "defaultRequest";

/** Of each pair the first may not be more than the second: what is said of it, the field that is refused, its value. */
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

export const limitRangeStrategy: Strategy = {
  prepareCreate: withLimitDefaults,
  prepareUpdate: withLimitDefaults,
  validate(range) {
    const limits: readonly LimitRangeItem[] = range["spec"].limits;
    return limits.flatMap((item, index) => {
      const path = `spec.limits[${index}]`;
      const isRepeated = limits.findIndex(({ type }) => type === item.type) < index;
      return [
        ...(isRepeated ? [{ kind: "Duplicate", field: `${path}.type`, value: item.type } as const] : []),
        ...limitErrors(item, path),
      ];
    });
  },
};

function limitErrors(item: LimitRangeItem, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (item.type === "Pod")
    for (const member of ["default", "defaultRequest"] as const)
      if (item[member])
        errors.push({
          kind: "Forbidden",
          field: `${path}.${member}`,
          detail: "may not be specified when `type` is 'Pod'",
        });
  if (item.type === "PersistentVolumeClaim" && !item.min?.["storage"] && !item.max?.["storage"])
    errors.push({
      kind: "Required",
      field: `${path}.limits`,
      detail: "either minimum or maximum storage value is required, but neither was provided",
    });
  const names = new Set(
    (["max", "min", "default", "defaultRequest"] as const).flatMap((m) => Object.keys(item[m] ?? {})),
  );
  for (const name of [...names].toSorted())
    for (const [lower, upper, [lowerText, upperText], field, value] of ORDERED) {
      const [low, high] = [item[lower]?.[name], item[upper]?.[name]];
      if (low !== undefined && high !== undefined && milliOf(low) > milliOf(high))
        errors.push({
          kind: "Invalid",
          field: `${path}.${field}[${name}]`,
          value: item[value]![name]!,
          detail: `${lowerText} ${low} is greater than ${upperText} ${high}`,
        });
    }
  return errors;
}
