/**
 * Rules of the operating system of a pod, and of what a pod on Windows has. Source: pkg/apis/core/validation
 * validateOS,
 * validateLinux, validateWindows, validateWindowsSecurityContextOptions, validateWindowsHostProcessPod.
 */
import { byteLength, wordsOf } from "../json/text";
import { JsonNode, objectOf } from "../json/tree";
import { dnsSubdomainProblems } from "../model/name-rules";
import { behaves, NAMESPACES_OF_PODS } from "../model/kubernetes";
import { FieldErrors } from "./field-errors";
import { isEmpty, PodFacts } from "./pod-facts";
import { quote, quoteWord } from "./render";

const SYSTEMS = "linux,windows";
/** What is behind the name of a user but for letters: a domain may not have the first part of it. */
const NO_DOMAIN = '\\/:*?"<>|';
const NO_USER = '"/\\:;|=,+*?<>@[]';
const SPEC_BYTES_MAX: i32 = 64 * 1024;
const DOMAIN_BYTES_MAX: i32 = 255;
const NETBIOS_MAX: i32 = 15;
const USER_BYTES_MAX: i32 = 104;

const ON_WINDOWS = "cannot be set for a windows pod";
/** Of the pod, in the order of upstream before 1.37; a leading dot marks a field that the API keeps in the spec. */
const MIXED_FIELDS =
  "appArmorProfile,seLinuxOptions,.hostUsers,.hostPID,.hostIPC,seccompProfile,fsGroup,fsGroupChangePolicy,sysctls,.shareProcessNamespace,runAsUser,runAsGroup,supplementalGroups,supplementalGroupsPolicy,seLinuxChangePolicy";
/** The same in the order of 1.37. */
const POD_FIELDS =
  "appArmorProfile,seLinuxOptions,seccompProfile,fsGroup,fsGroupChangePolicy,sysctls,runAsUser,runAsGroup,supplementalGroups,supplementalGroupsPolicy,seLinuxChangePolicy,.hostUsers,.hostPID,.hostIPC,.shareProcessNamespace";
const CONTAINER_FIELDS =
  "appArmorProfile,seLinuxOptions,seccompProfile,capabilities,readOnlyRootFilesystem,privileged,allowPrivilegeEscalation,procMount,runAsUser,runAsGroup";

/** Checks `os`, and that nothing of the other operating system is set. */
export function validateOperatingSystem(pod: PodFacts, errors: FieldErrors): void {
  const os = pod.spec.object("os");
  if (os === null) return;
  const name = os.string("name");
  if (name.length == 0) errors.required(os.pathOf("name"));
  else if (name == "linux") forbidWindowsOptions(pod, errors);
  else if (name == "windows") forbidLinuxFields(pod, errors);
  else errors.wordNotSupported(os.path(), name, SYSTEMS);
}

function forbidWindowsOptions(pod: PodFacts, errors: FieldErrors): void {
  forbidOptions(pod.securityContext, errors);
  const containers = pod.allContainers();
  for (let i = 0; i < containers.length; i++) forbidOptions(containers[i].object("securityContext"), errors);
}

function forbidOptions(context: JsonNode | null, errors: FieldErrors): void {
  if (context !== null && context.has("windowsOptions"))
    errors.forbidden(context.pathOf("windowsOptions"), "windows options cannot be set for a linux pod");
}

function forbidLinuxFields(pod: PodFacts, errors: FieldErrors): void {
  const context = pod.securityContext;
  const fields = wordsOf(behaves(NAMESPACES_OF_PODS) ? POD_FIELDS : MIXED_FIELDS);
  for (let i = 0; i < fields.length; i++) {
    const inSpec = fields[i].startsWith(".");
    const key = inSpec ? fields[i].substring(1) : fields[i];
    const holder = inSpec ? pod.spec : context;
    if (holder === null || !holder.has(key)) continue;
    if ((key == "hostPID" || key == "hostIPC") && !holder.boolean(key)) continue;
    if (key == "sysctls" && isEmpty(holder, key)) continue;
    errors.forbidden(holder.pathOf(key), ON_WINDOWS);
  }
  const containers = pod.allContainers();
  const containerFields = wordsOf(CONTAINER_FIELDS);
  for (let i = 0; i < containers.length; i++) {
    const own = containers[i].object("securityContext");
    if (own === null) continue;
    for (let j = 0; j < containerFields.length; j++) {
      if (own.has(containerFields[j])) errors.forbidden(own.pathOf(containerFields[j]), ON_WINDOWS);
    }
  }
}

/** Checks `windowsOptions` of a security context; null if it has none. */
export function validateWindowsOptions(options: JsonNode | null, errors: FieldErrors): void {
  if (options === null) return;
  if (options.has("gmsaCredentialSpecName")) {
    const name = options.string("gmsaCredentialSpecName");
    const problems = dnsSubdomainProblems(name);
    for (let i = 0; i < problems.length; i++)
      errors.invalid(options.pathOf("gmsaCredentialSpecName"), quoteWord(name), problems[i]);
  }
  if (options.has("gmsaCredentialSpec")) {
    const spec = options.string("gmsaCredentialSpec");
    const field = options.pathOf("gmsaCredentialSpec");
    if (spec.length == 0) errors.invalid(field, quoteWord(spec), "gmsaCredentialSpec cannot be an empty string");
    else if (byteLength(spec) > SPEC_BYTES_MAX)
      errors.invalid(field, quoteWord(spec), "gmsaCredentialSpec size must be under 64 KiB");
  }
  if (options.has("runAsUserName")) validateUserName(options, errors);
}

function validateUserName(options: JsonNode, errors: FieldErrors): void {
  const name = options.string("runAsUserName");
  const field = options.pathOf("runAsUserName");
  const shown = quoteWord(name);
  if (name.length == 0) {
    errors.invalid(field, shown, "runAsUserName cannot be an empty string");
    return;
  }
  if (hasControl(name)) {
    errors.invalid(field, shown, "runAsUserName cannot contain control characters");
    return;
  }
  const slash = name.indexOf("\\");
  if (slash >= 0 && name.indexOf("\\", slash + 1) >= 0) {
    errors.invalid(field, shown, "runAsUserName cannot contain more than one backslash");
    return;
  }
  const domain = slash < 0 ? "" : name.substring(0, slash);
  const user = name.substring(slash + 1);
  if (byteLength(domain) > DOMAIN_BYTES_MAX)
    errors.invalid(field, shown, "runAsUserName's Domain length must be under 256 characters");
  if (slash >= 0 && !isNetBios(domain) && !isDnsName(domain))
    errors.invalid(field, shown, "runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  if (user.length == 0) errors.invalid(field, shown, "runAsUserName's User cannot be empty");
  else if (byteLength(user) > USER_BYTES_MAX)
    errors.invalid(field, shown, "runAsUserName's User length must not be longer than 104 characters");
  if (user.length > 0 && holdsOnly(user, ". "))
    errors.invalid(field, shown, "runAsUserName's User cannot contain only periods or spaces");
  if (holdsAny(user, NO_USER)) {
    const detail = "runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]";
    errors.invalid(field, shown, detail);
  }
}

function hasControl(text: string): bool {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) < 0x20 || text.charCodeAt(i) == 0x7f) return true;
  }
  return false;
}

function isNetBios(domain: string): bool {
  return domain.length > 0 && domain.length <= NETBIOS_MAX && !domain.startsWith(".") && !holdsAny(domain, NO_DOMAIN);
}

// Labels of up to 63 letters, digits and dashes, with dots between them.
function isDnsName(domain: string): bool {
  let from = 0;
  for (let i = 0; i <= domain.length; i++) {
    const c = i < domain.length ? domain.charCodeAt(i) : 0x2e;
    if (c == 0x2e) {
      if (from == i || i - from > 63 || domain.charCodeAt(from) == 0x2d || domain.charCodeAt(i - 1) == 0x2d)
        return false;
      from = i + 1;
    } else if (c != 0x2d && u32(c - 0x30) >= 10 && u32((c | 0x20) - 0x61) >= 26) {
      return false;
    }
  }
  return true;
}

function holdsAny(text: string, characters: string): bool {
  for (let i = 0; i < text.length; i++) {
    if (characters.includes(text.charAt(i))) return true;
  }
  return false;
}

function holdsOnly(text: string, characters: string): bool {
  for (let i = 0; i < text.length; i++) {
    if (!characters.includes(text.charAt(i))) return false;
  }
  return true;
}

/** Checks that either no container or each one is a process of the node, and what that needs. */
export function validateHostProcess(pod: PodFacts, errors: FieldErrors): void {
  const ofPod = objectOf(pod.securityContext, "windowsOptions");
  const podSays = ofPod !== null && ofPod.has("hostProcess");
  const isPodHost = ofPod !== null && ofPod.boolean("hostProcess");
  const containers = pod.allContainers();
  let hosted = 0;
  for (let i = 0; i < containers.length; i++) {
    const own = objectOf(containers[i].object("securityContext"), "windowsOptions");
    const says = own !== null && own.has("hostProcess");
    const isHost = own !== null && own.boolean("hostProcess");
    if (own !== null && says && podSays && isHost != isPodHost) {
      const detail = "pod hostProcess value must be identical if both are specified, was " + isPodHost.toString();
      errors.invalid(own.pathOf("hostProcess"), isHost.toString(), detail);
    }
    if (says ? isHost : isPodHost) hosted++;
  }
  if (hosted == 0) return;
  const spec = pod.spec;
  if (hosted != containers.length) {
    const detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.invalid(spec.path(), quote(""), detail);
  }
  if (!spec.boolean("hostNetwork")) {
    const detail = "hostNetwork must be true if pod contains any hostProcess containers";
    errors.invalid(spec.pathOf("hostNetwork"), "false", detail);
  }
}
