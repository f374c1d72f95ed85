/**
 * Rules of how a pod finds others and is found: DNS configuration, host aliases, the host name that takes the place of
 * all others. Source: pkg/apis/core/validation validatePodDNSConfig, ValidateHostAliases, validatePodHostName.
 */
import { byteLength } from "../json/text";
import { after, JsonNode, listOf } from "../json/tree";
import { dnsSubdomainProblems, searchDomainProblems } from "../model/name-rules";
import { FieldErrors } from "./field-errors";
import { ipProblem } from "./ip-addresses";
import { PodFacts } from "./pod-facts";
import { quote, renderNode } from "./render";

const NAMESERVERS_MAX: i32 = 3;
const SEARCHES_MAX: i32 = 32;
const SEARCH_BYTES_MAX: i32 = 2048;
const HOSTNAME_BYTES_MAX: i32 = 64;

/** Checks `dnsConfig`, and whether `dnsPolicy` needs one. */
export function validateDnsConfig(spec: JsonNode, errors: FieldErrors): void {
  const config = spec.object("dnsConfig");
  const nameservers = listOf(config, "nameservers");
  if (spec.string("dnsPolicy") == "None" && (nameservers === null || nameservers.length == 0)) {
    if (config === null) {
      errors.required(spec.pathOf("dnsConfig"), "must provide `dnsConfig` when `dnsPolicy` is None");
    } else {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      errors.required(config.pathOf("nameservers"), detail);
    }
    return;
  }
  if (config === null) return;
  if (nameservers !== null) {
    if (nameservers.length > NAMESERVERS_MAX)
      errors.invalid(nameservers.path(), renderNode(nameservers), "must not have more than 3 nameservers");
    for (let server = nameservers.first; server !== null; server = errors.after(server))
      validateAddress(server.asString(), server.path(), errors);
  }
  validateSearches(config.list("searches"), errors);
  const options = config.list("options");
  if (options === null) return;
  for (let option = options.first; option !== null; option = errors.after(option)) {
    if (option.string("name").length == 0) errors.required(option.path(), "must not be empty");
  }
}

function validateSearches(searches: JsonNode | null, errors: FieldErrors): void {
  if (searches === null) return;
  if (searches.length > SEARCHES_MAX)
    errors.invalid(searches.path(), renderNode(searches), "must not have more than 32 search paths");
  // With the spaces between them.
  let bytes = searches.length - 1;
  for (let search = searches.first; search !== null; search = after(search)) bytes += byteLength(search.asString());
  if (bytes > SEARCH_BYTES_MAX) {
    const detail = "must not have more than 2048 characters (including spaces) in the search list";
    errors.invalid(searches.path(), renderNode(searches), detail);
  }
  for (let search = searches.first; search !== null; search = errors.after(search)) {
    const text = search.asString();
    if (text == ".") continue;
    const domain = text.endsWith(".") ? text.substring(0, text.length - 1) : text;
    errors.invalidEach(search.path(), domain, searchDomainProblems(domain));
  }
}

/** Checks `hostAliases`; null if there are none. */
export function validateHostAliases(aliases: JsonNode | null, errors: FieldErrors): void {
  if (aliases === null) return;
  for (let alias = aliases.first; alias !== null; alias = errors.after(alias)) {
    validateAddress(alias.string("ip"), alias.pathOf("ip"), errors);
    const names = alias.list("hostnames");
    if (names === null) continue;
    for (let name = names.first; name !== null; name = errors.after(name))
      errors.invalidEach(name.path(), name.asString(), dnsSubdomainProblems(name.asString()));
  }
}

function validateAddress(address: string, field: string, errors: FieldErrors): void {
  const problem = ipProblem(address);
  if (problem.length > 0) errors.invalid(field, quote(address), problem);
}

/** Checks `hostnameOverride`. */
export function validateHostnameOverride(pod: PodFacts, errors: FieldErrors): void {
  const spec = pod.spec;
  if (!spec.has("hostnameOverride")) return;
  const field = spec.pathOf("hostnameOverride");
  if (spec.boolean("setHostnameAsFQDN")) errors.forbidden(field, "may not be specified when setHostnameAsFQDN is true");
  if (spec.boolean("hostNetwork")) errors.forbidden(field, "may not be specified when hostNetwork is true");
  const name = spec.string("hostnameOverride");
  if (byteLength(name) > HOSTNAME_BYTES_MAX) errors.tooLong(field, HOSTNAME_BYTES_MAX);
  errors.invalidEach(field, name, dnsSubdomainProblems(name));
}
