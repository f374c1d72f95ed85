/** The picture as a table, for keyboards and screen readers, and for users who want numbers. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { Hit, Picture, ThingRow } from "../../picture/picture.ts";
import { instantText, lengthText } from "../time-text.ts";
import type { OpenMenu } from "../playground.ts";
import { usePlayground } from "./context.ts";

interface TableProps {
  readonly picture: ReadonlySignal<Picture | undefined>;
  readonly onPick: (hit: Hit) => void;
  readonly onMenu: (thing: Pick<Hit, "kind" | "node">, place: NonNullable<OpenMenu["place"]>) => void;
}

export function PictureTable({ picture, onPick, onMenu }: TableProps) {
  const isOpen = useSignal(false);
  return (
    <details class="picture-table" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>The picture as a table</summary>
      {isOpen.value && picture.value !== undefined && (
        <>
          <Things picture={picture.value} onMenu={onMenu} />
          <Rows picture={picture.value} onPick={onPick} />
        </>
      )}
    </details>
  );
}

/** The controller and the nodes, each with its menu. */
function Things({ picture, onMenu }: { readonly picture: Picture; readonly onMenu: TableProps["onMenu"] }) {
  const { pace, playhead } = usePlayground();
  void [pace.beat.value, playhead.atMs.value];
  const open = ({ kind, name }: ThingRow, button: HTMLElement): void => {
    const { left, bottom } = button.getBoundingClientRect();
    onMenu({ kind, ...(kind === "node" ? { node: name } : {}) }, { x: left, y: bottom });
  };
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Controller and nodes">
      <table>
        <caption>The controller and the nodes</caption>
        <thead>
          <tr>
            {["Name", "State", "Pods at work"].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {picture.things().map((thing) => (
            <tr key={`${thing.kind} ${thing.name}`}>
              <th scope="row">
                <button
                  type="button"
                  class="link name"
                  aria-haspopup="menu"
                  onClick={({ currentTarget }) => open(thing, currentTarget)}
                >
                  {thing.name}
                </button>
              </th>
              <td>{thing.state}</td>
              <td>{thing.pods}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Rows({ picture, onPick }: { readonly picture: Picture; readonly onPick: (hit: Hit) => void }) {
  const { pace, playhead } = usePlayground();
  void pace.beat.value;
  const atMs = playhead.atMs.value;
  const { rows, total } = picture.table();
  const pick = (pod: number): void => {
    const hit = picture.select(pod, atMs);
    if (hit !== undefined) onPick(hit);
  };
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Pods in the picture">
      <table>
        <caption>
          {rows.length < total ? `${rows.length} of ${total} pods` : `${total} pods`} at {instantText(atMs)}
        </caption>
        <thead>
          <tr>
            {["Pod", "Job", "Index", "Attempt", "State", "For", "Reason", "Node"].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.pod}>
              <th scope="row">
                <button type="button" class="link name" onClick={() => pick(row.pod)}>
                  {row.name}
                </button>
              </th>
              <td>{row.job}</td>
              <td>{row.index}</td>
              <td>{row.attempt + 1}</td>
              <td>{row.state}</td>
              <td class="time">{lengthText(row.durationMs)}</td>
              <td>{row.reason}</td>
              <td>{row.node}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
