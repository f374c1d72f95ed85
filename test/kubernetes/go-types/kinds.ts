/** The kinds of the schema with the API versions that they are served in. */
const byVersion: Readonly<Record<string, string>> = {
  v1: "Pod Namespace Node Event ConfigMap Secret ResourceQuota Binding ServiceAccount Service Endpoints PersistentVolumeClaim PersistentVolume LimitRange PodTemplate ReplicationController Status APIGroupList APIResourceList APIVersions DeleteOptions",
  "batch/v1": "Job CronJob",
  "events.k8s.io/v1": "Event",
  "coordination.k8s.io/v1": "Lease",
  "policy/v1": "Eviction PodDisruptionBudget",
  "scheduling.k8s.io/v1": "PriorityClass",
  "scheduling.k8s.io/v1alpha2": "Workload PodGroup",
  "discovery.k8s.io/v1": "EndpointSlice",
  "rbac.authorization.k8s.io/v1": "Role RoleBinding ClusterRole ClusterRoleBinding",
  "admissionregistration.k8s.io/v1":
    "ValidatingWebhookConfiguration MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding",
  "apiextensions.k8s.io/v1": "CustomResourceDefinition",
  "storage.k8s.io/v1": "StorageClass CSIDriver CSINode CSIStorageCapacity VolumeAttachment",
  "resource.k8s.io/v1": "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice",
  "node.k8s.io/v1": "RuntimeClass",
  "apps/v1": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
  "autoscaling/v1": "Scale",
  "authorization.k8s.io/v1":
    "SelfSubjectAccessReview LocalSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
  "authentication.k8s.io/v1": "SelfSubjectReview TokenReview TokenRequest",
  "meta.k8s.io/v1": "PartialObjectMetadata",
};

/** `batch/v1#Job`. */
export const kinds = Object.entries(byVersion).flatMap(([version, names]) =>
  names.split(" ").map((name) => `${version}#${name}`),
);
