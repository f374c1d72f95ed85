/**
 * The message in an error answer of a server, as a part of one line of a log or a page.
 *
 * Invariant: the text has a limited length, and no character that ends a line or controls a terminal.
 */
import type { ApiResponse } from "./host.ts";

/** In UTF-16 code units. */
const MAX_LENGTH = 400;
/** A Status is short. If the body is longer, its beginning is shown. */
const MAX_STATUS_BYTES = 64 * 1024;
/** Control characters, and characters that change the direction of text or end a line. */
const UNPRINTABLE = /[\s\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

const decoder = new TextDecoder();

/**
 * The `message` of the Status in the body; else the text of the body, because proxies answer with text. Empty: there is
 * none.
 */
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
