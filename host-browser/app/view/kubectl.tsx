/** The panels that show objects as kubectl does: the status as YAML, `kubectl get` and `kubectl describe`. */
import type { TextTable, View } from "../../messages.ts";
import { usePlayground } from "./context.ts";
import { focusNear, focusTab } from "./focus.ts";
import { Pager } from "./pager.tsx";

interface ViewProps {
  readonly view: View;
}

export function Status({ view }: ViewProps) {
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

export function Get({ view }: ViewProps) {
  const { selection } = usePlayground();
  return (
    <>
      <p class="prompt">$ kubectl get jobs</p>
      <Text table={view.jobTable} onPick={(id) => (selection.job.value = id)} empty="No resources found." />
      <p class="prompt">$ kubectl get pods</p>
      <Pager view={view} count={view.podCount} of="Pods" />
      <Text table={view.podTable} onPick={(id) => pickPod(id)} empty="No resources found." />
    </>
  );

  function pickPod(id: number): void {
    focusTab("describe");
    selection.pickPod(id);
    selection.panel.value = "describe";
  }
}

export function Describe({ view }: ViewProps) {
  const { selection, session } = usePlayground();
  const pod = selection.pod.value;
  const name = pod === undefined ? undefined : session.branch.value?.timeline.podNames[pod];
  if (pod === undefined)
    return (
      <>
        <p class="prompt">$ kubectl describe job</p>
        <pre>{view.description}</pre>
      </>
    );
  return (
    <>
      <p class="prompt">
        $ kubectl describe pod {name}{" "}
        <button
          type="button"
          class="chip"
          onClick={({ currentTarget }) => {
            focusNear(currentTarget, ".panels", "[role=tabpanel]");
            selection.pickPod(undefined);
          }}
        >
          the Job instead
        </button>
      </p>
      {view.pod === undefined ? (
        <p class="soft">There is no such pod at this instant.</p>
      ) : (
        <>
          <pre>{view.pod.description}</pre>
          <details>
            <summary>kubectl get pod {name} -o yaml</summary>
            <pre class="yaml">{view.pod.yaml}</pre>
          </details>
        </>
      )}
    </>
  );
}

interface TextProps {
  readonly table: TextTable;
  readonly onPick: (id: number) => void;
  readonly empty: string;
}

function Text({ table, onPick, empty }: TextProps) {
  if (table.rows.length === 0) return <p class="soft">{empty}</p>;
  return (
    <table class="kubectl">
      <thead>
        <tr>
          {table.columns.map((column) => (
            <th key={column} scope="col">
              {column.toUpperCase()}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((cells, row) => (
          <tr key={table.ids[row]}>
            {cells.map((cell, i) => (
              <td key={i}>
                {i === 0 ? (
                  <button type="button" class="link" onClick={() => onPick(table.ids[row]!)}>
                    {cell}
                  </button>
                ) : (
                  cell
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
