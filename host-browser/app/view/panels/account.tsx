/**
 * What became of the Job, what holds it and what to do; and its pods as a table: when each started and ended, and who
 * or what ended it, as the engine says it.
 */
import { capitalised } from "../../../../cluster/values/sentence.ts";
import type { JobAccount } from "../../../history/panels/account.ts";
import { usePlayground } from "../context.ts";
import { focusTab } from "../focus.ts";
import { Pager } from "../pager.tsx";
import type { Panel, PanelProps } from "../panel.ts";
import { Instant, Table, WhyButton } from "../table.tsx";

export const panel: Panel = {
  place: 75,
  title: "Account",
  Body: Account,
};

const COLUMNS = ["Pod", "Index", "Node", "Started", "Ended", "Ended by", "What became of it", ""];

function OfJob({ sentence, holds, next, remedies }: JobAccount) {
  return (
    <div class="account-of-job">
      <p>{capitalised(sentence)}.</p>
      {holds.length > 0 && (
        <ul aria-label="What holds it">
          {holds.map((hold) => (
            <li key={`${hold.code} ${hold.sentence}`}>
              <b>{hold.code}</b>: {hold.sentence}
            </li>
          ))}
        </ul>
      )}
      <p>Next: {next}.</p>
      {remedies.length > 0 && (
        <dl aria-label="What to do">
          {remedies.map(({ code, sentence: what, command }) => (
            <div key={`${code} ${what}`}>
              <dt>To do: {what}</dt>
              <dd>
                <code>{command}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

function Account({ view }: PanelProps) {
  const { selection } = usePlayground();
  const { account } = view;
  if (account === undefined) return <p class="soft">The engine is asked.</p>;
  if (!account.isThere)
    return (
      <p class="soft">
        The engine that says who ended each pod could not be loaded. It is fetched again when the instant changes.
      </p>
    );
  return (
    <>
      {account.job !== undefined && <OfJob {...account.job} />}
      <Pager view={view} count={account.count} of="Pods" />
      <Table columns={COLUMNS} empty="The Job has had no pods yet.">
        {account.rows.map(({ id, pod, index, node, startMs, endMs, endedBy, sentence, transition }) => (
          <tr key={id}>
            <td class="name whole">
              <button type="button" class="link" onClick={() => describe(id)}>
                {pod}
              </button>
            </td>
            <td>{index}</td>
            <td class="whole">{node}</td>
            {startMs === undefined ? <td /> : <Instant ms={startMs} />}
            {endMs === undefined ? <td /> : <Instant ms={endMs} />}
            <td>{endedBy}</td>
            <td class="message">{sentence}</td>
            <td>
              <WhyButton of="transition" id={transition} about={pod} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );

  function describe(id: number): void {
    focusTab("describe");
    selection.pickPod(id);
    selection.panel.value = "describe";
  }
}
