/** Parts of the panels that are lists: the table, and cells that lead to an instant, a reason or the documentation. */
import type { ComponentChildren } from "preact";
import type { DecisionRow } from "../../history/rows.ts";
import type { Cause } from "../../messages.ts";
import { instantText } from "../time-text.ts";
import { usePlayground } from "./context.ts";
import { focusTab } from "./focus.ts";

/** A link to the documentation's section about a decision. */
export function CodeLink({ code }: Pick<DecisionRow, "code">) {
  return (
    <a href={`decisions.html#${code.toLowerCase()}`} target="_blank" rel="noopener">
      {code}
    </a>
  );
}

interface TableProps {
  readonly columns: readonly string[];
  /** The text to show when there are no rows. */
  readonly empty: string;
  readonly children: readonly ComponentChildren[];
}

export function Table({ columns, empty, children }: TableProps) {
  if (children.length === 0) return <p class="soft">{empty}</p>;
  return (
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column === "" ? <span class="unseen">Why</span> : column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** A cell with an instant; a click moves the playhead there. */
export function Instant({ ms }: { readonly ms: number }) {
  const { playhead } = usePlayground();
  return (
    <td class="time">
      <button type="button" class="link" title="Put the playhead there" onClick={() => playhead.seek(ms)}>
        {instantText(ms)}
      </button>
    </td>
  );
}

interface WhyButtonProps {
  readonly of: Cause["of"];
  readonly id: number;
  readonly about: string;
}

export function WhyButton({ of, id, about }: WhyButtonProps) {
  const { selection } = usePlayground();
  const ask = (): void => {
    focusTab("why");
    selection.ask({ of, id }, selection.panel.peek());
  };
  return (
    <button type="button" class="chip" aria-label={`Why: ${about}`} data-cause={`${of} ${id}`} onClick={() => ask()}>
      why
    </button>
  );
}
