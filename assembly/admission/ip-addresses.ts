/**
 * The syntax of IP addresses in fields that are older than upstream's strict rules, and the spelling that RFC 5952
 * wants. Invariant: one pass over the text, no regular expressions. Source: k8s.io/apimachinery/pkg/util/validation
 * IsValidIPForLegacyField, GetWarningsForIP.
 */
import { decimal } from "../json/text";

const NO_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const GROUPS: i32 = 8;
const HEX_DIGITS = "0123456789abcdef";

/** What is wrong with an address; "" if nothing is. */
export function ipProblem(text: string): string {
  if (text.indexOf(":") < 0) return ipv4Problem(text, 0);
  const groups = ipv6Groups(text);
  if (groups === null) return NO_ADDRESS;
  const problem = text.indexOf(".") < 0 ? "" : ipv4Problem(text, text.lastIndexOf(":") + 1);
  if (problem.length > 0) return problem;
  let isMapped = groups[5] == 0xffff;
  for (let i = 0; i < 5; i++) isMapped = isMapped && groups[i] == 0;
  return isMapped ? "must not be an IPv4-mapped IPv6 address" : "";
}

/** An IPv6 address as RFC 5952 writes it. Any other text stays as it is. */
export function canonicalIp(text: string): string {
  if (text.indexOf(":") < 0) return text;
  const groups = ipv6Groups(text);
  if (groups === null) return text;
  let longest = 1;
  let gap = -1;
  for (let i = 0; i < GROUPS; i++) {
    let end = i;
    while (end < GROUPS && groups[end] == 0) end++;
    if (end - i > longest) {
      longest = end - i;
      gap = i;
    }
  }
  let written = "";
  for (let i = 0; i < GROUPS; i++) {
    if (i == gap) {
      written += "::";
      i += longest - 1;
      continue;
    }
    if (written.length > 0 && !written.endsWith(":")) written += ":";
    written += hexadecimal(groups[i]);
  }
  return written;
}

function hexadecimal(value: i32): string {
  let text = "";
  let rest = value;
  do {
    text = HEX_DIGITS.charAt(rest & 15) + text;
    rest >>= 4;
  } while (rest != 0);
  return text;
}

function ipv4Problem(text: string, from: i32): string {
  const bytes = ipv4Bytes(text, from);
  if (bytes === null) return NO_ADDRESS;
  // Without zeros in front, the bytes are as long as the text.
  let length = 3;
  for (let i = 0; i < 4; i++) length += decimal(bytes[i]).length;
  return length == text.length - from ? "" : "must not have leading 0s";
}

// The four bytes of an address that begins at `from`; null if it is none. Zeros in front do not count.
function ipv4Bytes(text: string, from: i32): i32[] | null {
  const bytes = new Array<i32>();
  let at = from;
  while (true) {
    const start = at;
    let value = 0;
    for (; at < text.length; at++) {
      const digit = text.charCodeAt(at) - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      if (value > 255) return null;
    }
    if (at == start) return null;
    bytes.push(value);
    if (bytes.length == 4) return at == text.length ? bytes : null;
    if (at >= text.length || text.charCodeAt(at++) != 0x2e) return null;
  }
}

// The eight numbers of an address; null if it is none. The last two may be written as an IPv4 address.
function ipv6Groups(text: string): i32[] | null {
  const groups = new Array<i32>();
  let gap = -1;
  let at = 0;
  if (text.startsWith("::")) {
    gap = 0;
    at = 2;
  }
  while (at < text.length) {
    if (groups.length == GROUPS) return null;
    const end = text.indexOf(":", at) < 0 ? text.length : text.indexOf(":", at);
    if (end == text.length && text.indexOf(".", at) >= 0) {
      const bytes = ipv4Bytes(text, at);
      if (bytes === null || groups.length > GROUPS - 2) return null;
      groups.push(bytes[0] * 256 + bytes[1]);
      groups.push(bytes[2] * 256 + bytes[3]);
      break;
    }
    const group = groupOf(text, at, end);
    if (group < 0) return null;
    groups.push(group);
    at = end;
    if (at == text.length) break;
    if (text.charCodeAt(++at) == 0x3a) {
      if (gap >= 0) return null;
      gap = groups.length;
      at++;
    } else if (at == text.length) {
      return null;
    }
  }
  if (gap < 0) return groups.length == GROUPS ? groups : null;
  if (groups.length == GROUPS) return null;
  while (groups.length < GROUPS) {
    groups.push(0);
    for (let i = groups.length - 1; i > gap; i--) groups[i] = groups[i - 1];
    groups[gap] = 0;
  }
  return groups;
}

// One to four hexadecimal digits; negative if it is something else.
function groupOf(text: string, from: i32, to: i32): i32 {
  if (to == from || to - from > 4) return -1;
  let value = 0;
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i) | 0x20;
    const digit = HEX_DIGITS.indexOf(String.fromCharCode(c));
    if (digit < 0 || (digit < 10 && text.charCodeAt(i) != c)) return -1;
    value = value * 16 + digit;
  }
  return value;
}
