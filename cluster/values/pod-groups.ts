/** Keeps a PodGroup while pods use it. */
export const POD_GROUP_FINALIZER = "scheduling.k8s.io/podgroup-protection";
