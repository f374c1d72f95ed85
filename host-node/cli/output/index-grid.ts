/**
 * The completion indexes of a Job as a grid: one cell an index, with a legend. A pure function.
 *
 * Leaves out Jobs in which every index was complete at its first try, and Jobs with more indexes than people look at;
 * the summary has their intervals anyway.
 */
import { hasIndex, parseIndexes } from "./index-set.ts";
import type { EndedJob } from "./run-output.ts";
import type { Style } from "../../words/style.ts";

export const MAX_CELLS = 1000;
const GROUP = 10;
const MAX_GROUPS_A_ROW = 5;

type State = "complete" | "retried" | "failed" | "open";
const MEANINGS: readonly (readonly [State, string])[] = [
  ["complete", "complete"],
  ["retried", "complete after retries"],
  ["failed", "failed"],
  ["open", "not complete"],
];

/** @param columns width of the terminal; Infinity where there is none */
export function gridLines(job: EndedJob, style: Style, columns: number): string[] {
  const { completedIndexes, failedIndexes = "", retriedIndexes, completions } = job;
  if (completedIndexes === undefined || completions === null || completions < 2 || completions > MAX_CELLS) return [];
  const completed = parseIndexes(completedIndexes);
  const failed = parseIndexes(failedIndexes);
  const states = Array.from({ length: completions }, (_, index): State => {
    if (hasIndex(completed, index)) return retriedIndexes?.has(index) ? "retried" : "complete";
    return hasIndex(failed, index) || (failedIndexes === "" && retriedIndexes?.has(index)) ? "failed" : "open";
  });
  if (states.every((state) => state === "complete")) return [];
  const paint = { complete: style.green, retried: style.yellow, failed: style.red, open: style.dim };
  const numberWidth = String(completions - 1).length;
  const room = Math.floor((columns - numberWidth - 1) / (GROUP + 1));
  const perRow = GROUP * Math.max(1, Math.min(MAX_GROUPS_A_ROW, room));
  const rows = Array.from({ length: Math.ceil(completions / perRow) }, (_, row) => {
    const cells = states.slice(row * perRow, (row + 1) * perRow).map((state, i) => {
      const gap = i % GROUP === 0 ? " " : "";
      return `${gap}${paint[state](style.cells[state])}`;
    });
    return `${style.dim(String(row * perRow).padStart(numberWidth))}${cells.join("")}`;
  });
  const legend = MEANINGS.filter(([state]) => states.includes(state)).map(
    ([state, meaning]) => `${paint[state](style.cells[state])} ${meaning}`,
  );
  return [...rows, `${" ".repeat(numberWidth + 1)}${legend.join("   ")}`];
}
