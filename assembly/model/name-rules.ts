/**
 * The names of Kubernetes: DNS labels and subdomains, qualified names, label values, port and variable names. Each
 * check returns the problems in the API server's words; a good name has none. Invariant: one pass over the name, no
 * regular expressions; lengths count bytes. Source: k8s.io/apimachinery/pkg/util/validation.
 */
import { byteLength, decimal } from "../json/text";

const DNS_LABEL_BYTES_MAX: i32 = 63;
const DNS_SUBDOMAIN_BYTES_MAX: i32 = 253;
const LABEL_BYTES_MAX: i32 = 63;
const PORT_NAME_BYTES_MAX: i32 = 15;

const DNS_LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const DNS_SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const SEARCH_DOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const HEADER_TEXT =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
const QUALIFIED_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const CONFIG_MAP_KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const PATH_TEXT = "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
const PATH_PUNCTUATION = "/-._~%!$&'()*+,;=:";
const VARIABLE_TEXT =
  "a valid environment variable name must consist only of printable ASCII characters other than '='";

const NOTHING: string[] = [];

/** Problems of a DNS-1123 label. */
export function dnsLabelProblems(name: string): string[] {
  let problem = "";
  if (!isDnsLabel(name, 0, name.length)) problem = isDnsSubdomain(name) ? "must not contain dots" : DNS_LABEL_TEXT;
  return lengthAnd(problem, name, DNS_LABEL_BYTES_MAX);
}

/** Problems of a DNS-1123 subdomain: labels with dots between them. */
export function dnsSubdomainProblems(name: string): string[] {
  return lengthAnd(isDnsSubdomain(name) ? "" : DNS_SUBDOMAIN_TEXT, name, DNS_SUBDOMAIN_BYTES_MAX);
}

/** Problems of a domain to search in: a subdomain whose labels may have underscores, and begin with one. */
export function searchDomainProblems(domain: string): string[] {
  return lengthAnd(isSearchDomain(domain) ? "" : SEARCH_DOMAIN_TEXT, domain, DNS_SUBDOMAIN_BYTES_MAX);
}

// The problem of a name's length, and then this one; "": none.
function lengthAnd(problem: string, name: string, bytesMax: i32): string[] {
  const fits = byteLength(name) <= bytesMax;
  if (fits && problem.length == 0) return NOTHING;
  const problems = new Array<string>();
  if (!fits) problems.push(maxCharacters(bytesMax));
  if (problem.length > 0) problems.push(problem);
  return problems;
}

/** Problems of the name of an HTTP header. */
export function headerNameProblems(name: string): string[] {
  for (let i = 0; i < name.length; i++) {
    if (!isAlphanumeric(name.charCodeAt(i)) && name.charCodeAt(i) != 0x2d) return [HEADER_TEXT];
  }
  return name.length == 0 ? [HEADER_TEXT] : NOTHING;
}

/** Problems of a generateName: a prefix of a subdomain, which may end in a dash. */
export function dnsSubdomainPrefixProblems(prefix: string): string[] {
  return dnsSubdomainProblems(
    prefix.length > 1 && prefix.endsWith("-") ? prefix.substring(0, prefix.length - 2) + "a" : prefix,
  );
}

/** Problems of a qualified name, as keys of labels are: `name` or `dns.subdomain/name`. */
export function qualifiedNameProblems(value: string): string[] {
  const slash = value.indexOf("/");
  if (slash >= 0 && value.indexOf("/", slash + 1) >= 0) {
    return [
      "a valid label key " +
        QUALIFIED_TEXT +
        " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  }
  // Most names are good. This test makes no strings for them.
  if (slash != 0 && isShortWord(value, slash + 1) && (slash < 0 || isShortSubdomain(value, slash))) return NOTHING;
  const name = value.substring(slash + 1);
  const problems = new Array<string>();
  if (slash == 0) problems.push("prefix part must be non-empty");
  if (slash > 0) {
    const prefix = value.substring(0, slash);
    if (byteLength(prefix) > DNS_SUBDOMAIN_BYTES_MAX) problems.push("prefix part " + maxBytes(DNS_SUBDOMAIN_BYTES_MAX));
    if (!isDnsSubdomain(prefix)) problems.push("prefix part " + DNS_SUBDOMAIN_TEXT);
  }
  if (name.length == 0) problems.push("name part must be non-empty");
  else if (byteLength(name) > LABEL_BYTES_MAX) problems.push("name part " + maxBytes(LABEL_BYTES_MAX));
  if (!isWord(name)) problems.push("name part " + QUALIFIED_TEXT);
  return problems;
}

/** Problems of a label's value. */
export function labelValueProblems(value: string): string[] {
  if (value.length == 0 || isShortWord(value, 0)) return NOTHING;
  const problems = new Array<string>();
  if (byteLength(value) > LABEL_BYTES_MAX) problems.push(maxBytes(LABEL_BYTES_MAX));
  if (!isWord(value)) problems.push(LABEL_VALUE_TEXT);
  return problems;
}

/** Problems of a port's name. */
export function portNameProblems(name: string): string[] {
  const problems = new Array<string>();
  let onlyAllowed = name.length > 0;
  let hasLetter = false;
  for (let i = 0; i < name.length; i++) {
    const c = name.charCodeAt(i);
    if (isLower(c)) hasLetter = true;
    else if (!isDigit(c) && c != 0x2d) onlyAllowed = false;
  }
  if (byteLength(name) > PORT_NAME_BYTES_MAX) problems.push(maxCharacters(PORT_NAME_BYTES_MAX));
  if (!onlyAllowed) problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!hasLetter) problems.push("must contain at least one letter (a-z)");
  if (name.includes("--")) problems.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

/** Problems of an environment variable's name. */
export function variableNameProblems(name: string): string[] {
  for (let i = 0; i < name.length; i++) {
    const c = name.charCodeAt(i);
    if (c < 0x20 || c > 0x7e || c == 0x3d) return [VARIABLE_TEXT];
  }
  return NOTHING;
}

/** Problems of a key in a ConfigMap or a Secret. */
export function configMapKeyProblems(key: string): string[] {
  const problems = new Array<string>();
  if (byteLength(key) > DNS_SUBDOMAIN_BYTES_MAX) problems.push(maxCharacters(DNS_SUBDOMAIN_BYTES_MAX));
  for (let i = 0; i < key.length; i++) {
    const c = key.charCodeAt(i);
    if (isAlphanumeric(c) || isWordPunctuation(c)) continue;
    problems.push(CONFIG_MAP_KEY_TEXT);
    break;
  }
  if (key == "." || key == "..") problems.push("must not be '" + key + "'");
  else if (key.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

/** Problems of the path in a domain-prefixed path: the part after the host. */
export function pathProblems(path: string): string[] {
  for (let i = 0; i < path.length; i++) {
    const c = path.charCodeAt(i);
    if (!isAlphanumeric(c) && !PATH_PUNCTUATION.includes(String.fromCharCode(c))) return [PATH_TEXT];
  }
  return NOTHING;
}

function maxBytes(limit: i32): string {
  return "must be no more than " + decimal(limit) + " bytes";
}

// Upstream's older messages say "characters", although the limit counts bytes.
function maxCharacters(limit: i32): string {
  return "must be no more than " + decimal(limit) + " characters";
}

// A word holds ASCII only, so it has as many bytes as characters. The same is true of a subdomain.
function isShortWord(name: string, from: i32): bool {
  return name.length - from <= LABEL_BYTES_MAX && isWord(name, from);
}

function isShortSubdomain(name: string, to: i32): bool {
  return to <= DNS_SUBDOMAIN_BYTES_MAX && isDnsSubdomain(name, to);
}

// Whether the characters before `to` are a DNS subdomain.
function isDnsSubdomain(name: string, to: i32 = name.length): bool {
  let from = 0;
  for (let i = 0; i <= to; i++) {
    if (i < to && name.charCodeAt(i) != 0x2e) continue;
    if (!isDnsLabel(name, from, i)) return false;
    from = i + 1;
  }
  return true;
}

// Whether the text is labels with dots between them, each _?[a-z0-9]([-_a-z0-9]*[a-z0-9])?
function isSearchDomain(domain: string): bool {
  let from = 0;
  for (let i = 0; i <= domain.length; i++) {
    if (i < domain.length && domain.charCodeAt(i) != 0x2e) continue;
    if (from < i && domain.charCodeAt(from) == 0x5f) from++;
    if (from == i || !isLowerOrDigit(domain.charCodeAt(from)) || !isLowerOrDigit(domain.charCodeAt(i - 1)))
      return false;
    for (; from < i; from++) {
      const c = domain.charCodeAt(from);
      if (!isLowerOrDigit(c) && c != 0x2d && c != 0x5f) return false;
    }
    from = i + 1;
  }
  return true;
}

/** Whether a character is a lower-case letter or a digit. */
export function isLowerOrDigit(c: i32): bool {
  return isLower(c) || isDigit(c);
}

// Whether the characters between the two positions are [a-z0-9]([-a-z0-9]*[a-z0-9])?
function isDnsLabel(name: string, from: i32, to: i32): bool {
  if (from == to || name.charCodeAt(from) == 0x2d || name.charCodeAt(to - 1) == 0x2d) return false;
  for (let i = from; i < to; i++) {
    const c = name.charCodeAt(i);
    if (!isLower(c) && !isDigit(c) && c != 0x2d) return false;
  }
  return true;
}

// Whether the characters from the position on are ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
function isWord(name: string, from: i32 = 0): bool {
  const last = name.length - 1;
  if (from > last || !isAlphanumeric(name.charCodeAt(from)) || !isAlphanumeric(name.charCodeAt(last))) return false;
  for (let i = from + 1; i < last; i++) {
    const c = name.charCodeAt(i);
    if (!isAlphanumeric(c) && !isWordPunctuation(c)) return false;
  }
  return true;
}

// - _ .
function isWordPunctuation(c: i32): bool {
  return c == 0x2d || c == 0x5f || c == 0x2e;
}

function isLower(c: i32): bool {
  return u32(c - 0x61) < 26;
}

function isDigit(c: i32): bool {
  return u32(c - 0x30) < 10;
}

function isAlphanumeric(c: i32): bool {
  return isDigit(c) || isLower(c | 0x20);
}
