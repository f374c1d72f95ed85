/**
 * Rules for the metadata of any object (docs/spec/api.md 2.1: V1 to V10; 2.7: V67 and V68), and for labels wherever
 * they are. Source: k8s.io/apimachinery/pkg/api/validation (ValidateObjectMetaAccessor and its Update) and core's check
 * of finalizers.
 */
import { asciiLowerCase, byteLength, joined, StringSet } from "../json/text";
import { JsonNode } from "../json/tree";
import { childrenByKey } from "../json/tree-order";
import { FieldErrors } from "./field-errors";
import { behaves, PRECISE_METADATA_ERRORS } from "../model/kubernetes";
import {
  dnsLabelProblems,
  dnsSubdomainPrefixProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from "../model/name-rules";
import { quote, renderNode } from "./render";
import { validateNotNegative } from "./validate-numbers";

export const ANNOTATIONS_BYTES_MAX: i32 = 262144;
const FIELD_MANAGER_BYTES_MAX: i32 = 128;

const NOT_EMPTY = "must not be empty";
const IMMUTABLE = "field is immutable";
const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/** Checks V1 to V10. `namespace` is that of the request, which the object may leave out. */
export function validateMetadata(object: JsonNode, namespace: string, errors: FieldErrors): void {
  const metadata = object.object("metadata");
  if (metadata === null) {
    errors.required("metadata.name", "name or generateName is required");
    return;
  }
  const generateName = metadata.string("generateName");
  if (generateName.length > 0) {
    errors.invalidEach("metadata.generateName", generateName, dnsSubdomainPrefixProblems(generateName));
  }
  const name = metadata.string("name");
  if (name.length == 0) errors.required("metadata.name", "name or generateName is required");
  else errors.invalidEach("metadata.name", name, dnsSubdomainProblems(name));
  const ownNamespace = metadata.string("namespace");
  const effective = ownNamespace.length > 0 ? ownNamespace : namespace;
  if (effective.length == 0) errors.required("metadata.namespace");
  else errors.invalidEach("metadata.namespace", effective, dnsLabelProblems(effective));
  validateNotNegative(metadata, "generation", errors);
  validateLabels(metadata.object("labels"), "metadata.labels", errors);
  validateAnnotations(metadata.object("annotations"), "metadata.annotations", errors);
  validateOwners(metadata.list("ownerReferences"), errors);
  validateFinalizers(metadata.list("finalizers"), errors);
  validateManagedFields(metadata.list("managedFields"), errors);
}

/**
 * Checks V67 and V68. The request may leave out a field that the server restores (uid, times of deletion): that is no
 * change. Not checked are generation and creationTimestamp, which the server restores whatever was sent, even after a
 * mutating webhook has seen them. A missing resourceVersion is not checked either: Jobs and Pods allow unconditional
 * updates.
 */
export function validateMetadataUpdate(object: JsonNode, old: JsonNode, errors: FieldErrors): void {
  const metadata = object.object("metadata");
  const oldMetadata = old.object("metadata");
  if (metadata === null || oldMetadata === null) return;
  if (oldMetadata.has("deletionTimestamp")) validateNoNewFinalizers(metadata, oldMetadata, errors);
  validateUnchanged(metadata, oldMetadata, "name", errors);
  validateUnchanged(metadata, oldMetadata, "namespace", errors);
  validateUnchanged(metadata, oldMetadata, "uid", errors);
  validateUnchanged(metadata, oldMetadata, "deletionTimestamp", errors);
  validateUnchanged(metadata, oldMetadata, "deletionGracePeriodSeconds", errors);
  validateLabels(metadata.object("labels"), "metadata.labels", errors);
  validateAnnotations(metadata.object("annotations"), "metadata.annotations", errors);
  validateOwners(metadata.list("ownerReferences"), errors);
  validateFinalizers(metadata.list("finalizers"), errors);
  validateManagedFields(metadata.list("managedFields"), errors);
}

/** Checks V6 for a map of labels at `field`: keys are qualified names, values are label values. */
export function validateLabels(labels: JsonNode | null, field: string, errors: FieldErrors): void {
  if (labels === null) return;
  for (let label = labels.first; label !== null; label = errors.after(label)) {
    errors.invalidEach(field, label.key, qualifiedNameProblems(label.key));
    const value = label.asString();
    errors.invalidEach(field, value, labelValueProblems(value));
  }
}

/** Checks V7 for a map of annotations at `field`. */
export function validateAnnotations(annotations: JsonNode | null, field: string, errors: FieldErrors): void {
  if (annotations === null) return;
  let bytes = 0;
  for (let annotation = annotations.first; annotation !== null; annotation = errors.after(annotation)) {
    errors.invalidEach(field, annotation.key, qualifiedNameProblems(asciiLowerCase(annotation.key)));
    bytes += byteLength(annotation.key) + byteLength(annotation.asString());
  }
  if (bytes > ANNOTATIONS_BYTES_MAX) errors.tooLong(field, ANNOTATIONS_BYTES_MAX);
}

function validateUnchanged(metadata: JsonNode, old: JsonNode, key: string, errors: FieldErrors): void {
  const value = metadata.get(key);
  const oldValue = old.get(key);
  if (value === null || (oldValue !== null && oldValue.text == value.text)) return;
  errors.invalid(metadata.pathOf(key), renderNode(value), IMMUTABLE);
}

function validateOwners(owners: JsonNode | null, errors: FieldErrors): void {
  if (owners === null) return;
  const field = "metadata.ownerReferences";
  let controller = "";
  let shown = "";
  for (let owner = owners.first; owner !== null; owner = errors.after(owner)) {
    const ownField = behaves(PRECISE_METADATA_ERRORS) ? owner.path() : field;
    validateOwnerVersion(owner, ownField, errors);
    requireOfOwner(owner, "kind", ownField, errors);
    requireOfOwner(owner, "name", ownField, errors);
    requireOfOwner(owner, "uid", ownField, errors);
    const kind = owner.string("kind");
    if (owner.string("apiVersion") == "v1" && kind == "Event") {
      errors.invalid(ownField, renderNode(owner), "/v1, Kind=Event is disallowed from being an owner");
    }
    if (!owner.boolean("controller")) continue;
    const described = kind + "/" + owner.string("name");
    if (controller.length == 0) {
      controller = described;
    } else {
      const detail =
        'Only one reference can have Controller set to true. Found "true" in references for ' +
        controller +
        " and " +
        described;
      if (shown.length == 0) shown = renderNode(owners);
      errors.invalid(field, shown, detail);
    }
  }
}

function validateOwnerVersion(owner: JsonNode, ownField: string, errors: FieldErrors): void {
  const version = owner.string("apiVersion");
  const isPrecise = behaves(PRECISE_METADATA_ERRORS);
  if (isPrecise && version.length == 0) {
    requireOfOwner(owner, "apiVersion", ownField, errors);
    return;
  }
  if (version.length > 0 && !version.endsWith("/") && version.indexOf("/") == version.lastIndexOf("/")) return;
  const detail = isPrecise ? "must be <group>/<version> or <version>" : "version must not be empty";
  errors.invalid(ownField + ".apiVersion", quote(version), detail);
}

function requireOfOwner(owner: JsonNode, key: string, ownField: string, errors: FieldErrors): void {
  if (owner.string(key).length > 0) return;
  if (behaves(PRECISE_METADATA_ERRORS)) errors.required(ownField + "." + key, NOT_EMPTY);
  else errors.invalid(ownField + "." + key, quote(""), NOT_EMPTY);
}

function validateFinalizers(finalizers: JsonNode | null, errors: FieldErrors): void {
  if (finalizers === null) return;
  let orphan = false;
  let foreground = false;
  for (let finalizer = finalizers.first; finalizer !== null; finalizer = errors.after(finalizer)) {
    const name = finalizer.asString();
    errors.invalidEach("metadata.finalizers", name, qualifiedNameProblems(name));
    if (name == ORPHAN) orphan = true;
    if (name == FOREGROUND) foreground = true;
  }
  if (orphan && foreground) {
    errors.invalid(
      "metadata.finalizers",
      renderNode(finalizers),
      "finalizer orphan and foregroundDeletion cannot be both set",
    );
  }
  // A check that built-in kinds add: a finalizer has a domain, or is one of Kubernetes' own.
  for (let finalizer = finalizers.first; finalizer !== null; finalizer = errors.after(finalizer)) {
    const name = finalizer.asString();
    if (name.includes("/") || name == "kubernetes" || name == ORPHAN || name == FOREGROUND) continue;
    errors.invalid(
      finalizer.path(),
      quote(name),
      "name is neither a standard finalizer name nor is it fully qualified",
    );
  }
}

function validateNoNewFinalizers(metadata: JsonNode, old: JsonNode, errors: FieldErrors): void {
  const finalizers = metadata.list("finalizers");
  if (finalizers === null) return;
  const known = new StringSet();
  const oldFinalizers = old.list("finalizers");
  if (oldFinalizers !== null) {
    for (let finalizer = oldFinalizers.first; finalizer !== null; finalizer = errors.after(finalizer))
      known.add(finalizer.asString());
  }
  const added = JsonNode.object();
  for (let finalizer = finalizers.first; finalizer !== null; finalizer = errors.after(finalizer)) {
    const name = finalizer.asString();
    if (!known.has(name)) added.set(name, finalizer.clone());
  }
  if (added.length == 0) return;
  const nodes = childrenByKey(added);
  const names = new Array<string>();
  for (let i = 0; i < nodes.length; i++) names.push(quote(nodes[i].key));
  const detail =
    "no new finalizers can be added if the object is being deleted, found new finalizers []string{" +
    joined(names, ", ") +
    "}";
  errors.forbidden("metadata.finalizers", detail);
}

function validateManagedFields(entries: JsonNode | null, errors: FieldErrors): void {
  if (entries === null) return;
  for (let entry = entries.first; entry !== null; entry = errors.after(entry)) {
    const operation = entry.string("operation");
    if (operation != "Apply" && operation != "Update") refuseOperation(entry, operation, errors);
    const fieldsType = entry.string("fieldsType");
    if (fieldsType.length > 0 && fieldsType != "FieldsV1") {
      errors.invalid(entry.pathOf("fieldsType"), quote(fieldsType), "must be `FieldsV1`");
    }
    if (byteLength(entry.string("manager")) > FIELD_MANAGER_BYTES_MAX) {
      errors.tooLong(entry.pathOf("manager"), FIELD_MANAGER_BYTES_MAX);
    }
  }
}

function refuseOperation(entry: JsonNode, operation: string, errors: FieldErrors): void {
  const field = entry.pathOf("operation");
  if (!behaves(PRECISE_METADATA_ERRORS)) errors.invalid(field, quote(operation), "must be `Apply` or `Update`");
  else if (operation.length == 0) errors.required(field, NOT_EMPTY);
  else errors.wordNotSupported(field, operation, "Apply,Update");
}
