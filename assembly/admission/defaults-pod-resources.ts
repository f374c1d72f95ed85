/**
 * Defaults of the resources of a whole Pod: requests are the sum of its containers' requests, otherwise its limits;
 * limits, since 1.37, are the sum of the limits where every container has one. A template has none of these. Source:
 * pkg/apis/core/v1/defaults.go defaultPodRequests, defaultHugePagePodLimits; pkg/api/pod DefaultPodLevelResources.
 */
import { after, JsonNode, objectOf } from "../json/tree";
import { sumOf } from "./container-sums";
import { defaultObject } from "./default-fields";
import { behaves, DEFAULTS_OF_WHOLE_PODS } from "../model/kubernetes";
import { HUGE_PAGES, PodFacts } from "./pod-facts";
import { Quantity } from "./quantity";

/** Sets what is missing in `resources` of a Pod whose containers have their defaults. */
export function defaultPodResources(spec: JsonNode): void {
  const resources = spec.object("resources");
  if (resources === null) return;
  const asked = resources.object("requests");
  if (isNone(asked) && isNone(resources.object("limits"))) return;
  defaultHugePageLimits(spec, resources, asked);
  defaultRequests(spec, resources);
  if (behaves(DEFAULTS_OF_WHOLE_PODS)) defaultLimits(spec, resources);
}

function defaultHugePageLimits(spec: JsonNode, resources: JsonNode, asked: JsonNode | null): void {
  const names = JsonNode.object();
  collect(spec.list("initContainers"), "limits", names);
  collect(spec.list("containers"), "limits", names);
  for (let name = names.first; name !== null; name = after(name)) {
    const isAsked = asked !== null && asked.has(name.key);
    if (name.key.startsWith(HUGE_PAGES) && !isAsked) setSum(spec, resources, "limits", name.key);
  }
}

function defaultRequests(spec: JsonNode, resources: JsonNode): void {
  const limits = resources.object("limits");
  if (isNone(limits) && !behaves(DEFAULTS_OF_WHOLE_PODS)) return;
  const requested = JsonNode.object();
  collect(spec.list("initContainers"), "requests", requested);
  collect(spec.list("containers"), "requests", requested);
  for (let name = requested.first; name !== null; name = after(name)) {
    if (name.key == "cpu" || name.key == "memory") setSum(spec, resources, "requests", name.key);
  }
  if (limits === null) return;
  for (let limit = limits.first; limit !== null; limit = after(limit)) {
    if (!isOfPods(limit.key)) continue;
    const requests = defaultObject(resources, "requests");
    if (requests !== null && !requests.has(limit.key)) requests.set(limit.key, limit.clone());
  }
}

// A limit is at least the request, so that the Pod stays valid.
function defaultLimits(spec: JsonNode, resources: JsonNode): void {
  const requests = resources.object("requests");
  if (requests === null) return;
  for (let request = requests.first; request !== null; request = after(request)) {
    const limits = resources.object("limits");
    if (!isOfPods(request.key) || (limits !== null && limits.has(request.key))) continue;
    const sum = sumOf(spec, "limits", request.key);
    const asked = Quantity.of(request);
    if (sum === null || asked === null || !everyContainerLimits(spec, request.key)) continue;
    const limit = asked.compare(sum) > 0 ? asked : sum;
    const made = defaultObject(resources, "limits");
    if (made !== null) made.set(request.key, JsonNode.string(limit.toString()));
  }
}

function everyContainerLimits(spec: JsonNode, name: string): bool {
  const containers = new PodFacts(spec, null, true).allContainers();
  for (let i = 0; i < containers.length; i++) {
    const limits = objectOf(containers[i].object("resources"), "limits");
    if (limits === null || !limits.has(name)) return false;
  }
  return true;
}

function isOfPods(name: string): bool {
  return name == "cpu" || name == "memory" || name.startsWith(HUGE_PAGES);
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
