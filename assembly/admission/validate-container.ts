/**
 * Rules of containers and init containers (docs/spec/api.md 2.6: V47 to V56, V65). Invariant: a path is made only when
 * there is an error, because most containers have none and Pods come here by the thousand. Probes and hooks, resources,
 * and where variables get their values from are left to validate-handlers.ts, validate-resources.ts and
 * validate-references.ts. Source: pkg/apis/core/validation validateContainers, validateInitContainers,
 * validateContainerCommon.
 */
import { StringSet } from "../json/text";
import { ABSENT, JsonNode } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { behaves, POLICIES_OF_CONTAINERS_DROPPED } from "../model/kubernetes";
import { dnsLabelProblems, portNameProblems, variableNameProblems } from "../model/name-rules";
import { PodFacts } from "./pod-facts";
import { podRules } from "./pod-rules";
import { quote } from "./render";
import { forbidHandlers, validateHandlers } from "./validate-handlers";
import { validatePortNumber } from "./validate-numbers";
import { validateSourcesOfAll, validateVariableSource } from "./validate-references";
import { validateResources } from "./validate-resources";

const PULL_POLICIES = "Always,IfNotPresent,Never";
const MESSAGE_POLICIES = "File,FallbackToLogsOnError";
const PROTOCOLS = "SCTP,TCP,UDP";
const RESTART_POLICIES = "Always,Never,OnFailure";
const RESTART_ACTIONS = "Restart,RestartAllContainers";
const EXIT_CODE_OPERATORS = "In,NotIn";
const RESTART_RULES_MAX: i32 = 20;
const EXIT_CODES_MAX: i32 = 255;

/** Checks the containers of a pod spec. Returns their names. */
export function validateContainers(pod: PodFacts, errors: FieldErrors): StringSet {
  const names = new StringSet();
  const spec = pod.spec;
  const containers = spec.list("containers");
  if (containers === null || containers.length == 0) {
    errors.required(spec.pathOf("containers"));
    return names;
  }
  for (let container = containers.first; container !== null; container = errors.after(container)) {
    validateContainer(pod, container, errors);
    validateUniqueName(container, names, errors);
    validateHandlers(pod, container, errors);
    validateOwnRestartPolicy(container, false, errors);
  }
  podRules().hostPorts(containers, null, errors);
  return names;
}

/**
 * Checks the init containers. `names` are those of the containers. An init container with restartPolicy Always is a
 * sidecar and may have probes.
 */
export function validateInitContainers(pod: PodFacts, names: StringSet, errors: FieldErrors): void {
  const containers = pod.spec.list("initContainers");
  if (containers === null) return;
  for (let container = containers.first; container !== null; container = errors.after(container)) {
    validateContainer(pod, container, errors);
    validateOwnRestartPolicy(container, true, errors);
    // Upstream quirk: several init containers without a name are no duplicates of each other.
    if (container.string("name").length > 0 || names.has("")) validateUniqueName(container, names, errors);
    podRules().hostPorts(containers, container, errors);
    if (container.string("restartPolicy") == "Always") validateHandlers(pod, container, errors);
    else forbidHandlers(container, errors);
    podRules().behindInitContainer(container, errors);
  }
}

/** Checks what containers of all three kinds have in common. */
export function validateContainer(pod: PodFacts, container: JsonNode, errors: FieldErrors): void {
  const name = container.string("name");
  errors.needs(container, "name");
  if (name.length > 0) {
    const problems = dnsLabelProblems(name);
    if (problems.length > 0) errors.invalidEach(container.pathOf("name"), name, problems);
  }
  errors.needs(container, "image");
  errors.oneOf(container, "terminationMessagePolicy", MESSAGE_POLICIES);
  validatePorts(container.list("ports"), errors);
  validateVariables(container.list("env"), errors);
  validateSourcesOfAll(container.list("envFrom"), errors);
  validateMounts(pod, container, errors);
  podRules().behindMounts(pod, container, errors);
  errors.oneOf(container, "imagePullPolicy", PULL_POLICIES);
  validateResources(container.object("resources"), false, errors);
  podRules().behindResources(pod, container, errors);
}

// Checks V48. The second container without a name is a duplicate, too.
function validateUniqueName(container: JsonNode, names: StringSet, errors: FieldErrors): void {
  const name = container.string("name");
  if (!names.add(name)) errors.duplicate(container.pathOf("name"), quote(name));
}

function validatePorts(ports: JsonNode | null, errors: FieldErrors): void {
  if (ports === null) return;
  const names = new StringSet();
  for (let port = ports.first; port !== null; port = errors.after(port)) {
    const name = port.string("name");
    if (name.length > 0) {
      const problems = portNameProblems(name);
      if (problems.length > 0) errors.invalidEach(port.pathOf("name"), name, problems);
      else if (!names.add(name)) errors.duplicate(port.pathOf("name"), quote(name));
    }
    if (isUnset(port, "containerPort")) errors.required(port.pathOf("containerPort"));
    else validatePortNumber(port, "containerPort", errors);
    if (!isUnset(port, "hostPort")) validatePortNumber(port, "hostPort", errors);
    errors.oneOf(port, "protocol", PROTOCOLS);
  }
}

function isUnset(node: JsonNode, key: string): bool {
  const value = node.integer(key);
  return value == ABSENT || value == 0;
}

function validateVariables(variables: JsonNode | null, errors: FieldErrors): void {
  if (variables === null) return;
  for (let variable = variables.first; variable !== null; variable = errors.after(variable)) {
    const name = variable.string("name");
    if (name.length == 0) {
      errors.required(variable.pathOf("name"));
    } else {
      const problems = variableNameProblems(name);
      if (problems.length > 0) errors.invalidEach(variable.pathOf("name"), name, problems);
    }
    const source = variable.object("valueFrom");
    if (source !== null) validateVariableSource(variable, source, errors);
  }
}

function validateMounts(pod: PodFacts, container: JsonNode, errors: FieldErrors): void {
  const mounts = container.list("volumeMounts");
  if (mounts === null) return;
  const paths = new StringSet();
  for (let mount = mounts.first; mount !== null; mount = errors.after(mount)) {
    const name = mount.string("name");
    errors.needs(mount, "name");
    if (!pod.volumes.has(name)) errors.notFound(mount.pathOf("name"), quote(name));
    const path = mount.string("mountPath");
    errors.needs(mount, "mountPath");
    if (!paths.add(path)) errors.invalid(mount.pathOf("mountPath"), quote(path), "must be unique");
    podRules().mount(container, mount, errors);
  }
}

// Checks V56. Of an init container (`isInitial`) without a policy, upstream does not look at the rules.
function validateOwnRestartPolicy(container: JsonNode, isInitial: bool, errors: FieldErrors): void {
  const hasPolicy = container.has("restartPolicy");
  if (!behaves(POLICIES_OF_CONTAINERS_DROPPED)) {
    if (isInitial) errors.oneOfIfSet(container, "restartPolicy", "Always");
    else if (hasPolicy) errors.forbidden(container.pathOf("restartPolicy"), "may not be set for non-init containers");
    return;
  }
  if (hasPolicy) errors.oneOf(container, "restartPolicy", RESTART_POLICIES);
  const rules = container.list("restartPolicyRules");
  if (rules === null || rules.length == 0) return;
  if (!hasPolicy)
    errors.required(container.pathOf("restartPolicy"), "must specify restartPolicy when restart rules are used");
  if (!hasPolicy && isInitial) return;
  if (rules.length > RESTART_RULES_MAX) errors.tooMany(rules.path(), rules.length, RESTART_RULES_MAX);
  for (let rule = rules.first; rule !== null; rule = errors.after(rule)) {
    errors.oneOf(rule, "action", RESTART_ACTIONS);
    const exitCodes = rule.object("exitCodes");
    if (exitCodes === null) {
      errors.required(rule.pathOf("exitCodes"), "must be specified");
      continue;
    }
    errors.oneOf(exitCodes, "operator", EXIT_CODE_OPERATORS);
    const values = exitCodes.list("values");
    if (values !== null && values.length > EXIT_CODES_MAX) errors.tooMany(values.path(), values.length, EXIT_CODES_MAX);
  }
}
