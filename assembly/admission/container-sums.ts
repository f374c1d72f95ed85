/**
 * The total of a resource over the containers of a pod: the most that is needed at once, while an init container runs
 * or afterwards. Source: k8s.io/component-helpers/resource AggregateContainerRequests, AggregateContainerLimits.
 */
import { after, JsonNode, memberOf, objectOf } from "../json/tree";
import { Quantity } from "./quantity";

/** What the containers of a spec have of a resource in all; null if none has any. `kind`: `requests` or `limits`. */
export function sumOf(spec: JsonNode, kind: string, name: string): Quantity | null {
  let running = addAll(spec.list("containers"), kind, name);
  const initial = spec.list("initContainers");
  if (initial === null) return running;
  let sidecars: Quantity | null = null;
  let most: Quantity | null = null;
  for (let container = initial.first; container !== null; container = after(container)) {
    const own = amountOf(container, kind, name);
    const isSidecar = container.string("restartPolicy") == "Always";
    if (isSidecar) {
      running = sum(running, own);
      sidecars = sum(sidecars, own);
    }
    most = larger(most, isSidecar ? sidecars : sum(own, sidecars));
  }
  return larger(running, most);
}

function addAll(containers: JsonNode | null, kind: string, name: string): Quantity | null {
  let total: Quantity | null = null;
  if (containers === null) return total;
  for (let container = containers.first; container !== null; container = after(container))
    total = sum(total, amountOf(container, kind, name));
  return total;
}

function amountOf(container: JsonNode, kind: string, name: string): Quantity | null {
  const amount = memberOf(objectOf(container.object("resources"), kind), name);
  return Quantity.of(amount);
}

function sum(a: Quantity | null, b: Quantity | null): Quantity | null {
  if (a === null) return b;
  return b === null ? a : a.plus(b);
}

function larger(a: Quantity | null, b: Quantity | null): Quantity | null {
  if (a === null) return b;
  return b === null || a.compare(b) >= 0 ? a : b;
}
