/**
 * Rules about a Job and other objects of its namespace: what a ResourceQuota demands of each container
 * (podEvaluator.Constraints in pkg/quota/v1/evaluator/core/pods.go), and what a PodDisruptionBudget makes of pods that
 * have no scale (getExpectedPodCount in pkg/controller/disruption). Leaves out how much a quota allows (size.ts).
 */
import { isListed } from "../json/text";
import { ABSENT, after, firstOf, JsonNode, memberOf, NUMBER, objectOf } from "../json/tree";
import { advise } from "./advice";
import { Rule, rule } from "./rule";
import { LIMITS, REQUESTS, Subject } from "./subject";

const QUOTA_NEEDS_RESOURCES = rule(
  "QuotaNeedsResources",
  "",
  "a ResourceQuota of the namespace demands resources that a container does not set ({text}): the API server refuses every pod, and the Job waits without one",
  "set these requests or limits, or add a LimitRange with defaults for the containers of the namespace",
  "warn",
);
const BUDGET_BLOCKS_DRAINS = rule(
  "BudgetBlocksDrains",
  "",
  "a PodDisruptionBudget selects the pods and lets none of them be evicted ({text}): a drain of their node waits until the pods end",
  "let the selector of the budget leave the pods of the Job out, or set minAvailable to a whole number below those that run at once",
  "warn",
);

/** The rules of this file, in the order of the documents. */
export const AROUND_RULES: StaticArray<Rule> = [QUOTA_NEEDS_RESOURCES, BUDGET_BLOCKS_DRAINS];

/** What a quota demands of each container; of other resources, a container may set nothing. */
const DEMANDED = "cpu,memory,requests.cpu,requests.memory,limits.cpu,limits.memory";
/** Labels that each pod of a Job gets. */
const NAME_LABELS = "job-name,batch.kubernetes.io/job-name";
const UID_LABELS = "controller-uid,batch.kubernetes.io/controller-uid";
const ANY_VALUE = "*";

export function lintAround(subject: Subject): void {
  const quota = subject.context.object("quota");
  if (quota !== null && !hasPodResources(subject.podSpec)) {
    lintDemands(subject, quota, "containers");
    lintDemands(subject, quota, "initContainers");
  }
  const budgets = subject.context.list("disruptionBudgets");
  for (let budget = firstOf(budgets); budget !== null; budget = after(budget)) lintBudget(subject, budget);
}

// Resources of the whole pod take the place of those of its containers.
function hasPodResources(podSpec: JsonNode): bool {
  const resources = podSpec.object("resources");
  return objectOf(resources, "requests") !== null || objectOf(resources, "limits") !== null;
}

function lintDemands(subject: Subject, quota: JsonNode, kind: string): void {
  for (let one = firstOf(subject.podSpec.list(kind)); one !== null; one = after(one)) {
    let missing = "";
    for (let entry = quota.first; entry !== null; entry = after(entry)) {
      if (!isListed(entry.key, DEMANDED) || isSet(subject, one, entry.key)) continue;
      missing += (missing.length > 0 ? ", " : "") + entry.key;
    }
    if (missing.length > 0) advise(QUOTA_NEEDS_RESOURCES, one, "resources", one.string("name") + ": " + missing);
  }
}

// A container with a limit and no request requests its limit; a LimitRange sets other defaults.
function isSet(subject: Subject, container: JsonNode, resource: string): bool {
  const own = container.object("resources");
  const given = subject.context.object("containerDefaults");
  const isLimit = resource.startsWith(LIMITS);
  const name = resource.startsWith(REQUESTS) || isLimit ? resource.substring(resource.indexOf(".") + 1) : resource;
  if (hasAmount(own, "limits", name) || hasAmount(given, "limits", name)) return true;
  return !isLimit && (hasAmount(own, "requests", name) || hasAmount(given, "requests", name));
}

function hasAmount(resources: JsonNode | null, kind: string, name: string): bool {
  return memberOf(objectOf(resources, kind), name) !== null;
}

function lintBudget(subject: Subject, budget: JsonNode): void {
  const spec = budget.object("spec");
  if (spec === null || subject.podsAtOnce <= 0 || !selects(subject, spec.object("selector"))) return;
  const least = spec.get("minAvailable");
  const isCounted = least !== null && least.kind == NUMBER && !spec.has("maxUnavailable");
  const most = least !== null && isCounted ? least.asInteger() : ABSENT;
  // Without a number of pods to keep, or with one below the pods of the Job, some may be evicted.
  if (isCounted ? most < subject.podsAtOnce || most <= 0 : least === null && !spec.has("maxUnavailable")) return;
  const name = objectOf(budget, "metadata");
  const why = isCounted
    ? "minAvailable is not below the number of pods that run at once"
    : "a Job has no scale, so only a whole number of minAvailable can be counted";
  const text = (name === null ? "" : name.string("name") + ": ") + why;
  const template = subject.spec.object("template");
  advise(BUDGET_BLOCKS_DRAINS, template === null ? subject.spec : template, "metadata.labels", text);
}

// A selector without requirements selects every pod, and no selector none.
function selects(subject: Subject, selector: JsonNode | null): bool {
  if (selector === null) return false;
  const labels = selector.object("matchLabels");
  for (let label = firstOf(labels); label !== null; label = after(label)) {
    if (!isValue(labelOf(subject, label.key), label.asString())) return false;
  }
  for (let one = firstOf(selector.list("matchExpressions")); one !== null; one = after(one)) {
    if (!meets(labelOf(subject, one.string("key")), one)) return false;
  }
  return true;
}

function meets(value: string | null, requirement: JsonNode): bool {
  const operator = requirement.string("operator");
  if (operator == "Exists") return value !== null;
  if (operator == "DoesNotExist") return value === null;
  let isIn = false;
  for (let one = firstOf(requirement.list("values")); one !== null; one = after(one)) {
    isIn = isIn || isValue(value, one.asString());
  }
  return isIn == (operator == "In");
}

function isValue(value: string | null, wanted: string): bool {
  return value !== null && value == wanted;
}

// The value of a label of the pods; null: they do not have it.
function labelOf(subject: Subject, key: string): string | null {
  const labels = objectOf(objectOf(subject.spec.object("template"), "metadata"), "labels");
  const label = memberOf(labels, key);
  if (label !== null) return label.asString();
  if (isListed(key, UID_LABELS)) return ANY_VALUE;
  if (!isListed(key, NAME_LABELS)) return null;
  const name = subject.metadata.string("name");
  return name.length > 0 && subject.cronJob === null ? name : ANY_VALUE;
}
