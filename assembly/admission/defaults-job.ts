/**
 * Defaults of a Job (docs/spec/api.md 3.1, D1 to D9), as every decoding of a Job applies them. Invariant: a second pass
 * changes nothing. The generated selector and labels are left to selector.ts. Source: pkg/apis/batch/v1/defaults.go.
 */
import { after, JsonNode, objectOf } from "../json/tree";
import { defaultInteger, defaultObject, defaultString } from "./default-fields";
import { defaultPodSpec } from "./defaults-pod";

const BACKOFF_LIMIT: i64 = 6;
/** With a limit for each index, the Job itself has in effect no limit. */
const BACKOFF_LIMIT_PER_INDEX: i64 = i32.MAX_VALUE;

/** Sets the defaults D1 to D8. */
export function defaultJob(job: JsonNode): void {
  const spec = defaultObject(job, "spec");
  if (spec === null) return;
  if (!spec.has("parallelism")) {
    defaultInteger(spec, "completions", 1);
    spec.set("parallelism", JsonNode.integer(1));
  }
  defaultInteger(spec, "backoffLimit", spec.has("backoffLimitPerIndex") ? BACKOFF_LIMIT_PER_INDEX : BACKOFF_LIMIT);
  if (!spec.has("completionMode")) spec.set("completionMode", JsonNode.string("NonIndexed"));
  if (!spec.has("suspend")) spec.set("suspend", JsonNode.boolean(false));
  if (!spec.has("manualSelector")) spec.set("manualSelector", JsonNode.boolean(false));
  const failurePolicy = spec.object("podFailurePolicy");
  if (!spec.has("podReplacementPolicy")) {
    spec.set("podReplacementPolicy", JsonNode.string(failurePolicy === null ? "TerminatingOrFailed" : "Failed"));
  }
  if (failurePolicy !== null) defaultPodConditions(failurePolicy.list("rules"));
  const podSpec = defaultObject(defaultObject(spec, "template"), "spec");
  if (podSpec !== null) defaultPodSpec(podSpec);
}

/** Sets the default D9: a Job without labels gets those that its template has now. */
export function defaultLabels(job: JsonNode): void {
  const templateLabels = labelsOfTemplate(job);
  if (templateLabels === null || templateLabels.length == 0) return;
  const metadata = defaultObject(job, "metadata");
  if (metadata === null) return;
  const labels = metadata.object("labels");
  if (labels === null || labels.length == 0) metadata.set("labels", templateLabels.clone());
}

/** spec.template.metadata.labels; null if there are none. */
export function labelsOfTemplate(job: JsonNode): JsonNode | null {
  return objectOf(objectOf(objectOf(job.object("spec"), "template"), "metadata"), "labels");
}

// Sets the default D7.
function defaultPodConditions(rules: JsonNode | null): void {
  if (rules === null) return;
  for (let rule = rules.first; rule !== null; rule = after(rule)) {
    const conditions = rule.list("onPodConditions");
    if (conditions === null) continue;
    for (let condition = conditions.first; condition !== null; condition = after(condition)) {
      defaultString(condition, "status", "True");
    }
  }
}
