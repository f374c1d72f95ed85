/** What the controller decided about the Job. */
import { Pager } from "../pager.tsx";
import type { Panel, PanelProps } from "../panel.ts";
import { CodeLink, Instant, Table, WhyButton } from "../table.tsx";

export const panel: Panel = {
  place: 40,
  title: "Decisions",
  count: (view) => view.decisionCount,
  Body: Decisions,
};

function Decisions({ view }: PanelProps) {
  return (
    <>
      <Pager view={view} count={view.decisionCount} of="Decisions" />
      <Table columns={["Time", "Decision", "What and why", "Next", ""]} empty="The controller has decided nothing yet.">
        {view.decisions.map((row) => (
          <tr key={row.id}>
            <Instant ms={row.atMs} />
            <td>
              <CodeLink {...row} />
            </td>
            <td class="message">{row.message}</td>
            {row.nextMs === undefined ? <td class="soft">when something happens</td> : <Instant ms={row.nextMs} />}
            <td>
              <WhyButton of="decision" id={row.id} about={row.code} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
