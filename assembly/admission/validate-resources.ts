/**
 * Rules of a container's resources (docs/spec/api.md 2.6: V54): known names, no negative amounts, no request above its
 * limit. Invariant: works on canonical quantities, as the defaults leave them. Source: pkg/apis/core/validation
 * ValidateContainerResourceRequirements.
 */
import { JsonNode, memberOf } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { qualifiedNameProblems } from "../model/name-rules";
import { Quantity } from "./quantity";
import { quote } from "./render";

const HUGE_PAGES = "hugepages-";
const QUOTA_PREFIX = "requests.";

/** Checks V54 for `resources` of a container; null if it has none. */
export function validateResources(resources: JsonNode | null, errors: FieldErrors): void {
  if (resources === null) return;
  const limits = resources.object("limits");
  const requests = resources.object("requests");
  if (limits !== null) {
    for (let limit = limits.first; limit !== null; limit = errors.after(limit)) validateAmount(limit, errors);
  }
  if (requests === null) return;
  for (let request = requests.first; request !== null; request = errors.after(request)) {
    validateAmount(request, errors);
    const limit = memberOf(limits, request.key);
    if (limit !== null) validateAgainstLimit(requests, request, limit, errors);
    else if (!mayOvercommit(request.key)) {
      errors.required(resources.pathOf("limits"), "Limit must be set for non overcommitable resources");
    }
  }
}

function validateAmount(amount: JsonNode, errors: FieldErrors): void {
  const name = amount.key;
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) errors.invalidEach(amount.keyPath(), name, problems);
  if (!name.includes("/") && !isStandard(name)) {
    if (problems.length == 0)
      errors.invalid(amount.keyPath(), quote(name), "must be a standard resource type or fully qualified");
    errors.invalid(amount.keyPath(), quote(name), "must be a standard resource for containers");
  } else if (!isNative(name) && !isExtended(name)) {
    errors.invalid(amount.keyPath(), quote(name), "doesn't follow extended resource name standard");
  }
  const quantity = Quantity.parse(amount.text);
  if (quantity === null) return;
  if (quantity.negative && !quantity.isZero) {
    errors.invalid(amount.keyPath(), quote(amount.text), "must be greater than or equal to 0");
  }
  if (!isNative(name) && !quantity.isInteger)
    errors.invalid(amount.keyPath(), quote(amount.text), "must be an integer");
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
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || name.startsWith(HUGE_PAGES);
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
