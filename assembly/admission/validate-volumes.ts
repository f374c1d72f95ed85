/**
 * Rules of what a volume gets its files from: one source, and what that source needs. Leaves out projected volumes and
 * templates of claims, which have separate files. Invariant: a volume with one source, as nearly all have, is visited
 * once. Source: pkg/apis/core/validation validateVolumeSource.
 */
import { asciiLowerCase, byteLength, decimal, isListed, wordsOf } from "../json/text";
import { ABSENT, after, JsonNode, listOf } from "../json/tree";
import { dnsLabelProblems, dnsSubdomainProblems } from "../model/name-rules";
import { behaves, IMAGE_VOLUMES_WITHOUT_REFERENCE } from "../model/kubernetes";
import { FieldErrors } from "./field-errors";
import { isEmpty, numberOf, PodFacts } from "./pod-facts";
import { Quantity } from "./quantity";
import { quote, renderNode } from "./render";
import { validateClaimTemplate } from "./validate-claim-template";
import { validateIscsi } from "./validate-iscsi";
import { validateProjected } from "./validate-projected";
import {
  validateDownwardFiles,
  validateInnerPath,
  validateKeyToPath,
  validateMode,
  validateNoBacksteps,
} from "./validate-references";

/** In the order in which upstream looks for them: the first one counts. */
const SOURCES =
  "emptyDir,hostPath,gitRepo,gcePersistentDisk,awsElasticBlockStore,secret,nfs,iscsi,glusterfs,flocker,persistentVolumeClaim,rbd,cinder,cephfs,quobyte,downwardAPI,fc,flexVolume,configMap,azureFile,vsphereVolume,photonPersistentDisk,portworxVolume,azureDisk,storageos,projected,scaleIO,csi,ephemeral,image";
const HOST_PATH_TYPES = ",BlockDevice,CharDevice,Directory,DirectoryOrCreate,File,FileOrCreate,Socket";
const DISK_URI = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const BLOB_URI = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
const REGISTRY = "must be a host:port pair or multiple pairs separated by commas";
const TENANT_BYTES_MAX: i32 = 64;
const DRIVER_BYTES_MAX: i32 = 63;
const BYTE_MAX: i64 = 255;

/** Checks where a volume gets its files from. */
export function validateVolumeSource(pod: PodFacts, volume: JsonNode, errors: FieldErrors): void {
  let sources = 0;
  let kind = "";
  for (let member = volume.first; member !== null; member = after(member)) {
    if (!volume.has(member.key) || !isListed(member.key, SOURCES)) continue;
    sources++;
    kind = member.key;
  }
  if (sources == 1) validateSource(pod, volume, kind, errors);
  else if (sources > 1) validateSeveral(pod, volume, errors);
}

function validateSeveral(pod: PodFacts, volume: JsonNode, errors: FieldErrors): void {
  const kinds = wordsOf(SOURCES);
  let sources = 0;
  for (let i = 0; i < kinds.length; i++) {
    if (!volume.has(kinds[i])) continue;
    if (sources++ == 0) {
      validateSource(pod, volume, kinds[i], errors);
      continue;
    }
    // Upstream quirk: two fields are misspelled.
    const field = kinds[i] == "cephfs" ? "cephFS" : kinds[i] == "downwardAPI" ? "downwarAPI" : kinds[i];
    errors.forbidden(volume.pathOf(field), "may not specify more than 1 volume type");
  }
}

function validateSource(pod: PodFacts, volume: JsonNode, kind: string, errors: FieldErrors): void {
  const source = volume.object(kind);
  if (source === null) return;
  if (kind == "emptyDir") validateEmptyDir(source, errors);
  else if (kind == "configMap") validateFiles(source, "name", errors);
  else if (kind == "secret") validateFiles(source, "secretName", errors);
  else if (kind == "projected") validateProjected(source, errors);
  else if (kind == "persistentVolumeClaim") validateClaim(pod, source, errors);
  else if (kind == "downwardAPI") validateDownwardFiles(source, errors);
  else if (kind == "hostPath") validateHostPath(source, errors);
  else if (kind == "ephemeral") validateEphemeral(pod, volume, source, errors);
  else if (kind == "csi") validateCsi(source, errors);
  else if (kind == "image") validateImage(pod, source, errors);
  else if (kind == "nfs") validateNfs(source, errors);
  else if (kind == "iscsi") validateIscsi(volume, source, errors);
  else validateOldSource(volume, kind, source, errors);
}

// Kinds of which most are no longer supported.
function validateOldSource(volume: JsonNode, kind: string, source: JsonNode, errors: FieldErrors): void {
  if (kind == "gitRepo") {
    errors.needs(source, "repository");
    validateInnerPath(source.string("directory"), source.pathOf("directory"), errors);
  } else if (kind == "gcePersistentDisk") {
    // Upstream quirk: the field is called otherwise.
    validateDisk(source, "pdName", volume.pathOf("persistentDisk"), errors);
  } else if (kind == "awsElasticBlockStore") {
    validateDisk(source, "volumeID", source.path(), errors);
  } else if (kind == "glusterfs") {
    errors.needsAll(source, "endpoints,path");
  } else if (kind == "flocker") {
    validateFlocker(source, errors);
  } else if (kind == "rbd") {
    errors.needsAll(source, "monitors,image");
  } else if (kind == "cinder") {
    errors.needs(source, "volumeID");
    validateSecretRef(source, "secretRef", errors);
  } else if (kind == "cephfs") {
    errors.needsAll(source, "monitors");
  } else if (kind == "quobyte") {
    validateQuobyte(source, errors);
  } else if (kind == "fc") {
    validateFibreChannel(source, errors);
  } else if (kind == "flexVolume") {
    validateFlex(source, errors);
  } else if (kind == "azureFile") {
    errors.needsAll(source, "secretName,shareName");
  } else if (kind == "vsphereVolume") {
    errors.needs(source, "volumePath");
  } else if (kind == "photonPersistentDisk") {
    errors.needs(source, "pdID");
  } else if (kind == "portworxVolume") {
    errors.needs(source, "volumeID");
  } else if (kind == "azureDisk") {
    validateAzureDisk(source, errors);
  } else if (kind == "storageos") {
    validateStorageOs(source, errors);
  } else if (kind == "scaleIO") {
    errors.needsAll(source, "gateway,system,volumeName");
  }
}

function validateEmptyDir(source: JsonNode, errors: FieldErrors): void {
  const size = source.get("sizeLimit");
  const quantity = Quantity.of(size);
  if (quantity !== null && quantity.negative && !quantity.isZero)
    errors.forbidden(source.pathOf("sizeLimit"), "SizeLimit field must be a valid resource quantity");
}

function validateFiles(source: JsonNode, name: string, errors: FieldErrors): void {
  errors.needs(source, name);
  validateMode(source, "defaultMode", source.pathOf("defaultMode"), errors);
  const items = source.list("items");
  if (items === null) return;
  for (let item = items.first; item !== null; item = errors.after(item)) validateKeyToPath(item, errors);
}

function validateClaim(pod: PodFacts, source: JsonNode, errors: FieldErrors): void {
  errors.needs(source, "claimName");
  const claim = source.string("claimName");
  const volumes = pod.spec.list("volumes");
  if (pod.name.length == 0 || volumes === null) return;
  for (let volume = volumes.first; volume !== null; volume = after(volume)) {
    if (!volume.has("ephemeral") || pod.name + "-" + volume.string("name") != claim) continue;
    const detail = "must not reference a PVC that gets created for an ephemeral volume";
    errors.invalid(source.pathOf("claimName"), quote(claim), detail);
    return;
  }
}

function validateHostPath(source: JsonNode, errors: FieldErrors): void {
  const path = source.string("path");
  if (path.length == 0) {
    errors.required(source.pathOf("path"));
    return;
  }
  validateNoBacksteps(path, source.pathOf("path"), errors);
  const type = source.string("type");
  if (type.length > 0) errors.wordIsOneOf(source.pathOf("type"), type, HOST_PATH_TYPES);
}

function validateEphemeral(pod: PodFacts, volume: JsonNode, source: JsonNode, errors: FieldErrors): void {
  const template = source.object("volumeClaimTemplate");
  if (template === null) errors.required(source.pathOf("volumeClaimTemplate"));
  else validateClaimTemplate(template, errors);
  const name = volume.string("name");
  if (pod.name.length == 0 || name.length == 0) return;
  const claim = pod.name + "-" + name;
  const problems = dnsSubdomainProblems(claim);
  for (let i = 0; i < problems.length; i++)
    errors.invalid(volume.pathOf("name"), quote(name), "PVC name " + quote(claim) + ": " + problems[i]);
}

function validateCsi(source: JsonNode, errors: FieldErrors): void {
  const driver = source.string("driver");
  const field = source.pathOf("driver");
  if (driver.length == 0) {
    errors.required(field);
  } else {
    if (byteLength(driver) > DRIVER_BYTES_MAX) errors.tooLong(field, DRIVER_BYTES_MAX);
    errors.invalidEach(field, driver, dnsSubdomainProblems(asciiLowerCase(driver)));
  }
  const secret = source.object("nodePublishSecretRef");
  if (secret === null) return;
  const name = secret.string("name");
  errors.needs(secret, "name");
  if (name.length > 0) errors.invalidEach(source.pathOf("name"), name, dnsSubdomainProblems(name));
}

function validateImage(pod: PodFacts, source: JsonNode, errors: FieldErrors): void {
  if (needsReference(pod)) errors.needs(source, "reference");
  errors.neededOneOf(source, "pullPolicy", "Always,IfNotPresent,Never");
}

// Before 1.37 a template may leave it out. An old object that has done so may keep it so.
function needsReference(pod: PodFacts): bool {
  if (!behaves(IMAGE_VOLUMES_WITHOUT_REFERENCE)) return pod.isPod;
  const old = listOf(pod.old, "volumes");
  if (old === null) return true;
  for (let volume = old.first; volume !== null; volume = after(volume)) {
    const image = volume.object("image");
    if (image !== null && isEmpty(image, "reference")) return false;
  }
  return true;
}

function validateNfs(source: JsonNode, errors: FieldErrors): void {
  errors.needsAll(source, "server,path");
  const path = source.string("path");
  if (!path.startsWith("/")) errors.invalid(source.pathOf("path"), quote(path), "must be an absolute path");
}

function validateDisk(source: JsonNode, key: string, at: string, errors: FieldErrors): void {
  if (source.string(key).length == 0) errors.required(at + "." + key);
  const partition = numberOf(source, "partition");
  if (partition < 0 || partition > BYTE_MAX)
    errors.invalid(at + ".partition", decimal(partition), "must be between 1 and 255, inclusive");
}

function validateFlocker(source: JsonNode, errors: FieldErrors): void {
  const name = source.string("datasetName");
  const hasUuid = source.string("datasetUUID").length > 0;
  if (name.length == 0 && !hasUuid) errors.required(source.path(), "one of datasetName and datasetUUID is required");
  if (name.length > 0 && hasUuid) {
    const detail = "datasetName and datasetUUID can not be specified simultaneously";
    errors.invalid(source.path(), quote("resource"), detail);
  }
  if (name.includes("/")) errors.invalid(source.pathOf("datasetName"), quote(name), "must not contain '/'");
}

/** Checks that a reference to a Secret, where there is one, has a name. */
function validateSecretRef(source: JsonNode, key: string, errors: FieldErrors): void {
  const ref = source.object(key);
  if (ref !== null) errors.needs(ref, "name");
}

function validateQuobyte(source: JsonNode, errors: FieldErrors): void {
  const registry = source.string("registry");
  if (registry.length == 0) {
    errors.required(source.pathOf("registry"), REGISTRY);
  } else if (byteLength(source.string("tenant")) > TENANT_BYTES_MAX) {
    const detail = "must be a UUID and may not exceed a length of 64 characters";
    errors.required(source.pathOf("tenant"), detail);
  } else {
    const pairs = wordsOf(registry);
    for (let i = 0; i < pairs.length; i++) {
      if (!isHostAndPort(pairs[i])) errors.invalid(source.pathOf("registry"), quote(registry), REGISTRY);
    }
  }
  errors.needs(source, "volume");
}

// As net.SplitHostPort of Go has it: one colon, or an address in brackets before the last one.
function isHostAndPort(text: string): bool {
  const colon = text.lastIndexOf(":");
  if (colon < 0) return false;
  const host = text.substring(0, colon);
  if (!host.startsWith("[")) return !host.includes(":") && !text.includes("[") && !text.includes("]");
  const close = host.indexOf("]");
  return (
    close == host.length - 1 && host.lastIndexOf("[") == 0 && !text.includes("]", colon) && !text.includes("[", colon)
  );
}

function validateFibreChannel(source: JsonNode, errors: FieldErrors): void {
  const hasNames = !isEmpty(source, "targetWWNs");
  const hasIds = !isEmpty(source, "wwids");
  const field = source.pathOf("targetWWNs");
  if (!hasNames && !hasIds) errors.required(field, "must specify either targetWWNs or wwids, but not both");
  if (!hasNames) return;
  if (hasIds) {
    const detail = "targetWWNs and wwids can not be specified simultaneously";
    errors.invalid(field, renderNode(source.get("targetWWNs")), detail);
  }
  const lun = source.integer("lun");
  if (lun == ABSENT) errors.required(source.pathOf("lun"), "lun is required if targetWWNs is specified");
  else if (lun < 0 || lun > BYTE_MAX)
    errors.invalid(source.pathOf("lun"), decimal(lun), "must be between 0 and 255, inclusive");
}

function validateFlex(source: JsonNode, errors: FieldErrors): void {
  errors.needs(source, "driver");
  const options = source.object("options");
  if (options === null) return;
  for (let option = options.first; option !== null; option = errors.after(option)) {
    const slash = option.key.indexOf("/");
    const namespace = "." + asciiLowerCase(slash < 0 ? option.key : option.key.substring(0, slash));
    if (namespace.endsWith(".kubernetes.io") || namespace.endsWith(".k8s.io"))
      errors.invalid(option.keyPath(), quote(option.key), "kubernetes.io and k8s.io namespaces are reserved");
  }
}

function validateAzureDisk(source: JsonNode, errors: FieldErrors): void {
  errors.needsAll(source, "diskName,diskURI");
  errors.oneOfIfSet(source, "cachingMode", "None,ReadOnly,ReadWrite");
  errors.oneOfIfSet(source, "kind", "Dedicated,Managed,Shared");
  if (!source.has("kind")) return;
  const uri = source.string("diskURI");
  const isManaged = source.string("kind") == "Managed";
  if (!uri.startsWith(isManaged ? "/subscriptions/" : "https://"))
    errors.notSupported(source.pathOf("diskURI"), uri, isManaged ? DISK_URI : BLOB_URI);
}

function validateStorageOs(source: JsonNode, errors: FieldErrors): void {
  const name = source.string("volumeName");
  errors.needs(source, "volumeName");
  if (name.length > 0) errors.invalidEach(source.pathOf("volumeName"), name, dnsLabelProblems(name));
  const namespace = source.string("volumeNamespace");
  if (namespace.length > 0)
    errors.invalidEach(source.pathOf("volumeNamespace"), namespace, dnsLabelProblems(namespace));
  validateSecretRef(source, "secretRef", errors);
}
