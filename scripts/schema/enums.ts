/**
 * The values that the published OpenAPI lists, separated by spaces: of fields by their Go type, and of the elements of
 * lists and maps by struct and field, because these do not name the type of their elements.
 */

export const values: Readonly<Record<string, string>> = {
  AddressType: "FQDN IPv4 IPv6",
  AppArmorProfileType: "Localhost RuntimeDefault Unconfined",
  AzureDataDiskCachingMode: "None ReadOnly ReadWrite",
  AzureDataDiskKind: "Dedicated Managed Shared",
  CompletionMode: "Indexed NonIndexed",
  ConcurrencyPolicy: "Allow Forbid Replace",
  DNSPolicy: "ClusterFirst ClusterFirstWithHostNet Default None",
  DaemonSetUpdateStrategyType: "OnDelete RollingUpdate",
  DeploymentStrategyType: "Recreate RollingUpdate",
  FailurePolicyType: "Fail Ignore",
  FieldValueErrorReason: "FieldValueDuplicate FieldValueForbidden FieldValueInvalid FieldValueRequired",
  HostPathType: " BlockDevice CharDevice Directory DirectoryOrCreate File FileOrCreate Socket",
  IPFamilyPolicy: "PreferDualStack RequireDualStack SingleStack",
  MatchPolicyType: "Equivalent Exact",
  MountPropagationMode: "Bidirectional HostToContainer None",
  NamespacePhase: "Active Terminating",
  NodeInclusionPolicy: "Honor Ignore",
  NodePhase: "Pending Running Terminated",
  NodeSelectorOperator: "DoesNotExist Exists Gt In Lt NotIn",
  PersistentVolumeClaimModifyVolumeStatus: "InProgress Infeasible Pending",
  PersistentVolumeClaimPhase: "Bound Lost Pending",
  PersistentVolumeMode: "Block Filesystem",
  PersistentVolumePhase: "Available Bound Failed Pending Released",
  PersistentVolumeReclaimPolicy: "Delete Recycle Retain",
  PodFSGroupChangePolicy: "Always OnRootMismatch",
  PodFailurePolicyAction: "Count FailIndex FailJob Ignore",
  PodFailurePolicyOnExitCodesOperator: "In NotIn",
  PodManagementPolicyType: "OrderedReady Parallel",
  PodPhase: "Failed Pending Running Succeeded Unknown",
  PodQOSClass: "BestEffort Burstable Guaranteed",
  PodReplacementPolicy: "Failed TerminatingOrFailed",
  PreemptionPolicy: "Never PreemptLowerPriority",
  ProcMountType: "Default Unmasked",
  Protocol: "SCTP TCP UDP",
  PullPolicy: "Always IfNotPresent Never",
  ReinvocationPolicyType: "IfNeeded Never",
  ResourceQuotaScope:
    "BestEffort CrossNamespacePodAffinity NotBestEffort NotTerminating PriorityClass Terminating VolumeAttributesClass",
  RestartPolicy: "Always Never OnFailure",
  ScopeSelectorOperator: "DoesNotExist Exists In NotIn",
  ScopeType: "* Cluster Namespaced",
  SeccompProfileType: "Localhost RuntimeDefault Unconfined",
  ServiceAffinity: "ClientIP None",
  ServiceExternalTrafficPolicy: "Cluster Local",
  ServiceInternalTrafficPolicy: "Cluster Local",
  ServiceType: "ClusterIP ExternalName LoadBalancer NodePort",
  SideEffectClass: "None NoneOnDryRun Some Unknown",
  Signal:
    "SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMAX-1 SIGRTMAX-10 SIGRTMAX-11 SIGRTMAX-12 SIGRTMAX-13 SIGRTMAX-14 SIGRTMAX-2 SIGRTMAX-3 SIGRTMAX-4 SIGRTMAX-5 SIGRTMAX-6 SIGRTMAX-7 SIGRTMAX-8 SIGRTMAX-9 SIGRTMIN SIGRTMIN+1 SIGRTMIN+10 SIGRTMIN+11 SIGRTMIN+12 SIGRTMIN+13 SIGRTMIN+14 SIGRTMIN+15 SIGRTMIN+2 SIGRTMIN+3 SIGRTMIN+4 SIGRTMIN+5 SIGRTMIN+6 SIGRTMIN+7 SIGRTMIN+8 SIGRTMIN+9 SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ",
  StatefulSetUpdateStrategyType: "OnDelete RollingUpdate",
  SupplementalGroupsPolicy: "Merge Strict",
  TaintEffect: "NoExecute NoSchedule PreferNoSchedule",
  TerminationMessagePolicy: "FallbackToLogsOnError File",
  TolerationOperator: "Equal Exists Gt Lt",
  URIScheme: "HTTP HTTPS",
  UnhealthyPodEvictionPolicyType: "AlwaysAllow IfHealthyBudget",
  UnsatisfiableConstraintAction: "DoNotSchedule ScheduleAnyway",
  VolumeBindingMode: "Immediate WaitForFirstConsumer",
};

export const elementValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  NamedRuleWithOperations: { operations: "* CONNECT CREATE DELETE UPDATE" },
  PersistentVolumeClaimSpec: { accessModes: "ReadOnlyMany ReadWriteMany ReadWriteOnce ReadWriteOncePod" },
  PersistentVolumeClaimStatus: {
    accessModes: "ReadOnlyMany ReadWriteMany ReadWriteOnce ReadWriteOncePod",
    allocatedResourceStatuses:
      "ControllerResizeInProgress ControllerResizeInfeasible NodeResizeInProgress NodeResizeInfeasible NodeResizePending",
  },
  PersistentVolumeSpec: { accessModes: "ReadOnlyMany ReadWriteMany ReadWriteOnce ReadWriteOncePod" },
  ResourceQuotaSpec: {
    scopes:
      "BestEffort CrossNamespacePodAffinity NotBestEffort NotTerminating PriorityClass Terminating VolumeAttributesClass",
  },
  RuleWithOperations: { operations: "* CONNECT CREATE DELETE UPDATE" },
  ServiceSpec: { ipFamilies: " IPv4 IPv6" },
  ValidatingAdmissionPolicyBindingSpec: { validationActions: "Audit Deny Warn" },
};
