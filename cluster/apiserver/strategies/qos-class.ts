/**
 * The quality of service class of a pod, from its requests and limits for cpu and memory: its own, if it has any, else
 * those of its containers.
 */
import type { JsonObject } from "../../values/types.ts";
import { milliOf } from "../../values/quantities.ts";

type Resources = Readonly<Record<string, string>>;

const counted = ["cpu", "memory"] as const;

export function qosClass(spec: JsonObject): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [
    ...((spec["initContainers"] ?? []) as JsonObject[]),
    ...((spec["containers"] ?? []) as JsonObject[]),
  ];
  const asking = spec["resources"] ? [spec] : containers;
  const resources = asking.map((one) => (one["resources"] ?? {}) as { requests?: Resources; limits?: Resources });
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
