/**
 * Warnings: what is allowed but probably not meant (docs/spec/api.md 3.7: W1 to W3). Invariant: works on a defaulted,
 * valid object. Warnings that the server gives before admission (unknown fields, duplicate owners) are left out. Those
 * of affinity, volumes, addresses and overhead are left to pod-warnings.ts. Source: pkg/api/job/warnings.go,
 * pkg/api/pod/warnings.go.
 */
import { decimal, joined, StringSet } from "../json/text";
import { ABSENT, after, JsonNode, memberOf, objectOf, stringOf } from "../json/tree";
import { dnsLabelProblems } from "../model/name-rules";
import { numberOf, PodFacts } from "./pod-facts";
import { podRules } from "./pod-rules";
import { Quantity } from "./quantity";
import { quote } from "./render";
import { MAX_WARNINGS, Warnings } from "./warning-list";

const MANY_COMPLETIONS: i64 = 100000;
const MANY_PODS: i64 = 10000;

const SECCOMP_PREFIX = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR_PREFIX = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_ADVICE = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const APP_ARMOR_ADVICE = 'deprecated since v1.30; use the "appArmorProfile" field instead';
const SYSCTLS_ADVICE = 'non-functional in v1.11+; use the "sysctls" field instead';
const CRITICAL_ADVICE = 'non-functional in v1.16+; use the "priorityClassName" field instead';

/** Gives the warnings of a Job. W1 is only for a new Job (`created`). */
export function warnAboutJob(job: JsonNode, created: bool, warnings: Warnings): void {
  const spec = job.object("spec");
  if (created) warnAboutName(job, warnings);
  if (spec === null) return;
  if (
    spec.string("completionMode") == "Indexed" &&
    spec.integer("completions") > MANY_COMPLETIONS &&
    spec.integer("parallelism") > MANY_PODS
  ) {
    warnings.add(
      "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail",
    );
  }
  const template = spec.object("template");
  if (template !== null) warnAboutPod(template, false, warnings);
}

/**
 * Gives the warnings of a Pod (`isPod`) or of a pod template; `object` holds metadata and spec. The Pod's name is left
 * out, because the server itself warns about that.
 */
export function warnAboutPod(object: JsonNode, isPod: bool, warnings: Warnings): void {
  const spec = object.object("spec");
  if (spec === null) return;
  const pod = new PodFacts(spec, object.object("metadata"), isPod);
  const rules = podRules();
  warnAboutNodeSelector(spec.object("nodeSelector"), warnings);
  rules.nodeWarnings(pod, warnings);
  warnAboutTopology(spec.list("topologySpreadConstraints"), warnings);
  const annotations = pod.annotations;
  warnAboutAnnotation(annotations, "scheduler.alpha.kubernetes.io/critical-pod", CRITICAL_ADVICE, warnings);
  warnAboutAnnotation(annotations, "security.alpha.kubernetes.io/sysctls", SYSCTLS_ADVICE, warnings);
  warnAboutAnnotation(annotations, "security.alpha.kubernetes.io/unsafe-sysctls", SYSCTLS_ADVICE, warnings);
  rules.volumeWarnings(pod, warnings);
  warnAboutHostAliases(spec.list("hostAliases"), warnings);
  warnAboutPullSecrets(spec.list("imagePullSecrets"), warnings);
  rules.overheadWarnings(pod, warnings);
  if (securityOf(spec, "seccompProfile") === null)
    warnAboutAnnotation(annotations, "seccomp.security.alpha.kubernetes.io/pod", SECCOMP_ADVICE, warnings);
  const profiles = profileAnnotations(annotations);
  warnAboutProfiles(spec.list("initContainers"), spec, profiles, warnings);
  warnAboutProfiles(spec.list("containers"), spec, profiles, warnings);
  const ports = new Map<string, JsonNode[]>();
  const portNames = new Map<string, JsonNode>();
  const containers = pod.allContainers();
  for (let i = 0; i < containers.length; i++) warnAboutContainer(containers[i], warnings);
  for (let i = 0; i < containers.length; i++) warnAboutPorts(containers[i].list("ports"), ports, warnings);
  for (let i = 0; i < containers.length; i++) warnAboutPortNames(containers[i].list("ports"), portNames, warnings);
  const graceSeconds = spec.integer("terminationGracePeriodSeconds");
  if (graceSeconds != ABSENT && graceSeconds < 0) {
    const field = spec.pathOf("terminationGracePeriodSeconds");
    warnings.add(field + ": must be >= 0; negative values are invalid and will be treated as 1");
  }
  rules.peerWarnings(pod, warnings);
}

// Gives W1.
function warnAboutName(job: JsonNode, warnings: Warnings): void {
  const problems = dnsLabelProblems(stringOf(job.object("metadata"), "name"));
  if (problems.length == 0) return;
  const use = "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; ";
  warnings.add(use + "a DNS label is recommended: [" + joined(problems, " ") + "]");
}

function warnAboutContainer(container: JsonNode, warnings: Warnings): void {
  const resources = container.object("resources");
  if (resources !== null) {
    warnAboutFraction(resources.object("limits"), "memory", warnings);
    warnAboutFraction(resources.object("requests"), "memory", warnings);
    warnAboutFraction(resources.object("limits"), "ephemeral-storage", warnings);
    warnAboutFraction(resources.object("requests"), "ephemeral-storage", warnings);
  }
  warnAboutVariables(container.list("env"), warnings);
}

// Warns of a variable that is defined twice, unless the later definition builds on the earlier one: otherwise it hides
// that.
function warnAboutVariables(variables: JsonNode | null, warnings: Warnings): void {
  if (variables === null || variables.length < 2) return;
  const names = new StringSet();
  for (let variable = variables.first; variable !== null; variable = after(variable)) {
    const name = variable.string("name");
    const value = variable.string("value");
    const own = "$(" + name + ")";
    if (names.has(name) && (variable.has("valueFrom") || value == own || !value.includes(own))) {
      warnings.add(
        variable.path() + ": hides previous definition of " + quote(name) + ", which may be dropped when using apply",
      );
    }
    names.add(name);
  }
}

/** Warns of a fraction of a byte under that name. */
export function warnAboutFraction(amounts: JsonNode | null, name: string, warnings: Warnings): void {
  const amount = memberOf(amounts, name);
  const quantity = Quantity.of(amount);
  if (amount === null || quantity === null || quantity.isInteger) return;
  const problem = ": fractional byte value " + quote(amount.text) + " is invalid, must be an integer";
  warnings.add(amount.keyPath() + problem);
}

function warnAboutPorts(ports: JsonNode | null, seen: Map<string, JsonNode[]>, warnings: Warnings): void {
  if (ports === null) return;
  for (let port = ports.first; port !== null && !warnings.full; port = after(port)) {
    if (port.string("hostIP").length > 0 && numberOf(port, "hostPort") == 0)
      warnings.add(port.path() + ": hostIP set without hostPort: " + shownPort(port));
    const key = decimal(port.integer("containerPort")) + "/" + port.string("protocol");
    const others = seen.has(key) ? seen.get(key) : new Array<JsonNode>();
    for (let i = 0; i < others.length && !warnings.full; i++) warnAboutPair(port, others[i], warnings);
    if (others.length < MAX_WARNINGS) others.push(port);
    seen.set(key, others);
  }
}

function warnAboutPortNames(ports: JsonNode | null, names: Map<string, JsonNode>, warnings: Warnings): void {
  if (ports === null) return;
  for (let port = ports.first; port !== null && !warnings.full; port = after(port)) {
    const name = port.string("name");
    if (name.length == 0) continue;
    if (names.has(name)) {
      const other = names.get(name).path();
      const use = ", services and probes that select ports by name will use " + other;
      warnings.add(port.path() + ": duplicate port name " + quote(name) + " with " + other + use);
    } else {
      names.set(name, port);
    }
  }
}

// As Go shows the struct.
function shownPort(port: JsonNode): string {
  const numbers = " HostPort:0 ContainerPort:" + decimal(port.integer("containerPort"));
  const rest = " Protocol:" + port.string("protocol") + " HostIP:" + port.string("hostIP");
  return "{Name:" + port.string("name") + numbers + rest + "}";
}

// Warns of two ports with one number and protocol.
function warnAboutPair(port: JsonNode, other: JsonNode, warnings: Warnings): void {
  const hostPort = max<i64>(0, port.integer("hostPort"));
  const otherHostPort = max<i64>(0, other.integer("hostPort"));
  const hostIp = port.string("hostIP");
  const otherHostIp = other.string("hostIP");
  let relation = "";
  if (hostPort == otherHostPort && hostIp == otherHostIp) relation = "duplicate";
  else if (hostPort == 0 || otherHostPort == 0) relation = "overlapping";
  else if (hostPort == otherHostPort && (hostIp.length == 0) != (otherHostIp.length == 0))
    relation = "dangerously ambiguous";
  if (relation.length > 0) warnings.add(port.path() + ": " + relation + " port definition with " + other.path());
}

function warnAboutNodeSelector(nodeSelector: JsonNode | null, warnings: Warnings): void {
  if (nodeSelector === null) return;
  for (let label = nodeSelector.first; label !== null; label = after(label)) {
    const advice = nodeLabelAdvice(label.key);
    if (advice.length > 0) warnings.add(label.keyPath() + ": " + advice);
  }
}

/** What to say of a label of nodes; "" if it is a good one. */
export function nodeLabelAdvice(key: string): string {
  if (key == "beta.kubernetes.io/arch") return 'deprecated since v1.14; use "kubernetes.io/arch" instead';
  if (key == "beta.kubernetes.io/os") return 'deprecated since v1.14; use "kubernetes.io/os" instead';
  if (key == "beta.kubernetes.io/instance-type")
    return 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead';
  if (key == "failure-domain.beta.kubernetes.io/region")
    return 'deprecated since v1.17; use "topology.kubernetes.io/region" instead';
  if (key == "failure-domain.beta.kubernetes.io/zone")
    return 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead';
  if (key == "app.kubernetes.io/created-by") return "deprecated since v1.9";
  if (key == "scheduler.alpha.kubernetes.io/preferAvoidPods")
    return "deprecated since v1.22; use Taints and Tolerations instead";
  return key == "node-role.kubernetes.io/master" ? 'use "node-role.kubernetes.io/control-plane" instead' : "";
}

function warnAboutTopology(constraints: JsonNode | null, warnings: Warnings): void {
  if (constraints === null) return;
  for (let constraint = constraints.first; constraint !== null; constraint = after(constraint)) {
    const key = constraint.string("topologyKey");
    const advice = nodeLabelAdvice(key);
    if (advice.length > 0) warnings.add(constraint.pathOf("topologyKey") + ": " + key + " is " + advice);
    if (!constraint.has("labelSelector")) {
      warnings.add(constraint.pathOf("labelSelector") + ": a null labelSelector results in matching no pod");
    }
  }
}

function warnAboutAnnotation(annotations: JsonNode | null, key: string, advice: string, warnings: Warnings): void {
  const annotation = memberOf(annotations, key);
  if (annotation !== null) warnings.add(annotation.keyPath() + ": " + advice);
}

// The annotations that name a container, by their keys.
function profileAnnotations(annotations: JsonNode | null): Map<string, JsonNode> {
  const found = new Map<string, JsonNode>();
  if (annotations === null) return found;
  for (let annotation = annotations.first; annotation !== null; annotation = after(annotation)) {
    const key = annotation.key;
    if (key.startsWith(SECCOMP_PREFIX) || key.startsWith(APP_ARMOR_PREFIX)) found.set(key, annotation);
  }
  return found;
}

// Warns of such an annotation without the field that has taken its place.
function warnAboutProfiles(
  containers: JsonNode | null,
  spec: JsonNode,
  annotations: Map<string, JsonNode>,
  warnings: Warnings,
): void {
  if (containers === null || annotations.size == 0) return;
  for (let container = containers.first; container !== null; container = after(container)) {
    const name = container.string("name");
    const seccomp = SECCOMP_PREFIX + name;
    if (annotations.has(seccomp) && securityOf(container, "seccompProfile") === null) {
      warnings.add(annotations.get(seccomp).keyPath() + ": " + SECCOMP_ADVICE);
    }
    const appArmor = APP_ARMOR_PREFIX + name;
    if (!annotations.has(appArmor) || securityOf(container, "appArmorProfile") !== null) continue;
    const annotation = annotations.get(appArmor);
    if (!says(securityOf(spec, "appArmorProfile"), annotation.text))
      warnings.add(annotation.keyPath() + ": " + APP_ARMOR_ADVICE);
  }
}

function securityOf(holder: JsonNode, field: string): JsonNode | null {
  return objectOf(holder.object("securityContext"), field);
}

// Whether the AppArmor annotation says the same as the profile of the pod.
function says(profile: JsonNode | null, annotation: string): bool {
  if (profile === null) return false;
  const type = profile.string("type");
  if (type == "Localhost") return annotation == "localhost/" + profile.string("localhostProfile");
  return annotation == (type == "RuntimeDefault" ? "runtime/default" : "unconfined");
}

function warnAboutHostAliases(aliases: JsonNode | null, warnings: Warnings): void {
  if (aliases === null) return;
  const seen = new StringSet();
  for (let alias = aliases.first; alias !== null; alias = after(alias)) {
    const ip = alias.string("ip");
    if (!seen.add(ip)) warnings.add(alias.pathOf("ip") + ": duplicate ip " + quote(ip));
  }
}

function warnAboutPullSecrets(secrets: JsonNode | null, warnings: Warnings): void {
  if (secrets === null) return;
  const seen = new StringSet();
  for (let secret = secrets.first; secret !== null; secret = after(secret)) {
    const name = secret.string("name");
    if (name.length == 0) warnings.add(secret.pathOf("name") + ": invalid empty name " + quote(name));
    else if (!seen.add(name)) warnings.add(secret.pathOf("name") + ": duplicate name " + quote(name));
  }
}
