/** Hashes by which clients know whether a document is the one that they have. */
import { fnv1a } from "../../values/fnv1a.ts";

/** In upper-case hex: good enough for an ETag, which only tells documents apart. */
export function textHash(text: string): string {
  return fnv1a(text).toString(16).toUpperCase().padStart(8, "0");
}
