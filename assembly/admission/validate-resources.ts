/**
 * Rules of the resources of a container or of a whole pod (docs/spec/api.md 2.6: V54): known names, no negative
 * amounts, no request above its limit. Invariant: works on canonical quantities, as the defaults leave them. Claims are
 * left to validate-claims.ts. Source: pkg/apis/core/validation validateResourceRequirements.
 */
import { isListed } from "../json/text";
import { after, JsonNode, memberOf } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { qualifiedNameProblems } from "../model/name-rules";
import { HUGE_PAGES } from "./pod-facts";
import { Quantity } from "./quantity";
import { quote, quoteWord } from "./render";

const QUOTA_PREFIX = "requests.";
const COMPUTE = "cpu,memory";
const OF_CONTAINERS = "cpu,ephemeral-storage,memory";
const OF_PODS = "cpu,hugepages-,memory";
/** Resources that only quotas have: what is counted, and what is measured. */
const COUNTED =
  "pods,resourcequotas,services,replicationcontrollers,secrets,configmaps,persistentvolumeclaims,services.nodeports,services.loadbalancers";
const OF_QUOTAS =
  "requests.cpu,requests.memory,requests.ephemeral-storage,limits.cpu,limits.memory,limits.ephemeral-storage,storage,requests.storage";

/** Checks V54 for `resources` of a container, or of a whole pod (`ofPod`); null if it has none. */
export function validateResources(resources: JsonNode | null, ofPod: bool, errors: FieldErrors): void {
  if (resources === null) return;
  const limits = resources.object("limits");
  const requests = resources.object("requests");
  if (limits !== null) {
    for (let limit = limits.first; limit !== null; limit = errors.after(limit)) {
      validateAmount(limit, limit.keyPath(), ofPod, errors);
      validatePages(limit, limit.keyPath(), errors);
    }
  }
  if (requests !== null) {
    for (let request = requests.first; request !== null; request = errors.after(request)) {
      validateAmount(request, request.keyPath(), ofPod, errors);
      const limit = memberOf(limits, request.key);
      if (limit !== null) validateAgainstLimit(requests, request, limit, errors);
      else if (!mayOvercommit(request.key)) {
        errors.required(resources.pathOf("limits"), "Limit must be set for non overcommitable resources");
      }
      validatePages(request, request.keyPath(), errors);
    }
  }
  const hasPages = hasHugePages(limits) || hasHugePages(requests);
  if (hasPages && !hasCompute(limits) && !hasCompute(requests))
    errors.forbidden(resources.path(), "HugePages require cpu or memory");
}

/** Checks `overhead` of a pod spec, as if these were the limits of a container. Null if it has none. */
export function validateOverhead(overhead: JsonNode | null, errors: FieldErrors): void {
  if (overhead === null) return;
  for (let amount = overhead.first; amount !== null; amount = errors.after(amount)) {
    const field = overhead.path() + ".limits[" + amount.key + "]";
    validateAmount(amount, field, false, errors);
    validatePages(amount, field, errors);
  }
  if (hasHugePages(overhead) && !hasCompute(overhead))
    errors.forbidden(overhead.path(), "HugePages require cpu or memory");
}

function hasHugePages(amounts: JsonNode | null): bool {
  if (amounts === null) return false;
  for (let amount = amounts.first; amount !== null; amount = after(amount)) {
    if (amount.key.startsWith(HUGE_PAGES)) return true;
  }
  return false;
}

function hasCompute(amounts: JsonNode | null): bool {
  return amounts !== null && (amounts.find("cpu") !== null || amounts.find("memory") !== null);
}

// Huge pages come in whole ones.
function validatePages(amount: JsonNode, field: string, errors: FieldErrors): void {
  if (!amount.key.startsWith(HUGE_PAGES)) return;
  const size = Quantity.parse(amount.key.substring(HUGE_PAGES.length));
  const quantity = Quantity.parse(amount.text);
  if (quantity === null || (size !== null && quantity.isMultipleOf(size))) return;
  const detail = amount.text + " is not positive integer multiple of " + amount.key;
  errors.invalid(field, quote(amount.text), detail);
}

function validateName(name: string, field: string, ofPod: bool, errors: FieldErrors): void {
  const problems = qualifiedNameProblems(name);
  for (let i = 0; i < problems.length; i++) errors.invalid(field, quoteWord(name), problems[i]);
  const isKnown = name.includes("/") || isStandard(name);
  if (problems.length == 0 && !isKnown)
    errors.invalid(field, quoteWord(name), "must be a standard resource type or fully qualified");
  if (ofPod) {
    if (problems.length == 0 && isKnown && !isForContainers(name, COMPUTE))
      errors.wordNotSupported(field, name, OF_PODS);
  } else if (!name.includes("/")) {
    if (!isForContainers(name, OF_CONTAINERS))
      errors.invalid(field, quoteWord(name), "must be a standard resource for containers");
  } else if (!isNative(name) && !isExtended(name)) {
    errors.invalid(field, quoteWord(name), "doesn't follow extended resource name standard");
  }
}

function validateAmount(amount: JsonNode, field: string, ofPod: bool, errors: FieldErrors): void {
  const name = amount.key;
  validateName(name, field, ofPod, errors);
  const quantity = Quantity.parse(amount.text);
  if (quantity === null) return;
  if (quantity.negative && !quantity.isZero) {
    errors.invalid(field, quote(amount.text), "must be greater than or equal to 0");
  }
  if (!quantity.isInteger && (isListed(name, COUNTED) || (!isNative(name) && isExtended(name))))
    errors.invalid(field, quote(amount.text), "must be an integer");
}

function validateAgainstLimit(requests: JsonNode, request: JsonNode, limit: JsonNode, errors: FieldErrors): void {
  const asked = Quantity.parse(request.text);
  const allowed = Quantity.parse(limit.text);
  if (asked === null || allowed === null) return;
  const order = asked.compare(allowed);
  const relation = !mayOvercommit(request.key) && order != 0 ? "equal to " : order > 0 ? "less than or equal to " : "";
  if (relation.length == 0) return;
  errors.invalid(requests.path(), quote(request.text), "must be " + relation + request.key + " limit of " + limit.text);
}

function isStandard(name: string): bool {
  return (
    isForContainers(name, OF_CONTAINERS) ||
    isListed(name, COUNTED) ||
    isListed(name, OF_QUOTAS) ||
    name.startsWith("requests." + HUGE_PAGES)
  );
}

function isForContainers(name: string, list: string): bool {
  return isListed(name, list) || name.startsWith(HUGE_PAGES);
}

// Whether the resource is Kubernetes' own: its name has no domain, or Kubernetes' domain.
function isNative(name: string): bool {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

// Whether the name is that of an extended resource. With the prefix that quotas put before it, it must be a name, too.
function isExtended(name: string): bool {
  return !name.startsWith(QUOTA_PREFIX) && qualifiedNameProblems(QUOTA_PREFIX + name).length == 0;
}

function mayOvercommit(name: string): bool {
  return isNative(name) && !name.startsWith(HUGE_PAGES);
}
