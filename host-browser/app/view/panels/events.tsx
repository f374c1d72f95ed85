/** The Events of the Job and of its pods. */
import { Pager } from "../pager.tsx";
import type { Panel, PanelProps } from "../panel.ts";
import { Instant, Table, WhyButton } from "../table.tsx";

export const panel: Panel = {
  place: 30,
  title: "Events",
  count: (view) => view.eventCount,
  Body: Events,
};

function Events({ view }: PanelProps) {
  return (
    <>
      <Pager view={view} count={view.eventCount} of="Events" />
      <Table columns={["Time", "Type", "Reason", "Object", "Message", ""]} empty="No events yet.">
        {view.events.map(({ id, atMs, type, reason, object, message, count }) => (
          <tr key={id} class={type === "Warning" ? "is-warning" : undefined}>
            <Instant ms={atMs} />
            <td>{type}</td>
            <td>{reason}</td>
            <td class="name">{object}</td>
            <td class="message">
              {message}
              {count > 1 && <span class="soft"> ({count} times)</span>}
            </td>
            <td>
              <WhyButton of="event" id={id} about={`${reason} of ${object}`} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
