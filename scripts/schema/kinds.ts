/**
 * The kinds whose types are written: the few that every in-memory cluster has, also the playground's, and those that
 * only `stint serve` has. A kind is named by its model class in @kubernetes/client-node, or in own-models.ts. The types
 * that it reaches come with it.
 */

/** These go into build/schema.json, which is a part of every bundle. */
export const everywhere: readonly string[] = [
  "V1Job",
  "V1Pod",
  "V1Namespace",
  "V1Node",
  "CoreV1Event",
  "EventsV1Event",
  "V1Lease",
  "V1ConfigMap",
  "V1Secret",
  "V1ResourceQuota",
  "V1Binding",
  "V1Eviction",
  "V1DeleteOptions",
];

/** These go into build/schema-served.json. */
export const onlyServed: readonly string[] = [
  "V1beta1Workload",
  "V1beta1PodGroup",
  "V1CronJob",
  "V1ServiceAccount",
  "AuthenticationV1TokenRequest",
  "V1Service",
  "V1Endpoints",
  "V1EndpointSlice",
  "V1PersistentVolumeClaim",
  "V1PersistentVolume",
  "V1LimitRange",
  "V1PodTemplate",
  "V1ReplicationController",
  "V1PriorityClass",
  "V1PodDisruptionBudget",
  "V1Role",
  "V1RoleBinding",
  "V1ClusterRole",
  "V1ClusterRoleBinding",
  "V1ValidatingWebhookConfiguration",
  "V1MutatingWebhookConfiguration",
  "V1ValidatingAdmissionPolicy",
  "V1ValidatingAdmissionPolicyBinding",
  "V1CustomResourceDefinition",
  "V1StorageClass",
  "V1CSIDriver",
  "V1CSINode",
  "V1CSIStorageCapacity",
  "V1VolumeAttachment",
  "V1DeviceClass",
  "ResourceV1ResourceClaim",
  "V1ResourceClaimTemplate",
  "V1ResourceSlice",
  "V1RuntimeClass",
  "V1ControllerRevision",
  "V1DaemonSet",
  "V1Deployment",
  "V1ReplicaSet",
  "V1StatefulSet",
  "V1Scale",
  "V1SelfSubjectAccessReview",
  "V1LocalSubjectAccessReview",
  "V1SelfSubjectRulesReview",
  "V1SubjectAccessReview",
  "V1SelfSubjectReview",
  "V1TokenReview",
  "PartialObjectMetadata",
  "V1APIGroupList",
  "V1APIResourceList",
  "V1APIVersions",
  "V1ListMeta",
  "V1Status",
  "V1WatchEvent",
];

/** The kinds whose TypeScript interfaces go into build/kinds.ts: those that code reads. Each is in a list above. */
export const read: readonly string[] = [
  "AuthenticationV1TokenRequest",
  "CoreV1Event",
  "EventsV1Event",
  "ResourceV1ResourceClaim",
  "V1Binding",
  "V1CSIDriver",
  "V1CSINode",
  "V1CSIStorageCapacity",
  "V1ClusterRole",
  "V1ClusterRoleBinding",
  "V1ConfigMap",
  "V1ControllerRevision",
  "V1CronJob",
  "V1DaemonSet",
  "V1Deployment",
  "V1EndpointSlice",
  "V1Endpoints",
  "V1Eviction",
  "V1Job",
  "V1Lease",
  "V1LimitRange",
  "V1LocalSubjectAccessReview",
  "V1MutatingWebhookConfiguration",
  "V1Namespace",
  "V1Node",
  "V1PersistentVolume",
  "V1PersistentVolumeClaim",
  "V1Pod",
  "V1PodDisruptionBudget",
  "V1PodTemplate",
  "V1PriorityClass",
  "V1ReplicaSet",
  "V1ReplicationController",
  "V1ResourceClaimTemplate",
  "V1ResourceQuota",
  "V1ResourceSlice",
  "V1Role",
  "V1RoleBinding",
  "V1RuntimeClass",
  "V1Scale",
  "V1Secret",
  "V1SelfSubjectAccessReview",
  "V1SelfSubjectReview",
  "V1SelfSubjectRulesReview",
  "V1Service",
  "V1ServiceAccount",
  "V1StatefulSet",
  "V1StorageClass",
  "V1SubjectAccessReview",
  "V1TokenReview",
  "V1ValidatingAdmissionPolicy",
  "V1ValidatingAdmissionPolicyBinding",
  "V1ValidatingWebhookConfiguration",
  "V1VolumeAttachment",
  "V1beta1PodGroup",
  "V1beta1Workload",
];

/** The name of a type whose class without group and version would have the name of another one. */
const ownNames: Readonly<Record<string, string>> = {
  EventsV1Event: "EventsEvent",
  EventsV1EventSeries: "EventsEventSeries",
  DiscoveryV1EndpointPort: "DiscoveryEndpointPort",
  ResourceV1ResourceClaim: "ResourceResourceClaim",
  StorageV1TokenRequest: "StorageTokenRequest",
  ApiextensionsV1ServiceReference: "ApiextensionsServiceReference",
  ApiextensionsV1WebhookClientConfig: "ApiextensionsWebhookClientConfig",
  V1beta1TypedLocalObjectReference: "SchedulingTypedLocalObjectReference",
};

/** The name of the Go struct: `PodSpec` of `V1PodSpec`, `Event` of `CoreV1Event`. */
export function goName(className: string): string {
  return className.replace(
    /^(Core|Events|Discovery|Rbac|Resource|Storage|Authentication|Admissionregistration|Apiextensions)?V1(alpha3|beta1)?/,
    "",
  );
}

/** The name of the type in the schema, which is unique. */
export function typeName(className: string): string {
  return ownNames[className] ?? goName(className);
}
