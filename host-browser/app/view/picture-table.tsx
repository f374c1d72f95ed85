/** The picture as a table, for keyboards and screen readers, and for whoever wants numbers. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { Hit, Picture } from "../../picture/picture.ts";
import { instantText, lengthText } from "../time-text.ts";
import { usePlayground } from "./context.ts";

interface TableProps {
  readonly picture: ReadonlySignal<Picture | undefined>;
  readonly onPick: (hit: Hit) => void;
}

export function PictureTable({ picture, onPick }: TableProps) {
  const isOpen = useSignal(false);
  return (
    <details class="picture-table" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>The picture as a table</summary>
      {isOpen.value && picture.value !== undefined && <Rows picture={picture.value} onPick={onPick} />}
    </details>
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
