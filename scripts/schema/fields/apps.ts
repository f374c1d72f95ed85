/** The structs of apps/v1. ../fields.ts says how to read a row. */
export const apps: Readonly<Record<string, string>> = {
  ControllerRevision: "metadata data revision!",
  DaemonSet: "metadata spec status",
  DaemonSetCondition: "type!~DaemonSetConditionType status!~ConditionStatus lastTransitionTime reason message",
  DaemonSetSpec: "selector*! template! updateStrategy minReadySeconds revisionHistoryLimit*=6",
  DaemonSetStatus:
    "currentNumberScheduled! numberMisscheduled! desiredNumberScheduled! numberReady! observedGeneration updatedNumberScheduled numberAvailable numberUnavailable collisionCount* conditions",
  DaemonSetUpdateStrategy: "type~DaemonSetUpdateStrategyType rollingUpdate*",
  Deployment: "metadata spec status",
  DeploymentCondition:
    "type!~DeploymentConditionType status!~ConditionStatus lastUpdateTime=6 lastTransitionTime reason=4 message",
  DeploymentSpec:
    "replicas* selector*! template! strategy minReadySeconds revisionHistoryLimit* paused progressDeadlineSeconds*=9",
  DeploymentStatus:
    "observedGeneration replicas updatedReplicas readyReplicas=7 availableReplicas=4 unavailableReplicas terminatingReplicas*=9 conditions=6 collisionCount*=8",
  DeploymentStrategy: "type~DeploymentStrategyType rollingUpdate*",
  ReplicaSet: "metadata spec status",
  ReplicaSetCondition: "type!~ReplicaSetConditionType status!~ConditionStatus lastTransitionTime reason message",
  ReplicaSetSpec: "replicas* minReadySeconds=4 selector*!=2 template",
  ReplicaSetStatus:
    "replicas! fullyLabeledReplicas readyReplicas=4 availableReplicas terminatingReplicas*=7 observedGeneration=3 conditions=6",
  RollingUpdateDaemonSet: "maxUnavailable* maxSurge*",
  RollingUpdateDeployment: "maxUnavailable* maxSurge*",
  RollingUpdateStatefulSetStrategy: "partition* maxUnavailable*",
  StatefulSet: "metadata spec status",
  StatefulSetCondition: "type!~StatefulSetConditionType status!~ConditionStatus lastTransitionTime reason message",
  StatefulSetOrdinals: "start!",
  StatefulSetPersistentVolumeClaimRetentionPolicy:
    "whenDeleted~PersistentVolumeClaimRetentionPolicyType whenScaled~PersistentVolumeClaimRetentionPolicyType",
  StatefulSetSpec:
    "replicas* selector*! template! volumeClaimTemplates serviceName! podManagementPolicy~PodManagementPolicyType updateStrategy revisionHistoryLimit* minReadySeconds persistentVolumeClaimRetentionPolicy* ordinals*",
  StatefulSetStatus:
    "observedGeneration replicas! readyReplicas currentReplicas updatedReplicas currentRevision updateRevision collisionCount*=9 conditions availableReplicas!",
  StatefulSetUpdateStrategy: "type~StatefulSetUpdateStrategyType rollingUpdate*",
};
