/**
 * Rules of security contexts: a container's, and a pod's. Windows options are left to validate-windows.ts; annotations
 * that once were fields to validate-pod-annotations.ts. Source: pkg/apis/core/validation ValidateSecurityContext,
 * validatePodSpecSecurityContext.
 */
import { byteLength, isListed, StringSet } from "../json/text";
import { after, JsonNode, listOf } from "../json/tree";
import { isLowerOrDigit } from "../model/name-rules";
import { TOLERATED_ADMINISTRATORS, behaves, NAMESPACES_OF_PODS, SELINUX_MOUNTS } from "../model/kubernetes";
import { FieldErrors } from "./field-errors";
import { PodFacts } from "./pod-facts";
import { quote, quoteWord, renderNode } from "./render";
import { validateUnixId, validateUnixIds } from "./validate-numbers";
import { validateInnerPath } from "./validate-references";
import { validateWindowsOptions } from "./validate-windows";

const PROFILE_TYPES = "Localhost,RuntimeDefault,Unconfined";
const PROFILE_BYTES_MAX: i32 = 4095;
const SYSCTL_BYTES_MAX: i32 = 253;
const SYSCTL_TEXT =
  "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
const ADMIN = "CAP_SYS_ADMIN";
const IPC_SYSCTLS =
  "kernel.sem,kernel.shmall,kernel.shmmax,kernel.shmmni,kernel.shm_rmid_forced,kernel.shm,kernel.msgmax,kernel.msgmnb,kernel.msgmni,kernel.msg";

/** Checks `securityContext` of a container. */
export function validateContainerSecurity(pod: PodFacts, container: JsonNode, errors: FieldErrors): void {
  const context = container.object("securityContext");
  if (context === null) return;
  validateUnixId(context, "runAsUser", errors);
  validateUnixId(context, "runAsGroup", errors);
  if (context.has("procMount")) {
    errors.oneOf(context, "procMount", "Default,Unmasked");
    const procMount = context.string("procMount");
    if (procMount == "Unmasked" && pod.sharesHostUsers) {
      errors.invalid(context.pathOf("procMount"), quoteWord(procMount), "`hostUsers` must be false to use `Unmasked`");
    }
  }
  validateSeccomp(context.object("seccompProfile"), errors);
  if (context.has("allowPrivilegeEscalation") && !context.boolean("allowPrivilegeEscalation"))
    validateEscalation(pod, context, errors);
  validateWindowsOptions(context.object("windowsOptions"), errors);
  validateAppArmor(context.object("appArmorProfile"), errors);
}

function validateEscalation(pod: PodFacts, context: JsonNode, errors: FieldErrors): void {
  const field = context.path();
  if (context.boolean("privileged")) {
    const detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
    errors.invalid(field, renderNode(context), detail);
  }
  if (behaves(TOLERATED_ADMINISTRATORS) && hasAdmin(pod.old)) return;
  const added = listOf(context.object("capabilities"), "add");
  if (added === null) return;
  for (let capability = added.first; capability !== null; capability = errors.after(capability)) {
    if (capability.asString() != ADMIN) continue;
    const detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
    errors.invalid(field, renderNode(context), detail);
  }
}

// Whether a container of an earlier spec has the capability although it may not escalate.
function hasAdmin(old: JsonNode | null): bool {
  if (old === null) return false;
  const containers = new PodFacts(old, null, false).allContainers();
  for (let i = 0; i < containers.length; i++) {
    const context = containers[i].object("securityContext");
    if (context === null || !context.has("allowPrivilegeEscalation")) continue;
    if (!context.boolean("allowPrivilegeEscalation") && holds(listOf(context.object("capabilities"), "add"), ADMIN))
      return true;
  }
  return false;
}

function holds(words: JsonNode | null, word: string): bool {
  if (words === null) return false;
  for (let each = words.first; each !== null; each = after(each)) if (each.asString() == word) return true;
  return false;
}

/** Checks `securityContext` of a pod, and what of it the API keeps in the spec. */
export function validatePodSecurity(pod: PodFacts, errors: FieldErrors): void {
  const context = pod.securityContext;
  if (context !== null) validatePodContext(pod, context, errors);
  if (behaves(NAMESPACES_OF_PODS)) validateProcessNamespace(pod, pod.spec, errors);
}

function validateProcessNamespace(pod: PodFacts, shown: JsonNode, errors: FieldErrors): void {
  if (!pod.spec.boolean("shareProcessNamespace") || !pod.spec.boolean("hostPID")) return;
  const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
  errors.invalid(shown.pathOf("shareProcessNamespace"), "true", detail);
}

function validatePodContext(pod: PodFacts, context: JsonNode, errors: FieldErrors): void {
  validateUnixId(context, "fsGroup", errors);
  validateUnixId(context, "runAsUser", errors);
  validateUnixId(context, "runAsGroup", errors);
  validateUnixIds(context.list("supplementalGroups"), errors);
  if (!behaves(NAMESPACES_OF_PODS)) validateProcessNamespace(pod, context, errors);
  validateSysctls(pod.spec, context.list("sysctls"), errors);
  errors.oneOfIfSet(context, "fsGroupChangePolicy", "Always,OnRootMismatch");
  validateSeccomp(context.object("seccompProfile"), errors);
  validateWindowsOptions(context.object("windowsOptions"), errors);
  validateAppArmor(context.object("appArmorProfile"), errors);
  errors.oneOfIfSet(context, "supplementalGroupsPolicy", "Merge,Strict");
  errors.oneOfIfSet(context, "seLinuxChangePolicy", behaves(SELINUX_MOUNTS) ? "MountOption,Recursive" : "Recursive");
}

function validateSeccomp(profile: JsonNode | null, errors: FieldErrors): void {
  if (profile === null) return;
  const type = profile.string("type");
  if (type.length == 0) errors.required(profile.pathOf("type"), "type is required when seccompProfile is set");
  else errors.oneOf(profile, "type", PROFILE_TYPES);
  const field = profile.pathOf("localhostProfile");
  const isSet = profile.has("localhostProfile");
  if (type != "Localhost") {
    if (isSet) errors.invalid(field, renderNode(profile), "can only be set when seccomp type is Localhost");
  } else if (isSet) {
    validateInnerPath(profile.string("localhostProfile"), field, errors);
  } else {
    errors.required(field, "must be set when seccomp type is Localhost");
  }
}

function validateAppArmor(profile: JsonNode | null, errors: FieldErrors): void {
  if (profile === null) return;
  const type = profile.string("type");
  const field = profile.pathOf("localhostProfile");
  const isSet = profile.has("localhostProfile");
  const name = profile.string("localhostProfile");
  if (type.length == 0) {
    errors.required(profile.pathOf("type"), "type is required when appArmorProfile is set");
  } else if (type != "Localhost") {
    errors.oneOf(profile, "type", PROFILE_TYPES);
    if (isSet && isListed(type, PROFILE_TYPES))
      errors.invalid(field, quoteWord(name), "can only be set when AppArmor type is Localhost");
  } else if (!isSet || name.length == 0) {
    errors.required(field, "must be set when AppArmor type is Localhost");
  } else {
    if (name.trim() != name) errors.invalid(field, quote(name), "must not be padded with whitespace");
    if (byteLength(name) > PROFILE_BYTES_MAX) errors.tooLong(field, PROFILE_BYTES_MAX);
  }
}

function validateSysctls(spec: JsonNode, sysctls: JsonNode | null, errors: FieldErrors): void {
  if (sysctls === null) return;
  const names = new StringSet();
  for (let sysctl = sysctls.first; sysctl !== null; sysctl = errors.after(sysctl)) {
    const name = sysctl.string("name");
    const field = sysctl.pathOf("name");
    if (name.length == 0) errors.required(field);
    else if (!isSysctl(name)) errors.invalid(field, quote(name), SYSCTL_TEXT);
    else if (names.has(name)) errors.duplicate(field, quote(name));
    const dotted = withDots(name);
    if (spec.boolean("hostNetwork") && dotted.startsWith("net."))
      errors.invalid(field, quote(name), "may not be specified when 'hostNetwork' is true");
    if (spec.boolean("hostIPC") && (isListed(dotted, IPC_SYSCTLS) || dotted.startsWith("fs.mqueue.")))
      errors.invalid(field, quote(name), "may not be specified when 'hostIPC' is true");
    names.add(name);
  }
}

// A name as sysctl(8) takes it: whichever of dot and slash comes first separates its parts. `*` ends it.
function withDots(name: string): string {
  const star = name.indexOf("*");
  const whole = star < 0 ? name : name.substring(0, star);
  const slash = whole.indexOf("/");
  const dot = whole.indexOf(".");
  if (slash < 0 || (dot >= 0 && dot < slash)) return whole;
  let dotted = "";
  for (let i = 0; i < whole.length; i++) {
    const c = whole.charAt(i);
    dotted += c == "/" ? "." : c == "." ? "/" : c;
  }
  return dotted;
}

// Whether each part between dots or slashes is [a-z0-9]([-_a-z0-9]*[a-z0-9])?
function isSysctl(name: string): bool {
  if (byteLength(name) > SYSCTL_BYTES_MAX) return false;
  let from = 0;
  for (let i = 0; i <= name.length; i++) {
    const c = i < name.length ? name.charCodeAt(i) : 0x2e;
    if (c == 0x2e || c == 0x2f) {
      if (from == i || !isLowerOrDigit(name.charCodeAt(from)) || !isLowerOrDigit(name.charCodeAt(i - 1))) return false;
      from = i + 1;
    } else if (!isLowerOrDigit(c) && c != 0x2d && c != 0x5f) {
      return false;
    }
  }
  return true;
}

/** Checks what pods in a user namespace may not share with the node. */
export function validateHostUsers(pod: PodFacts, errors: FieldErrors): void {
  if (pod.sharesHostUsers) return;
  const spec = pod.spec;
  const detail = "when `hostUsers` is false";
  if (spec.boolean("hostNetwork")) errors.forbidden(spec.pathOf("hostNetwork"), detail);
  // Upstream quirk: these two fields are spelled as in Go.
  if (spec.boolean("hostPID")) errors.forbidden(spec.pathOf("HostPID"), detail);
  if (spec.boolean("hostIPC")) errors.forbidden(spec.pathOf("HostIPC"), detail);
  const containers = pod.allContainers();
  for (let i = 0; i < containers.length; i++) {
    const devices = containers[i].list("volumeDevices");
    if (devices !== null && devices.length > 0) errors.forbidden(devices.path(), detail);
  }
}
