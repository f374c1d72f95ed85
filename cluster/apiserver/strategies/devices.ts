/**
 * ResourceClaims for devices, the ResourceSlices that list devices, and the DeviceTaintRules that taint them: the
 * default count of a request, the time of a taint, and the fields that may not change. Leaves out most rules for
 * requests.
 */
import type {
  DeviceSubRequest,
  DeviceTaint,
  DeviceTaintRule,
  DeviceTaintSelector,
  ExactDeviceRequest,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceResourceClaim,
  ResourceSlice,
  ResourceSliceSpec,
} from "../../values/kinds.ts";
import type { ResourceRequest, Strategy } from "../contract/context.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { labelErrors, labelValueErrors, qualifiedNameErrors, subdomainErrors } from "../../values/names.ts";
import { formatTime } from "../../values/times.ts";
import { conditionErrors, tooLong } from "./condition-errors.ts";
import { tooManyErrors } from "./declarative.ts";
import { immutable, invalid, invalidAll, oneOf, required } from "./field-errors.ts";
import {
  DROPPED_OF_RESOURCE_CLAIM_SPEC,
  DROPPED_OF_RESOURCE_CLAIM_STATUS,
  DROPPED_OF_RESOURCE_SLICE_SPEC,
  type Gates,
  withoutDroppedFields,
} from "./dropped-fields.ts";

const TAINT_EFFECTS = ["NoExecute", "NoSchedule", "None"];
const MAX_CONDITIONS = 8;
const MAX_DRIVER_BYTES = 63;
const MAX_POOL_BYTES = 253;

function counted<Request extends ExactDeviceRequest | DeviceSubRequest>(request: Request): Request {
  const allocationMode = request.allocationMode ?? "ExactCount";
  return { ...request, allocationMode, ...(allocationMode === "ExactCount" ? { count: request.count ?? 1 } : {}) };
}

function withCounts(spec: ResourceClaimSpec): ResourceClaimSpec {
  const requests = spec?.devices?.requests;
  if (!requests) return spec ?? {};
  const each = requests.map((request) => ({
    ...request,
    ...(request.exactly === undefined ? {} : { exactly: counted(request.exactly) }),
    ...(request.firstAvailable === undefined ? {} : { firstAvailable: request.firstAvailable.map(counted) }),
  }));
  return { ...spec, devices: { ...spec!.devices, requests: each } };
}

export const resourceClaimStrategy: Strategy<ResourceResourceClaim> = {
  prepareCreate: (claim, { server }) => ({ ...claim, spec: claimSpec(claim.spec, undefined, server), status: {} }),
  prepareUpdate: (claim, current, { server }) => ({ ...claim, spec: claimSpec(claim.spec, current.spec, server) }),
  prepareSubresourceUpdate: ({ status, ...kept }, current, { server }) => ({
    ...kept,
    ...(status && { status: withoutDroppedFields(DROPPED_OF_RESOURCE_CLAIM_STATUS, status, current.status, server) }),
  }),
  validate: ({ spec }, current) => [
    ...(current ? [] : requestErrors(spec, "spec.devices")),
    ...immutable<Pick<ResourceResourceClaim, "spec">>(["spec"], { spec }, current),
  ],
};

function requestErrors(spec: ResourceClaimSpec, field: string): FieldError[] {
  const requests = spec?.devices?.requests ?? [];
  return requests.flatMap(({ exactly, firstAvailable }, index) => {
    if ((exactly === undefined) !== (firstAvailable === undefined)) return [];
    const detail = "exactly one of `exactly` or `firstAvailable` is required";
    return [required(`${field}.requests[${index}]`, detail)];
  });
}

function claimSpec(spec: ResourceClaimSpec, current: ResourceClaimSpec | undefined, gates: Gates): ResourceClaimSpec {
  return withCounts(withoutDroppedFields(DROPPED_OF_RESOURCE_CLAIM_SPEC, spec, current, gates));
}

function templateDefaults(
  template: ResourceClaimTemplate,
  current: ResourceClaimTemplate | undefined,
  gates: Gates,
): ResourceClaimTemplate {
  const spec = template.spec?.spec;
  return { ...template, spec: { ...template.spec, spec: claimSpec(spec, current?.spec?.spec, gates) } };
}
export const resourceClaimTemplateStrategy: Strategy<ResourceClaimTemplate> = {
  prepareCreate: (template, { server }) => templateDefaults(template, undefined, server),
  prepareUpdate: (template, current, { server }) => templateDefaults(template, current, server),
  validate: ({ spec }, current) => [
    ...(current ? [] : requestErrors(spec?.spec, "spec.spec.devices")),
    ...immutable<Pick<ResourceClaimTemplate, "spec">>(["spec"], { spec }, current),
  ],
};

/** Leaves out the devices themselves, and the two ways to choose nodes by their labels. */
export const resourceSliceStrategy: Strategy<ResourceSlice> = {
  prepareCreate: (slice, { server }) => withoutDropped(slice, undefined, server),
  prepareUpdate: (slice, current, { server }) => withoutDropped(slice, current, server),
  validate: ({ spec }, current) => [
    ...sliceErrors(spec),
    ...immutable(["driver", "nodeName"], spec, current?.spec, "spec"),
  ],
};

function withoutDropped(slice: ResourceSlice, current: ResourceSlice | undefined, gates: Gates): ResourceSlice {
  return { ...slice, spec: withoutDroppedFields(DROPPED_OF_RESOURCE_SLICE_SPEC, slice.spec, current?.spec, gates) };
}

function sliceErrors(spec: ResourceSliceSpec): FieldError[] {
  const places = ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"] as const;
  const errors = spec.driver ? [] : [required("spec.driver")];
  const { name, resourceSliceCount = 0 } = spec.pool ?? {};
  if (!name) errors.push(required("spec.pool.name"));
  if (resourceSliceCount < 1)
    errors.push(invalid("spec.pool.resourceSliceCount", resourceSliceCount, "must be greater than zero"));
  if (!places.some((place) => spec[place]))
    errors.push(required("spec", `exactly one of ${places.map((place) => `\`${place}\``).join(", ")} is required`));
  return errors;
}

export const deviceTaintRuleStrategy: Strategy<DeviceTaintRule> = {
  prepareCreate: (rule, request) => ({ ...withTime(rule, undefined, request), status: {} }),
  prepareUpdate: withTime,
  validate({ spec, status: { conditions = [] } }, _current, { subresource }) {
    if (!subresource) return [...deviceSelectorErrors(spec.deviceSelector), ...taintErrors(spec.taint)];
    const field = "status.conditions";
    return [...conditionErrors(conditions, field), ...tooManyErrors(conditions, MAX_CONDITIONS, field)];
  },
};

/** The time of the taint is when it got its effect, unless the client gives another one than before. */
function withTime(
  rule: DeviceTaintRule,
  current: DeviceTaintRule | undefined,
  { server }: ResourceRequest,
): DeviceTaintRule {
  const { taint } = rule.spec;
  const before = current?.spec.taint;
  const hasOldTime = before && taint.effect !== before.effect && taint.timeAdded === before.timeAdded;
  const timeAdded = (hasOldTime ? undefined : taint.timeAdded) ?? formatTime(server.clock.now());
  return { ...rule, spec: { ...rule.spec, taint: { ...taint, timeAdded } } };
}

function deviceSelectorErrors({ driver, pool, device }: DeviceTaintSelector = {}): FieldError[] {
  const field = "spec.deviceSelector";
  return [
    ...driverErrors(driver, `${field}.driver`),
    ...poolErrors(pool, `${field}.pool`),
    ...(device === undefined ? [] : invalidAll(labelErrors(device), `${field}.device`, device)),
  ];
}

function driverErrors(driver: string | undefined, field: string): FieldError[] {
  if (driver === undefined) return [];
  if (driver === "") return [required(field)];
  return [
    ...tooLong(driver, MAX_DRIVER_BYTES, field),
    ...invalidAll(subdomainErrors(driver.toLowerCase()), field, driver),
  ];
}

function poolErrors(pool: string | undefined, field: string): FieldError[] {
  if (pool === undefined) return [];
  if (pool === "") return [required(field)];
  const parts = pool.split("/").flatMap((part) => invalidAll(subdomainErrors(part), field, part));
  return [...tooLong(pool, MAX_POOL_BYTES, field), ...parts];
}

function taintErrors({ key, value = "", effect }: DeviceTaint): FieldError[] {
  return [
    ...invalidAll(qualifiedNameErrors(key), "spec.taint.key", key),
    ...invalidAll(labelValueErrors(value), "spec.taint.value", value),
    ...(effect ? oneOf(effect, TAINT_EFFECTS, "spec.taint.effect") : [required("spec.taint.effect")]),
  ];
}
