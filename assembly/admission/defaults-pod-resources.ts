/**
 * Defaults of the resources of a whole Pod: the sum of its containers' requests, otherwise its limits. A template has
 * none of these. Source: pkg/apis/core/v1/defaults.go defaultPodRequests, defaultHugePagePodLimits.
 */
import { after, JsonNode, objectOf } from "../json/tree";
import { sumOf } from "./container-sums";
import { defaultObject } from "./default-fields";
import { HUGE_PAGES } from "./pod-facts";

/** Sets what is missing in `resources` of a Pod whose containers have their defaults. */
export function defaultPodResources(spec: JsonNode, resources: JsonNode): void {
  const asked = resources.object("requests");
  if (isNone(asked) && isNone(resources.object("limits"))) return;
  const names = JsonNode.object();
  collect(spec.list("initContainers"), "limits", names);
  collect(spec.list("containers"), "limits", names);
  for (let name = names.first; name !== null; name = after(name)) {
    const isAsked = asked !== null && asked.has(name.key);
    if (name.key.startsWith(HUGE_PAGES) && !isAsked) setSum(spec, resources, "limits", name.key);
  }
  const limits = resources.object("limits");
  if (limits === null || limits.length == 0) return;
  const requested = JsonNode.object();
  collect(spec.list("initContainers"), "requests", requested);
  collect(spec.list("containers"), "requests", requested);
  for (let name = requested.first; name !== null; name = after(name)) {
    if (name.key == "cpu" || name.key == "memory") setSum(spec, resources, "requests", name.key);
  }
  for (let limit = limits.first; limit !== null; limit = after(limit)) {
    if (limit.key != "cpu" && limit.key != "memory" && !limit.key.startsWith(HUGE_PAGES)) continue;
    const requests = defaultObject(resources, "requests");
    if (requests !== null && !requests.has(limit.key)) requests.set(limit.key, limit.clone());
  }
}

function isNone(amounts: JsonNode | null): bool {
  return amounts === null || amounts.length == 0;
}

function collect(containers: JsonNode | null, kind: string, names: JsonNode): void {
  if (containers === null) return;
  for (let container = containers.first; container !== null; container = after(container)) {
    const amounts = objectOf(container.object("resources"), kind);
    if (amounts === null) continue;
    for (let amount = amounts.first; amount !== null; amount = after(amount))
      names.set(amount.key, JsonNode.boolean(true));
  }
}

function setSum(spec: JsonNode, resources: JsonNode, kind: string, name: string): void {
  const amounts = defaultObject(resources, kind);
  const sum = sumOf(spec, kind, name);
  if (amounts !== null && sum !== null && !amounts.has(name)) amounts.set(name, JsonNode.string(sum.toString()));
}
