/** The reason of what is selected: the rule, its numbers, the lines of YAML that it comes from, and what comes next. */
import type { Why as Reason } from "../../../history/panels/why.ts";
import { instantText } from "../../time-text.ts";
import { usePlayground } from "../context.ts";
import { goBackTo } from "../focus.ts";
import type { Panel, PanelProps } from "../panel.ts";
import { CodeLink } from "../table.tsx";

export const panel: Panel = {
  place: 80,
  title: "Why",
  Body: Why,
};

function Why({ view, titleOf }: PanelProps) {
  const { why } = view;
  const { selection } = usePlayground();
  const askedIn = selection.askedIn.value;
  if (why === undefined)
    return <p class="soft">Click a bar, a gap or a tick in the picture, or “why” in a row of the other panels.</p>;
  return (
    <article class="why">
      {askedIn !== undefined && (
        <button type="button" class="chip back" onClick={() => goBackTo(askedIn, selection)}>
          ← {titleOf(askedIn)}
        </button>
      )}
      <p class="says">{why.text}</p>
      <dl>
        {why.endedBy !== undefined && (
          <>
            <dt>Ended by</dt>
            <dd>{why.endedBy}</dd>
          </>
        )}
        {why.decision !== undefined && (
          <>
            <dt>Rule</dt>
            <dd>
              <CodeLink code={why.decision.code} /> <Instant ms={why.decision.atMs} />
              {!says(why.text, why.decision.message) && <p>{why.decision.message}</p>}
            </dd>
          </>
        )}
        {why.decision === undefined && (
          <>
            <dt>Rule</dt>
            <dd>None: the controller had no part in it.</dd>
          </>
        )}
        {why.numbers.length > 0 && (
          <>
            <dt>Numbers</dt>
            <dd>
              <Numbers numbers={why.numbers} />
            </dd>
          </>
        )}
        {why.fields.length > 0 && (
          <>
            <dt>From the manifest</dt>
            <dd>
              <Fields fields={why.fields} />
            </dd>
          </>
        )}
        {why.nextMs !== undefined && (
          <>
            <dt>Next</dt>
            <dd>
              <Instant ms={why.nextMs} />
            </dd>
          </>
        )}
      </dl>
    </article>
  );
}

/** A text begins its sentences with capitals. */
function says(text: string, message: string): boolean {
  return text.toLowerCase().includes(message.toLowerCase());
}

function Numbers({ numbers }: Pick<Reason, "numbers">) {
  return (
    <ul class="numbers">
      {numbers.map(([name, value]) => (
        <li key={name}>
          <code>{name}</code> <b>{value}</b>
        </li>
      ))}
    </ul>
  );
}

function Fields({ fields }: Pick<Reason, "fields">) {
  const playground = usePlayground();
  return (
    <ul>
      {fields.map(({ path, line }) => (
        <li key={path}>
          <code>{path}</code>{" "}
          {line === undefined ? (
            <span class="soft">not in the manifest: its default</span>
          ) : (
            <button type="button" class="link" onClick={() => playground.showLine(line)}>
              line {line}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function Instant({ ms }: { readonly ms: number }) {
  const { playhead } = usePlayground();
  return (
    <button type="button" class="link time" title="Put the playhead there" onClick={() => playhead.seek(ms)}>
      {instantText(ms)}
    </button>
  );
}
