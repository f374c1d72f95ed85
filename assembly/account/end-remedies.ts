/** What to do so that the next attempt does not end as the last one did. Null: nothing is known to help. */
import { ADDED, after, firstOf, JsonNode, listOf, memberOf, objectOf, stringOf } from "../json/tree";
import { Attempt } from "./attempt";
import { EndedBy } from "./ended-by";
import { Held } from "./holds";
import { asGiven, changeJob, kubectl, listed, ofContainer, ofPods, Remedy, wrapped } from "./remedy";

/** That of a probe without one. */
const FAILURE_THRESHOLD: i64 = 3;
const DIGITS = "0123456789";
/** The API server takes no more. */
const MAX_RULES: i32 = 20;
const DISRUPTION = "DisruptionTarget";

export function remedyOfEnd(attempt: Attempt, end: EndedBy, held: Held): Remedy | null {
  const code = end.code;
  if (code == "OutOfMemory") return moreMemory(attempt, end, held);
  if (code == "LivenessProbe") return patience(attempt, end, held, "livenessProbe");
  if (code == "StartupProbe") return patience(attempt, end, held, "startupProbe");
  if (code == "PodDeadline") {
    const seconds = podSpecInteger(attempt, "activeDeadlineSeconds");
    if (seconds <= 0) return null;
    const longer = wrapped("activeDeadlineSeconds", JsonNode.integer(seconds * 2));
    return changeJob(code, "give the pods more time", held.job, ofPods(longer), false);
  }
  if (code == "NodeRejected" && attempt.node.length > 0) {
    const away = avoidNode(code, attempt.node, end.by);
    if (away !== null) return away;
  }
  if (isDisruption(attempt, code)) return ignoreDisruptions(code, held);
  const failure = attempt.failure;
  if (failure === null) return null;
  const name = failure.container.name;
  const words = ["logs", attempt.name, "-c", name];
  if (failure.attempt < failure.container.status.integer("restartCount")) words.push("--previous");
  return new Remedy(code, "read what container " + name + " printed last", kubectl(words, held.metadata));
}

/** Null: the kubelet rejects pods because its node is full or not meant for them, not because it is broken. */
export function avoidNode(code: string, node: string, reason: string): Remedy | null {
  if (reason.startsWith("OutOf") || reason == "NodeAffinity") return null;
  return new Remedy(code, "keep new pods away from node " + node, kubectl(["cordon", node], null));
}

/** Twice the time for a Job whose deadline has ended it. Null: it has none. */
export function moreTime(held: Held): Remedy | null {
  const seconds: i64 = held.spec === null ? 0 : held.spec!.integer("activeDeadlineSeconds");
  if (seconds <= 0) return null;
  const longer = wrapped("activeDeadlineSeconds", JsonNode.integer(seconds * 2));
  return changeJob("JobDeadline", "give the Job more time", held.job, longer, false);
}

function isDisruption(attempt: Attempt, code: string): bool {
  return attempt.disruption !== null && code != "Deleted" && code != "Unknown";
}

// Twice the memory limit, if it is written as a whole number with a unit.
function moreMemory(attempt: Attempt, end: EndedBy, held: Held): Remedy | null {
  const failure = attempt.failure!;
  const limits = objectOf(objectOf(failure.container.spec, "resources"), "limits");
  const limit = stringOf(limits, "memory");
  const more = doubled(limit);
  if (more.length == 0) return null;
  const memory = wrapped("memory", JsonNode.string(more));
  const change = ofContainer(failure.container.isInit, end.by, "resources", wrapped("limits", memory));
  const sentence = "raise the memory limit of container " + end.by + " from " + limit + " to " + more;
  return changeJob(end.code, sentence, held.job, change, false);
}

// The quantity twice; "": it is no whole number with a unit.
function doubled(quantity: string): string {
  let digits = 0;
  while (digits < quantity.length && DIGITS.includes(quantity.charAt(digits))) ++digits;
  if (digits == 0 || digits > 15 || quantity.includes(".")) return "";
  return (I64.parseInt(quantity.substring(0, digits)) * 2).toString() + quantity.substring(digits);
}

// Twice as many failures of the probe.
function patience(attempt: Attempt, end: EndedBy, held: Held, probe: string): Remedy | null {
  const failure = attempt.failure;
  if (failure === null) return null;
  const own = objectOf(failure.container.spec, probe);
  const given: i64 = own === null ? 0 : own.integer("failureThreshold");
  const threshold = given > 0 ? given : FAILURE_THRESHOLD;
  const more = wrapped("failureThreshold", JsonNode.integer(threshold * 2));
  const change = ofContainer(failure.container.isInit, end.by, probe, more);
  const sentence = "let the " + probe + " of container " + end.by + " fail more often before the kubelet kills it";
  return changeJob(end.code, sentence, held.job, change, false);
}

// A rule that does not count disruptions as failures. The API server takes one with restartPolicy Never alone.
function ignoreDisruptions(code: string, held: Held): Remedy | null {
  const policy = objectOf(held.spec, "podFailurePolicy");
  const rules = listOf(policy, "rules");
  for (let rule = firstOf(rules); rule !== null; rule = after(rule)) {
    for (let one = firstOf(rule.list("onPodConditions")); one !== null; one = after(one))
      if (one.string("type") == DISRUPTION) return null;
  }
  if (rules !== null && rules.length >= MAX_RULES) return null;
  const condition = wrapped("type", JsonNode.string(DISRUPTION));
  condition.attach("status", JsonNode.string("True"));
  const ignore = wrapped("action", JsonNode.string("Ignore"));
  ignore.attach("onPodConditions", listed(condition));
  const all = listed(ignore);
  for (let rule = firstOf(rules); rule !== null; rule = after(rule)) all.attach("", asGiven(rule));
  const spec = wrapped("podFailurePolicy", wrapped("rules", all));
  // The API server takes no other with a podFailurePolicy.
  const replacement = memberOf(held.spec, "podReplacementPolicy");
  if (replacement !== null && replacement.change != ADDED && replacement.text != "Failed")
    spec.attach("podReplacementPolicy", JsonNode.string("Failed"));
  const template = objectOf(objectOf(held.spec, "template"), "spec");
  if (stringOf(template, "restartPolicy") != "Never") {
    const never = ofPods(wrapped("restartPolicy", JsonNode.string("Never")));
    spec.attach("template", never.get("template")!);
  }
  return changeJob(code, "do not count disruptions as failures", held.job, spec, false);
}

function podSpecInteger(attempt: Attempt, name: string): i64 {
  const spec = attempt.spec;
  return spec === null ? 0 : spec.integer(name);
}
