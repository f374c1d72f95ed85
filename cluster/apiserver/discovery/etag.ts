/** Documents that a client need not fetch again: an entity tag says whether its copy is current. */
import type { Document } from "../contract/output.ts";
import { fnv1a } from "../../values/fnv1a.ts";

/** In upper-case hex: good enough for an ETag, which only distinguishes documents. */
export function textHash(text: string): string {
  return fnv1a(text).toString(16).toUpperCase().padStart(8, "0");
}

/** The document with its tag; 304 without a body for a client that has it. @param known `if-none-match` */
export function taggedDocument(body: string, headers: Document["headers"], known: string | undefined): Document {
  const etag = `"${textHash(body)}"`;
  const tagged = { ...headers, etag };
  return known === etag ? { code: 304, body: "", headers: tagged } : { code: 200, body, headers: tagged };
}
