/**
 * The quality of service class of a pod, from its requests and limits for cpu and memory: its own, if it has any, else
 * those of its containers.
 */
import type { PodSpec, ResourceRequirements } from "../../values/kinds.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";
import type { ServedVersion } from "../../values/kubernetes-versions.ts";
import { milliOf } from "../../values/quantities.ts";

type Resources = Readonly<Record<string, string>>;
type Asking = Pick<PodSpec, "resources">;

const counted = ["cpu", "memory"] as const;

export function qosClass(spec: PodSpec, kubernetes: ServedVersion): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  const asking: readonly Asking[] = hasOwn(spec, kubernetes) ? [spec] : containers;
  const resources: ResourceRequirements[] = asking.map((one) => one.resources ?? {});
  const isSet = (quantities: Resources | undefined, name: string): boolean =>
    quantities?.[name] !== undefined && milliOf(quantities[name]) > 0n;
  if (!resources.some(({ requests, limits }) => counted.some((name) => isSet(requests, name) || isSet(limits, name))))
    return "BestEffort";
  const isGuaranteed = resources.every(({ requests, limits }) =>
    counted.every(
      (name) => isSet(limits, name) && milliOf(requests?.[name] ?? limits![name]!) === milliOf(limits![name]!),
    ),
  );
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

/** Whether the resources of the whole pod count. Since 1.37 they do not where they are empty. */
function hasOwn({ resources }: PodSpec, kubernetes: ServedVersion): boolean {
  if (resources === undefined) return false;
  if (isAhead("defaults-of-whole-pods", kubernetes)) return true;
  return [resources.requests, resources.limits].some((amounts) => Object.keys(amounts ?? {}).length > 0);
}
