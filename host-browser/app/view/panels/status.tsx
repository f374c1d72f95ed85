/** The status of the Job as YAML; each line leads to its reason. */
import { usePlayground } from "../context.ts";
import { focusTab } from "../focus.ts";
import type { Panel, PanelProps } from "../panel.ts";

export const panel: Panel = {
  place: 10,
  title: "Status",
  Body: Status,
};

function Status({ view }: PanelProps) {
  const { selection } = usePlayground();
  if (view.status.length === 0) return <p class="soft">There is no Job yet.</p>;
  return (
    <>
      <pre class="yaml" aria-label="Status of the Job as YAML">
        {view.status.map(({ text, isChanged, version }, i) => (
          <button
            key={i}
            type="button"
            class={isChanged ? "changed" : undefined}
            title={isChanged ? "Changed by the last write: why?" : "Why is it so?"}
            data-cause={`version ${version}`}
            onClick={() => {
              focusTab("why");
              selection.ask({ of: "version", id: version }, "status");
            }}
          >
            {text}
          </button>
        ))}
      </pre>
      <p class="soft small">
        Click a line to see why it is so.
        {view.status.some(({ isChanged }) => isChanged) && " Marked lines are what the last write of the Job changed."}
      </p>
    </>
  );
}
