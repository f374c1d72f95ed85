/**
 * Which containers the kubelet restarts in place: by their restartPolicyRules, else their own restartPolicy, else that
 * of the pod. Source: ShouldContainerBeRestarted in pkg/kubelet/container/helpers.go. Leaves out when it restarts them.
 */
import { after, firstOf, JsonNode, stringOf } from "../json/tree";
import { Subject } from "./subject";

/** What a process ends with on SIGTERM, without a handler. */
export const SIGTERM_CODE: i32 = 143;
/** What a process ends with on SIGKILL, which follows the grace period. */
export const SIGKILL_CODE: i32 = 137;

/** Whether the container, an init container, is a sidecar: one that ends after the containers. */
export function isNativeSidecar(container: JsonNode): bool {
  return container.string("restartPolicy") == "Always";
}

/** Whether a rule of the container restarts it when it ends with this code, whatever its restartPolicy says. */
export function hasRestartRule(container: JsonNode, code: i64): bool {
  for (let rule = firstOf(container.list("restartPolicyRules")); rule !== null; rule = after(rule)) {
    const exitCodes = rule.object("exitCodes");
    if (exitCodes !== null && isIn(exitCodes.list("values"), code) == (exitCodes.string("operator") == "In"))
      return true;
  }
  return false;
}

/** Whether the kubelet restarts the container in place when it ends with this code, which is not 0. */
export function restartsInPlace(subject: Subject, container: JsonNode, code: i32): bool {
  return isStartedAgain(subject.podSpec, container, code);
}

/** Whether the kubelet starts a container again that ends with this code. A spec that is not known has no rules. */
export function isStartedAgain(podSpec: JsonNode | null, container: JsonNode | null, code: i64): bool {
  if (container !== null && hasRestartRule(container, code)) return true;
  const own = stringOf(container, "restartPolicy");
  const policy = own.length > 0 ? own : stringOf(podSpec, "restartPolicy");
  return policy == "Always" || (policy == "OnFailure" && code != 0);
}

function isIn(values: JsonNode | null, code: i64): bool {
  for (let value = firstOf(values); value !== null; value = after(value)) {
    if (value.asInteger() == code) return true;
  }
  return false;
}
