/** Hashes by which clients detect that their copy of a document is current. */
import { fnv1a } from "../../values/fnv1a.ts";

/** In upper-case hex: good enough for an ETag, which only distinguishes documents. */
export function textHash(text: string): string {
  return fnv1a(text).toString(16).toUpperCase().padStart(8, "0");
}
