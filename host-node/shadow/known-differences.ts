/** The rows of docs/differences.md that a shadow meets: a divergence that one of them names is on purpose. */
import { type Finding, isActive } from "./divergence.ts";
import type { Timeline } from "./timeline.ts";

interface KnownDifference {
  /** The first cell of the row. */
  readonly row: string;
  readonly names: (found: Finding, timeline: Timeline) => boolean;
}

/** Upstream sorts more pods than these by another way, which does not keep the order of those that rank alike. */
const MAX_STABLY_SORTED = 12;

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    row: "Surplus pods of an Indexed Job that rank alike, among more than 12 active pods of several ranks",
    names: ({ kind }, { job, pods }) =>
      kind === "deletion" &&
      job?.["spec"]?.completionMode === "Indexed" &&
      [...pods.values()].filter(isActive).length >= MAX_STABLY_SORTED,
  },
];

/** The row that names it; undefined: none does. */
export function knownDifference(found: Finding, timeline: Timeline): string | undefined {
  return KNOWN_DIFFERENCES.find(({ names }) => names(found, timeline))?.row;
}
