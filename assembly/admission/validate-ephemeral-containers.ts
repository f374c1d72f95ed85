/**
 * Rules of ephemeral containers: those that all containers have in common, and what they may not have. Source:
 * pkg/apis/core/validation validateEphemeralContainers.
 */
import { isListed, StringSet, wordsOf } from "../json/text";
import { after, ARRAY, JsonNode, OBJECT } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { PodFacts } from "./pod-facts";
import { quote } from "./render";
import { validateContainer } from "./validate-container";

/** What they may not have, in the order of Go's struct. */
const NOT_SETTABLE =
  "ports,resources,resizePolicy,restartPolicy,restartPolicyRules,livenessProbe,readinessProbe,startupProbe,lifecycle";
/** Of these an empty one counts as none; an empty list of the others does not. */
const STRUCTS = "resources";
const NOT_ALLOWED = "cannot be set for an Ephemeral Container";

/** Checks `ephemeralContainers` of a pod spec. */
export function validateEphemeralContainers(pod: PodFacts, errors: FieldErrors): void {
  const containers = pod.spec.list("ephemeralContainers");
  if (containers === null) return;
  const others = new StringSet();
  addNames(pod.spec.list("containers"), others);
  addNames(pod.spec.list("initContainers"), others);
  const names = new StringSet();
  for (let container = containers.first; container !== null; container = errors.after(container)) {
    validateContainer(pod, container, errors);
    validateImageSpaces(container, errors);
    const name = container.string("name");
    if (others.has(name) || !names.add(name)) errors.duplicate(container.pathOf("name"), quote(name));
    const target = container.string("targetContainerName");
    if (target.length > 0 && !others.has(target))
      errors.notFound(container.pathOf("targetContainerName"), quote(target));
    const keys = wordsOf(NOT_SETTABLE);
    for (let i = 0; i < keys.length; i++) {
      if (isSet(container.get(keys[i]))) errors.forbidden(container.pathOf(keys[i]), NOT_ALLOWED);
    }
    validateSubPaths(container.list("volumeMounts"), errors);
  }
}

function addNames(containers: JsonNode | null, names: StringSet): void {
  if (containers === null) return;
  for (let container = containers.first; container !== null; container = after(container))
    names.add(container.string("name"));
}

// Resources are there from their default on, with nothing in them.
function isSet(value: JsonNode | null): bool {
  if (value === null) return false;
  return !isListed(value.key, STRUCTS) || value.length > 0 || (value.kind != OBJECT && value.kind != ARRAY);
}

function validateSubPaths(mounts: JsonNode | null, errors: FieldErrors): void {
  if (mounts === null) return;
  for (let mount = mounts.first; mount !== null; mount = errors.after(mount)) {
    if (mount.string("subPath").length > 0) errors.forbidden(mount.pathOf("subPath"), NOT_ALLOWED);
    if (mount.string("subPathExpr").length > 0) errors.forbidden(mount.pathOf("subPathExpr"), NOT_ALLOWED);
  }
}

/** Checks the image of a container of a Pod. A template may have spaces round it. */
export function validateImageSpaces(container: JsonNode, errors: FieldErrors): void {
  const image = container.string("image");
  if (image.trim() != image)
    errors.invalid(container.pathOf("image"), quote(image), "must not have leading or trailing whitespace");
}
