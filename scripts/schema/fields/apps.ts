/** The structs of apps/v1. ../fields.ts says how to read a row. */
export const apps: Readonly<Record<string, string>> = {
  ControllerRevision: "@served metadata data revision!",
  DaemonSet: "@served metadata spec status",
  DaemonSetCondition: "type!~DaemonSetConditionType status!~ConditionStatus lastTransitionTime reason message",
  DaemonSetSpec: "selector*! template! updateStrategy minReadySeconds revisionHistoryLimit*=6",
  DaemonSetStatus:
    "currentNumberScheduled! numberMisscheduled! desiredNumberScheduled! numberReady! observedGeneration updatedNumberScheduled numberAvailable numberUnavailable collisionCount* conditions[type]",
  DaemonSetUpdateStrategy: "type~DaemonSetUpdateStrategyType rollingUpdate*",
  DaemonSetUpdateStrategyType: "|OnDelete|RollingUpdate",
  Deployment: "@served metadata spec status",
  DeploymentCondition:
    "type!~DeploymentConditionType status!~ConditionStatus lastUpdateTime=6 lastTransitionTime reason=4 message",
  DeploymentSpec:
    "replicas* selector*! template! strategy minReadySeconds revisionHistoryLimit* paused progressDeadlineSeconds*=9",
  DeploymentStatus:
    "observedGeneration replicas updatedReplicas readyReplicas=7 availableReplicas=4 unavailableReplicas terminatingReplicas*=9 conditions=6[type] collisionCount*=8",
  DeploymentStrategy: "type~DeploymentStrategyType rollingUpdate*",
  DeploymentStrategyType: "|Recreate|RollingUpdate",
  ReplicaSet: "@served metadata spec status",
  ReplicaSetCondition: "type!~ReplicaSetConditionType status!~ConditionStatus lastTransitionTime reason message",
  ReplicaSetSpec: "replicas* minReadySeconds=4 selector*!=2 template",
  ReplicaSetStatus:
    "replicas! fullyLabeledReplicas readyReplicas=4 availableReplicas terminatingReplicas*=7 observedGeneration=3 conditions=6[type]",
  RollingUpdateDaemonSet: "maxUnavailable* maxSurge*",
  RollingUpdateDeployment: "maxUnavailable* maxSurge*",
  RollingUpdateStatefulSetStrategy: "partition* maxUnavailable*",
  StatefulSet: "@served metadata spec status",
  StatefulSetCondition: "type!~StatefulSetConditionType status!~ConditionStatus lastTransitionTime reason message",
  StatefulSetOrdinals: "start!",
  StatefulSetPersistentVolumeClaimRetentionPolicy:
    "whenDeleted~PersistentVolumeClaimRetentionPolicyType whenScaled~PersistentVolumeClaimRetentionPolicyType",
  StatefulSetSpec:
    "replicas* selector*! template! volumeClaimTemplates serviceName! podManagementPolicy~PodManagementPolicyType updateStrategy revisionHistoryLimit* minReadySeconds persistentVolumeClaimRetentionPolicy* ordinals*",
  PodManagementPolicyType: "|OrderedReady|Parallel",
  StatefulSetStatus:
    "observedGeneration replicas! readyReplicas currentReplicas updatedReplicas currentRevision updateRevision collisionCount*=9 conditions[type] availableReplicas!",
  StatefulSetUpdateStrategy: "type~StatefulSetUpdateStrategyType rollingUpdate*",
  StatefulSetUpdateStrategyType: "|OnDelete|RollingUpdate",
};
