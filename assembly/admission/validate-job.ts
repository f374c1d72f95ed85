/**
 * Rules of a Job on create, and those of its spec that an update checks too (docs/spec/api.md 2.2 to 2.5: V11 to V45),
 * in upstream's order. Invariant: works on a defaulted object. The policies and the pod template are left to
 * validate-policies.ts and validate-pod-template.ts. Source: pkg/apis/batch/validation ValidateJobCreate,
 * ValidateJobSpec.
 */
import { byteLength, decimal } from "../json/text";
import { ABSENT, JsonNode, objectOf } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { dnsLabelProblems, dnsSubdomainProblems, pathProblems } from "../model/name-rules";
import { quote, renderNode } from "./render";
import { schedulingRules } from "./scheduling-rules";
import { validateGenerated, validateSelector } from "./selector";
import { validateMetadata } from "./validate-metadata";
import { validateNotNegative } from "./validate-numbers";
import { validatePodTemplate } from "./validate-pod-template";
import { validatePodFailurePolicy, validatePodReplacementPolicy, validateSuccessPolicy } from "./validate-policies";

const MANAGED_BY_BYTES_MAX: i32 = 63;
const INDEXED_PARALLELISM_MAX: i64 = 100000;
const FAILED_INDEXES_MAX: i64 = 100000;
/** With more completions than this, a limit for each index needs tighter limits in other fields. */
const COMPLETIONS_SOFT_MAX: i64 = 100000;
const PARALLELISM_OF_MANY_MAX: i64 = 10000;
const FAILED_INDEXES_OF_MANY_MAX: i64 = 10000;

const OF_MANY =
  "must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index";
const NEEDS_INDEXED = "requires indexed completion mode";

/**
 * Checks all rules of a new Job. `uid` is the stored one if the object leaves it out. `prefixed`: the template must
 * have the generated labels with a domain.
 */
export function validateJob(job: JsonNode, namespace: string, uid: string, prefixed: bool, errors: FieldErrors): void {
  validateMetadata(job, namespace, errors);
  validateGenerated(job, uid, prefixed, errors);
  validateSpec(job, null, errors);
  validateIndexedName(job, errors);
}

/** Checks the spec of a Job, with its selector. `old` is the Job before an update; null: there was none. */
export function validateSpec(job: JsonNode, old: JsonNode | null, errors: FieldErrors): void {
  const spec = job.object("spec");
  if (spec === null) return;
  validateFields(spec, objectOf(old, "spec"), errors);
  validateSelector(job, errors);
}

function validateFields(spec: JsonNode, oldSpec: JsonNode | null, errors: FieldErrors): void {
  validateNotNegative(spec, "parallelism", errors);
  validateNotNegative(spec, "completions", errors);
  validateNotNegative(spec, "activeDeadlineSeconds", errors);
  validateNotNegative(spec, "backoffLimit", errors);
  validateNotNegative(spec, "ttlSecondsAfterFinished", errors);
  validateNotNegative(spec, "backoffLimitPerIndex", errors);
  validateNotNegative(spec, "maxFailedIndexes", errors);
  if (spec.has("maxFailedIndexes") && !spec.has("backoffLimitPerIndex")) {
    errors.required("spec.backoffLimitPerIndex", "when maxFailedIndexes is specified");
  }
  if (spec.has("managedBy")) validateManagedBy(spec.string("managedBy"), errors);
  const mode = spec.string("completionMode");
  if (mode == "Indexed") validateIndexed(spec, errors);
  else if (mode == "NonIndexed") validateNonIndexed(spec, errors);
  else errors.oneOf(spec, "completionMode", "NonIndexed,Indexed");
  const failurePolicy = spec.object("podFailurePolicy");
  if (failurePolicy !== null) validatePodFailurePolicy(failurePolicy, spec, errors);
  const successPolicy = spec.object("successPolicy");
  if (successPolicy !== null) {
    if (mode == "Indexed") validateSuccessPolicy(successPolicy, spec.integer("completions"), errors);
    else errors.invalid("spec.successPolicy", renderNode(successPolicy), NEEDS_INDEXED);
  }
  validatePodReplacementPolicy(spec, errors);
  schedulingRules().together(spec, errors);
  const template = spec.object("template");
  if (template === null) return;
  validatePodTemplate(template, objectOf(oldSpec, "template"), errors);
  const podSpec = template.object("spec");
  if (podSpec !== null) validateRestartPolicy(podSpec, failurePolicy !== null, errors);
}

// Checks V19 and V20.
function validateManagedBy(value: string, errors: FieldErrors): void {
  const field = "spec.managedBy";
  const slash = value.indexOf("/");
  if (value.length == 0) {
    errors.required(field);
  } else if (slash <= 0 || slash == value.length - 1) {
    errors.invalid(field, quote(value), 'must be a domain-prefixed path (such as "acme.io/foo")');
  } else {
    const host = value.substring(0, slash);
    const path = value.substring(slash + 1);
    errors.invalidEach(field, host, dnsSubdomainProblems(host));
    errors.invalidEach(field, path, pathProblems(path));
  }
  if (byteLength(value) > MANAGED_BY_BYTES_MAX) errors.tooLong(field, MANAGED_BY_BYTES_MAX);
}

// Checks V22 to V26. ABSENT is smaller than any limit.
function validateIndexed(spec: JsonNode, errors: FieldErrors): void {
  const completions = spec.integer("completions");
  const parallelism = spec.integer("parallelism");
  const maxFailedIndexes = spec.integer("maxFailedIndexes");
  if (completions == ABSENT) errors.required("spec.completions", "when completion mode is Indexed");
  if (parallelism > INDEXED_PARALLELISM_MAX) {
    errors.invalid(
      "spec.parallelism",
      decimal(parallelism),
      "must be less than or equal to 100000 when completion mode is Indexed",
    );
  }
  if (completions != ABSENT && maxFailedIndexes > completions) {
    errors.invalid("spec.maxFailedIndexes", decimal(maxFailedIndexes), "must be less than or equal to completions");
  }
  if (maxFailedIndexes > FAILED_INDEXES_MAX) {
    errors.invalid("spec.maxFailedIndexes", decimal(maxFailedIndexes), "must be less than or equal to 100000");
  }
  if (completions <= COMPLETIONS_SOFT_MAX || !spec.has("backoffLimitPerIndex")) return;
  if (maxFailedIndexes == ABSENT)
    errors.required("spec.maxFailedIndexes", "must be specified when completions is above 100000");
  if (parallelism > PARALLELISM_OF_MANY_MAX) errors.invalid("spec.parallelism", decimal(parallelism), OF_MANY);
  if (maxFailedIndexes > FAILED_INDEXES_OF_MANY_MAX)
    errors.invalid("spec.maxFailedIndexes", decimal(maxFailedIndexes), OF_MANY);
}

// Checks V28 and V29.
function validateNonIndexed(spec: JsonNode, errors: FieldErrors): void {
  const perIndex = spec.get("backoffLimitPerIndex");
  if (perIndex !== null) errors.invalid("spec.backoffLimitPerIndex", renderNode(perIndex), NEEDS_INDEXED);
  const maxFailedIndexes = spec.get("maxFailedIndexes");
  if (maxFailedIndexes !== null) errors.invalid("spec.maxFailedIndexes", renderNode(maxFailedIndexes), NEEDS_INDEXED);
}

// Checks V43 to V45.
function validateRestartPolicy(podSpec: JsonNode, hasFailurePolicy: bool, errors: FieldErrors): void {
  const field = "spec.template.spec.restartPolicy";
  const policy = podSpec.string("restartPolicy");
  if (policy == "Always") errors.required(field, 'valid values: "OnFailure", "Never"');
  else if (policy != "OnFailure" && policy != "Never") errors.oneOf(podSpec, "restartPolicy", "OnFailure,Never");
  else if (hasFailurePolicy && policy != "Never") {
    errors.invalid(field, quote(policy), 'only "Never" is supported when podFailurePolicy is specified');
  }
}

/** Checks V27: the host name of the pod with the highest index must be a DNS label. */
export function validateIndexedName(job: JsonNode, errors: FieldErrors): void {
  const spec = job.object("spec");
  if (spec === null) return;
  const completions = spec.integer("completions");
  const metadata = job.object("metadata");
  if (metadata === null || spec.string("completionMode") != "Indexed" || completions <= 0) return;
  const name = metadata.string("name");
  const hostname = name + "-" + decimal(completions - 1);
  if (dnsLabelProblems(hostname).length == 0) return;
  errors.invalid("metadata.name", quote(name), "will not able to create pod with invalid DNS label: " + hostname);
}
