/** The structs of the groups that have few. ../fields.ts says how to read a row. */
export const smallGroups: Readonly<Record<string, string>> = {
  // authentication.k8s.io/v1
  BoundObjectReference: "kind apiVersion name uid~types.UID",
  SelfSubjectReview: "@served metadata status",
  SelfSubjectReviewStatus: "userInfo",
  TokenRequest: "@served @class=AuthenticationV1TokenRequest metadata spec! status",
  TokenRequestSpec: "audiences! expirationSeconds*!=4 boundObjectRef*!=3 attestations=5",
  TokenRequestStatus: "token! expirationTimestamp!",
  TokenReview: "@served metadata spec! status",
  TokenReviewSpec: "token audiences",
  TokenReviewStatus: "authenticated user audiences=4 error=3",
  UserInfo: "username uid groups extra",
  // authorization.k8s.io/v1
  FieldSelectorAttributes: "rawSelector requirements",
  LabelSelectorAttributes: "rawSelector requirements",
  LocalSubjectAccessReview: "@served metadata spec! status",
  NonResourceAttributes: "path verb",
  NonResourceRule: "verbs! nonResourceURLs",
  ResourceAttributes: "namespace verb group version resource subresource name fieldSelector* labelSelector*",
  ResourceRule: "verbs! apiGroups resources resourceNames",
  SelfSubjectAccessReview: "@served metadata spec! status",
  SelfSubjectAccessReviewSpec: "resourceAttributes* nonResourceAttributes*",
  SelfSubjectRulesReview: "@served metadata spec! status",
  SelfSubjectRulesReviewSpec: "namespace",
  SubjectAccessReview: "@served metadata spec! status",
  SubjectAccessReviewSpec: "resourceAttributes* nonResourceAttributes* user groups extra uid",
  SubjectAccessReviewStatus: "allowed! denied=4 reason=2 evaluationError",
  SubjectRulesReviewStatus: "resourceRules! nonResourceRules! incomplete! evaluationError",
  // autoscaling/v1
  Scale: "@served metadata spec status",
  ScaleSpec: "replicas",
  ScaleStatus: "replicas! selector",
  // batch/v1
  CronJob: "@served metadata spec status",
  CronJobSpec:
    "schedule! timeZone*=8 startingDeadlineSeconds*=2 concurrencyPolicy~ConcurrencyPolicy suspend* jobTemplate! successfulJobsHistoryLimit* failedJobsHistoryLimit*",
  ConcurrencyPolicy: "|Allow|Forbid|Replace",
  CronJobStatus: "active lastScheduleTime*=4 lastSuccessfulTime*",
  Job: "@everywhere metadata spec status",
  JobCondition: "type!~JobConditionType status!~ConditionStatus lastProbeTime lastTransitionTime reason message",
  JobSchedulingConfiguration: "schedulingPolicy* schedulingConstraints* disruptionMode* resourceClaims[name]",
  JobSpec:
    "parallelism* completions* activeDeadlineSeconds* podFailurePolicy*=11 successPolicy*=16 backoffLimit*=7 backoffLimitPerIndex*=12 maxFailedIndexes* selector*=4 manualSelector* template! ttlSecondsAfterFinished*=8 completionMode*~CompletionMode suspend* podReplacementPolicy*=14~PodReplacementPolicy managedBy* scheduling*=17",
  CompletionMode: "|Indexed|NonIndexed",
  PodReplacementPolicy: "|Failed|TerminatingOrFailed",
  JobStatus:
    "conditions[patch:type] startTime* completionTime* active succeeded failed terminating*=11 completedIndexes=7 failedIndexes*=10 uncountedTerminatedPods*=8 ready*",
  JobTemplateSpec: "metadata spec",
  PodFailurePolicy: "rules!",
  PodFailurePolicyOnExitCodesRequirement:
    "containerName* operator!~PodFailurePolicyOnExitCodesOperator values![apply:set]",
  PodFailurePolicyOnExitCodesOperator: "|In|NotIn",
  PodFailurePolicyOnPodConditionsPattern: "type!~PodConditionType status!~ConditionStatus",
  PodFailurePolicyRule: "action!~PodFailurePolicyAction onExitCodes* onPodConditions",
  PodFailurePolicyAction: "|Count|FailIndex|FailJob|Ignore",
  SuccessPolicy: "rules!",
  SuccessPolicyRule: "succeededIndexes* succeededCount*",
  UncountedTerminatedPods: "succeeded[apply:set] failed[apply:set]",
  // coordination.k8s.io/v1
  Lease: "@everywhere metadata spec",
  LeaseSpec:
    "holderIdentity* leaseDurationSeconds* acquireTime* renewTime* leaseTransitions* strategy*~CoordinatedLeaseStrategy preferredHolder*",
  // discovery.k8s.io/v1
  Endpoint: "addresses![apply:set] conditions hostname* targetRef* deprecatedTopology nodeName* zone* hints*",
  EndpointConditions: "ready* serving* terminating*",
  EndpointHints: "forZones forNodes",
  DiscoveryEndpointPort: "@atomic @class=DiscoveryV1EndpointPort name* protocol*~Protocol port* appProtocol*",
  EndpointSlice: "@served metadata addressType!=4~AddressType endpoints!=2 ports!",
  AddressType: "|FQDN|IPv4|IPv6",
  ForNode: "name!",
  ForZone: "name!",
  // events.k8s.io/v1
  EventsEvent:
    "@everywhere @class=EventsV1Event metadata! eventTime! series* reportingController reportingInstance action reason regarding related* note type deprecatedSource deprecatedFirstTimestamp deprecatedLastTimestamp deprecatedCount",
  EventsEventSeries: "@class=EventsV1EventSeries count! lastObservedTime!",
  // node.k8s.io/v1
  Overhead: "podFixed:Quantity",
  RuntimeClass: "@served metadata handler! overhead* scheduling*",
  Scheduling: "nodeSelector[atomic] tolerations",
  // policy/v1
  Eviction: "@everywhere metadata deleteOptions*",
  PodDisruptionBudget: "@served metadata spec status",
  PodDisruptionBudgetSpec:
    "minAvailable* selector*[replace] maxUnavailable* unhealthyPodEvictionPolicy*~UnhealthyPodEvictionPolicyType",
  UnhealthyPodEvictionPolicyType: "|AlwaysAllow|IfHealthyBudget",
  PodDisruptionBudgetStatus:
    "observedGeneration disruptedPods disruptionsAllowed! currentHealthy! desiredHealthy! expectedPods! conditions[type]",
  // rbac.authorization.k8s.io/v1
  AggregationRule: "clusterRoleSelectors",
  ClusterRole: "@served metadata rules! aggregationRule*",
  ClusterRoleBinding: "@served metadata subjects roleRef!",
  PolicyRule: "verbs! apiGroups resources resourceNames nonResourceURLs",
  Role: "@served metadata rules!",
  RoleBinding: "@served metadata subjects roleRef!",
  RoleRef: "@atomic apiGroup! kind! name!",
  Subject: "@atomic kind! apiGroup name! namespace",
  // scheduling.k8s.io/v1 and v1beta1; v1alpha3 has the same fields
  PriorityClass: "@served metadata value! globalDefault description preemptionPolicy*~PreemptionPolicy",
  AllCompositeDisruptionMode: "",
  AllDisruptionMode: "",
  BasicSchedulingPolicy: "",
  CompositeBasicSchedulingPolicy: "",
  CompositeDisruptionMode: "single* all*",
  CompositeGangSchedulingPolicy: "minGroupCount!",
  CompositePodGroupSchedulingConstraints: "topology",
  CompositePodGroupSchedulingPolicy: "basic* gang*",
  CompositePodGroupTemplate:
    "name! schedulingPolicy! schedulingConstraints* disruptionMode* priorityClassName priority* preemptionPolicy*~v1beta1.PreemptionPolicy podGroupTemplates[apply:name] compositePodGroupTemplates[apply:name]",
  DisruptionMode: "single* all*",
  GangSchedulingPolicy: "minCount!",
  PodGroup: "@served @class=V1beta1PodGroup metadata spec! status",
  PodGroupResourceClaim: "name! resourceClaimName* resourceClaimTemplateName*",
  PodGroupResourceClaimStatus: "name! resourceClaimName*",
  PodGroupSchedulingConstraints: "topology",
  PodGroupSchedulingPolicy: "basic* gang*",
  PodGroupSpec:
    "parentCompositePodGroupName* workloadRef* schedulingPolicy! schedulingConstraints* resourceClaims[name] disruptionMode* priorityClassName priority* preemptionPolicy*~v1beta1.PreemptionPolicy",
  PodGroupStatus: "conditions[type] resourceClaimStatuses[name]",
  PodGroupTemplate:
    "name! schedulingPolicy! schedulingConstraints*! resourceClaims[name] disruptionMode* priorityClassName priority* preemptionPolicy*~v1beta1.PreemptionPolicy",
  SchedulingTypedLocalObjectReference: "@class=V1beta1TypedLocalObjectReference apiGroup kind! name!",
  SingleCompositeDisruptionMode: "",
  SingleDisruptionMode: "",
  TopologyConstraint: "key!",
  Workload: "@served @class=V1beta1Workload metadata spec!",
  WorkloadReference: "workloadName! templateName!",
  WorkloadSpec: "controllerRef* podGroupTemplates![apply:name] compositePodGroupTemplates[apply:name]",
  // storage.k8s.io/v1
  CSIDriver: "@served metadata spec!",
  CSIDriverSpec:
    "attachRequired* podInfoOnMount* volumeLifecycleModes[apply:set] storageCapacity* fsGroupPolicy*~FSGroupPolicy tokenRequests[atomic] requiresRepublish* seLinuxMount* nodeAllocatableUpdatePeriodSeconds* serviceAccountTokenInSecrets* preventPodSchedulingIfMissing*",
  CSINode: "@served metadata spec! status",
  CSINodeDriver: "name! nodeID! topologyKeys! allocatable*",
  CSINodeStatus: "storageHealth[name]",
  StorageHealth: "name! healthConditions",
  StorageHealthCondition:
    "status!~StorageHealthStatusType reason! message accessMode*~v1.PersistentVolumeAccessMode volumeMode*~v1.PersistentVolumeMode lastTransitionTime",
  StorageHealthStatusType: "|StorageDegraded|StorageUnreachable",
  CSINodeSpec: "drivers![name]",
  CSIStorageCapacity: "@served metadata nodeTopology* storageClassName! capacity*:Quantity maximumVolumeSize*:Quantity",
  StorageTokenRequest: "@class=StorageV1TokenRequest audience! expirationSeconds*",
  VolumeAttachment: "@served metadata spec! status",
  VolumeAttachmentSource: "persistentVolumeName* inlineVolumeSpec*",
  VolumeAttachmentSpec: "attacher! source! nodeName!",
  VolumeAttachmentStatus: "attached! attachmentMetadata attachError* detachError*",
  VolumeError: "time message errorCode*",
  VolumeNodeResources: "count*",
  StorageClass:
    "@served metadata provisioner! parameters reclaimPolicy*~PersistentVolumeReclaimPolicy mountOptions allowVolumeExpansion* volumeBindingMode*~VolumeBindingMode allowedTopologies",
  VolumeBindingMode: "|Immediate|WaitForFirstConsumer",
};

/** The structs of scheduling.k8s.io/v1alpha3 that other groups embed. */
export const schedulingBlocks: Readonly<Record<string, string>> = {
  WorkloadPodGroupAllDisruptionMode: "",
  WorkloadPodGroupBasicSchedulingPolicy: "",
  WorkloadPodGroupDisruptionMode: "single* all*",
  WorkloadPodGroupGangSchedulingPolicy: "minCount*",
  WorkloadPodGroupResourceClaim: "name! resourceClaimName* resourceClaimTemplateName*",
  WorkloadPodGroupSchedulingConstraints: "topology",
  WorkloadPodGroupSchedulingPolicy: "basic* gang*",
  WorkloadPodGroupSingleDisruptionMode: "",
};
