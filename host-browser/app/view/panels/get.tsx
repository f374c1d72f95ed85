/** Jobs and pods as `kubectl get` prints them. */
import type { TextTable } from "../../../history/table-cells.ts";
import { usePlayground } from "../context.ts";
import { focusTab } from "../focus.ts";
import { Pager } from "../pager.tsx";
import type { Panel, PanelProps } from "../panel.ts";

export const panel: Panel = {
  place: 60,
  title: "kubectl get",
  Body: Get,
};

function Get({ view }: PanelProps) {
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
