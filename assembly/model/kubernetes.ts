/**
 * The version of Kubernetes as which the engine reviews objects, and the changes between versions that it knows, each
 * with the minor version that brought it. The controller itself behaves alike in all of them. Leaves out the fields
 * that a version drops: the API server does that before the review. Source: docs/upgrade-check.md, docs/spec/api.md.
 */
const OLDEST: i32 = 33;
const NEWEST: i32 = 37;
const DIGIT_0: i32 = 0x30;

/** Restart policies of containers that are no sidecars are fields, which the API server may drop. */
export const POLICIES_OF_CONTAINERS_DROPPED: i32 = 34;
/** Variables may come from files. */
export const VARIABLES_FROM_FILES: i32 = 35;
/** While a Job is suspended, the resources of its containers may change. */
export const RESOURCES_OF_SUSPENDED_JOBS: i32 = 36;
/** Placement may change whenever a Job is suspended and has no pods; before, only until its first start. */
export const PLACEMENT_OF_SUSPENDED_JOBS: i32 = 36;
/** An update of a Job does not repeat the checks of its metadata and generated labels. */
export const LABELS_TAKEN_OFF_WHILE_SUSPENDED: i32 = 37;
/** Each cause of a refusal is there once. */
export const CAUSES_ONCE: i32 = 37;
/** An image volume of a template needs a reference. */
export const IMAGE_VOLUMES_WITHOUT_REFERENCE: i32 = 37;
/** Errors of owner references have their index, and what is missing is required. */
export const PRECISE_METADATA_ERRORS: i32 = 37;
/** shareProcessNamespace is a field of the pod in errors, and so are those that Windows pods may not set. */
export const NAMESPACES_OF_PODS: i32 = 37;
/** A container that has CAP_SYS_ADMIN without escalation may be updated. */
export const TOLERATED_ADMINISTRATORS: i32 = 37;
/** Resources of a whole pod get their defaults behind admission, and get limits too. */
export const DEFAULTS_OF_WHOLE_PODS: i32 = 37;
/** Projected volumes have certificates of pods, and bundles of certificates that are trusted. */
export const CERTIFICATES_OF_PODS: i32 = 37;
/** Volumes may be mounted with the SELinux label, and nothing is relabelled. */
export const SELINUX_MOUNTS: i32 = 37;

let minor: i32 = 37;

/** Whether the engine behaves as since this change. */
export function behaves(change: i32): bool {
  return minor >= change;
}

/** The minor version that a text such as `1.37` names; -1: none that is known. */
export function kubernetesMinor(text: string): i32 {
  if (text.length != 4 || !text.startsWith("1.3")) return -1;
  const known = text.charCodeAt(3) - DIGIT_0 + 30;
  return known < OLDEST || known > NEWEST ? -1 : known;
}

export function setKubernetes(known: i32): void {
  minor = known;
}
