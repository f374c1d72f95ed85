/**
 * LimitRanges: gives containers their defaults, and refuses pods and claims that request too little or too much. Only a
 * resize changes a pod's requests. Source: plugin/pkg/admission/limitranger.
 */
import { podAmounts } from "../../values/resource-amounts.ts";
import type {
  Container,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  ResourceRequirements,
} from "../../values/kinds.ts";
import type { ResourceRequest } from "../contract/context.ts";
import { canonicalQuantity, milliOf, quantityText } from "../../values/quantities.ts";
import { formatOf } from "../quota/usage.ts";
import { forbidden } from "../contract/status-errors.ts";
import type { AdmissionPlugin } from "./chain.ts";
import { isResize } from "./pod-resize.ts";

const ANNOTATION = "kubernetes.io/limit-ranger";

type Quantities = Record<string, string>;

export const limitRanger: AdmissionPlugin = {
  mutate(object, current, request) {
    if (isResize(request) || (isOf("pods", request) && current === undefined))
      return limitRangesOf(request).reduce(withDefaults, object as Pod);
    return object;
  },
  validate(object, current, request) {
    const isPod = isResize(request) || (isOf("pods", request) && current === undefined);
    if (object === undefined || current?.metadata.deletionTimestamp) return;
    if (!isPod && !isOf("persistentvolumeclaims", request)) return;
    for (const limits of limitRangesOf(request)) {
      const errors = [
        ...new Set(
          limits.flatMap((limit) =>
            isPod ? podErrors(object as Pod, limit) : claimErrors(object as PersistentVolumeClaim, limit),
          ),
        ),
      ];
      if (errors.length > 0)
        throw forbidden(
          { group: "", name: request.definition.resource },
          object.metadata.name,
          errors.length === 1 ? errors[0]! : `[${errors.join(", ")}]`,
        );
    }
  },
};

function isOf(resource: string, { definition, subresource }: ResourceRequest): boolean {
  return definition.group === "" && definition.resource === resource && subresource === undefined;
}

/** The limits of each LimitRange of the namespace. */
function limitRangesOf({ server, namespace }: ResourceRequest): (readonly LimitRangeItem[])[] {
  const store = server.store(server.definition("", "limitranges"));
  return [...store.scan(`${namespace}/`, "")].map(({ object }) => object.spec?.limits ?? []);
}

function withDefaults(pod: Pod, limits: readonly LimitRangeItem[]): Pod {
  const ofContainers = limits.filter(({ type }) => type === "Container");
  const defaults = {
    limits: Object.assign({}, ...ofContainers.map((limit) => limit.default)) as Quantities,
    requests: Object.assign({}, ...ofContainers.map((limit) => limit.defaultRequest)) as Quantities,
  };
  const set: string[] = [];
  const filled = (containers: readonly Container[], what: string): Container[] =>
    containers.map((container) => {
      const [requests, limits] = (["requests", "limits"] as const).map((member) => {
        const given = container.resources?.[member];
        const missing = Object.keys(defaults[member]).filter((name) => given?.[name] === undefined);
        const text = member === "requests" ? "request" : "limit";
        if (missing.length > 0) set.push(`${missing.toSorted().join(", ")} ${text} for ${what} ${container.name}`);
        return missing.length === 0 ? given : { ...defaults[member], ...given };
      });
      return {
        ...container,
        resources: { ...container.resources, ...(limits && { limits }), ...(requests && { requests }) },
      };
    });
  const { containers, initContainers, ...rest } = pod.spec;
  const spec = {
    ...rest,
    ...(initContainers && { initContainers }),
    containers: filled(containers, "container"),
    ...(initContainers && { initContainers: filled(initContainers, "init container") }),
  };
  if (set.length === 0) return pod;
  const annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${set.join("; ")}` };
  return { ...pod, metadata: { ...pod.metadata, annotations }, spec };
}

function podErrors({ spec }: Pod, limit: LimitRangeItem): string[] {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  if (limit.type === "Container") return containers.flatMap(({ resources = {} }) => limitErrors(limit, resources));
  if (limit.type !== "Pod") return [];
  return limitErrors(limit, { requests: sumOf(spec, "requests"), limits: sumOf(spec, "limits") });
}

/** What all containers together ask for. */
function sumOf({ overhead: _overhead, ...spec }: PodSpec, member: "requests" | "limits"): Quantities {
  const amounts = [...podAmounts(spec, member)].map(([name, milli]) => [
    name,
    quantityText({ milli: BigInt(milli), format: formatOf(spec, member, name) }),
  ]);
  return Object.fromEntries(amounts) as Quantities;
}

function claimErrors({ spec }: PersistentVolumeClaim, limit: LimitRangeItem): string[] {
  if (limit.type !== "PersistentVolumeClaim") return [];
  const requests: Quantities = spec.resources?.requests ?? {};
  return [
    ...each(limit.min, (name, enforced) => minError(limit.type, name, enforced, requests[name], undefined)),
    ...each(limit.max, (name, enforced) => {
      const begin = `maximum ${name} usage per ${limit.type} is ${canonicalQuantity(enforced)}`;
      return boundError(begin, "request", requests[name], milliOf(enforced));
    }),
  ];
}

function limitErrors(
  { type, min, max, maxLimitRequestRatio }: LimitRangeItem,
  { requests = {}, limits = {} }: ResourceRequirements,
): string[] {
  return [
    ...each(min, (name, enforced) => minError(type, name, enforced, requests[name], limits[name])),
    ...each(max, (name, enforced) => maxError(type, name, enforced, requests[name], limits[name])),
    ...each(maxLimitRequestRatio, (name, enforced) => ratioError(type, name, enforced, requests[name], limits[name])),
  ];
}

/** In the order of the names, so that the same object always has the same errors. */
function each(quantities: Quantities = {}, judge: (name: string, enforced: string) => string | undefined): string[] {
  return Object.keys(quantities)
    .toSorted()
    .map((name) => judge(name, quantities[name]!))
    .filter((error) => error !== undefined);
}

type Asks = string | undefined;

function minError(type: string, name: string, enforced: string, request: Asks, limit: Asks): string | undefined {
  const begin = `minimum ${name} usage per ${type} is ${canonicalQuantity(enforced)}`;
  if (request === undefined) return `${begin}.  No request is specified`;
  if (milliOf(request) < milliOf(enforced)) return `${begin}, but request is ${canonicalQuantity(request)}`;
  if (limit !== undefined && milliOf(limit) < milliOf(enforced))
    return `${begin}, but limit is ${canonicalQuantity(limit)}`;
  return undefined;
}

function maxError(type: string, name: string, enforced: string, request: Asks, limit: Asks): string | undefined {
  const begin = `maximum ${name} usage per ${type} is ${canonicalQuantity(enforced)}`;
  const ofLimit = boundError(begin, "limit", limit, milliOf(enforced));
  if (ofLimit !== undefined || request === undefined) return ofLimit;
  return boundError(begin, "request", request, milliOf(enforced));
}

function boundError(begin: string, what: "request" | "limit", asked: Asks, most: bigint): string | undefined {
  if (asked === undefined) return `${begin}.  No ${what} is specified`;
  return milliOf(asked) > most ? `${begin}, but ${what} is ${canonicalQuantity(asked)}` : undefined;
}

function ratioError(type: string, name: string, enforced: string, request: Asks, limit: Asks): string | undefined {
  const begin = `${name} max limit to request ratio per ${type} is ${canonicalQuantity(enforced)}`;
  if (request === undefined || milliOf(request) === 0n) return `${begin}, but no request is specified or request is 0`;
  if (limit === undefined || milliOf(limit) === 0n) return `${begin}, but no limit is specified or limit is 0`;
  const ratio = Number(milliOf(limit)) / Number(milliOf(request));
  return ratio * 1000 > Number(milliOf(enforced)) ? `${begin}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
