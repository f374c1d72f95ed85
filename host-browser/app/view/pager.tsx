/** The pages of a long list: which rows are shown, of how many, and buttons for the others. */
import type { View } from "../../history/view.ts";
import { MAX_VIEW_ROWS } from "../../messages.ts";
import { usePlayground } from "./context.ts";

interface PagerProps {
  readonly view: View;
  /** Rows on all pages. */
  readonly count: number;
  /** What the rows are. */
  readonly of: string;
}

/** Nothing where one page has all rows. */
export function Pager({ view: { atMs, skip }, count, of }: PagerProps) {
  const { selection } = usePlayground();
  if (count <= MAX_VIEW_ROWS) return null;
  const last = Math.floor((count - 1) / MAX_VIEW_ROWS) * MAX_VIEW_ROWS;
  const turn = (label: string, to: number) => (
    <button
      type="button"
      class="chip"
      // The button stays, and keeps the focus, when there are no more rows that way.
      aria-disabled={to === skip}
      onClick={({ currentTarget }) => {
        if (to === skip) return;
        selection.turnTo(to, atMs);
        currentTarget.closest("[role=tabpanel]")?.scrollTo(0, 0);
      }}
    >
      {label}
    </button>
  );
  return (
    <nav class="pager" aria-label={`Pages of the ${of}`}>
      <span role="status">
        {of} {skip + 1}–{Math.min(count, skip + MAX_VIEW_ROWS)} of {count}, newest first
      </span>
      {turn("Newest", 0)}
      {turn("Newer", Math.max(0, skip - MAX_VIEW_ROWS))}
      {turn("Older", Math.min(last, skip + MAX_VIEW_ROWS))}
      {turn("Oldest", last)}
    </nav>
  );
}
