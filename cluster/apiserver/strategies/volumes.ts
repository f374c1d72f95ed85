/**
 * The rules of volumes, claims, and the kinds of storage.k8s.io: their defaults. Leaves out most of what upstream
 * refuses. Source: pkg/apis/core/v1/defaults.go, pkg/apis/storage/v1/defaults.go, pkg/registry/core/persistentvolume.
 */
import type { KubeObject } from "../../types.ts";
import type { ResourceRequest } from "../context.ts";
import type { Strategy } from "../definition.ts";
import { deepEqual } from "../json.ts";
import { formatTime } from "../times.ts";
import { keepSpec } from "../update.ts";

const now = ({ server }: ResourceRequest): string => formatTime(server.clock.now());

export const persistentVolumeStrategy: Strategy = {
  prepareCreate: (volume, request) => ({
    ...withVolumeDefaults(volume),
    status: { phase: "Pending", lastPhaseTransitionTime: now(request) },
  }),
  prepareUpdate: withVolumeDefaults,
  prepareSubresourceUpdate(volume, current, request) {
    const kept = keepSpec(volume, current);
    const { phase, lastPhaseTransitionTime: time } = kept["status"] ?? {};
    const before = current["status"] ?? {};
    if (phase === before.phase ? time !== undefined : time !== undefined && time !== before.lastPhaseTransitionTime)
      return kept;
    const lastPhaseTransitionTime = phase === before.phase ? before.lastPhaseTransitionTime : now(request);
    return { ...kept, status: { ...kept["status"], ...(lastPhaseTransitionTime && { lastPhaseTransitionTime }) } };
  },
};

function withVolumeDefaults(volume: KubeObject): KubeObject {
  const { spec } = volume;
  const { hostPath } = spec;
  return {
    ...volume,
    spec: {
      ...spec,
      persistentVolumeReclaimPolicy: spec.persistentVolumeReclaimPolicy || "Retain",
      volumeMode: spec.volumeMode ?? "Filesystem",
      ...(hostPath && { hostPath: { ...hostPath, type: hostPath.type ?? "" } }),
    },
  };
}

export const persistentVolumeClaimStrategy: Strategy = {
  prepareCreate: (claim) => ({ ...withClaimDefaults(claim), status: { phase: "Pending" } }),
  prepareUpdate: withClaimDefaults,
};

function withClaimDefaults(claim: KubeObject): KubeObject {
  return { ...claim, spec: { ...claim["spec"], volumeMode: claim["spec"].volumeMode ?? "Filesystem" } };
}

function storageClassDefaults(storageClass: KubeObject): KubeObject {
  return {
    ...storageClass,
    reclaimPolicy: storageClass["reclaimPolicy"] ?? "Delete",
    volumeBindingMode: storageClass["volumeBindingMode"] ?? "Immediate",
  };
}
export const storageClassStrategy: Strategy = {
  prepareCreate: storageClassDefaults,
  prepareUpdate: storageClassDefaults,
};

function csiDriverDefaults(driver: KubeObject): KubeObject {
  const { spec } = driver;
  return {
    ...driver,
    spec: {
      ...spec,
      attachRequired: spec.attachRequired ?? true,
      podInfoOnMount: spec.podInfoOnMount ?? false,
      storageCapacity: spec.storageCapacity ?? false,
      fsGroupPolicy: spec.fsGroupPolicy ?? "ReadWriteOnceWithFSType",
      volumeLifecycleModes: spec.volumeLifecycleModes?.length ? spec.volumeLifecycleModes : ["Persistent"],
      requiresRepublish: spec.requiresRepublish ?? false,
      seLinuxMount: spec.seLinuxMount ?? false,
    },
  };
}
export const csiDriverStrategy: Strategy = {
  prepareCreate: csiDriverDefaults,
  prepareUpdate: csiDriverDefaults,
  validate({ spec }, current, { warnings }) {
    const { tokenRequests = [], serviceAccountTokenInSecrets } = spec;
    const isNew = !deepEqual(tokenRequests, current?.["spec"].tokenRequests ?? []);
    if (isNew && tokenRequests.length > 0 && serviceAccountTokenInSecrets === undefined)
      warnings.add(
        "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
      );
    return [];
  },
};

export const volumeAttachmentStrategy: Strategy = {
  prepareCreate: (attachment) => ({ ...attachment, status: {} }),
};
