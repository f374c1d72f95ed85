/**
 * Warnings about parts of a pod that only the whole engine looks at: affinity, volumes, overhead, the spelling of
 * addresses. Invariant: works on a defaulted, valid spec. Paths that overlap within a volume are left to
 * path-warnings.ts. Source: pkg/api/pod/warnings.go, pkg/api/node/util.go, pkg/api/persistentvolumeclaim/util.go.
 */
import { wordsOf } from "../json/text";
import { after, JsonNode, listOf, objectOf } from "../json/tree";
import { labelValueProblems } from "../model/name-rules";
import { canonicalIp } from "./ip-addresses";
import { PodFacts } from "./pod-facts";
import { quote } from "./render";
import { PREFERRED, REQUIRED } from "./validate-affinity";
import { Warnings } from "./warning-list";
import { nodeLabelAdvice, warnAboutFraction } from "./warnings";

/** Kinds of volumes that are no longer supported, by their API names, and what upstream says of them. */
const OLD_KINDS = "photonPersistentDisk,gitRepo,scaleIO,flocker,storageos,quobyte,glusterfs,cephfs,rbd";
const OLD_ADVICE =
  "deprecated in v1.11; non-functional in v1.16+,deprecated in v1.11; and disabled by default in v1.33+,deprecated in v1.16; non-functional in v1.22+,deprecated in v1.22; non-functional in v1.25+,deprecated in v1.22; non-functional in v1.25+,deprecated in v1.22; non-functional in v1.25+,deprecated in v1.25; non-functional in v1.26+,deprecated in v1.28; non-functional in v1.31+,deprecated in v1.28; non-functional in v1.31+";

/** Warns of labels of nodes that are deprecated, and of preferred values that no label can have. */
export function warnAboutNodeAffinity(pod: PodFacts, warnings: Warnings): void {
  const affinity = objectOf(pod.spec.object("affinity"), "nodeAffinity");
  if (affinity === null) return;
  const terms = listOf(affinity.object(REQUIRED), "nodeSelectorTerms");
  if (terms !== null) {
    for (let term = terms.first; term !== null; term = after(term)) warnAboutTerm(term, false, warnings);
  }
  const preferred = affinity.list(PREFERRED);
  if (preferred === null) return;
  for (let weighted = preferred.first; weighted !== null; weighted = after(weighted))
    warnAboutTerm(weighted.object("preference"), true, warnings);
}

function warnAboutTerm(term: JsonNode | null, checksValues: bool, warnings: Warnings): void {
  const expressions = listOf(term, "matchExpressions");
  if (expressions === null) return;
  for (let expression = expressions.first; expression !== null && !warnings.full; expression = after(expression)) {
    const key = expression.string("key");
    const advice = nodeLabelAdvice(key);
    if (advice.length > 0) warnings.add(expression.pathOf("key") + ": " + key + " is " + advice);
    const values = checksValues ? expression.list("values") : null;
    if (values === null) continue;
    for (let value = values.first; value !== null && !warnings.full; value = after(value)) {
      const problems = labelValueProblems(value.asString());
      for (let i = 0; i < problems.length; i++)
        warnings.add(value.path() + ": " + value.asString() + " is invalid, " + problems[i]);
    }
  }
}

/** Warns of kinds of volumes that are no longer supported, and of claims for a fraction of a byte. */
export function warnAboutVolumeKinds(pod: PodFacts, warnings: Warnings): void {
  const volumes = pod.spec.list("volumes");
  if (volumes === null) return;
  const kinds = wordsOf(OLD_KINDS);
  const advice = wordsOf(OLD_ADVICE);
  for (let volume = volumes.first; volume !== null && !warnings.full; volume = after(volume)) {
    for (let i = 0; i < kinds.length; i++) {
      if (!volume.has(kinds[i])) continue;
      // Upstream quirk: one kind is spelled otherwise than its field.
      const field = volume.pathOf(kinds[i] == "storageos" ? "storageOS" : kinds[i]);
      warnings.add(field + ": " + advice[i].replace(";", ","));
    }
    const template = objectOf(volume.object("ephemeral"), "volumeClaimTemplate");
    const resources = objectOf(objectOf(template, "spec"), "resources");
    if (resources === null) continue;
    warnAboutFraction(resources.object("requests"), "storage", warnings);
    warnAboutFraction(resources.object("limits"), "storage", warnings);
  }
}

/** Warns of overhead of a fraction of a byte. */
export function warnAboutOverhead(pod: PodFacts, warnings: Warnings): void {
  const overhead = pod.spec.object("overhead");
  warnAboutFraction(overhead, "memory", warnings);
  warnAboutFraction(overhead, "ephemeral-storage", warnings);
}

/** Warns of terms that match no pod, and of addresses that are spelled otherwise than RFC 5952 wants. */
export function warnAboutPeers(pod: PodFacts, warnings: Warnings): void {
  const affinity = pod.spec.object("affinity");
  if (affinity !== null) {
    warnAboutPodTerms(affinity.object("podAffinity"), warnings);
    warnAboutPodTerms(affinity.object("podAntiAffinity"), warnings);
  }
  const nameservers = listOf(pod.spec.object("dnsConfig"), "nameservers");
  if (nameservers !== null) {
    for (let server = nameservers.first; server !== null; server = after(server))
      warnAboutAddress(server.asString(), server.path(), warnings);
  }
  const aliases = pod.spec.list("hostAliases");
  if (aliases === null) return;
  for (let alias = aliases.first; alias !== null; alias = after(alias))
    warnAboutAddress(alias.string("ip"), alias.pathOf("ip"), warnings);
}

function warnAboutPodTerms(affinity: JsonNode | null, warnings: Warnings): void {
  if (affinity === null) return;
  const required = affinity.list(REQUIRED);
  if (required !== null) {
    for (let term = required.first; term !== null; term = after(term)) warnAboutSelector(term, term.path(), warnings);
  }
  const preferred = affinity.list(PREFERRED);
  if (preferred === null) return;
  for (let weighted = preferred.first; weighted !== null; weighted = after(weighted))
    warnAboutSelector(weighted.object("podAffinityTerm"), weighted.pathOf("podAffinityTerm"), warnings);
}

function warnAboutSelector(term: JsonNode | null, at: string, warnings: Warnings): void {
  if (term === null || !term.has("labelSelector"))
    warnings.add(at + ".labelSelector: a null labelSelector results in matching no pod");
}

function warnAboutAddress(address: string, field: string, warnings: Warnings): void {
  const canonical = canonicalIp(address);
  if (canonical == address) return;
  const advice = " should be in RFC 5952 canonical format (" + quote(canonical) + ")";
  warnings.add(field + ": IPv6 address " + quote(address) + advice);
}
