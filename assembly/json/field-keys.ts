/**
 * Member names as 64-bit numbers, so that telling fields apart is one comparison and not a loop. The number mixes the
 * first eight bytes, the last eight bytes and the length. For the names of one object it is as good as the name. Names
 * that users choose (labels, annotations) are never told apart this way.
 */
import * as reader from "./reader";

/** The number of the member name that was read last. */
export function key(): u64 {
  return keyOfBytes(reader.stringAt(), reader.stringSize());
}

/** The number of a name that is known beforehand. */
export function keyOf(name: string): u64 {
  const length = u32(name.length);
  const bytes = heap.alloc(length + reader.PADDING);
  for (let i: u32 = 0; i < length; ++i) store<u8>(bytes + i, u8(name.charCodeAt(i)));
  const result = keyOfBytes(bytes, length);
  heap.free(bytes);
  return result;
}

function keyOfBytes(ptr: usize, length: u32): u64 {
  if (length >= 8) return load<u64>(ptr) ^ (load<u64>(ptr + length - 8) * 0x9e3779b97f4a7c15) ^ (u64(length) << 56);
  if (length == 0) return 0;
  // The padding behind every document makes these eight bytes readable.
  return (load<u64>(ptr) & ((u64(1) << (length * 8)) - 1)) ^ (u64(length) << 56);
}

export const APIVERSION = keyOf("apiVersion");
export const KIND = keyOf("kind");
export const METADATA = keyOf("metadata");
export const SPEC = keyOf("spec");
export const STATUS = keyOf("status");
export const ITEMS = keyOf("items");
export const TYPE = keyOf("type");
export const OBJECT = keyOf("object");
export const REASON = keyOf("reason");
export const MESSAGE = keyOf("message");
export const DETAILS = keyOf("details");
export const CAUSES = keyOf("causes");
export const CONTINUE = keyOf("continue");

export const NAME = keyOf("name");
export const NAMESPACE = keyOf("namespace");
export const UID = keyOf("uid");
export const RESOURCE_VERSION = keyOf("resourceVersion");
export const GENERATION = keyOf("generation");
export const CREATION_TIMESTAMP = keyOf("creationTimestamp");
export const DELETION_TIMESTAMP = keyOf("deletionTimestamp");
export const DELETION_GRACE_PERIOD_SECONDS = keyOf("deletionGracePeriodSeconds");
export const ANNOTATIONS = keyOf("annotations");
export const OWNER_REFERENCES = keyOf("ownerReferences");
export const FINALIZERS = keyOf("finalizers");
export const LABELS = keyOf("labels");
export const CONTROLLER = keyOf("controller");

export const NODE_NAME = keyOf("nodeName");
export const INIT_CONTAINERS = keyOf("initContainers");
export const RESTART_POLICY = keyOf("restartPolicy");
export const PHASE = keyOf("phase");
export const CONDITIONS = keyOf("conditions");
export const LAST_TRANSITION_TIME = keyOf("lastTransitionTime");
export const CONTAINER_STATUSES = keyOf("containerStatuses");
export const INIT_CONTAINER_STATUSES = keyOf("initContainerStatuses");
export const RESTART_COUNT = keyOf("restartCount");
export const STATE = keyOf("state");
export const WAITING = keyOf("waiting");
export const TERMINATED = keyOf("terminated");
export const FINISHED_AT = keyOf("finishedAt");

export const PARALLELISM = keyOf("parallelism");
export const COMPLETIONS = keyOf("completions");
export const ACTIVE_DEADLINE_SECONDS = keyOf("activeDeadlineSeconds");
export const BACKOFF_LIMIT = keyOf("backoffLimit");
export const COMPLETION_MODE = keyOf("completionMode");
export const TEMPLATE = keyOf("template");
export const SCHEDULING_GROUP = keyOf("schedulingGroup");
export const SUSPEND = keyOf("suspend");
export const MANAGED_BY = keyOf("managedBy");
export const SELECTOR = keyOf("selector");
export const MATCH_LABELS = keyOf("matchLabels");
export const MATCH_EXPRESSIONS = keyOf("matchExpressions");
export const KEY = keyOf("key");
export const OPERATOR = keyOf("operator");
export const VALUES = keyOf("values");
export const POD_FAILURE_POLICY = keyOf("podFailurePolicy");
export const SUCCESS_POLICY = keyOf("successPolicy");
export const BACKOFF_LIMIT_PER_INDEX = keyOf("backoffLimitPerIndex");
export const MAX_FAILED_INDEXES = keyOf("maxFailedIndexes");
export const TTL_SECONDS_AFTER_FINISHED = keyOf("ttlSecondsAfterFinished");
export const POD_REPLACEMENT_POLICY = keyOf("podReplacementPolicy");

export const ACTIVE = keyOf("active");
export const READY = keyOf("ready");
export const TERMINATING = keyOf("terminating");
export const SUCCEEDED = keyOf("succeeded");
export const FAILED = keyOf("failed");
export const START_TIME = keyOf("startTime");
export const COMPLETION_TIME = keyOf("completionTime");
export const COMPLETED_INDEXES = keyOf("completedIndexes");
export const FAILED_INDEXES = keyOf("failedIndexes");
export const EXIT_CODE = keyOf("exitCode");
export const UNCOUNTED_TERMINATED_PODS = keyOf("uncountedTerminatedPods");
