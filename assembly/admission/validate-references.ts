/**
 * Rules about where variables, and the files of a downward API volume, get their values from: a field of the pod, a
 * resource of a container, a key of a ConfigMap or Secret (docs/spec/api.md V103 to V106). Whether the named object
 * exists is not known here. The volume of a fileKeyRef is left to validate-devices.ts. Source: pkg/apis/core/validation
 * validateEnvVarValueFrom, ValidateEnvFrom, validateDownwardAPIVolumeFile.
 */
import { asciiLowerCase, decimal, isListed, wordsOf } from "../json/text";
import { ABSENT, JsonNode, listOf } from "../json/tree";
import { behaves, VARIABLES_FROM_FILES } from "../model/kubernetes";
import { FieldErrors } from "./field-errors";
import {
  configMapKeyProblems,
  dnsLabelProblems,
  dnsSubdomainPrefixProblems,
  dnsSubdomainProblems,
  qualifiedNameProblems,
  variableNameProblems,
} from "../model/name-rules";
import { Quantity } from "./quantity";
import { quote } from "./render";

const VARIABLE_SOURCES = "fieldRef,resourceFieldRef,configMapKeyRef,secretKeyRef,fileKeyRef";
const SUBSCRIPT_OPENS = "['";
const SUBSCRIPT_CLOSES = "']";
/** Old clients send this path. */
const OLD_NODE_NAME = "spec.host";
/** The paths of fields that exist at all. Separate lists say which of them are allowed where. */
const FIELD_LABELS =
  "spec.host,metadata.annotations,metadata.labels,metadata.name,metadata.namespace,metadata.uid,spec.nodeName,spec.restartPolicy,spec.serviceAccountName,spec.schedulerName,status.phase,status.hostIP,status.hostIPs,status.podIP,status.podIPs";
const VARIABLE_FIELDS =
  "metadata.name,metadata.namespace,metadata.uid,spec.nodeName,spec.serviceAccountName,status.hostIP,status.hostIPs,status.podIP,status.podIPs";
const FILE_FIELDS = "metadata.annotations,metadata.labels,metadata.name,metadata.namespace,metadata.uid";
const RESOURCES =
  "limits.cpu,limits.ephemeral-storage,limits.memory,requests.cpu,requests.ephemeral-storage,requests.memory";
const CPU_DIVISORS = "1m,1";
const BYTE_DIVISORS = "1,1k,1M,1G,1T,1P,1E,1Ki,1Mi,1Gi,1Ti,1Pi,1Ei";
const MODE_MAX: i64 = 0o777;
const ONE_ALONE = "may not have more than one field specified at a time";

/** Checks `valueFrom` of a variable. */
export function validateVariableSource(variable: JsonNode, source: JsonNode, errors: FieldErrors): void {
  let sources = 0;
  const known = wordsOf(VARIABLE_SOURCES);
  for (let i = 0; i < known.length; i++) {
    if (source.has(known[i])) sources++;
  }
  const field = source.object("fieldRef");
  if (field !== null) validateFieldRef(field, field.path(), VARIABLE_FIELDS, errors);
  const resource = source.object("resourceFieldRef");
  if (resource !== null) validateResourceRef(resource, resource.path(), false, errors);
  validateKeyRef(source.object("configMapKeyRef"), errors);
  validateKeyRef(source.object("secretKeyRef"), errors);
  const file = source.object("fileKeyRef");
  if (file !== null) validateFileKeyRef(file, errors);
  if (sources == 0) {
    const detail = behaves(VARIABLES_FROM_FILES)
      ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
      : "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
    errors.invalid(source.path(), quote(""), detail);
  } else if (variable.string("value").length > 0) {
    errors.invalid(source.path(), quote(""), "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    errors.invalid(source.path(), quote(""), ONE_ALONE);
  }
}

/** Checks `envFrom` of a container. A wrong number of sources is reported on the list. */
export function validateSourcesOfAll(sources: JsonNode | null, errors: FieldErrors): void {
  if (sources === null) return;
  for (let source = sources.first; source !== null; source = errors.after(source)) {
    const prefix = source.string("prefix");
    if (prefix.length > 0) errors.invalidEach(source.pathOf("prefix"), prefix, variableNameProblems(prefix));
    const configMap = source.object("configMapRef");
    const secret = source.object("secretRef");
    validateSourceName(configMap, errors);
    validateSourceName(secret, errors);
    if (configMap === null && secret === null) {
      errors.invalid(sources.path(), quote(""), "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMap !== null && secret !== null) {
      errors.invalid(sources.path(), quote(""), ONE_ALONE);
    }
  }
}

/** Checks whether a volume names the Secret or the ConfigMap that it is of, and its fields of the pod. */
export function validateNamedSource(volume: JsonNode, errors: FieldErrors): void {
  const secret = volume.object("secret");
  if (secret !== null) errors.needs(secret, "secretName");
  const configMap = volume.object("configMap");
  if (configMap !== null) errors.needs(configMap, "name");
  validateDownwardFiles(volume.object("downwardAPI"), errors);
  const sources = listOf(volume.object("projected"), "sources");
  if (sources === null) return;
  for (let source = sources.first; source !== null; source = errors.after(source))
    validateDownwardFiles(source.object("downwardAPI"), errors);
}

/** Checks a downward API volume, or one that is projected. Faults of a file are reported on the volume. */
export function validateDownwardFiles(volume: JsonNode | null, errors: FieldErrors): void {
  if (volume === null) return;
  validateMode(volume, "defaultMode", volume.pathOf("defaultMode"), errors);
  const items = volume.list("items");
  if (items === null) return;
  for (let item = items.first; item !== null; item = errors.after(item)) validateDownwardFile(volume, item, errors);
}

/** Checks one file of a downward API volume. Its faults are reported on the volume. */
export function validateDownwardFile(volume: JsonNode, item: JsonNode, errors: FieldErrors): void {
  const path = item.string("path");
  const pathField = volume.pathOf("path");
  if (path.length == 0) errors.required(pathField);
  validateOwnPath(path, pathField, errors);
  const field = item.object("fieldRef");
  const resource = item.object("resourceFieldRef");
  if (field !== null) {
    validateFieldRef(field, volume.pathOf("fieldRef"), FILE_FIELDS, errors);
    if (resource !== null) {
      errors.invalid(
        volume.path(),
        quote("resource"),
        "fieldRef and resourceFieldRef can not be specified simultaneously",
      );
    }
  } else if (resource !== null) {
    validateResourceRef(resource, volume.pathOf("resourceFieldRef"), true, errors);
  } else {
    errors.required(volume.path(), "one of fieldRef and resourceFieldRef is required");
  }
  validateMode(item, "mode", volume.pathOf("mode"), errors);
}

function validateFieldRef(ref: JsonNode, at: string, fields: string, errors: FieldErrors): void {
  const apiVersion = ref.string("apiVersion");
  const label = ref.string("fieldPath");
  if (apiVersion.length == 0 || label.length == 0) {
    errors.required(at + (apiVersion.length == 0 ? ".apiVersion" : ".fieldPath"));
    return;
  }
  const path = subscriptedPath(label);
  const hasMembers = path == "metadata.annotations" || path == "metadata.labels";
  let problem = "";
  if (apiVersion != "v1") problem = "unsupported pod version: " + apiVersion;
  else if (path.length > 0 && !hasMembers) problem = "field label does not support subscript: " + label;
  else if (path.length == 0 && !isListed(label, FIELD_LABELS)) problem = "field label not supported: " + label;
  if (problem.length > 0) {
    errors.invalid(at + ".fieldPath", quote(label), "error converting fieldPath: " + problem);
  } else if (hasMembers) {
    const subscript = label.substring(path.length + SUBSCRIPT_OPENS.length, label.length - SUBSCRIPT_CLOSES.length);
    const key = path == "metadata.annotations" ? asciiLowerCase(subscript) : subscript;
    errors.invalidEach(at, key, qualifiedNameProblems(key));
  } else {
    const known = label == OLD_NODE_NAME ? "spec.nodeName" : label;
    if (!isListed(known, fields)) errors.notSupported(at + ".fieldPath", known, fields);
  }
}

// The part before a subscript; "" if there is no subscript.
function subscriptedPath(label: string): string {
  if (!label.endsWith(SUBSCRIPT_CLOSES)) return "";
  const open = label.substring(0, label.length - SUBSCRIPT_CLOSES.length).indexOf(SUBSCRIPT_OPENS);
  return open > 0 ? label.substring(0, open) : "";
}

function validateResourceRef(ref: JsonNode, at: string, isFile: bool, errors: FieldErrors): void {
  const resource = ref.string("resource");
  const isHugePages = resource.startsWith("limits.hugepages-") || resource.startsWith("requests.hugepages-");
  if (isFile && ref.string("containerName").length == 0) errors.required(at + ".containerName");
  else if (resource.length == 0) errors.required(at + ".resource");
  else if (!isHugePages && !isListed(resource, RESOURCES)) errors.notSupported(at + ".resource", resource, RESOURCES);
  validateDivisor(ref, resource, isHugePages, at + ".divisor", errors);
}

function validateDivisor(ref: JsonNode, resource: string, isHugePages: bool, field: string, errors: FieldErrors): void {
  const given = ref.get("divisor");
  const divisor = Quantity.parse(given === null ? "0" : given.text);
  if (divisor === null || divisor.isZero) return;
  const kind = resource.substring(resource.indexOf(".") + 1);
  if (kind == "cpu") {
    if (!isListed(divisor.toString(), CPU_DIVISORS)) {
      errors.invalid(field, quote(resource), "only divisor's values 1m and 1 are supported with the cpu resource");
    }
    return;
  }
  if ((!isHugePages && !isListed(resource, RESOURCES)) || isListed(divisor.toString(), BYTE_DIVISORS)) return;
  const name = isHugePages ? "hugepages" : kind == "memory" ? kind : "local ephemeral storage";
  const values = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";
  errors.invalid(
    field,
    quote(resource),
    "only divisor's values " + values + " are supported with the " + name + " resource",
  );
}

function validateKeyRef(ref: JsonNode | null, errors: FieldErrors): void {
  if (ref === null) return;
  const name = ref.string("name");
  errors.invalidEach(ref.pathOf("name"), name, dnsSubdomainProblems(name));
  const key = ref.string("key");
  if (key.length == 0) errors.required(ref.pathOf("key"));
  else errors.invalidEach(ref.pathOf("key"), key, configMapKeyProblems(key));
}

function validateFileKeyRef(ref: JsonNode, errors: FieldErrors): void {
  const key = ref.string("key");
  if (key.length == 0) errors.required(ref.pathOf("key"));
  else errors.invalidEach(ref.pathOf("key"), key, variableNameProblems(key));
  const volume = ref.string("volumeName");
  if (volume.length == 0) errors.required(ref.pathOf("volumeName"));
  else errors.invalidEach(ref.pathOf("volumeName"), volume, dnsLabelProblems(volume));
  const path = ref.string("path");
  if (path.length == 0) errors.required(ref.pathOf("path"));
  else validateNoBacksteps(path, ref.pathOf("path"), errors);
}

function validateSourceName(ref: JsonNode | null, errors: FieldErrors): void {
  if (ref === null) return;
  const name = ref.string("name");
  if (name.length == 0) errors.required(ref.pathOf("name"));
  else errors.invalidEach(ref.pathOf("name"), name, dnsSubdomainPrefixProblems(name));
}

/** Checks which key of a ConfigMap or Secret becomes which file. */
export function validateKeyToPath(item: JsonNode, errors: FieldErrors): void {
  errors.needs(item, "key");
  errors.needs(item, "path");
  validateOwnPath(item.string("path"), item.pathOf("path"), errors);
  validateMode(item, "mode", item.pathOf("mode"), errors);
}

/** Checks a path within something: it is relative, and does not leave it. */
export function validateInnerPath(path: string, field: string, errors: FieldErrors): void {
  if (path.startsWith("/")) errors.invalid(field, quote(path), "must be a relative path");
  validateNoBacksteps(path, field, errors);
}

/** Checks a path within a volume, where names that begin with `..` are the kubelet's. */
export function validateOwnPath(path: string, field: string, errors: FieldErrors): void {
  validateInnerPath(path, field, errors);
  if (path.startsWith("..") && !path.startsWith("../")) errors.invalid(field, quote(path), "must not start with '..'");
}

/** Checks that no part of a path is `..`. */
export function validateNoBacksteps(path: string, field: string, errors: FieldErrors): void {
  if (hasBacksteps(path)) errors.invalid(field, quote(path), "must not contain '..'");
}

/** Whether a part of the path is `..`. */
export function hasBacksteps(path: string): bool {
  return ("/" + path + "/").includes("/../");
}

/** Checks the mode of files. A missing one is none. */
export function validateMode(node: JsonNode, key: string, field: string, errors: FieldErrors): void {
  const mode = node.integer(key);
  if (mode == ABSENT || (mode >= 0 && mode <= MODE_MAX)) return;
  errors.invalid(field, decimal(mode), "must be a number between 0 and 0777 (octal), both inclusive");
}
