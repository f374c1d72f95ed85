/**
 * What versions of Kubernetes change for Jobs and for requests about them, each with the version that brought it: the
 * one table that the API server, the kubelet, the engine and `stint upgrade-check` go by.
 *
 * Invariant: assembly/model/kubernetes.ts has the same versions for those of the engine (a test compares them). Leaves
 * out what Stint does in one way for all versions; docs/differences.md says which that are.
 */
import { isBefore, type KubernetesVersion } from "./kubernetes-versions.ts";

export const SINCE = {
  "user-namespaces": "1.33",
  "supplemental-groups-policy": "1.33",
  "sleep-of-zero-seconds": "1.33",
  "relaxed-dns-searches": "1.33",
  "resources-of-a-whole-pod": "1.34",
  "resource-claims": "1.34",
  /** Restart policies of containers that are no sidecars are fields, behind a gate that is off. */
  "policies-of-containers-dropped": "1.34",
  "hostname-override": "1.35",
  "restart-rules-of-containers": "1.35",
  "variables-from-files": "1.35",
  "image-volumes": "1.35",
  "deadline-of-a-suspended-job": "1.36",
  "active-while-a-retry-waits": "1.36",
  "resources-of-suspended-jobs": "1.36",
  "placement-of-suspended-jobs": "1.36",
  "made-again-under-its-name": "1.37",
  "labels-taken-off-while-suspended": "1.37",
  "image-volumes-without-reference": "1.37",
  "defaults-of-whole-pods": "1.37",
  "certificates-of-pods": "1.37",
  "selinux-mounts": "1.37",
  /** Each cause of a refusal is there once. */
  "causes-once": "1.37",
  /** Errors of owner references have their index, and what is missing is required. */
  "precise-metadata-errors": "1.37",
  /** shareProcessNamespace is a field of the pod in errors, and so are those that Windows pods may not set. */
  "namespaces-of-pods": "1.37",
  /** A container that has CAP_SYS_ADMIN without escalation may be updated. */
  "tolerated-administrators": "1.37",
  /** A patch that is no JSON, or no YAML, is refused before anything else. */
  "patches-read-first": "1.37",
  /** What is wrong by a rule that is declared with the types is said last, in other words. */
  "declared-rules": "1.37",
  /** The reason of a refusal names the authorizer, and a review without a target has no other field than spec. */
  "authorizers-by-name": "1.37",
  /** StatefulSets, CSIDrivers and CSINodes have more defaults. */
  "more-defaults": "1.37",
  /** The condition PodReadyToStartContainers has a reason and a message while it is False. */
  "reasons-of-sandboxes": "1.37",
  /** OpenAPI requires other fields of kinds of apps and resource.k8s.io. */
  "requirements-as-declared": "1.37",
  /** OpenAPI gives elements of lists and maps no default. */
  "elements-without-defaults": "1.37",
  /** Of the StorageClasses that say they are the default, a list marks the newest, and nothing else marks one. */
  "one-default-class": "1.37",
  "annotations-of-a-gang": "1.38",
  "owners-of-files-in-volumes": "1.38",
} as const satisfies Readonly<Record<string, KubernetesVersion>>;

export type ChangeId = keyof typeof SINCE;

/** Whether a server of this version behaves in the old way. */
export function isAhead(id: ChangeId, version: KubernetesVersion): boolean {
  return isBefore(version, SINCE[id]);
}
