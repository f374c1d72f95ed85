/** The conditions of the Job. */
import type { Panel, PanelProps } from "../panel.ts";
import { Instant, Table, WhyButton } from "../table.tsx";

export const panel: Panel = {
  place: 20,
  title: "Conditions",
  Body: Conditions,
};

function Conditions({ view }: PanelProps) {
  return (
    <Table columns={["Type", "Status", "Reason", "Message", "Since", ""]} empty="The Job has no conditions yet.">
      {view.conditions.map(({ type, status, reason, message, atMs, version }) => (
        <tr key={type}>
          <th scope="row">{type}</th>
          <td>{status}</td>
          <td>{reason}</td>
          <td class="message">{message}</td>
          <Instant ms={atMs} />
          <td>
            <WhyButton of="version" id={version} about={type} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
