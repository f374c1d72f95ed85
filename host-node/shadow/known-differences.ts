/** The rows of docs/differences.md that a shadow meets: a divergence that one of them names is intended. */
import { type Finding, isActive, isTracked } from "./divergence.ts";
import type { Timeline } from "./timeline.ts";
import type { PodStatus } from "../../cluster/values/kinds.ts";

interface KnownDifference {
  /** The first cell of the row. */
  readonly row: string;
  readonly names: (found: Finding, timeline: Timeline) => boolean;
}

const FAILURE_TARGET = "status.conditions[FailureTarget]";
type Sides = Readonly<Record<string, { readonly reason?: string; readonly message?: string } | null>> | null;

/** Upstream sorts more pods than these by an algorithm that is not stable. */
const MAX_STABLY_SORTED = 12;

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    row: "Surplus pods of an Indexed Job that rank alike, among more than 12 active pods of several ranks",
    names: ({ kind }, { job, pods }) =>
      kind === "deletion" &&
      job?.spec?.completionMode === "Indexed" &&
      [...pods.values()].filter(isActive).length >= MAX_STABLY_SORTED,
  },
  {
    row: "A pod that the controller deleted (surplus, or of a suspended Job) has lost its tracking finalizer, and ends in a way that a FailJob rule matches",
    names: ({ builtIn, stint }, timeline) => {
      const [written, wanted] = [builtIn, stint].map((side) => (side as Sides)?.[FAILURE_TARGET]);
      const [, name] = /(?:^Container \S+ for pod|^Pod) [^/ ]+\/(\S+)/.exec(String(written?.message)) ?? [];
      return (
        wanted === null && written?.reason === "PodFailurePolicy" && name !== undefined && wasLetGo(timeline, name)
      );
    },
  },
];

/** The pod had lost its finalizer, and was being deleted, before it ended. */
function wasLetGo({ changes, pods }: Timeline, name: string): boolean {
  return [...pods.values(), ...changes.flatMap(({ before, after }) => [before, after])].some(
    (pod) =>
      pod?.metadata.name === name &&
      pod.metadata.deletionTimestamp !== undefined &&
      !isTracked(pod) &&
      (pod.status as PodStatus | undefined)?.phase !== "Failed",
  );
}

/** The row that names it; undefined: none does. */
export function knownDifference(found: Finding, timeline: Timeline): string | undefined {
  return KNOWN_DIFFERENCES.find(({ names }) => names(found, timeline))?.row;
}
