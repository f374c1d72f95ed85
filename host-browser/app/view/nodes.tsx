/** The nodes: groups of equal ones, with their number and size. A change makes a new run when it is applied. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { problemOfNodes } from "../node-groups.ts";
import { focusNear } from "./focus.ts";
import type { NodeGroup } from "../../scenario.ts";

interface NodesProps {
  readonly nodes: readonly NodeGroup[];
  readonly onChange: (nodes: readonly NodeGroup[]) => void;
}

const COLUMNS = [
  { key: "name", title: "Name", isNumber: false },
  { key: "count", title: "Count", isNumber: true },
  { key: "cpu", title: "CPU", isNumber: false },
  { key: "memory", title: "Memory", isNumber: false },
  { key: "pods", title: "Pods", isNumber: true },
] as const;

export function Nodes({ nodes, onChange }: NodesProps) {
  const edited = useSignal(nodes);
  useEffect(() => {
    edited.value = nodes;
  }, [nodes]);
  const problem = problemOfNodes(edited.value);
  const isChanged = JSON.stringify(edited.value) !== JSON.stringify(nodes);
  const set = (row: number, part: Partial<NodeGroup>): void => {
    edited.value = edited.value.map((group, i) => (i === row ? { ...group, ...part } : group));
  };
  return (
    <section>
      <h3>Nodes</h3>
      <table class="form">
        <thead>
          <tr>
            {COLUMNS.map(({ key, title }) => (
              <th key={key} scope="col">
                {title}
              </th>
            ))}
            <th scope="col">
              <span class="unseen">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {edited.value.map((group, row) => (
            <tr key={row}>
              {COLUMNS.map(({ key, title, isNumber }) => (
                <td key={key}>
                  <input
                    aria-label={`${title} of group ${row + 1}`}
                    type="text"
                    inputMode={isNumber ? "numeric" : "text"}
                    value={group[key]}
                    onInput={({ currentTarget }) => {
                      if (isNumber) currentTarget.value = currentTarget.value.replace(/\D/g, "");
                      set(row, { [key]: isNumber ? Number(currentTarget.value) : currentTarget.value });
                    }}
                  />
                </td>
              ))}
              <td>
                <button
                  type="button"
                  class="chip"
                  aria-label={`Remove group ${row + 1}`}
                  onClick={({ currentTarget }) => {
                    if (row === edited.value.length - 1) focusNear(currentTarget, "section", ".run-bar button");
                    edited.value = edited.value.filter((_, i) => i !== row);
                  }}
                >
                  ×
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="run-bar">
        <button
          type="button"
          onClick={() =>
            (edited.value = [
              ...edited.value,
              { name: `group${edited.value.length + 1}`, count: 1, cpu: "4", memory: "16Gi", pods: 110 },
            ])
          }
        >
          Add a group
        </button>
        {isChanged && problem === undefined && (
          <button
            type="button"
            class="primary"
            onClick={({ currentTarget }) => {
              focusNear(currentTarget, ".run-bar", "button");
              onChange(edited.value);
            }}
          >
            Run with these
          </button>
        )}
      </p>
      {problem !== undefined && (
        <p class="fault" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
