/**
 * Warnings: what is allowed but probably not meant (docs/spec/api.md 3.7: W1 to W3). Invariant: works on a defaulted,
 * valid object. Each text is given once. Warnings that the server gives before admission (unknown fields, duplicate
 * owners) are left out. So are those about affinity terms and topology keys of the old kind, volumes other than
 * gitRepo, paths that overlap, a hostIP without hostPort, overhead, and the form of addresses. Source:
 * pkg/api/job/warnings.go, pkg/api/pod/warnings.go.
 */
import { decimal, joined, StringSet } from "../json/text";
import { ABSENT, after, JsonNode, memberOf, objectOf, stringOf } from "../json/tree";
import { dnsLabelProblems } from "../model/name-rules";
import { Quantity } from "./quantity";
import { quote } from "./render";

/** The most warnings of one answer. Further ones are dropped. The API server stops at 4096 characters of text. */
export const MAX_WARNINGS: i32 = 64;

const MANY_COMPLETIONS: i64 = 100000;
const MANY_PODS: i64 = 10000;

const SECCOMP_PREFIX = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR_PREFIX = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_ADVICE = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const APP_ARMOR_ADVICE = 'deprecated since v1.30; use the "appArmorProfile" field instead';
const SYSCTLS_ADVICE = 'non-functional in v1.11+; use the "sysctls" field instead';
const CRITICAL_ADVICE = 'non-functional in v1.16+; use the "priorityClassName" field instead';

/** The warnings of one answer. */
export class Warnings {
  list: string[] = [];

  add(text: string): void {
    if (this.list.length < MAX_WARNINGS && !this.list.includes(text)) this.list.push(text);
  }

  get full(): bool {
    return this.list.length >= MAX_WARNINGS;
  }
}

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
  if (template !== null) warnAboutPod(template, warnings);
}

/**
 * Gives the warnings of a Pod or a pod template (`pod` holds metadata and spec). The Pod's name is left out, because
 * the server itself warns about that.
 */
export function warnAboutPod(pod: JsonNode, warnings: Warnings): void {
  const spec = pod.object("spec");
  if (spec === null) return;
  warnAboutNodeSelector(spec.object("nodeSelector"), warnings);
  warnAboutTopology(spec.list("topologySpreadConstraints"), warnings);
  const annotations = objectOf(pod.object("metadata"), "annotations");
  warnAboutAnnotation(annotations, "scheduler.alpha.kubernetes.io/critical-pod", CRITICAL_ADVICE, warnings);
  warnAboutAnnotation(annotations, "security.alpha.kubernetes.io/sysctls", SYSCTLS_ADVICE, warnings);
  warnAboutAnnotation(annotations, "security.alpha.kubernetes.io/unsafe-sysctls", SYSCTLS_ADVICE, warnings);
  warnAboutVolumes(spec.list("volumes"), warnings);
  warnAboutHostAliases(spec.list("hostAliases"), warnings);
  warnAboutPullSecrets(spec.list("imagePullSecrets"), warnings);
  if (securityOf(spec, "seccompProfile") === null)
    warnAboutAnnotation(annotations, "seccomp.security.alpha.kubernetes.io/pod", SECCOMP_ADVICE, warnings);
  const profiles = profileAnnotations(annotations);
  warnAboutProfiles(spec.list("initContainers"), spec, profiles, warnings);
  warnAboutProfiles(spec.list("containers"), spec, profiles, warnings);
  const graceSeconds = spec.integer("terminationGracePeriodSeconds");
  if (graceSeconds != ABSENT && graceSeconds < 0) {
    const field = spec.pathOf("terminationGracePeriodSeconds");
    warnings.add(field + ": must be >= 0; negative values are invalid and will be treated as 1");
  }
  const ports = new Map<string, JsonNode[]>();
  const portNames = new Map<string, JsonNode>();
  warnAboutContainers(spec.list("initContainers"), ports, portNames, warnings);
  warnAboutContainers(spec.list("containers"), ports, portNames, warnings);
}

// Gives W1.
function warnAboutName(job: JsonNode, warnings: Warnings): void {
  const problems = dnsLabelProblems(stringOf(job.object("metadata"), "name"));
  if (problems.length == 0) return;
  const use = "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; ";
  warnings.add(use + "a DNS label is recommended: [" + joined(problems, " ") + "]");
}

function warnAboutContainers(
  containers: JsonNode | null,
  ports: Map<string, JsonNode[]>,
  portNames: Map<string, JsonNode>,
  warnings: Warnings,
): void {
  if (containers === null) return;
  for (let container = containers.first; container !== null; container = after(container)) {
    warnAboutVariables(container.list("env"), warnings);
    const resources = container.object("resources");
    if (resources !== null) {
      warnAboutFractions(resources.object("limits"), warnings);
      warnAboutFractions(resources.object("requests"), warnings);
    }
    warnAboutPorts(container.list("ports"), ports, portNames, warnings);
  }
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

function warnAboutFractions(amounts: JsonNode | null, warnings: Warnings): void {
  if (amounts === null) return;
  for (let amount = amounts.first; amount !== null; amount = after(amount)) {
    if (amount.key != "memory" && amount.key != "ephemeral-storage") continue;
    const quantity = Quantity.parse(amount.text);
    if (quantity !== null && !quantity.isInteger) {
      warnings.add(
        amount.keyPath() + ": fractional byte value " + quote(amount.text) + " is invalid, must be an integer",
      );
    }
  }
}

function warnAboutPorts(
  ports: JsonNode | null,
  seen: Map<string, JsonNode[]>,
  names: Map<string, JsonNode>,
  warnings: Warnings,
): void {
  if (ports === null) return;
  for (let port = ports.first; port !== null && !warnings.full; port = after(port)) {
    const key = decimal(port.integer("containerPort")) + "/" + port.string("protocol");
    const others = seen.has(key) ? seen.get(key) : new Array<JsonNode>();
    for (let i = 0; i < others.length && !warnings.full; i++) warnAboutPair(port, others[i], warnings);
    if (others.length < MAX_WARNINGS) others.push(port);
    seen.set(key, others);
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

function nodeLabelAdvice(key: string): string {
  if (key == "beta.kubernetes.io/arch") return 'deprecated since v1.14; use "kubernetes.io/arch" instead';
  if (key == "beta.kubernetes.io/os") return 'deprecated since v1.14; use "kubernetes.io/os" instead';
  if (key == "beta.kubernetes.io/instance-type")
    return 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead';
  if (key == "failure-domain.beta.kubernetes.io/region")
    return 'deprecated since v1.17; use "topology.kubernetes.io/region" instead';
  return key == "failure-domain.beta.kubernetes.io/zone"
    ? 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
    : "";
}

function warnAboutTopology(constraints: JsonNode | null, warnings: Warnings): void {
  if (constraints === null) return;
  for (let constraint = constraints.first; constraint !== null; constraint = after(constraint)) {
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

function warnAboutVolumes(volumes: JsonNode | null, warnings: Warnings): void {
  if (volumes === null) return;
  for (let volume = volumes.first; volume !== null; volume = after(volume)) {
    if (volume.has("gitRepo")) {
      warnings.add(volume.pathOf("gitRepo") + ": deprecated in v1.11, and disabled by default in v1.33+");
    }
  }
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
