/** The structs of the groups that have few. ../fields.ts says how to read a row. */
export const smallGroups: Readonly<Record<string, string>> = {
  // authentication.k8s.io/v1
  BoundObjectReference: "kind apiVersion name uid~types.UID",
  SelfSubjectReview: "metadata status",
  SelfSubjectReviewStatus: "userInfo",
  TokenRequest: "metadata spec! status",
  TokenRequestSpec: "audiences! expirationSeconds*!=4 boundObjectRef*!=3 attestations=5",
  TokenRequestStatus: "token! expirationTimestamp!",
  TokenReview: "metadata spec! status",
  TokenReviewSpec: "token audiences",
  TokenReviewStatus: "authenticated user audiences=4 error=3",
  UserInfo: "username uid groups extra",
  // authorization.k8s.io/v1
  FieldSelectorAttributes: "rawSelector requirements",
  LabelSelectorAttributes: "rawSelector requirements",
  LocalSubjectAccessReview: "metadata spec! status",
  NonResourceAttributes: "path verb",
  NonResourceRule: "verbs! nonResourceURLs",
  ResourceAttributes: "namespace verb group version resource subresource name fieldSelector* labelSelector*",
  ResourceRule: "verbs! apiGroups resources resourceNames",
  SelfSubjectAccessReview: "metadata spec! status",
  SelfSubjectAccessReviewSpec: "resourceAttributes* nonResourceAttributes*",
  SelfSubjectRulesReview: "metadata spec! status",
  SelfSubjectRulesReviewSpec: "namespace",
  SubjectAccessReview: "metadata spec! status",
  SubjectAccessReviewSpec: "resourceAttributes* nonResourceAttributes* user groups extra uid",
  SubjectAccessReviewStatus: "allowed! denied=4 reason=2 evaluationError",
  SubjectRulesReviewStatus: "resourceRules! nonResourceRules! incomplete! evaluationError",
  // autoscaling/v1
  Scale: "metadata spec status",
  ScaleSpec: "replicas",
  ScaleStatus: "replicas! selector",
  // batch/v1
  CronJob: "metadata spec status",
  CronJobSpec:
    "schedule! timeZone*=8 startingDeadlineSeconds*=2 concurrencyPolicy~ConcurrencyPolicy suspend* jobTemplate! successfulJobsHistoryLimit* failedJobsHistoryLimit*",
  CronJobStatus: "active lastScheduleTime*=4 lastSuccessfulTime*",
  Job: "metadata spec status",
  JobCondition: "type!~JobConditionType status!~ConditionStatus lastProbeTime lastTransitionTime reason message",
  JobSchedulingConfiguration: "schedulingPolicy* schedulingConstraints* disruptionMode* resourceClaims",
  JobSpec:
    "parallelism* completions* activeDeadlineSeconds* podFailurePolicy*=11 successPolicy*=16 backoffLimit*=7 backoffLimitPerIndex*=12 maxFailedIndexes* selector*=4 manualSelector* template! ttlSecondsAfterFinished*=8 completionMode*~CompletionMode suspend* podReplacementPolicy*=14~PodReplacementPolicy managedBy* scheduling*=17",
  JobStatus:
    "conditions startTime* completionTime* active succeeded failed terminating*=11 completedIndexes=7 failedIndexes*=10 uncountedTerminatedPods*=8 ready*",
  JobTemplateSpec: "metadata spec",
  PodFailurePolicy: "rules!",
  PodFailurePolicyOnExitCodesRequirement: "containerName* operator!~PodFailurePolicyOnExitCodesOperator values!",
  PodFailurePolicyOnPodConditionsPattern: "type!~PodConditionType status!~ConditionStatus",
  PodFailurePolicyRule: "action!~PodFailurePolicyAction onExitCodes* onPodConditions",
  SuccessPolicy: "rules!",
  SuccessPolicyRule: "succeededIndexes* succeededCount*",
  UncountedTerminatedPods: "succeeded failed",
  // coordination.k8s.io/v1
  Lease: "metadata spec",
  LeaseSpec:
    "holderIdentity* leaseDurationSeconds* acquireTime* renewTime* leaseTransitions* strategy*~CoordinatedLeaseStrategy preferredHolder*",
  // discovery.k8s.io/v1
  Endpoint: "addresses! conditions hostname* targetRef* deprecatedTopology nodeName* zone* hints*",
  EndpointConditions: "ready* serving* terminating*",
  EndpointHints: "forZones forNodes",
  DiscoveryEndpointPort: "name* protocol*~Protocol port* appProtocol*",
  EndpointSlice: "metadata addressType!=4~AddressType endpoints!=2 ports!",
  ForNode: "name!",
  ForZone: "name!",
  // events.k8s.io/v1
  EventsEvent:
    "metadata! eventTime! series* reportingController reportingInstance action reason regarding related* note type deprecatedSource deprecatedFirstTimestamp deprecatedLastTimestamp deprecatedCount",
  EventsEventSeries: "count! lastObservedTime!",
  // node.k8s.io/v1
  Overhead: "podFixed",
  RuntimeClass: "metadata handler! overhead* scheduling*",
  Scheduling: "nodeSelector tolerations",
  // policy/v1
  Eviction: "metadata deleteOptions*",
  PodDisruptionBudget: "metadata spec status",
  PodDisruptionBudgetSpec:
    "minAvailable* selector* maxUnavailable* unhealthyPodEvictionPolicy*~UnhealthyPodEvictionPolicyType",
  PodDisruptionBudgetStatus:
    "observedGeneration disruptedPods disruptionsAllowed! currentHealthy! desiredHealthy! expectedPods! conditions",
  // rbac.authorization.k8s.io/v1
  AggregationRule: "clusterRoleSelectors",
  ClusterRole: "metadata rules! aggregationRule*",
  ClusterRoleBinding: "metadata subjects roleRef!",
  PolicyRule: "verbs! apiGroups resources resourceNames nonResourceURLs",
  Role: "metadata rules!",
  RoleBinding: "metadata subjects roleRef!",
  RoleRef: "apiGroup! kind! name!",
  Subject: "kind! apiGroup name! namespace",
  // scheduling.k8s.io/v1 and v1beta1; v1alpha3 has the same fields
  PriorityClass: "metadata value! globalDefault description preemptionPolicy*~PreemptionPolicy",
  AllCompositeDisruptionMode: "",
  AllDisruptionMode: "",
  BasicSchedulingPolicy: "",
  CompositeBasicSchedulingPolicy: "",
  CompositeDisruptionMode: "single* all*",
  CompositeGangSchedulingPolicy: "minGroupCount!",
  CompositePodGroupSchedulingConstraints: "topology",
  CompositePodGroupSchedulingPolicy: "basic* gang*",
  CompositePodGroupTemplate:
    "name! schedulingPolicy! schedulingConstraints* disruptionMode* priorityClassName priority* preemptionPolicy*~v1beta1.PreemptionPolicy podGroupTemplates compositePodGroupTemplates",
  DisruptionMode: "single* all*",
  GangSchedulingPolicy: "minCount!",
  PodGroup: "metadata spec! status",
  PodGroupResourceClaim: "name! resourceClaimName* resourceClaimTemplateName*",
  PodGroupResourceClaimStatus: "name! resourceClaimName*",
  PodGroupSchedulingConstraints: "topology",
  PodGroupSchedulingPolicy: "basic* gang*",
  PodGroupSpec:
    "parentCompositePodGroupName* workloadRef* schedulingPolicy! schedulingConstraints* resourceClaims disruptionMode* priorityClassName priority* preemptionPolicy*~v1beta1.PreemptionPolicy",
  PodGroupStatus: "conditions resourceClaimStatuses",
  PodGroupTemplate:
    "name! schedulingPolicy! schedulingConstraints*! resourceClaims disruptionMode* priorityClassName priority* preemptionPolicy*~v1beta1.PreemptionPolicy",
  SchedulingTypedLocalObjectReference: "apiGroup kind! name!",
  SingleCompositeDisruptionMode: "",
  SingleDisruptionMode: "",
  TopologyConstraint: "key!",
  Workload: "metadata spec!",
  WorkloadReference: "workloadName! templateName!",
  WorkloadSpec: "controllerRef* podGroupTemplates! compositePodGroupTemplates",
  // storage.k8s.io/v1
  CSIDriver: "metadata spec!",
  CSIDriverSpec:
    "attachRequired* podInfoOnMount* volumeLifecycleModes storageCapacity* fsGroupPolicy*~FSGroupPolicy tokenRequests requiresRepublish* seLinuxMount* nodeAllocatableUpdatePeriodSeconds* serviceAccountTokenInSecrets* preventPodSchedulingIfMissing*",
  CSINode: "metadata spec! status",
  CSINodeDriver: "name! nodeID! topologyKeys! allocatable*",
  CSINodeStatus: "storageHealth",
  StorageHealth: "name! healthConditions",
  StorageHealthCondition:
    "status!~StorageHealthStatusType reason! message accessMode*~v1.PersistentVolumeAccessMode volumeMode*~v1.PersistentVolumeMode lastTransitionTime",
  CSINodeSpec: "drivers!",
  CSIStorageCapacity: "metadata nodeTopology* storageClassName! capacity* maximumVolumeSize*",
  StorageTokenRequest: "audience! expirationSeconds*",
  VolumeAttachment: "metadata spec! status",
  VolumeAttachmentSource: "persistentVolumeName* inlineVolumeSpec*",
  VolumeAttachmentSpec: "attacher! source! nodeName!",
  VolumeAttachmentStatus: "attached! attachmentMetadata attachError* detachError*",
  VolumeError: "time message errorCode*",
  VolumeNodeResources: "count*",
  StorageClass:
    "metadata provisioner! parameters reclaimPolicy*~PersistentVolumeReclaimPolicy mountOptions allowVolumeExpansion* volumeBindingMode*~VolumeBindingMode allowedTopologies",
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
