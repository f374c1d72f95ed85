/**
 * A whole recording as the fragment of an address, `#r1/…`: a user who opens it steps through what has happened.
 * Deflate and base64url, as for other addresses, and then where in the recording the page is. The page writes and reads
 * it, and programs write it (host-node/testing/failure-report.ts). A recording that is too large for that is named by
 * its digest, `#kept/…`: the browser that has opened it keeps it (app/kept-recordings.ts).
 */
import { MAX_ADDRESS } from "./address.ts";
import { SharedDataError } from "./fields.ts";
import { type Place, placeText, readPlace } from "./place.ts";
import { squeeze, unsqueeze } from "./squeeze.ts";

const WHOLE = /^#?r1\/([^?]*)(?:\?(.*))?$/s;
const KEPT = /^#?kept\/([0-9a-f]{16})(?:\?(.*))?$/s;
/** Recordings squeeze to a tenth or so. */
const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;
/** A page does not put longer ones into its address: browsers grow slow, and programs cut them off. */
export const MAX_OWN_ADDRESS = 60_000;
/** A longer recording is not tried: it would be too large, and squeezing it takes seconds. */
const MAX_TRIED_LENGTH = 8 * 1024 * 1024;

/** The recording of an address, or the digest of one that the browser keeps. */
export type AddressedRecording = { readonly place: Place } & (
  | { readonly recording: string }
  | { readonly digest: string }
);

/** @returns undefined: it would be longer than MAX_OWN_ADDRESS */
export async function squeezedRecording(recording: string): Promise<string | undefined> {
  if (recording.length > MAX_TRIED_LENGTH) return undefined;
  const squeezed = await squeeze(recording);
  return squeezed.length <= MAX_OWN_ADDRESS ? squeezed : undefined;
}

export function recordingAddress(squeezed: string, place: Place): string {
  return `#r1/${squeezed}${placeText(place)}`;
}

export function keptAddress(digest: string, place: Place): string {
  return `#kept/${digest}${placeText(place)}`;
}

/** @returns undefined: the fragment has none. @throws SharedDataError with the sentence for the page */
export async function readRecordingAddress(fragment: string): Promise<AddressedRecording | undefined> {
  const kept = KEPT.exec(fragment);
  if (kept !== null) return { digest: kept[1]!, place: readPlace(kept[2] ?? "") };
  const whole = WHOLE.exec(fragment);
  if (whole === null) return undefined;
  if (fragment.length > MAX_ADDRESS)
    throw new SharedDataError(`the address is ${fragment.length} characters long; allowed are ${MAX_ADDRESS}`);
  return { recording: await unsqueeze(whole[1]!, MAX_UNPACKED_BYTES), place: readPlace(whole[2] ?? "") };
}
