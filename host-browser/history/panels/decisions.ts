/** What the controller decided about a Job. */
import type { Look } from "../look.ts";
import { type DecisionRow, decisionsAt } from "../rows.ts";

interface Decisions {
  /** On all pages. */
  readonly decisionCount: number;
  /** Newest first. */
  readonly decisions: readonly DecisionRow[];
}

export function data({ history, track, atMs, skip }: Look): Decisions {
  if (track === undefined) return { decisionCount: 0, decisions: [] };
  const { count, rows } = decisionsAt(history, track, atMs, skip);
  return { decisionCount: count, decisions: rows };
}
