/**
 * What a server says with an answer that is no success, as a part of one line of a log or a page.
 *
 * Invariant: the text is bounded, and has no character that ends a line or does something to a terminal.
 */
import type { ApiResponse } from "./host.ts";

/** In UTF-16 code units. */
const MAX_LENGTH = 400;
/** A Status is short; of a body that is longer the beginning is shown. */
const MAX_STATUS_BYTES = 64 * 1024;
/** Controls, and characters that turn the direction of text or end a line. */
const UNPRINTABLE = /[\s\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

const decoder = new TextDecoder();

/** The `message` of the Status in it, else its text, which is how proxies answer; empty: it says nothing. */
export function refusalMessage({ body }: Pick<ApiResponse, "body">): string {
  const text =
    typeof body === "string" ? body.slice(0, MAX_STATUS_BYTES) : decoder.decode(body.subarray(0, MAX_STATUS_BYTES));
  const line = messageIn(text).replace(UNPRINTABLE, " ").trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}

function messageIn(text: string): string {
  try {
    const status = JSON.parse(text) as { readonly message?: unknown } | null;
    return typeof status?.message === "string" ? status.message : "";
  } catch {
    return text;
  }
}
