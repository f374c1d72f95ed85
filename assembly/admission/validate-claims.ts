/**
 * Rules of claims to devices: those that a pod makes, and which of them a container uses. Source:
 * pkg/apis/core/validation validatePodResourceClaims, validateResourceClaimNames.
 */
import { joined, StringSet } from "../json/text";
import { after, JsonNode, memberOf } from "../json/tree";
import { childrenByKey } from "../json/tree-order";
import { dnsLabelProblems, dnsSubdomainProblems } from "../model/name-rules";
import { FieldErrors } from "./field-errors";
import { PodFacts } from "./pod-facts";
import { quote, renderNode } from "./render";

const MIRROR = "kubernetes.io/config.mirror";

/** Checks `resourceClaims` of a pod spec. */
export function validatePodClaims(pod: PodFacts, errors: FieldErrors): void {
  const claims = pod.spec.list("resourceClaims");
  if (claims === null) return;
  const isMirror = pod.isPod && memberOf(pod.annotations, MIRROR) !== null;
  const names = new StringSet();
  for (let claim = claims.first; claim !== null; claim = errors.after(claim)) {
    // Upstream quirk: the field has no name.
    if (isMirror) errors.forbidden("", "static pods do not support resource claims");
    else validatePodClaim(claim, names, errors);
  }
}

function validatePodClaim(claim: JsonNode, names: StringSet, errors: FieldErrors): void {
  const name = claim.string("name");
  if (name.length == 0) errors.needs(claim, "name");
  else if (!names.add(name)) errors.duplicate(claim.pathOf("name"), quote(name));
  else errors.invalidEach(claim.pathOf("name"), name, dnsLabelProblems(name));
  const isNamed = claim.has("resourceClaimName");
  const isMade = claim.has("resourceClaimTemplateName");
  if (isNamed && isMade) {
    const detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
    errors.invalid(claim.path(), renderNode(claim), detail);
  } else if (!isNamed && !isMade) {
    const detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
    errors.invalid(claim.path(), renderNode(claim), detail);
  }
  validateObjectName(claim, "resourceClaimName", errors);
  validateObjectName(claim, "resourceClaimTemplateName", errors);
}

function validateObjectName(claim: JsonNode, key: string, errors: FieldErrors): void {
  if (!claim.has(key)) return;
  const name = claim.string(key);
  errors.invalidEach(claim.pathOf(key), name, dnsSubdomainProblems(name));
}

/** Checks `claims` of the resources of a container, or of a whole pod. */
export function validateUsedClaims(pod: PodFacts, claims: JsonNode | null, errors: FieldErrors): void {
  if (claims === null) return;
  const known = JsonNode.object();
  const made = pod.spec.list("resourceClaims");
  if (made !== null) {
    for (let claim = made.first; claim !== null; claim = after(claim)) {
      if (claim.string("name").length > 0) known.set(claim.string("name"), JsonNode.boolean(true));
    }
  }
  // A claim as a whole, one request of it, and the claims of which a request is used.
  const used = new StringSet();
  const inPart = new StringSet();
  for (let claim = claims.first; claim !== null; claim = errors.after(claim)) {
    const name = claim.string("name");
    if (name.length == 0) {
      errors.required(claim.path());
      continue;
    }
    validateUse(claim, name, used, inPart, errors);
    if (!known.has(name)) errors.notFound(claim.path(), quote(name), namesOf(known));
  }
}

function validateUse(claim: JsonNode, name: string, used: StringSet, inPart: StringSet, errors: FieldErrors): void {
  if (used.has(name)) {
    errors.duplicate(claim.path(), quote(name));
    return;
  }
  const request = claim.string("request");
  if (request.length == 0) {
    if (inPart.has(name)) errors.duplicate(claim.path(), quote(name));
    used.add(name);
    return;
  }
  errors.invalidEach(claim.pathOf("request"), request, dnsLabelProblems(request));
  const key = name + "/" + request;
  if (!used.add(key)) errors.duplicate(claim.path(), quote(key));
  inPart.add(name);
}

function namesOf(known: JsonNode): string {
  const start = "must be one of the names in pod.spec.resourceClaims";
  if (known.length == 0) return start + " which is empty";
  const nodes = childrenByKey(known);
  const names = new Array<string>();
  for (let i = 0; i < nodes.length; i++) names.push(nodes[i].key);
  return start + ": " + joined(names, ", ");
}
