/**
 * Rules of certificates in projected volumes: bundles of certificates that are trusted, and certificates of pods. Only
 * since Kubernetes 1.37: earlier API servers drop both before they look. Source: pkg/apis/core/validation
 * validateProjectionSources, ValidateSignerName, ValidateClusterTrustBundleName, ValidateUserAnnotations.
 */
import { asciiLowerCase, byteLength, decimal, replaced, split, StringSet } from "../json/text";
import { ABSENT, JsonNode } from "../json/tree";
import { dnsLabelProblems, dnsSubdomainProblems, qualifiedNameProblems } from "../model/name-rules";
import { FieldErrors } from "./field-errors";
import { quote, renderNode } from "./render";
import { validateSelectorSyntax } from "./selector";
import { ANNOTATIONS_BYTES_MAX } from "./validate-metadata";
import { validateOwnPath } from "./validate-references";

const KEY_TYPES = "RSA3072,RSA4096,ECDSAP256,ECDSAP384,ECDSAP521,ED25519";
const EXPIRATION_SECONDS_MIN: i64 = 60 * 60;
const EXPIRATION_SECONDS_MAX: i64 = 91 * 24 * 60 * 60;
/** Of the signers that Kubernetes brings. */
const OWN_EXPIRATION_SECONDS_MAX: i64 = 24 * 60 * 60;
const SIGNER_DOMAIN_BYTES_MAX: i32 = 253;
const SIGNER_BYTES_MAX: i32 = 571;
const BAD_BUNDLE = "not a valid clustertrustbundlename: ";

/** Checks `clusterTrustBundle` of a source. `paths` has those of all sources of the volume. */
export function validateTrustBundle(volume: JsonNode, bundle: JsonNode, paths: StringSet, errors: FieldErrors): void {
  const hasName = bundle.has("name");
  const hasSigner = bundle.has("signerName");
  if (hasName && hasSigner) {
    errors.invalid(bundle.path(), renderNode(bundle), "only one of name and signerName may be used");
  } else if (hasName) {
    validateBundleName(bundle, errors);
    const selector = bundle.object("labelSelector");
    if (selector !== null)
      errors.invalid(selector.path(), renderNode(selector), "labelSelector must be unset if name is specified");
  } else if (hasSigner) {
    if (bundle.string("signerName").length == 0)
      errors.required(bundle.pathOf("signerName"), "must be a valid signer name");
    validateSigner(bundle, errors);
    const selector = bundle.object("labelSelector");
    if (selector !== null) validateSelectorSyntax(selector, errors);
  } else {
    errors.required(bundle.path(), "either name or signerName must be specified");
  }
  errors.needs(bundle, "path");
  validateOwnPath(bundle.string("path"), bundle.pathOf("path"), errors);
  // Upstream quirk: bundles without a path conflict too.
  claimPath(volume, bundle.string("path"), paths, errors);
}

// A bundle of a signer has the signer's name, with `:` for `/`, before a `:`.
function validateBundleName(bundle: JsonNode, errors: FieldErrors): void {
  const field = bundle.pathOf("name");
  const name = bundle.string("name");
  if (name.length == 0) errors.required(field, "must be a valid object name");
  const colon = name.lastIndexOf(":");
  if (colon == 0) {
    const detail = 'ClusterTrustBundle without signer name must not have ":" in its name';
    errors.invalid(field, quote(name), BAD_BUNDLE + detail);
    return;
  }
  const prefix = replaced(name.substring(0, colon + 1), "/", ":");
  if (!name.startsWith(prefix)) {
    const signer = replaced(name.substring(0, colon), ":", "/");
    const detail = "ClusterTrustBundle for signerName " + signer + " must be named with prefix " + prefix;
    errors.invalid(field, quote(name), BAD_BUNDLE + detail);
    return;
  }
  const problems = dnsSubdomainProblems(name.substring(colon + 1));
  for (let i = 0; i < problems.length; i++) errors.invalid(field, quote(name), BAD_BUNDLE + problems[i]);
}

/** Checks `podCertificate` of a source. `paths` has those of all sources of the volume. */
export function validatePodCertificate(
  volume: JsonNode,
  certificate: JsonNode,
  paths: StringSet,
  errors: FieldErrors,
): void {
  validateSigner(certificate, errors);
  validateUserAnnotations(certificate.object("userAnnotations"), errors);
  const keyType = certificate.string("keyType");
  errors.wordIsOneOf(certificate.pathOf("keyType"), keyType, KEY_TYPES);
  validateExpiration(certificate, errors);
  let count = 0;
  const names = ["credentialBundlePath", "keyPath", "certificateChainPath"];
  for (let i = 0; i < names.length; i++) {
    const path = certificate.string(names[i]);
    if (path.length == 0) continue;
    count++;
    validateOwnPath(path, certificate.pathOf(names[i]), errors);
    claimPath(volume, path, paths, errors);
  }
  if (count == 0)
    errors.required(
      certificate.path(),
      "specify at least one of credentialBundlePath, keyPath, and certificateChainPath",
    );
}

function validateExpiration(certificate: JsonNode, errors: FieldErrors): void {
  const seconds = certificate.integer("maxExpirationSeconds");
  if (seconds == ABSENT) return;
  const field = certificate.pathOf("maxExpirationSeconds");
  if (seconds < EXPIRATION_SECONDS_MIN)
    errors.invalid(field, decimal(seconds), "if provided, maxExpirationSeconds must be >= 3600");
  const host = split(certificate.string("signerName"), "/")[0];
  const isOwn = host == "kubernetes.io" || host.endsWith(".kubernetes.io");
  const max = isOwn ? OWN_EXPIRATION_SECONDS_MAX : EXPIRATION_SECONDS_MAX;
  if (seconds > max)
    errors.invalid(field, decimal(seconds), "if provided, maxExpirationSeconds must be <= " + decimal(max));
}

// What the Pod asks of the signer: each key has a domain.
function validateUserAnnotations(annotations: JsonNode | null, errors: FieldErrors): void {
  if (annotations === null) return;
  const field = annotations.path();
  let bytes = 0;
  for (let annotation = annotations.first; annotation !== null; annotation = errors.after(annotation)) {
    bytes += byteLength(annotation.key) + byteLength(annotation.asString());
    const key = asciiLowerCase(annotation.key);
    const problems = qualifiedNameProblems(key);
    if (key.length == 0) errors.required(field);
    else if (problems.length > 0) errors.invalidEach(field, key, problems);
    else if (!key.includes("/"))
      errors.invalid(field, quote(key), 'must be a domain-prefixed key (such as "acme.io/foo")');
  }
  if (bytes > ANNOTATIONS_BYTES_MAX) errors.tooLong(field, ANNOTATIONS_BYTES_MAX);
}

// A signer is DOMAIN/NAME. The problems are those of the first bad label of each part.
function validateSigner(source: JsonNode, errors: FieldErrors): void {
  const field = source.pathOf("signerName");
  const signer = source.string("signerName");
  if (signer.length == 0) {
    errors.required(field);
    return;
  }
  const parts = split(signer, "/");
  if (parts.length != 2) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    errors.invalid(field, quote(signer), detail);
    return;
  }
  if (byteLength(parts[0]) > SIGNER_DOMAIN_BYTES_MAX) errors.tooLong(field, SIGNER_DOMAIN_BYTES_MAX);
  for (let part = 0; part < parts.length; part++) {
    const labels = split(parts[part], ".");
    for (let i = 0; i < labels.length; i++) {
      const problems = part == 0 ? dnsLabelProblems(labels[i]) : dnsSubdomainProblems(labels[i]);
      const before = "validating label " + quote(labels[i]) + ": ";
      for (let j = 0; j < problems.length; j++) errors.invalid(field, quote(parts[part]), before + problems[j]);
      if (problems.length > 0) break;
    }
    if (part == 0 && labels.length < 2)
      errors.invalid(field, quote(parts[0]), "should be a domain with at least two segments separated by dots");
  }
  if (byteLength(signer) > SIGNER_BYTES_MAX) errors.tooLong(field, SIGNER_BYTES_MAX);
}

/** Notes that another file of the volume has this path already. */
export function claimPath(volume: JsonNode, path: string, paths: StringSet, errors: FieldErrors): void {
  if (!paths.add(path)) errors.invalid(volume.path(), quote(path), "conflicting duplicate paths");
}
