/**
 * The resources of gang scheduling, which a server has if it is on. The playground has none, and loads neither these
 * nor their types.
 */
import type { ResourceDefinition } from "../contract/context.ts";
import { defineServed, statusAlone } from "../contract/served-resource.ts";
import { gangConversion, podGroupStrategy, workloadStrategy } from "../strategies/gang.ts";

/** In the stored version, and in one that converts to it. */
export const gangResources: readonly ResourceDefinition[] = [
  ...gangKinds("v1beta1", {}),
  ...gangKinds("v1alpha3", { conversion: gangConversion }),
];

function gangKinds(version: string, rest: Pick<Partial<ResourceDefinition>, "conversion">): ResourceDefinition[] {
  const shared = { allowsUnconditionalUpdate: false, ...rest };
  const entry = { group: "scheduling.k8s.io", version };
  return [
    defineServed(
      { ...entry, resource: "podgroups", kind: "PodGroup" },
      { ...shared, strategy: podGroupStrategy, subresources: [statusAlone("PodGroup")] },
    ),
    defineServed({ ...entry, resource: "workloads", kind: "Workload" }, { ...shared, strategy: workloadStrategy }),
  ];
}
