/**
 * A whole recording as the fragment of an address, `#r1/…`: a user who opens it steps through what has happened.
 * Programs write it (host-node/testing/failure-report.ts): deflate and base64url, as for other addresses. The page
 * reads it.
 */
import { MAX_ADDRESS } from "./address.ts";
import { SharedDataError } from "./fields.ts";
import { unsqueeze } from "./squeeze.ts";

const PREFIX = /^#?r1\//;
/** Recordings squeeze to a tenth or so. */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;

/** @returns undefined: the fragment has none. @throws SharedDataError with the sentence for the page */
export async function readRecordingAddress(fragment: string): Promise<string | undefined> {
  if (!PREFIX.test(fragment)) return undefined;
  if (fragment.length > MAX_ADDRESS)
    throw new SharedDataError(`the address is ${fragment.length} characters long; allowed are ${MAX_ADDRESS}`);
  return unsqueeze(fragment.replace(PREFIX, ""), MAX_UNPACKED_BYTES);
}
