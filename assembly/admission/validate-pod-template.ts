/**
 * Rules of a pod template and of a Pod's spec (docs/spec/api.md 2.6: V46 to V66): those that Jobs run into. Invariant:
 * works on a defaulted spec. Fields are named by where the spec is: a Pod's errors begin with `spec`, a template's with
 * `spec.template.spec`. What docs/spec/api.md leaves out is left out here, too: security contexts, affinity, DNS
 * configuration, host network, topology spread, claims, operating system. Source: pkg/apis/core/validation
 * ValidatePodTemplateSpec, ValidatePodSpec.
 */
import { decimal, StringSet } from "../json/text";
import { ABSENT, JsonNode } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { dnsLabelProblems, dnsSubdomainProblems, qualifiedNameProblems } from "../model/name-rules";
import { quote } from "./render";
import { validateContainers, validateInitContainers } from "./validate-container";
import { validateAnnotations, validateLabels } from "./validate-metadata";
import { validateDownwardFiles } from "./validate-references";
import { validateTolerations } from "./validate-tolerations";

const RESTART_POLICIES = "Always,OnFailure,Never";
const DNS_POLICIES = "ClusterFirstWithHostNet,ClusterFirst,Default,None";
const POD_DEADLINE_SECONDS_MAX: i64 = i32.MAX_VALUE;

/** Checks a Job's spec.template. Labels and annotations are reported without `.metadata`, as upstream does. */
export function validatePodTemplate(template: JsonNode, errors: FieldErrors): void {
  const metadata = template.object("metadata");
  if (metadata !== null) {
    validateLabels(metadata.object("labels"), template.pathOf("labels"), errors);
    validateAnnotations(metadata.object("annotations"), template.pathOf("annotations"), errors);
  }
  const spec = template.object("spec");
  if (spec === null) return;
  validatePodSpec(spec, errors);
  const ephemeral = spec.list("ephemeralContainers");
  if (ephemeral !== null && ephemeral.length > 0) {
    errors.forbidden(ephemeral.path(), "ephemeral containers not allowed in pod template");
  }
}

/** Checks the spec of a template or of a Pod. */
export function validatePodSpec(spec: JsonNode, errors: FieldErrors): void {
  const volumes = validateVolumes(spec.list("volumes"), errors);
  const names = validateContainers(spec, volumes, errors);
  validateInitContainers(spec.list("initContainers"), names, volumes, errors);
  errors.oneOf(spec, "restartPolicy", RESTART_POLICIES);
  errors.oneOf(spec, "dnsPolicy", DNS_POLICIES);
  const nodeSelector = spec.object("nodeSelector");
  if (nodeSelector !== null) validateLabels(nodeSelector, nodeSelector.path(), errors);
  validateSchedulingGates(spec.list("schedulingGates"), errors);
  validateDnsName(spec, "serviceAccountName", true, errors);
  validateDnsName(spec, "nodeName", true, errors);
  const deadlineSeconds = spec.integer("activeDeadlineSeconds");
  if (deadlineSeconds != ABSENT && (deadlineSeconds < 1 || deadlineSeconds > POD_DEADLINE_SECONDS_MAX)) {
    const detail = "must be between 1 and 2147483647, inclusive";
    errors.invalid(spec.pathOf("activeDeadlineSeconds"), decimal(deadlineSeconds), detail);
  }
  validateDnsName(spec, "hostname", false, errors);
  validateDnsName(spec, "subdomain", false, errors);
  validateTolerations(spec.list("tolerations"), errors);
  validateDnsName(spec, "priorityClassName", true, errors);
}

// Checks V65. Returns the names of the volumes, for the mounts.
function validateVolumes(volumes: JsonNode | null, errors: FieldErrors): StringSet {
  const names = new StringSet();
  if (volumes === null) return names;
  for (let volume = volumes.first; volume !== null; volume = errors.after(volume)) {
    const before = errors.length;
    const secret = volume.object("secret");
    if (secret !== null) errors.needs(secret, "secretName");
    const configMap = volume.object("configMap");
    if (configMap !== null) errors.needs(configMap, "name");
    validateDownwardFiles(volume.object("downwardAPI"), errors);
    validateProjected(volume.object("projected"), errors);
    const name = volume.string("name");
    if (name.length == 0) errors.required(volume.pathOf("name"));
    else errors.invalidEach(volume.pathOf("name"), name, dnsLabelProblems(name));
    if (names.has(name)) errors.duplicate(volume.pathOf("name"), quote(name));
    // As upstream has it, a volume with a fault cannot be mounted.
    if (errors.length == before) names.add(name);
  }
  return names;
}

function validateProjected(volume: JsonNode | null, errors: FieldErrors): void {
  if (volume === null) return;
  const sources = volume.list("sources");
  if (sources === null) return;
  for (let source = sources.first; source !== null; source = errors.after(source))
    validateDownwardFiles(source.object("downwardAPI"), errors);
}

// Checks V63.
function validateSchedulingGates(gates: JsonNode | null, errors: FieldErrors): void {
  if (gates === null) return;
  const seen = new StringSet();
  for (let gate = gates.first; gate !== null; gate = errors.after(gate)) {
    const name = gate.string("name");
    errors.invalidEach(gate.path(), name, qualifiedNameProblems(name));
    if (!seen.add(name)) errors.duplicate(gate.path(), quote(name));
  }
}

// Checks V62, and the names of other objects, which are subdomains.
function validateDnsName(spec: JsonNode, key: string, subdomain: bool, errors: FieldErrors): void {
  const name = spec.string(key);
  if (name.length == 0) return;
  errors.invalidEach(spec.pathOf(key), name, subdomain ? dnsSubdomainProblems(name) : dnsLabelProblems(name));
}
