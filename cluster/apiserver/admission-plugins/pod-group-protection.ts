/**
 * Gives a new PodGroup the finalizer that keeps it while pods use it; a controller removes it. Source:
 * plugin/pkg/admission/scheduling/podgroupprotection.
 */
import { POD_GROUP_FINALIZER } from "../../values/pod-groups.ts";
import type { AdmissionPlugin } from "./chain.ts";

export const podGroupProtection: AdmissionPlugin = {
  mutate(object, current, { definition, subresource }) {
    if (definition.body.goType !== "scheduling.PodGroup" || current !== undefined || subresource !== undefined)
      return object;
    const { finalizers = [] } = object.metadata;
    if (finalizers.includes(POD_GROUP_FINALIZER)) return object;
    return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, POD_GROUP_FINALIZER] } };
  },
};
