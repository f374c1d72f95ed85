/**
 * Rules of what a container mounts beside a volume's name and path, of its block devices, and of the volumes that the
 * files of its variables lie in. Source: pkg/apis/core/validation ValidateVolumeMounts, ValidateVolumeDevices,
 * validateFileKeyRefVolumes.
 */
import { StringSet } from "../json/text";
import { after, JsonNode, objectOf } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { PodFacts } from "./pod-facts";
import { quote } from "./render";
import { hasBacksteps, validateInnerPath } from "./validate-references";

const PROPAGATIONS = "Bidirectional,HostToContainer,None";
const READ_ONLY = "Disabled,Enabled,IfPossible";

/** Checks a mount whose name and path are checked. Most faults are reported on the list, as upstream does. */
export function validateMount(container: JsonNode, mount: JsonNode, errors: FieldErrors): void {
  const devices = container.list("volumeDevices");
  if (devices !== null) validateNoDevice(devices, mount, errors);
  const list = container.pathOf("volumeMounts");
  const subPath = mount.string("subPath");
  const expression = mount.string("subPathExpr");
  if (subPath.length > 0) validateInnerPath(subPath, list + ".subPath", errors);
  if (expression.length > 0) {
    if (subPath.length > 0)
      errors.invalid(mount.pathOf("subPathExpr"), quote(expression), "subPathExpr and subPath are mutually exclusive");
    validateInnerPath(expression, list + ".subPathExpr", errors);
  }
  const propagation = mount.string("mountPropagation");
  if (mount.has("mountPropagation")) {
    const field = list + ".mountPropagation";
    errors.wordIsOneOf(field, propagation, PROPAGATIONS);
    const context = container.object("securityContext");
    if (propagation == "Bidirectional" && (context === null || !context.boolean("privileged"))) {
      errors.forbidden(field, "Bidirectional mount propagation is available only to privileged containers");
    }
  }
  if (!mount.has("recursiveReadOnly")) return;
  const field = list + ".recursiveReadOnly";
  const recursive = mount.string("recursiveReadOnly");
  errors.wordIsOneOf(field, recursive, READ_ONLY);
  if (recursive != "Enabled" && recursive != "IfPossible") return;
  if (!mount.boolean("readOnly")) errors.forbidden(field, "may only be specified when readOnly is true");
  if (mount.has("mountPropagation") && propagation != "None")
    errors.forbidden(field, "may only be specified when mountPropagation is None or not specified");
}

function validateNoDevice(devices: JsonNode, mount: JsonNode, errors: FieldErrors): void {
  const name = mount.string("name");
  const path = mount.string("mountPath");
  if (holds(devices, "name", name))
    errors.invalid(mount.pathOf("name"), quote(name), "must not already exist in volumeDevices");
  if (holds(devices, "devicePath", path))
    errors.invalid(mount.pathOf("mountPath"), quote(path), "must not already exist as a path in volumeDevices");
}

// Whether an element of the list has this text in that member.
function holds(list: JsonNode | null, key: string, text: string): bool {
  if (list === null) return false;
  for (let element = list.first; element !== null; element = after(element)) {
    if (element.string(key) == text) return true;
  }
  return false;
}

/** Checks `volumeDevices` of a container. */
export function validateDevices(pod: PodFacts, container: JsonNode, errors: FieldErrors): void {
  const devices = container.list("volumeDevices");
  if (devices === null) return;
  const mounts = container.list("volumeMounts");
  const names = new StringSet();
  const paths = new StringSet();
  for (let device = devices.first; device !== null; device = errors.after(device)) {
    const name = device.string("name");
    const path = device.string("devicePath");
    const nameField = device.pathOf("name");
    const pathField = device.pathOf("devicePath");
    errors.needs(device, "name");
    if (names.has(name)) errors.invalid(nameField, quote(name), "must be unique");
    if (!pod.volumes.has(name)) {
      errors.notFound(nameField, quote(name));
    } else if (!isClaim(pod.volumes.get(name))) {
      const detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      errors.invalid(nameField, quote(name), detail);
    }
    errors.needs(device, "devicePath");
    if (paths.has(path)) errors.invalid(pathField, quote(path), "must be unique");
    if (hasBacksteps(path)) errors.invalid(pathField, quote(path), "can not contain backsteps ('..')");
    else paths.add(path);
    if (holds(mounts, "name", name)) errors.invalid(nameField, quote(name), "must not already exist in volumeMounts");
    if (holds(mounts, "mountPath", path))
      errors.invalid(pathField, quote(path), "must not already exist as a path in volumeMounts");
    if (name.length > 0) names.add(name);
  }
}

function isClaim(volume: JsonNode): bool {
  return volume.has("persistentVolumeClaim") || volume.has("ephemeral");
}

/** Checks that the files of variables lie in volumes of the kind emptyDir. */
export function validateFileVolumes(pod: PodFacts, errors: FieldErrors): void {
  const containers = pod.allContainers();
  for (let i = 0; i < containers.length; i++) {
    const variables = containers[i].list("env");
    if (variables === null) continue;
    for (let variable = variables.first; variable !== null; variable = errors.after(variable)) {
      const file = objectOf(variable.object("valueFrom"), "fileKeyRef");
      if (file !== null) validateFileVolume(pod, file, errors);
    }
  }
}

// The last volume of a name counts, be it right or wrong.
function validateFileVolume(pod: PodFacts, file: JsonNode, errors: FieldErrors): void {
  const name = file.string("volumeName");
  const volumes = pod.spec.list("volumes");
  let found: JsonNode | null = null;
  if (volumes !== null) {
    for (let volume = volumes.first; volume !== null; volume = after(volume)) {
      if (volume.string("name") == name) found = volume;
    }
  }
  const field = file.pathOf("volumeName");
  if (found === null) errors.notFound(field, quote(name));
  else if (!found.has("emptyDir")) errors.invalid(field, quote(name), "referenced volume must be of type emptyDir");
}
