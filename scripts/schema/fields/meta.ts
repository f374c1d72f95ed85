/** The structs of metadata, and the kinds that belong to no group. ../fields.ts says how to read a row. */
export const meta: Readonly<Record<string, string>> = {
  APIGroup: "name! versions! preferredVersion serverAddressByClientCIDRs",
  APIGroupList: "@served @unread groups!",
  APIResource:
    "name! singularName!=6 namespaced!=2 group=8 version kind!=3 verbs! shortNames categories=7 storageVersionHash=10",
  APIResourceList: "@served @unread groupVersion! resources!",
  APIVersions: "@served @unread versions! serverAddressByClientCIDRs!",
  Condition: "type! status!~ConditionStatus observedGeneration lastTransitionTime! reason! message!",
  DeleteOptions:
    "@everywhere @unread gracePeriodSeconds* preconditions* orphanDependents* propagationPolicy*~DeletionPropagation dryRun ignoreStoreReadErrorWithClusterBreakingPotential*",
  FieldSelectorRequirement: "key! operator!~FieldSelectorOperator values",
  GroupVersionForDiscovery: "groupVersion! version!",
  LabelSelector: "@atomic matchLabels matchExpressions",
  LabelSelectorRequirement: "key! operator!~LabelSelectorOperator values",
  ListMeta: "@served @unread selfLink resourceVersion continue remainingItemCount* shardInfo*",
  ManagedFieldsEntry:
    "manager operation~ManagedFieldsOperationType apiVersion time* fieldsType=6 fieldsV1* subresource",
  ObjectMeta:
    "name generateName namespace selfLink uid~types.UID resourceVersion generation creationTimestamp? deletionTimestamp* deletionGracePeriodSeconds* labels annotations ownerReferences[uid] finalizers[set] managedFields=17",
  OwnerReference: "@atomic apiVersion!=5 kind!=1 name!=3 uid!~types.UID controller*=6 blockOwnerDeletion*",
  PartialObjectMetadata: "@served @unread @class=PartialObjectMetadata metadata",
  Preconditions: "uid*~types.UID resourceVersion*",
  ServerAddressByClientCIDR: "clientCIDR! serverAddress!",
  ShardInfo: "selector!",
  Status: "@served @unread metadata status message reason~StatusReason details* code",
  StatusCause: "reason~CauseType message field",
  StatusDetails: "name group kind uid=6~types.UID causes=4 retryAfterSeconds",
  WatchEvent: "@served @unread type! object!",
};
