/**
 * Synchronous SHA-256, for the checks in recordings: the browser's own function is asynchronous, and exists only on
 * pages that came by HTTPS.
 */
import { sha256 as hashed } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** Of the concatenated parts, as lower-case hex; text is taken as UTF-8. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = hashed.create();
  for (const part of parts) hash.update(typeof part === "string" ? utf8ToBytes(part) : part);
  return bytesToHex(hash.digest());
}
