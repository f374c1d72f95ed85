/**
 * What may change in the spec of an existing Job (docs/spec/api.md 1.5 and 2.7: V69 to V76). Invariant: the old and the
 * new object are both defaulted, so that a default which the stored object lacks is not a change. The metadata
 * (validate-metadata.ts), the checks that need no old object, and Pods are left out. Source: pkg/apis/batch/validation
 * ValidateJobSpecUpdate, validatePodTemplateUpdate.
 */
import { decimal } from "../json/text";
import { ABSENT, after, JsonNode } from "../json/tree";
import { conditionIsTrue } from "./conditions";
import { FieldErrors } from "./field-errors";
import {
  behaves,
  PLACEMENT_OF_SUSPENDED_JOBS,
  RESOURCES_OF_SUSPENDED_JOBS,
  LABELS_TAKEN_OFF_WHILE_SUSPENDED,
} from "../model/kubernetes";
import { renderNode } from "./render";
import { schedulingRules } from "./scheduling-rules";
import { equal, equalExcept } from "./semantic-equality";
import { validateIndexedName, validateJob, validateSpec } from "./validate-job";

const IMMUTABLE = "field is immutable";

// What may change in the pod spec of a Job that is suspended and has no pods. Containers and node affinity are checked
// separately.
const MUTABLE_WHILE_SUSPENDED = "affinity,containers,initContainers,nodeSelector,schedulingGates,tolerations";
const NOTHING = "";
const MUTABLE_IN_AFFINITY = "nodeAffinity";
const MUTABLE_IN_CONTAINER = "resources";

/** Checks what a Job must be after an update, and V69 to V76. For `uid` and `prefixed` see validateJob. */
export function validateJobUpdate(
  job: JsonNode,
  old: JsonNode,
  namespace: string,
  uid: string,
  prefixed: bool,
  errors: FieldErrors,
): void {
  if (!behaves(LABELS_TAKEN_OFF_WHILE_SUSPENDED)) {
    validateJob(job, namespace, uid, prefixed, errors);
    validateChanges(job, old, errors);
    return;
  }
  validateSpec(job, old, errors);
  validateChanges(job, old, errors);
  validateIndexedName(job, errors);
}

function validateChanges(job: JsonNode, old: JsonNode, errors: FieldErrors): void {
  const spec = job.object("spec");
  const oldSpec = old.object("spec");
  if (spec === null || oldSpec === null) return;
  validateCompletions(spec, oldSpec, errors);
  validateImmutable(spec, oldSpec, "selector", errors);
  validateTemplate(spec, oldSpec, old.object("status"), errors);
  validateImmutable(spec, oldSpec, "completionMode", errors);
  validateImmutable(spec, oldSpec, "podFailurePolicy", errors);
  validateImmutable(spec, oldSpec, "backoffLimitPerIndex", errors);
  validateImmutable(spec, oldSpec, "managedBy", errors);
  validateImmutable(spec, oldSpec, "successPolicy", errors);
  schedulingRules().changes(spec, oldSpec, errors);
}

function validateImmutable(spec: JsonNode, oldSpec: JsonNode, key: string, errors: FieldErrors): void {
  const value = spec.get(key);
  if (!equal(value, oldSpec.get(key))) errors.invalid(spec.pathOf(key), renderNode(value), IMMUTABLE);
}

// Checks V69.
function validateCompletions(spec: JsonNode, oldSpec: JsonNode, errors: FieldErrors): void {
  if (spec.string("completionMode") != "Indexed") {
    validateImmutable(spec, oldSpec, "completions", errors);
    return;
  }
  const completions = spec.integer("completions");
  if (completions == ABSENT || completions == oldSpec.integer("completions")) return;
  if (completions != spec.integer("parallelism")) {
    errors.invalid("spec.completions", decimal(completions), "can only be modified in tandem with spec.parallelism");
  }
}

// Checks V71. The stored Job decides what the request may change.
function validateTemplate(spec: JsonNode, oldSpec: JsonNode, oldStatus: JsonNode | null, errors: FieldErrors): void {
  const template = spec.object("template");
  const oldTemplate = oldSpec.object("template");
  if (template === null || oldTemplate === null) return;
  if (!isDormant(oldSpec, oldStatus)) {
    if (!equal(template, oldTemplate)) errors.invalid("spec.template", renderNode(template), IMMUTABLE);
    return;
  }
  const podSpec = template.object("spec");
  const oldPodSpec = oldTemplate.object("spec");
  if (podSpec === null || oldPodSpec === null) return;
  const mutableInContainer = behaves(RESOURCES_OF_SUSPENDED_JOBS) ? MUTABLE_IN_CONTAINER : NOTHING;
  const mayChange =
    equalExcept(podSpec, oldPodSpec, MUTABLE_WHILE_SUSPENDED) &&
    equalExcept(podSpec.get("affinity"), oldPodSpec.get("affinity"), MUTABLE_IN_AFFINITY) &&
    containersDifferIn(podSpec.list("containers"), oldPodSpec.list("containers"), mutableInContainer) &&
    containersDifferIn(podSpec.list("initContainers"), oldPodSpec.list("initContainers"), mutableInContainer);
  if (!mayChange) errors.invalid("spec.template.spec", renderNode(podSpec), IMMUTABLE);
}

// Whether the Job is suspended and has no active pods, and has never started or, since 1.36, is marked as suspended.
function isDormant(oldSpec: JsonNode, oldStatus: JsonNode | null): bool {
  if (!oldSpec.boolean("suspend")) return false;
  if (oldStatus === null) return true;
  const isMarked = behaves(PLACEMENT_OF_SUSPENDED_JOBS) && conditionIsTrue(oldStatus, "Suspended");
  if (oldStatus.has("startTime") && !isMarked) return false;
  const active = oldStatus.integer("active");
  return active == ABSENT || active == 0;
}

// Whether the lists have the same length, and their containers differ only in the named fields. The name is never one
// of them.
function containersDifferIn(containers: JsonNode | null, old: JsonNode | null, fields: string): bool {
  const length = containers === null ? 0 : containers.length;
  if (length != (old === null ? 0 : old.length)) return false;
  if (containers === null || old === null) return true;
  let other = old.first;
  for (let container = containers.first; container !== null && other !== null; container = after(container)) {
    if (!equalExcept(container, other, fields)) return false;
    other = other.next;
  }
  return true;
}
