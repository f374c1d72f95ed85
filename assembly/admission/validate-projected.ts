/**
 * Rules of projected volumes: one source each, and no path twice. Bundles of certificates and certificates of pods are
 * left to validate-certificates.ts. Source: pkg/apis/core/validation validateProjectedVolumeSource.
 */
import { decimal, StringSet } from "../json/text";
import { ABSENT, JsonNode } from "../json/tree";
import { behaves, CERTIFICATES_OF_PODS } from "../model/kubernetes";
import { FieldErrors } from "./field-errors";
import { quote } from "./render";
import { claimPath, validatePodCertificate, validateTrustBundle } from "./validate-certificates";
import { validateDownwardFile, validateKeyToPath, validateMode, validateOwnPath } from "./validate-references";

const EXPIRATION_SECONDS_MIN: i64 = 10 * 60;
const EXPIRATION_SECONDS_MAX: i64 = 1 << 32;
const CONFLICT = "conflicting duplicate paths";

/** Checks `projected` of a volume. */
export function validateProjected(volume: JsonNode, errors: FieldErrors): void {
  validateMode(volume, "defaultMode", volume.pathOf("defaultMode"), errors);
  const sources = volume.list("sources");
  if (sources === null) return;
  const paths = new StringSet();
  for (let source = sources.first; source !== null; source = errors.after(source)) {
    let kinds = 0;
    const secret = source.object("secret");
    if (secret !== null) {
      kinds++;
      validateItems(volume, secret, paths, errors);
    }
    const configMap = source.object("configMap");
    if (configMap !== null) {
      kinds++;
      validateItems(volume, configMap, paths, errors);
    }
    const downward = source.object("downwardAPI");
    if (downward !== null) {
      kinds++;
      validateDownward(volume, downward, paths, errors);
    }
    const token = source.object("serviceAccountToken");
    if (token !== null) {
      kinds++;
      validateToken(volume, token, errors);
    }
    if (behaves(CERTIFICATES_OF_PODS)) kinds += validateCertificates(volume, source, paths, errors);
    if (kinds > 1) errors.forbidden(source.path(), "may not specify more than 1 volume type per source");
  }
}

// Returns how many of the two the source has.
function validateCertificates(volume: JsonNode, source: JsonNode, paths: StringSet, errors: FieldErrors): i32 {
  let kinds = 0;
  const bundle = source.object("clusterTrustBundle");
  if (bundle !== null) {
    kinds++;
    validateTrustBundle(volume, bundle, paths, errors);
  }
  const certificate = source.object("podCertificate");
  if (certificate !== null) {
    kinds++;
    validatePodCertificate(volume, certificate, paths, errors);
  }
  return kinds;
}

function validateItems(volume: JsonNode, source: JsonNode, paths: StringSet, errors: FieldErrors): void {
  errors.needs(source, "name");
  const items = source.list("items");
  if (items === null) return;
  for (let item = items.first; item !== null; item = errors.after(item)) {
    validateKeyToPath(item, errors);
    const path = item.string("path");
    if (path.length > 0 && !paths.add(path)) errors.invalid(volume.path(), quote(source.string("name")), CONFLICT);
  }
}

function validateDownward(volume: JsonNode, source: JsonNode, paths: StringSet, errors: FieldErrors): void {
  const items = source.list("items");
  if (items === null) return;
  for (let item = items.first; item !== null; item = errors.after(item)) {
    validateDownwardFile(source, item, errors);
    const path = item.string("path");
    if (path.length > 0) claimPath(volume, path, paths, errors);
  }
}

// Upstream quirk: a fault of the path is reported on the volume.
function validateToken(volume: JsonNode, token: JsonNode, errors: FieldErrors): void {
  const seconds = token.integer("expirationSeconds");
  const field = token.pathOf("expirationSeconds");
  if (seconds != ABSENT && seconds < EXPIRATION_SECONDS_MIN)
    errors.invalid(field, decimal(seconds), "may not specify a duration less than 10 minutes");
  if (seconds > EXPIRATION_SECONDS_MAX)
    errors.invalid(field, decimal(seconds), "may not specify a duration larger than 2^32 seconds");
  const path = token.string("path");
  if (path.length == 0) errors.required(volume.pathOf("path"));
  else validateOwnPath(path, volume.pathOf("path"), errors);
}
