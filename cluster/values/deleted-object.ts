/** The last state of an object that is gone. */
import { formatTime } from "./times.ts";

interface Deletable {
  readonly metadata: { readonly deletionTimestamp?: string | undefined };
}

/** The object with the time of its deletion: what goes at once has none that says so. */
export function deletedAt<Gone extends Deletable>(object: Gone, nowMs: number): Gone {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, deletionTimestamp: metadata.deletionTimestamp ?? formatTime(nowMs) } };
}
