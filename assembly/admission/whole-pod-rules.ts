/**
 * The rules of a pod that only the whole engine has, at the points at which upstream checks them. Importing this file
 * installs them. Invariant: each rule has its own file; this file has only the order. Leaves out what only nodes and
 * admission plugins know, such as whether a RuntimeClass exists. Source: pkg/apis/core/validation ValidatePodSpec and
 * what it calls.
 */
import { decimal, StringSet } from "../json/text";
import { JsonNode, listOf } from "../json/tree";
import { dnsSubdomainProblems, headerNameProblems, qualifiedNameProblems } from "../model/name-rules";
import { FieldErrors } from "./field-errors";
import { warnAboutPaths } from "./path-warnings";
import { numberOf, PodFacts } from "./pod-facts";
import { choosePodRules, PodRules } from "./pod-rules";
import { warnAboutNodeAffinity, warnAboutOverhead, warnAboutPeers, warnAboutVolumeKinds } from "./pod-warnings";
import { quote, quoteWord } from "./render";
import { validateAffinity } from "./validate-affinity";
import { validatePodClaims, validateUsedClaims } from "./validate-claims";
import { validateDevices, validateFileVolumes, validateMount } from "./validate-devices";
import { validateEphemeralContainers, validateImageSpaces } from "./validate-ephemeral-containers";
import { validateDnsConfig, validateHostAliases, validateHostnameOverride } from "./validate-names";
import { validateAppArmorMatches, validatePodAnnotations, validateSeccompMatches } from "./validate-pod-annotations";
import { validatePodResources } from "./validate-pod-resources";
import { validateOverhead } from "./validate-resources";
import { validateContainerSecurity, validateHostUsers, validatePodSecurity } from "./validate-security";
import { validateSpread } from "./validate-spread";
import { validateVolumeSource } from "./validate-volumes";
import { validateHostProcess, validateOperatingSystem } from "./validate-windows";
import { Warnings } from "./warning-list";

class WholePodRules extends PodRules {
  annotations(pod: PodFacts, field: string, errors: FieldErrors): void {
    validatePodAnnotations(pod, field, errors);
  }

  volumeSource(pod: PodFacts, volume: JsonNode, errors: FieldErrors): void {
    validateVolumeSource(pod, volume, errors);
  }

  behindVolumes(pod: PodFacts, errors: FieldErrors): void {
    validatePodClaims(pod, errors);
  }

  mount(container: JsonNode, mount: JsonNode, errors: FieldErrors): void {
    validateMount(container, mount, errors);
  }

  behindMounts(pod: PodFacts, container: JsonNode, errors: FieldErrors): void {
    validateDevices(pod, container, errors);
  }

  behindResources(pod: PodFacts, container: JsonNode, errors: FieldErrors): void {
    const resources = container.object("resources");
    if (resources !== null) validateUsedClaims(pod, resources.list("claims"), errors);
    validateResizePolicies(pod, container, errors);
    validateContainerSecurity(pod, container, errors);
  }

  handler(pod: PodFacts, kind: string, action: JsonNode, errors: FieldErrors): void {
    if (kind == "httpGet") validateHeaders(action, errors);
    else if (kind == "sleep") validateSleep(pod, action, errors);
  }

  hostPorts(containers: JsonNode, initial: JsonNode | null, errors: FieldErrors): void {
    const ports = new StringSet();
    if (initial !== null) {
      // Upstream quirk: the field is that of the first container, because each is checked alone.
      validateHostPorts(initial, containers.path() + "[0]", ports, errors);
      return;
    }
    for (let container = containers.first; container !== null; container = errors.after(container))
      validateHostPorts(container, container.path(), ports, errors);
  }

  behindInitContainer(container: JsonNode, errors: FieldErrors): void {
    const policies = container.list("resizePolicy");
    if (policies === null || container.string("restartPolicy") == "Always") return;
    for (let policy = policies.first; policy !== null; policy = errors.after(policy)) {
      if (policy.string("restartPolicy") != "RestartContainer") continue;
      const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
      errors.invalid(policy.pathOf("restartPolicy"), quoteWord("RestartContainer"), detail);
    }
  }

  behindContainers(pod: PodFacts, errors: FieldErrors): void {
    validateEphemeralContainers(pod, errors);
    validatePodResources(pod, errors);
    if (pod.spec.boolean("hostNetwork")) validateHostNetworkPorts(pod, errors);
  }

  behindNodeSelector(pod: PodFacts, errors: FieldErrors): void {
    validatePodSecurity(pod, errors);
    validateAffinity(pod.spec.object("affinity"), errors);
    validateDnsConfig(pod.spec, errors);
    const gates = pod.spec.list("readinessGates");
    if (gates === null) return;
    for (let gate = gates.first; gate !== null; gate = errors.after(gate)) {
      const type = gate.string("conditionType");
      errors.invalidEach(gate.pathOf("conditionType"), type, qualifiedNameProblems(type));
    }
  }

  behindGates(pod: PodFacts, errors: FieldErrors): void {
    validateSpread(pod.spec.list("topologySpreadConstraints"), errors);
    validateHostProcess(pod, errors);
    validateHostUsers(pod, errors);
    validateHostnameOverride(pod, errors);
  }

  behindTolerations(pod: PodFacts, errors: FieldErrors): void {
    validateHostAliases(pod.spec.list("hostAliases"), errors);
  }

  behindPriority(pod: PodFacts, errors: FieldErrors): void {
    const spec = pod.spec;
    if (spec.has("runtimeClassName")) {
      const name = spec.string("runtimeClassName");
      errors.invalidEach(spec.pathOf("runtimeClassName"), name, dnsSubdomainProblems(name));
    }
    if (spec.has("preemptionPolicy")) errors.neededOneOf(spec, "preemptionPolicy", "PreemptLowerPriority,Never");
    validateOverhead(spec.object("overhead"), errors);
    validateOperatingSystem(pod, errors);
    validateFileVolumes(pod, errors);
  }

  behindSpec(pod: PodFacts, created: bool, errors: FieldErrors): void {
    if (pod.isPod) validateOfPodsAlone(pod, errors);
    if (!created) return;
    if (pod.isPod) validateOfNewPods(pod, errors);
    validateSeccompMatches(pod, errors);
    validateAppArmorMatches(pod, errors);
  }

  nodeWarnings(pod: PodFacts, warnings: Warnings): void {
    warnAboutNodeAffinity(pod, warnings);
  }

  volumeWarnings(pod: PodFacts, warnings: Warnings): void {
    warnAboutVolumeKinds(pod, warnings);
    warnAboutPaths(pod, warnings);
  }

  overheadWarnings(pod: PodFacts, warnings: Warnings): void {
    warnAboutOverhead(pod, warnings);
  }

  peerWarnings(pod: PodFacts, warnings: Warnings): void {
    warnAboutPeers(pod, warnings);
  }
}

choosePodRules(new WholePodRules());

function validateResizePolicies(pod: PodFacts, container: JsonNode, errors: FieldErrors): void {
  const policies = container.list("resizePolicy");
  if (policies === null) return;
  const field = policies.path();
  const resources = new StringSet();
  for (let policy = policies.first; policy !== null; policy = errors.after(policy)) {
    const resource = policy.string("resourceName");
    const restart = policy.string("restartPolicy");
    if (!resources.add(resource)) errors.duplicate(policy.path(), quoteWord(resource));
    if (resource.length == 0) errors.required(field);
    else errors.wordIsOneOf(field, resource, "cpu,memory");
    if (restart.length == 0) errors.required(field);
    else errors.wordIsOneOf(field, restart, "NotRequired,RestartContainer");
    if (pod.spec.string("restartPolicy") == "Never" && restart != "NotRequired") {
      const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      errors.invalid(field, quoteWord(restart), detail);
    }
  }
}

function validateHeaders(action: JsonNode, errors: FieldErrors): void {
  const headers = action.list("httpHeaders");
  if (headers === null) return;
  for (let header = headers.first; header !== null; header = errors.after(header)) {
    const name = header.string("name");
    errors.invalidEach(headers.path(), name, headerNameProblems(name));
  }
}

function validateSleep(pod: PodFacts, sleep: JsonNode, errors: FieldErrors): void {
  const seconds = numberOf(sleep, "seconds");
  const graceSeconds = pod.spec.integer("terminationGracePeriodSeconds");
  if (seconds >= 0 && seconds <= graceSeconds) return;
  const detail = "must be non-negative and less than terminationGracePeriodSeconds (" + decimal(graceSeconds) + ")";
  errors.invalid(sleep.path(), decimal(seconds), detail);
}

function validateHostPorts(container: JsonNode, at: string, taken: StringSet, errors: FieldErrors): void {
  const ports = container.list("ports");
  if (ports === null) return;
  for (let port = ports.first; port !== null; port = errors.after(port)) {
    const number = numberOf(port, "hostPort");
    if (number == 0) continue;
    const key = port.string("protocol") + "/" + port.string("hostIP") + "/" + decimal(number);
    if (!taken.add(key)) errors.duplicate(at + ".ports[" + decimal(port.index) + "].hostPort", quote(key));
  }
}

// A template may leave out the port of the host: the pod gets it then.
function validateHostNetworkPorts(pod: PodFacts, errors: FieldErrors): void {
  const containers = pod.spec.list("containers");
  if (containers === null) return;
  for (let container = containers.first; container !== null; container = errors.after(container)) {
    const ports = container.list("ports");
    if (ports === null) continue;
    for (let port = ports.first; port !== null; port = errors.after(port)) {
      const hostPort = numberOf(port, "hostPort");
      if (hostPort == numberOf(port, "containerPort") || (hostPort == 0 && !pod.isPod)) continue;
      const detail = "must match `containerPort` when `hostNetwork` is true";
      errors.invalid(port.pathOf("hostPort"), decimal(hostPort), detail);
    }
  }
}

function validateOfPodsAlone(pod: PodFacts, errors: FieldErrors): void {
  const volumes = pod.spec.list("volumes");
  if (volumes !== null && pod.spec.string("serviceAccountName").length == 0) {
    for (let volume = volumes.first; volume !== null; volume = errors.after(volume)) forbidTokens(volume, errors);
  }
  validateImages(pod.spec.list("containers"), errors);
  validateImages(pod.spec.list("initContainers"), errors);
}

function forbidTokens(volume: JsonNode, errors: FieldErrors): void {
  const projected = volume.object("projected");
  const sources = listOf(projected, "sources");
  if (sources === null) return;
  for (let source = sources.first; source !== null; source = errors.after(source)) {
    const token = source.object("serviceAccountToken");
    if (token !== null) errors.forbidden(token.path(), "must not be specified when serviceAccountName is not set");
  }
}

function validateImages(containers: JsonNode | null, errors: FieldErrors): void {
  if (containers === null) return;
  for (let container = containers.first; container !== null; container = errors.after(container))
    validateImageSpaces(container, errors);
}

function validateOfNewPods(pod: PodFacts, errors: FieldErrors): void {
  const spec = pod.spec;
  const ephemeral = spec.list("ephemeralContainers");
  if (ephemeral !== null && ephemeral.length > 0) errors.forbidden(ephemeral.path(), "cannot be set on create");
  const gates = spec.list("schedulingGates");
  if (gates !== null && gates.length > 0 && spec.string("nodeName").length > 0)
    errors.forbidden(spec.pathOf("nodeName"), "cannot be set until all schedulingGates have been cleared");
}
