/**
 * The URL at which a webhook is asked, as the client of the API server writes it: its path is cleaned, so `//mutate` is
 * `/mutate`, and `/a/../b/` is `/b`. Source: client-go, rest.NewRequest, and Go's net/url.
 */
import { posix } from "node:path";

/** Scheme and host, and the path, as they are written. A configuration has no query. */
const PARTS = /^(https:\/\/[^/?#]*)([^?#]*)/i;

/** @param url of a configuration @param timeoutSeconds is sent to the webhook @throws Error when it is no URL */
export function webhookUrl(url: string, timeoutSeconds: number): string {
  if (!URL.canParse(url)) throw new Error("Invalid URL");
  const [, origin = "", path = ""] = PARTS.exec(url) ?? [];
  const cleaned = posix.join("/", decodeURIComponent(path));
  const kept = cleaned.length > 1 ? cleaned.replace(/\/$/, "") : cleaned;
  return `${origin}${escaped(kept)}?timeout=${timeoutSeconds}s`;
}

/** What Go's URL.EscapedPath leaves as it is, beside letters, digits and `-_.~`. */
const PLAIN = /%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g;

function escaped(path: string): string {
  return encodeURIComponent(path)
    .replace(PLAIN, (code) => decodeURIComponent(code))
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
