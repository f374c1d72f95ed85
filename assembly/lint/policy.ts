/**
 * Rules about spec.podFailurePolicy, by docs/spec/controller.md 3.7: its rules are tried in order, and the first that
 * matches decides. A later rule is dead when whatever it matches has been matched before. Leaves out rules that are
 * dead only in part.
 */
import { after, firstOf, JsonNode, stringOf } from "../json/tree";
import { advise } from "./advice";
import { lintRestartedCodes, lintSidecarCodes } from "./policy-containers";
import { containerOf, EXIT_CODES, matches, noteRules } from "./rule-codes";
import { Rule, rule } from "./rule";
import { Subject } from "./subject";

const RULE_NEVER_MATCHES = rule(
  "RuleNeverMatches",
  "rule",
  "rule {rule} of podFailurePolicy can never match: {text}",
  "take the rule out, or correct it",
  "warn",
);
const RULE_SHADOWED = rule(
  "RuleShadowed",
  "rule,earlier",
  "rule {rule} of podFailurePolicy never decides: rule {earlier}, or another before it, matches every pod that it matches",
  "move the rule up, or take it out",
  "warn",
);

/** The rules of this file, in the order of the documents. */
export const POLICY_RULES: StaticArray<Rule> = [RULE_NEVER_MATCHES, RULE_SHADOWED];

const NO_RULE: i32 = -1;

export function lintPolicy(subject: Subject): void {
  const rules = noteRules(subject);
  if (rules === null) return;
  const names = containersToTry(subject, rules);
  for (let rule = rules.first; rule !== null; rule = after(rule)) {
    if (!rule.has("onExitCodes")) lintConditions(rules, rule);
    else if (!isWindows(subject)) lintExitCodes(rules, rule, names);
  }
  lintSidecarCodes(subject, rules);
  lintRestartedCodes(subject, rules);
}

// The containers that rules name, and "" for all others, if there are any.
function containersToTry(subject: Subject, rules: JsonNode): string[] {
  const names = new Array<string>();
  for (let rule = rules.first; rule !== null; rule = after(rule)) {
    const name = containerOf(rule);
    if (name.length > 0 && !names.includes(name)) names.push(name);
  }
  const others = countOthers(subject.podSpec.list("containers"), names);
  if (others + countOthers(subject.podSpec.list("initContainers"), names) > 0 || names.length == 0) names.push("");
  return names;
}

function countOthers(containers: JsonNode | null, names: string[]): i32 {
  let others = 0;
  for (let container = firstOf(containers); container !== null; container = after(container)) {
    if (!names.includes(container.string("name"))) ++others;
  }
  return others;
}

// On Windows exit codes have 32 bits.
function isWindows(subject: Subject): bool {
  return (
    stringOf(subject.podSpec.object("os"), "name") == "windows" ||
    stringOf(subject.podSpec.object("nodeSelector"), "kubernetes.io/os") == "windows"
  );
}

function lintExitCodes(rules: JsonNode, rule: JsonNode, names: string[]): void {
  // A rule is shadowed if an earlier rule matches first for every pair of a container and an exit code that it matches.
  // One pair that it decides itself is enough to keep it.
  let isEmpty = true;
  let hider = NO_RULE;
  for (let i = 0; i < names.length; ++i) {
    for (let code = 1; code < EXIT_CODES; ++code) {
      if (!matches(rule, names[i], code)) continue;
      isEmpty = false;
      let first = rules.first!;
      while (!matches(first, names[i], code)) first = first.next!;
      if (first === rule) return;
      hider = max(hider, first.index);
    }
  }
  if (isEmpty) never(rule, "exit codes that fail a container are 1 to 255");
  else shadowed(rule, hider);
}

function lintConditions(rules: JsonNode, rule: JsonNode): void {
  const conditions = rule.list("onPodConditions");
  if (conditions === null || conditions.length == 0) return;
  // The same for conditions: every pattern of the rule has to be in an earlier rule without exit codes.
  let isEmpty = true;
  let hider = NO_RULE;
  for (let condition = conditions.first; condition !== null; condition = after(condition)) {
    if (condition.string("type") == "DisruptionTarget" && condition.string("status") != "True") continue;
    isEmpty = false;
    const first = firstWith(rules, rule, condition);
    if (first == NO_RULE) return;
    hider = max(hider, first);
  }
  if (isEmpty) never(rule, "the condition DisruptionTarget is True or not there");
  else shadowed(rule, hider);
}

function firstWith(rules: JsonNode, rule: JsonNode, wanted: JsonNode): i32 {
  for (let earlier = rules.first; earlier !== rule && earlier !== null; earlier = after(earlier)) {
    const conditions = earlier.list("onPodConditions");
    if (conditions === null || earlier.has("onExitCodes")) continue;
    for (let condition = conditions.first; condition !== null; condition = after(condition)) {
      if (condition.string("type") != wanted.string("type")) continue;
      if (condition.string("status") == wanted.string("status")) return earlier.index;
    }
  }
  return NO_RULE;
}

function never(rule: JsonNode, why: string): void {
  advise(RULE_NEVER_MATCHES, rule, "", why, f64(rule.index));
}

function shadowed(rule: JsonNode, by: i32): void {
  advise(RULE_SHADOWED, rule, "", "", f64(rule.index), f64(by));
}
