/** The panels that are lists: conditions, events, decisions and requests. A row's reason is one click away. */
import type { ComponentChildren } from "preact";
import type { Cause, DecisionRow, View } from "../../messages.ts";
import { NONE } from "../../records.ts";
import { instantText } from "../time-text.ts";
import { usePlayground } from "./context.ts";
import { focusTab } from "./focus.ts";
import { Pager } from "./pager.tsx";

interface ViewProps {
  readonly view: View;
}

export function Conditions({ view }: ViewProps) {
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

export function Events({ view }: ViewProps) {
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

export function Decisions({ view }: ViewProps) {
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

export function Requests({ view }: ViewProps) {
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

function Table({ columns, empty, children }: TableProps) {
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
function Instant({ ms }: { readonly ms: number }) {
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

function WhyButton({ of, id, about }: WhyButtonProps) {
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
