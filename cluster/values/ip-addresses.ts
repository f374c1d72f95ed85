/**
 * The syntax of IP addresses, simplified: leaves out how many groups an IPv6 address has. The engine checks the
 * addresses in a pod's spec completely.
 */

export const IP_TEXT = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

export function isIp(text: string): boolean {
  const bytes = text.split(".");
  if (bytes.length === 4) return bytes.every((byte) => /^(0|[1-9]\d{0,2})$/.test(byte) && Number(byte) < 256);
  return /^[0-9a-fA-F:]+$/.test(text) && text.includes(":") && text.split("::").length <= 2;
}
