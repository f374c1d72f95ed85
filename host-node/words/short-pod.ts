/** A pod with only the fields that verdicts depend on, so that the pods of many Jobs can be kept. */
import type { ContainerStatus, Pod } from "../../cluster/values/kinds.ts";
import type { JsonObject } from "../../cluster/values/types.ts";

/** The fields that a verdict may depend on. */
export function shortPod({ metadata, spec, status }: Pod): JsonObject {
  const { name, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, ownerReferences, annotations } =
    metadata;
  const { phase, conditions, initContainerStatuses, containerStatuses } = status ?? {};
  const short = {
    metadata: { name, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, ownerReferences, annotations },
    spec: { initContainers: spec?.initContainers?.map(({ name, restartPolicy }) => ({ name, restartPolicy })) },
    status: {
      phase,
      conditions: conditions?.filter(({ type }) => type === "Ready" || type === "PodScheduled"),
      initContainerStatuses: initContainerStatuses?.map(shortContainer),
      containerStatuses: containerStatuses?.map(shortContainer),
    },
  };
  return short as unknown as JsonObject;
}

function shortContainer({ name, restartCount, state, lastState }: ContainerStatus): object {
  return { name, restartCount, state, lastState };
}
