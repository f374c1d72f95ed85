/**
 * The rules of the kinds that need a few lines each: budgets and classes. Leaves out the tolerations of a
 * RuntimeClass.
 */
import type { PodDisruptionBudget, PodDisruptionBudgetSpec, PriorityClass, RuntimeClass } from "../../values/kinds.ts";
import type { Strategy } from "../contract/context.ts";
import { labelErrors, qualifiedNameErrors } from "../../values/names.ts";
import { milliOf } from "../../values/quantities.ts";
import type { FieldError } from "../contract/status-errors.ts";
import {
  among,
  amountErrors,
  immutable,
  invalid,
  invalidAll,
  notNegative,
  oneOf,
  required,
  shareErrors,
} from "./field-errors.ts";
import { selectorErrors } from "./selector-errors.ts";

const EVICTION_POLICIES = ["AlwaysAllow", "IfHealthyBudget"];

export const disruptionBudgetStrategy: Strategy<PodDisruptionBudget> = {
  validate({ spec, status }, _current, request) {
    if (request.subresource)
      return notNegative(
        status ?? {},
        ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"],
        "status",
      );
    const isBoth = spec.minAvailable !== undefined && spec.maxUnavailable !== undefined;
    return [
      ...(isBoth ? [invalid("spec", goSpec(spec), "minAvailable and maxUnavailable cannot be both set")] : []),
      ...(["minAvailable", "maxUnavailable"] as const).flatMap((field) => [
        ...amountErrors(`spec.${field}`, spec[field]),
        ...shareErrors(`spec.${field}`, spec[field]),
      ]),
      ...selectorErrors(spec.selector ?? {}, "spec.selector"),
      ...among(spec, "unhealthyPodEvictionPolicy", EVICTION_POLICIES, "spec"),
    ];
  },
};

/** Printed as upstream's internal type, which has no JSON names. */
function goSpec({
  minAvailable,
  selector,
  maxUnavailable,
  unhealthyPodEvictionPolicy,
}: PodDisruptionBudgetSpec): object {
  return {
    MinAvailable: minAvailable ?? null,
    Selector: selector ?? null,
    MaxUnavailable: maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
  };
}

const MAX_USER_PRIORITY = 1_000_000_000;
const PREEMPTION_POLICIES = ["PreemptLowerPriority", "Never"];
const SYSTEM_PREFIX = "system-";
/** The values of the classes that have the prefix. */
const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  "system-node-critical": 2_000_001_000,
  "system-cluster-critical": 2_000_000_000,
};

function priorityClassDefaults(priorityClass: PriorityClass): PriorityClass {
  return { ...priorityClass, preemptionPolicy: priorityClass.preemptionPolicy ?? "PreemptLowerPriority" };
}
export const priorityClassStrategy: Strategy<PriorityClass> = {
  prepareCreate: priorityClassDefaults,
  prepareUpdate: priorityClassDefaults,
  validate(priorityClass, current) {
    const { value, preemptionPolicy } = priorityClass;
    const name = priorityClass.metadata.name ?? "";
    const errors: FieldError[] = [];
    const forbid = (field: string, detail: string): void => void errors.push({ kind: "Forbidden", field, detail });
    const why = name.startsWith(SYSTEM_PREFIX) ? systemError(priorityClass) : undefined;
    if (current === undefined && why !== undefined)
      forbid(
        "metadata.name",
        `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${why}`,
      );
    if (current === undefined && !name.startsWith(SYSTEM_PREFIX) && value > MAX_USER_PRIORITY)
      forbid("value", `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`);
    if (current === undefined) errors.push(...oneOf(preemptionPolicy, PREEMPTION_POLICIES, "preemptionPolicy"));
    if (current !== undefined && value !== current.value) forbid("value", "may not be changed in an update.");
    return [...errors, ...immutable(["preemptionPolicy"], priorityClass, current)];
  },
};

/** Why a class may not have a name with the system's prefix. */
function systemError({ metadata: { name }, value, globalDefault = false }: PriorityClass): string | undefined {
  if (!Object.hasOwn(SYSTEM_CLASSES, name)) return `${name} is not a known system priority class`;
  if (SYSTEM_CLASSES[name] !== value) return `value of ${name} PriorityClass must be ${SYSTEM_CLASSES[name]}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export const runtimeClassStrategy: Strategy<RuntimeClass> = {
  validate: (runtimeClass, current) => [
    ...handlerErrors(runtimeClass.handler),
    ...overheadErrors(runtimeClass.overhead?.podFixed ?? {}),
    ...Object.keys(runtimeClass.scheduling?.nodeSelector ?? {}).flatMap((key) =>
      invalidAll(qualifiedNameErrors(key), "scheduling.nodeSelector", key),
    ),
    ...immutable(["handler"], runtimeClass, current),
  ],
};

function handlerErrors(handler: string): FieldError[] {
  return handler ? invalidAll(labelErrors(handler), "handler", handler) : [required("handler")];
}

function overheadErrors(amounts: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(amounts)
    .filter(([, amount]) => milliOf(amount) < 0n)
    .map(([name, amount]) => invalid(`overhead.limits[${name}]`, amount, "must be greater than or equal to 0"));
}
