/**
 * Rules of a pod template and of a Pod's spec (docs/spec/api.md 2.6: V46 to V66), in upstream's order. Invariant: works
 * on a defaulted spec. Fields are named by where the spec is: a Pod's errors begin with `spec`, a template's with
 * `spec.template.spec`. What the whole engine checks beside these rules is called where it comes (pod-rules.ts).
 * Source: pkg/apis/core/validation ValidatePodTemplateSpec, ValidatePodSpec, ValidatePodCreate.
 */
import { decimal, StringSet } from "../json/text";
import { ABSENT, JsonNode, objectOf } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { dnsLabelProblems, dnsSubdomainProblems, qualifiedNameProblems } from "../model/name-rules";
import { PodFacts } from "./pod-facts";
import { podRules } from "./pod-rules";
import { quote } from "./render";
import { validateContainers, validateInitContainers } from "./validate-container";
import { validateAnnotations, validateLabels } from "./validate-metadata";
import { validateTolerations } from "./validate-tolerations";

const RESTART_POLICIES = "Always,OnFailure,Never";
const DNS_POLICIES = "ClusterFirstWithHostNet,ClusterFirst,Default,None";
const POD_DEADLINE_SECONDS_MAX: i64 = i32.MAX_VALUE;

/**
 * Checks a Job's spec.template. Labels and annotations are reported without `.metadata`, as upstream does. `old` is the
 * template before an update; null: there was none.
 */
export function validatePodTemplate(template: JsonNode, old: JsonNode | null, errors: FieldErrors): void {
  const metadata = template.object("metadata");
  if (metadata !== null) {
    validateLabels(metadata.object("labels"), template.pathOf("labels"), errors);
    validateAnnotations(metadata.object("annotations"), template.pathOf("annotations"), errors);
  }
  const spec = template.object("spec");
  if (spec === null) return;
  const pod = new PodFacts(spec, metadata, false, objectOf(old, "spec"));
  podRules().annotations(pod, template.pathOf("annotations"), errors);
  validatePodSpec(pod, errors);
  podRules().behindSpec(pod, true, errors);
  const ephemeral = spec.list("ephemeralContainers");
  if (ephemeral !== null && ephemeral.length > 0) {
    errors.forbidden(ephemeral.path(), "ephemeral containers not allowed in pod template");
  }
}

/** Checks the spec of a Pod, and its annotations that once were fields. `old` is the Pod before; null: it is new. */
export function validatePod(object: JsonNode, old: JsonNode | null, errors: FieldErrors): void {
  const spec = object.object("spec");
  if (spec === null) return;
  const pod = new PodFacts(spec, object.object("metadata"), true, objectOf(old, "spec"));
  podRules().annotations(pod, "metadata.annotations", errors);
  validatePodSpec(pod, errors);
  podRules().behindSpec(pod, old === null, errors);
}

function validatePodSpec(pod: PodFacts, errors: FieldErrors): void {
  const spec = pod.spec;
  const rules = podRules();
  validateVolumes(pod, errors);
  rules.behindVolumes(pod, errors);
  const names = validateContainers(pod, errors);
  validateInitContainers(pod, names, errors);
  rules.behindContainers(pod, errors);
  errors.oneOf(spec, "restartPolicy", RESTART_POLICIES);
  errors.oneOf(spec, "dnsPolicy", DNS_POLICIES);
  const nodeSelector = spec.object("nodeSelector");
  if (nodeSelector !== null) validateLabels(nodeSelector, nodeSelector.path(), errors);
  rules.behindNodeSelector(pod, errors);
  validateSchedulingGates(spec.list("schedulingGates"), errors);
  rules.behindGates(pod, errors);
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
  rules.behindTolerations(pod, errors);
  validateDnsName(spec, "priorityClassName", true, errors);
  rules.behindPriority(pod, errors);
}

// Checks V65.
function validateVolumes(pod: PodFacts, errors: FieldErrors): void {
  const volumes = pod.spec.list("volumes");
  if (volumes === null) return;
  for (let volume = volumes.first; volume !== null; volume = errors.after(volume)) {
    const before = errors.length;
    podRules().volumeSource(pod, volume, errors);
    const name = volume.string("name");
    if (name.length == 0) errors.required(volume.pathOf("name"));
    else errors.invalidEach(volume.pathOf("name"), name, dnsLabelProblems(name));
    if (pod.volumes.has(name)) errors.duplicate(volume.pathOf("name"), quote(name));
    // As upstream has it, a volume with a fault cannot be mounted.
    if (errors.length == before) pod.volumes.set(name, volume);
  }
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
