/** The nodes: groups of equal ones, with their number and size. A change makes a new run when it is applied. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { problemOfNodes } from "../node-groups.ts";
import { focusNear } from "./focus.ts";
import type { NodeGroup } from "../../../cluster/simulation/scenario.ts";

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
            <GroupRow key={row} group={group} row={row} edited={edited} />
          ))}
        </tbody>
      </table>
      <RunBar edited={edited} canRun={isChanged && problem === undefined} onRun={() => onChange(edited.value)} />
      {problem !== undefined && (
        <p class="fault" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

type Edited = Signal<readonly NodeGroup[]>;

interface RowProps {
  readonly group: NodeGroup;
  /** Counted from 0. */
  readonly row: number;
  readonly edited: Edited;
}

/** A field for each column, and a button that removes the group. */
function GroupRow({ group, row, edited }: RowProps) {
  const set = (part: Partial<NodeGroup>): void => {
    edited.value = edited.value.map((other, i) => (i === row ? { ...other, ...part } : other));
  };
  return (
    <tr>
      {COLUMNS.map(({ key, title, isNumber }) => (
        <td key={key}>
          <input
            aria-label={`${title} of group ${row + 1}`}
            type="text"
            inputMode={isNumber ? "numeric" : "text"}
            value={group[key]}
            onInput={({ currentTarget }) => {
              if (isNumber) currentTarget.value = currentTarget.value.replace(/\D/g, "");
              set({ [key]: isNumber ? Number(currentTarget.value) : currentTarget.value });
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
  );
}

interface RunBarProps {
  readonly edited: Edited;
  readonly canRun: boolean;
  readonly onRun: () => void;
}

function RunBar({ edited, canRun, onRun }: RunBarProps) {
  return (
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
      {canRun && (
        <button
          type="button"
          class="primary"
          onClick={({ currentTarget }) => {
            focusNear(currentTarget, ".run-bar", "button");
            onRun();
          }}
        >
          Run with these
        </button>
      )}
    </p>
  );
}
