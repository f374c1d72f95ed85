/** The rules of ResourceQuotas: names, amounts and scopes. */
import type { ResourceQuota, ResourceQuotaSpec } from "../../values/kinds.ts";
import type { ResourceRequest } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import { qualifiedNameErrors } from "../../values/names.ts";
import { milliOf } from "../../values/quantities.ts";
import type { FieldError } from "../contract/status-errors.ts";

const objects =
  "pods|resourcequotas|services(\\.(nodeports|loadbalancers))?|replicationcontrollers|secrets|persistentvolumeclaims|configmaps";
/** Names without a domain that may be limited. */
const isStandard = new RegExp(
  `^(${objects}|((requests|limits)\\.)?(cpu|memory|ephemeral-storage)|requests\\.storage|(requests\\.)?hugepages-.*)$`,
);
/** Names that are counted in whole numbers; any name with a foreign domain is one, too. */
const isObject = new RegExp(`^(${objects})$|^(?!requests\\.)(?!.*kubernetes\\.io/).*/`);
const podScope = /^(pods|((requests|limits)\.)?(cpu|memory))$/;
/** What may be limited in a scope, of the standard names. */
const inScope: ReadonlyMap<string, RegExp> = new Map([
  ["Terminating", podScope],
  ["NotTerminating", podScope],
  ["BestEffort", /^pods$/],
  ["NotBestEffort", podScope],
  ["PriorityClass", podScope],
  ["CrossNamespacePodAffinity", podScope],
  ["VolumeAttributesClass", /^(persistentvolumeclaims|requests\.storage)$/],
]);

const UNSUPPORTED = "unsupported scope";
const MISPLACED = "unsupported scope applied to resource";
const CONFLICTING = "conflicting scopes";
const MUST_EXIST =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

/** The mistakes of a quota. A new one without mistakes may have warnings. */
export function validateQuota(
  { spec, status }: ResourceQuota,
  current: ResourceQuota | undefined,
  { subresource, warnings }: ResourceRequest,
): FieldError[] {
  if (subresource) return [...amountErrors("status.hard", status.hard), ...amountErrors("status.used", status.used)];
  const errors = [...amountErrors("spec.hard", spec.hard), ...scopeErrors(spec), ...selectorErrors(spec)];
  if (current && !deepEqual(sorted(spec.scopes), sorted(current.spec.scopes)))
    errors.push(invalid("spec.scopes", spec.scopes, "field is immutable"));
  if (!current && errors.length === 0) for (const warning of oddAmounts(spec.hard)) warnings.add(warning);
  return errors;
}

function invalid(field: string, value: unknown, detail: string): FieldError {
  return { kind: "Invalid", field, value, detail };
}

function sorted(scopes: readonly string[] = []): string[] {
  return [...new Set(scopes)].toSorted();
}

function amountErrors(path: string, amounts: Readonly<Record<string, string>> = {}): FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const field = `${path}[${name}]`;
    const malformed = qualifiedNameErrors(name);
    const errors = malformed.map((detail) => invalid(field, name, detail));
    if (!name.includes("/") && !isStandard.test(name)) {
      // `storage` is known, but of no quota.
      if (malformed.length === 0 && name !== "storage")
        errors.push(invalid(field, name, "must be a standard resource type or fully qualified"));
      errors.push(invalid(field, name, "must be a standard resource for quota"));
    }
    const milli = milliOf(amount);
    if (milli < 0n) errors.push(invalid(field, amount, "must be greater than or equal to 0"));
    if (isObject.test(name) && milli % 1000n !== 0n) errors.push(invalid(field, amount, "must be an integer"));
    return errors;
  });
}

function scopeErrors({ scopes = [], hard = {} }: ResourceQuotaSpec): FieldError[] {
  const error = (detail: string): FieldError => invalid("spec.scopes", scopes, detail);
  return [
    ...scopes.flatMap((scope) => [
      ...(inScope.has(scope) ? [] : [error(UNSUPPORTED)]),
      ...(isMisplaced(scope, hard) ? [error(MISPLACED)] : []),
    ]),
    ...(areContrary(scopes) ? [error(CONFLICTING)] : []),
  ];
}

function isMisplaced(scope: string, hard: object): boolean {
  const allowed = inScope.get(scope);
  return allowed !== undefined && Object.keys(hard).some((name) => isStandard.test(name) && !allowed.test(name));
}

function areContrary(scopes: readonly string[]): boolean {
  return ["BestEffort", "Terminating"].some((scope) => scopes.includes(scope) && scopes.includes(`Not${scope}`));
}

function selectorErrors({
  scopes,
  scopeSelector: { matchExpressions = [] } = {},
  hard = {},
}: ResourceQuotaSpec): FieldError[] {
  const path = "spec.scopeSelector.matchExpressions";
  // The names of Go's fields, as the API server prints them.
  const printed = {
    MatchExpressions: matchExpressions.map(({ scopeName: ScopeName, operator: Operator, values: Values = null }) => ({
      ScopeName,
      Operator,
      Values,
    })),
  };
  const errors: FieldError[] = [];
  for (const { scopeName, operator, values = [] } of matchExpressions) {
    const refuse = (member: string, value: unknown, detail: string): void =>
      void errors.push(invalid(path + member, value, detail));
    if (!inScope.has(scopeName)) refuse(".scopeName", scopeName, UNSUPPORTED);
    if (isMisplaced(scopeName, hard)) refuse("", printed, MISPLACED);
    if (operator !== "Exists" && /^((Not)?(Terminating|BestEffort)|Cross.*)$/.test(scopeName) && inScope.has(scopeName))
      refuse(".operator", operator, MUST_EXIST);
    if (/^(Not)?In$/.test(operator)) {
      if (values.length === 0)
        errors.push({
          kind: "Required",
          field: `${path}.values`,
          detail: "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        });
    } else if (!/^(Exists|DoesNotExist)$/.test(operator)) {
      refuse(".operator", operator, "not a valid selector operator");
    } else if (values.length > 0)
      refuse(".values", values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
  }
  // Upstream quirk: the value is that of `scopes` (quota-create-scope-selector-conflict).
  if (areContrary(matchExpressions.map(({ scopeName }) => scopeName))) errors.push(invalid(path, scopes, CONFLICTING));
  return errors;
}

/** Warnings about requests that may become larger than the limits. */
function oddAmounts(hard: Readonly<Record<string, string>> = {}): string[] {
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((name) => {
    const [request, limit] = [`requests.${name}`, `limits.${name}`];
    const asked = hard[request] === undefined && (name === "cpu" || name === "memory") ? name : request;
    const [amount, most] = [hard[asked], hard[limit]];
    if (amount === undefined || most === undefined || milliOf(amount) <= milliOf(most)) return [];
    return [`ResourceQuota ${asked} (${amount}) should be less than ${limit} (${most})`];
  });
}
