/**
 * The classes of differences that are known, each with the reason why it is left. docs/differences.md has the same
 * reasons in its rows. A class that is not here is a fault.
 */
import type { Difference } from "./differences.ts";

export interface KnownDifference {
  /** What the classes say. */
  readonly what: RegExp;
  readonly why: string;
}

export const KNOWN: readonly KnownDifference[] = [];

export function knownReason({ what }: Difference): string | undefined {
  return KNOWN.find((known) => known.what.test(what))?.why;
}
