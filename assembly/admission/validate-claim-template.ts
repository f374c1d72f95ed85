/**
 * Rules of the template of an ephemeral volume's claim. Source: pkg/apis/core/validation
 * ValidatePersistentVolumeClaimTemplate, ValidatePersistentVolumeClaimSpec.
 */
import { isListed, wordsOf } from "../json/text";
import { JsonNode, listOf, memberOf, NUMBER, objectOf } from "../json/tree";
import { dnsLabelProblems, dnsSubdomainProblems } from "../model/name-rules";
import { FieldErrors } from "./field-errors";
import { Quantity } from "./quantity";
import { quote } from "./render";
import { validateSelectorSyntax } from "./selector";
import { validateAnnotations, validateLabels } from "./validate-metadata";

/** What metadata may not say here, as the API calls it, in the order of Go's struct. */
const NOT_SETTABLE =
  "name,generateName,namespace,selfLink,uid,resourceVersion,generation,creationTimestamp,deletionTimestamp,deletionGracePeriodSeconds,ownerReferences,finalizers,managedFields";
const MODES = "ReadOnlyMany,ReadWriteMany,ReadWriteOnce,ReadWriteOncePod";
const ALONE = "ReadWriteOncePod";
const CLAIM = "PersistentVolumeClaim";

/** Checks `volumeClaimTemplate`. */
export function validateClaimTemplate(template: JsonNode, errors: FieldErrors): void {
  const metadata = template.object("metadata");
  if (metadata !== null) {
    validateAnnotations(metadata.object("annotations"), metadata.pathOf("annotations"), errors);
    validateLabels(metadata.object("labels"), metadata.pathOf("labels"), errors);
    const keys = wordsOf(NOT_SETTABLE);
    for (let i = 0; i < keys.length; i++) {
      if (isSet(metadata.get(keys[i])))
        errors.forbidden(metadata.pathOf(keys[i] == "uid" ? "uID" : keys[i]), "cannot be set");
    }
  }
  const spec = template.object("spec");
  const at = template.pathOf("spec");
  validateModes(spec, at, errors);
  validateSize(spec, at, errors);
  if (spec === null) return;
  validateClassName(spec, "storageClassName", errors);
  errors.oneOfIfSet(spec, "volumeMode", "Block,Filesystem");
  validateDataSources(spec, errors);
  validateClassName(spec, "volumeAttributesClassName", errors);
}

// An empty string and the number 0 are not set; an empty list is.
function isSet(value: JsonNode | null): bool {
  if (value === null) return false;
  if (value.kind == NUMBER) return value.text != "0" || value.key == "deletionGracePeriodSeconds";
  return value.text.length > 0 || value.kind > NUMBER + 1;
}

function validateModes(spec: JsonNode | null, at: string, errors: FieldErrors): void {
  const modes = listOf(spec, "accessModes");
  const field = at + ".accessModes";
  if (modes === null || modes.length == 0) errors.required(field, "at least 1 access mode is required");
  const selector = objectOf(spec, "selector");
  if (selector !== null) validateSelectorSyntax(selector, errors);
  if (modes === null) return;
  let alone = false;
  let shared = false;
  for (let mode = modes.first; mode !== null; mode = errors.after(mode)) {
    const word = mode.asString();
    errors.wordIsOneOf(field, word, MODES);
    if (word == ALONE) alone = true;
    else if (isListed(word, MODES)) shared = true;
  }
  if (alone && shared) errors.forbidden(field, "may not use ReadWriteOncePod with other access modes");
}

function validateSize(spec: JsonNode | null, at: string, errors: FieldErrors): void {
  const field = at + ".resources[storage]";
  const size = memberOf(objectOf(objectOf(spec, "resources"), "requests"), "storage");
  if (size === null) {
    errors.required(field);
    return;
  }
  const quantity = Quantity.parse(size.text);
  if (quantity !== null && (quantity.negative || quantity.isZero))
    errors.invalid(field, quote(size.text), "must be greater than zero");
}

function validateClassName(spec: JsonNode, key: string, errors: FieldErrors): void {
  const name = spec.string(key);
  if (name.length > 0) errors.invalidEach(spec.pathOf(key), name, dnsSubdomainProblems(name));
}

function validateDataSources(spec: JsonNode, errors: FieldErrors): void {
  const source = spec.object("dataSource");
  const ref = spec.object("dataSourceRef");
  validateDataSource(source, errors);
  validateDataSource(ref, errors);
  if (ref === null) return;
  const namespace = ref.string("namespace");
  if (namespace.length > 0) errors.invalidEach(ref.pathOf("namespace"), namespace, dnsLabelProblems(namespace));
  if (source === null) return;
  // Upstream quirk: the value is the path of a field, of which nothing can be shown.
  if (namespace.length > 0)
    errors.invalid(spec.path(), "{}", "may not be specified when dataSourceRef.namespace is specified");
  else if (!isSame(source, ref)) errors.invalid(spec.path(), "{}", "must match dataSourceRef");
}

function isSame(source: JsonNode, ref: JsonNode): bool {
  return (
    source.has("apiGroup") == ref.has("apiGroup") &&
    source.string("apiGroup") == ref.string("apiGroup") &&
    source.string("kind") == ref.string("kind") &&
    source.string("name") == ref.string("name")
  );
}

function validateDataSource(source: JsonNode | null, errors: FieldErrors): void {
  if (source === null) return;
  errors.needsAll(source, "name,kind");
  const group = source.string("apiGroup");
  const kind = source.string("kind");
  if (group.length > 0) errors.invalidEach(source.pathOf("apiGroup"), group, dnsSubdomainProblems(group));
  else if (kind != CLAIM) {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.invalid(source.path(), quote(kind), detail);
  }
}
