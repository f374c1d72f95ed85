/**
 * Rules of annotations that once were fields of a pod, and of those that say the same as a field that has taken their
 * place. Source: pkg/apis/core/validation ValidatePodSpecificAnnotations, validateSeccompAnnotationsAndFields,
 * validateAppArmorAnnotationsAndFieldsMatchOnCreate.
 */
import { integerOf } from "../json/text";
import { digitsEnd, JsonNode, memberOf, objectOf } from "../json/tree";
import { FieldErrors } from "./field-errors";
import { PodFacts } from "./pod-facts";
import { quote } from "./render";
import { validateInnerPath } from "./validate-references";

const MIRROR = "kubernetes.io/config.mirror";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_PREFIX = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR_PREFIX = "container.apparmor.security.beta.kubernetes.io/";
const LOCALHOST = "localhost/";
const INT_DIGITS_MAX: i32 = 10;

/** Checks the annotations of a Pod or a template at `field`. */
export function validatePodAnnotations(pod: PodFacts, field: string, errors: FieldErrors): void {
  const annotations = pod.annotations;
  if (annotations === null) return;
  const mirror = annotations.get(MIRROR);
  if (mirror !== null && pod.spec.string("nodeName").length == 0) {
    const detail = "must set spec.nodeName if mirror pod annotation is set";
    errors.invalid(field + "[" + MIRROR + "]", quote(mirror.asString()), detail);
  }
  const cost = annotations.get(DELETION_COST);
  if (cost !== null && !isInt32(cost.asString()))
    errors.invalid(field + "[" + DELETION_COST + "]", quote(cost.asString()), "must be a 32bit integer");
  const seccomp = annotations.get(SECCOMP_POD);
  if (seccomp !== null) validateSeccomp(seccomp.asString(), field + "." + SECCOMP_POD, errors);
  for (let one = annotations.first; one !== null; one = errors.after(one)) {
    if (one.key.startsWith(SECCOMP_PREFIX)) validateSeccomp(one.asString(), field + "." + one.key, errors);
  }
  for (let one = annotations.first; one !== null; one = errors.after(one)) {
    if (one.key.startsWith(APP_ARMOR_PREFIX)) validateAppArmor(pod, one, field + "[" + one.key + "]", errors);
  }
}

// A leading plus or zero is not allowed.
function isInt32(text: string): bool {
  const from = text.startsWith("-") ? 1 : 0;
  if (digitsEnd(text, from) != text.length || text.length == from || text.length - from > INT_DIGITS_MAX) return false;
  if (from == 0 && text.length > 1 && text.startsWith("0")) return false;
  const value = integerOf(text);
  return value >= i32.MIN_VALUE && value <= i32.MAX_VALUE;
}

function validateSeccomp(profile: string, field: string, errors: FieldErrors): void {
  if (profile == "runtime/default" || profile == "docker/default" || profile == "unconfined") return;
  if (profile.startsWith(LOCALHOST)) validateInnerPath(profile.substring(LOCALHOST.length), field, errors);
  else errors.invalid(field, quote(profile), "must be a valid seccomp profile");
}

function validateAppArmor(pod: PodFacts, annotation: JsonNode, field: string, errors: FieldErrors): void {
  const name = annotation.key.substring(APP_ARMOR_PREFIX.length);
  const containers = pod.allContainers();
  let found = false;
  for (let i = 0; i < containers.length && !found; i++) found = containers[i].string("name") == name;
  if (!found) errors.invalid(field, quote(name), "container not found");
  const profile = annotation.asString();
  if (profile.length == 0 || profile == "runtime/default" || profile == "unconfined") return;
  if (!profile.startsWith(LOCALHOST))
    errors.invalid(field, quote(profile), "invalid AppArmor profile name: " + quote(profile));
}

/** Checks that the annotations about seccomp say the same as the fields. */
export function validateSeccompMatches(pod: PodFacts, errors: FieldErrors): void {
  const annotations = pod.annotations;
  if (annotations === null) return;
  const ofPod = objectOf(pod.securityContext, "seccompProfile");
  validateMatch(annotations.get(SECCOMP_POD), ofPod, "seccomp", "", errors);
  const containers = pod.allContainers();
  for (let i = 0; i < containers.length; i++) {
    const own = objectOf(containers[i].object("securityContext"), "seccompProfile");
    validateMatch(annotations.get(SECCOMP_PREFIX + containers[i].string("name")), own, "seccomp", "", errors);
  }
}

/** Checks that the annotations about AppArmor say the same as the fields: a container's own, or else the pod's. */
export function validateAppArmorMatches(pod: PodFacts, errors: FieldErrors): void {
  const annotations = pod.annotations;
  if (annotations === null || pod.operatingSystem == "windows") return;
  const ofPod = objectOf(pod.securityContext, "appArmorProfile");
  const containers = pod.allContainers();
  for (let i = 0; i < containers.length; i++) {
    const own = objectOf(containers[i].object("securityContext"), "appArmorProfile");
    const annotation = memberOf(annotations, APP_ARMOR_PREFIX + containers[i].string("name"));
    const at = containers[i].pathOf("securityContext") + ".appArmorProfile";
    validateMatch(annotation, own === null ? ofPod : own, "apparmor", at, errors);
  }
}

// `at` is where the error belongs; "": where the profile is.
function validateMatch(
  annotation: JsonNode | null,
  profile: JsonNode | null,
  what: string,
  at: string,
  errors: FieldErrors,
): void {
  if (annotation === null || profile === null) return;
  const field = at.length > 0 ? at : profile.path();
  const said = annotation.asString();
  const type = profile.string("type");
  const isDefault = said == "runtime/default" || (what == "seccomp" && said == "docker/default");
  const isLocal = said.startsWith(LOCALHOST);
  if (type == "Unconfined" ? said != "unconfined" : type == "RuntimeDefault" ? !isDefault : !isLocal) {
    if (type == "Unconfined" || type == "RuntimeDefault" || type == "Localhost")
      errors.forbidden(field + ".type", what + " type in annotation and field must match");
  } else if (type == "Localhost") {
    const isSame = profile.has("localhostProfile") && said == LOCALHOST + profile.string("localhostProfile");
    if (!isSame) errors.forbidden(field + ".localhostProfile", what + " profile in annotation and field must match");
  }
}
