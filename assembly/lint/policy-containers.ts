/**
 * Rules about spec.podFailurePolicy and containers that do not end as others do, by docs/spec/controller.md 3.7: the
 * policy looks at every container that has ended with a code other than 0 when the pod has failed. The kubelet then
 * terminates sidecars, whose exit codes say nothing about the work. A container that is restarted in place fails no
 * pod.
 */
import { after, firstOf, JsonNode } from "../json/tree";
import { advise } from "./advice";
import { isNativeSidecar, restartsInPlace, SIGKILL_CODE, SIGTERM_CODE } from "./restarts";
import { containerOf, EXIT_CODES, matches, matchesCode } from "./rule-codes";
import { Rule, rule } from "./rule";
import { Subject } from "./subject";

const RULE_MATCHES_SIDECAR = rule(
  "RuleMatchesSidecar",
  "rule",
  "rule {rule} of podFailurePolicy also matches sidecar {text}, which is ended with exit code 143 or 137 when the pod has failed: that code may decide, and not the one of the work",
  "set onExitCodes.containerName to the container that does the work",
  "warn",
);
const RULE_NEVER_SEES = rule(
  "RuleNeverSees",
  "rule,exitCode",
  "rule {rule} of podFailurePolicy never sees exit code {exitCode} of container {text}: the kubelet restarts the container in place with this code, and the pod does not fail",
  "take the exit code out of restartPolicyRules, or out of the rule",
  "warn",
);

/** The rules of this file, in the order of the documents. */
export const POLICY_CONTAINER_RULES: StaticArray<Rule> = [RULE_MATCHES_SIDECAR, RULE_NEVER_SEES];

/** The first rule that matches a sidecar's code at the end of a pod decides; later ones are not asked. */
export function lintSidecarCodes(subject: Subject, rules: JsonNode): void {
  for (let init = firstOf(subject.podSpec.list("initContainers")); init !== null; init = after(init)) {
    if (!isNativeSidecar(init)) continue;
    const name = init.string("name");
    const onTerm = firstMatching(rules, name, SIGTERM_CODE);
    const onKill = firstMatching(rules, name, SIGKILL_CODE);
    for (let rule = rules.first; rule !== null; rule = after(rule)) {
      if ((rule !== onTerm && rule !== onKill) || isTheDefault(rule)) continue;
      advise(RULE_MATCHES_SIDECAR, rule, "", name, f64(rule.index));
    }
  }
}

/**
 * Advises if the rule never sees one of the codes that it lists or, for a rule that excludes codes, none of all codes.
 */
export function lintRestartedCodes(subject: Subject, rules: JsonNode): void {
  for (let rule = rules.first; rule !== null; rule = after(rule)) {
    const exitCodes = rule.object("onExitCodes");
    if (exitCodes === null) continue;
    const isList = exitCodes.string("operator") == "In";
    let unseen = 0;
    let isSeen = false;
    for (let code = 1; code < EXIT_CODES; ++code) {
      if (!matchesCode(rule, code)) continue;
      if (isRestarted(subject, rule, code)) unseen = unseen == 0 ? code : unseen;
      else isSeen = true;
    }
    if (unseen == 0 || (isSeen && !isList)) continue;
    advise(RULE_NEVER_SEES, rule, "", firstName(subject, rule), f64(rule.index), f64(unseen));
  }
}

function firstMatching(rules: JsonNode, name: string, code: i32): JsonNode | null {
  let rule = rules.first;
  while (rule !== null && !matches(rule, name, code)) rule = after(rule);
  return rule;
}

// Whether the rule says what happens without it.
function isTheDefault(rule: JsonNode): bool {
  return rule.next === null && rule.string("action") == "Count";
}

// Whether each container that the rule looks at is restarted with this code; false: it looks at none.
function isRestarted(subject: Subject, rule: JsonNode, code: i32): bool {
  const podSpec = subject.podSpec;
  const containers = restartedOf(subject, podSpec.list("containers"), false, rule, code);
  const inits = restartedOf(subject, podSpec.list("initContainers"), true, rule, code);
  return containers + inits > 0 && containers >= 0 && inits >= 0;
}

// How many containers of the list the rule looks at, if all of them are restarted with this code; else below 0.
function restartedOf(subject: Subject, list: JsonNode | null, areInits: bool, rule: JsonNode, code: i32): i32 {
  const named = containerOf(rule);
  let restarted = 0;
  for (let container = firstOf(list); container !== null; container = after(container)) {
    const isSidecar = areInits && isNativeSidecar(container);
    if (named.length == 0 ? isSidecar : named != container.string("name")) continue;
    const isEnded = isSidecar && (code == SIGTERM_CODE || code == SIGKILL_CODE);
    if (isEnded || !restartsInPlace(subject, container, code)) return i32.MIN_VALUE / 2;
    ++restarted;
  }
  return restarted;
}

function firstName(subject: Subject, rule: JsonNode): string {
  const named = containerOf(rule);
  const first = firstOf(subject.podSpec.list("containers"));
  return named.length > 0 || first === null ? named : first.string("name");
}
