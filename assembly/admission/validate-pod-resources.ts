/**
 * Rules of the resources of a whole pod, and what its containers ask for in all: the sum of those that run at once,
 * init containers included. Source: pkg/apis/core/validation validatePodResources.
 */
import { JsonNode, memberOf, objectOf } from "../json/tree";
import { sumOf } from "./container-sums";
import { FieldErrors } from "./field-errors";
import { HUGE_PAGES, PodFacts } from "./pod-facts";
import { Quantity } from "./quantity";
import { quote } from "./render";
import { validateUsedClaims } from "./validate-claims";
import { validateResources } from "./validate-resources";

/** Checks `resources` of a pod spec. */
export function validatePodResources(pod: PodFacts, errors: FieldErrors): void {
  const resources = pod.spec.object("resources");
  if (resources === null) return;
  if (pod.operatingSystem == "windows") {
    errors.forbidden(resources.path(), "may not be set for a windows pod");
    return;
  }
  if (resources.has("claims"))
    errors.forbidden(resources.pathOf("claims"), "claims may not be set for Resources at pod-level");
  validateResources(resources, true, errors);
  validateUsedClaims(pod, resources.list("claims"), errors);
  validateSums(pod.spec, resources.object("requests"), "requests", errors);
  validateSums(pod.spec, resources.object("limits"), "limits", errors);
  const limits = resources.object("limits");
  const containers = pod.spec.list("containers");
  if (limits === null || containers === null) return;
  for (let container = containers.first; container !== null; container = errors.after(container))
    validateOwnLimits(container, resources, limits, errors);
}

// A pod asks for at least what its containers ask for, and allows the huge pages that they allow.
function validateSums(spec: JsonNode, amounts: JsonNode | null, kind: string, errors: FieldErrors): void {
  if (amounts === null) return;
  for (let amount = amounts.first; amount !== null; amount = errors.after(amount)) {
    if (kind == "limits" && !amount.key.startsWith(HUGE_PAGES)) continue;
    const sum = sumOf(spec, kind, amount.key);
    const own = Quantity.parse(amount.text);
    if (sum === null || own === null || sum.compare(own) <= 0) continue;
    const detail = "must be greater than or equal to aggregate container " + kind + " of " + sum.toString();
    errors.invalid(amount.keyPath(), quote(amount.text), detail);
  }
}

function validateOwnLimits(container: JsonNode, resources: JsonNode, limits: JsonNode, errors: FieldErrors): void {
  const own = objectOf(container.object("resources"), "limits");
  if (own === null) return;
  for (let limit = own.first; limit !== null; limit = errors.after(limit)) {
    const ofPod = memberOf(limits, limit.key);
    const quantity = Quantity.parse(limit.text);
    const allowed = Quantity.of(ofPod);
    if (ofPod === null || quantity === null || allowed === null || quantity.compare(allowed) <= 0) continue;
    // Upstream quirk: the containers are below the resources of the pod.
    const at = resources.path() + ".containers[" + container.index.toString() + "][" + limit.key + "].limits";
    errors.invalid(at, quote(limit.text), "must be less than or equal to pod limits of " + ofPod.text);
  }
}
