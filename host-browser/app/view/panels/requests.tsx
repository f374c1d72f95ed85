/** What the controller asked of the API server, and the answers. */
import { NONE } from "../../../records.ts";
import { Pager } from "../pager.tsx";
import type { Panel, PanelProps } from "../panel.ts";
import { Instant, Table, WhyButton } from "../table.tsx";

export const panel: Panel = {
  place: 50,
  title: "Requests",
  Body: Requests,
};

function Requests({ view }: PanelProps) {
  return (
    <>
      <Pager view={view} count={view.requestCount} of="Requests" />
      <Table columns={["Time", "Request", "Answer", "Body", ""]} empty="The controller has sent no request yet.">
        {view.requests.map(({ id, atMs, method, path, status, answeredMs, summary, decision }) => (
          <tr key={id} class={status >= 400 ? "is-warning" : undefined}>
            <Instant ms={atMs} />
            <td class="name">
              <b>{method}</b> {path}
            </td>
            <td class="time">
              {status === 0 ? <span class="soft">under way</span> : status}
              {status !== 0 && answeredMs > atMs && ` after ${answeredMs - atMs} ms`}
            </td>
            <td class="message name">{summary}</td>
            <td>{decision !== NONE && <WhyButton of="decision" id={decision} about={`${method} ${path}`} />}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}
