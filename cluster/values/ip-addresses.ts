/**
 * The syntax of IP addresses. `isIp` is the short check, which leaves out how many groups an IPv6 address has;
 * `ipProblem` is the whole one, for fields where somebody writes an address by hand. Source:
 * k8s.io/apimachinery/pkg/util/validation/ip.go.
 */

export const IP_TEXT = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

export function isIp(text: string): boolean {
  const bytes = text.split(".");
  if (bytes.length === 4) return bytes.every((byte) => /^(0|[1-9]\d{0,2})$/.test(byte) && Number(byte) < 256);
  return /^[0-9a-fA-F:]+$/.test(text) && text.includes(":") && text.split("::").length <= 2;
}

const IP_GROUPS = 8;

/** What upstream says of an address, in a field that is older than its strict rules; undefined: it is a good one. */
export function ipProblem(text: string): string | undefined {
  if (!text.includes(":")) return isIpv4(text) ? leadingZeros(text) : IP_TEXT;
  const groups = ipv6Groups(text);
  if (groups === undefined) return IP_TEXT;
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return leadingZeros(text) ?? (isMapped ? "must not be an IPv4-mapped IPv6 address" : undefined);
}

/** Zeros in front do not count here. */
function isIpv4(text: string): boolean {
  const bytes = text.split(".");
  return bytes.length === 4 && bytes.every((byte) => /^\d+$/.test(byte) && Number(byte) < 256);
}

function leadingZeros(text: string): string | undefined {
  return /(^|[.:])0\d+\./.test(text) || /\.0\d+$/.test(text) ? "must not have leading 0s" : undefined;
}

/** The eight numbers of an IPv6 address; undefined if it is none. The last two may be written as an IPv4 address. */
function ipv6Groups(text: string): readonly number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [before, after] = halves.map((half, index) => groupsOf(half, index === halves.length - 1));
  if (before === undefined || halves.length === 1) return before?.length === IP_GROUPS ? before : undefined;
  if (after === undefined) return undefined;
  const left = IP_GROUPS - before.length - after.length;
  return left > 0 ? [...before, ...Array.from({ length: left }, () => 0), ...after] : undefined;
}

function groupsOf(text: string, isLast: boolean): readonly number[] | undefined {
  if (text === "") return [];
  const words = text.split(":");
  const groups = words.flatMap((word, index) => {
    if (/^[0-9a-f]{1,4}$/i.test(word)) return [parseInt(word, 16)];
    if (!isLast || index !== words.length - 1 || !isIpv4(word)) return [NaN];
    const [a, b, c, d] = word.split(".").map(Number) as [number, number, number, number];
    return [a * 256 + b, c * 256 + d];
  });
  return groups.some(Number.isNaN) ? undefined : groups;
}
