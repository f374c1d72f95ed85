/** The few switches of the picture: folding, the heat map's meaning, zoom, and the branch before. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { HeatMode, Picture } from "../../picture/picture.ts";
import { comparedText } from "../../picture/compared.ts";
import { usePlayground } from "./context.ts";
import { focusNear } from "./focus.ts";

interface ToolsProps {
  readonly picture: ReadonlySignal<Picture | undefined>;
  readonly onChange: () => void;
}

const HEAT: readonly (readonly [HeatMode, string])[] = [
  ["last", "Last state"],
  ["worst", "Worst state"],
  ["attempts", "Attempts"],
  ["difference", "Difference to the run before"],
];
const ZOOM = 1.6;

export function PictureTools({ picture, onChange }: ToolsProps) {
  const { pace, settings } = usePlayground();
  void pace.beat.value;
  const isFolded = useSignal(true);
  const made = picture.value;
  const change: Change = (run) => {
    if (made === undefined) return;
    run(made);
    onChange();
  };
  return (
    <div class="tools" role="toolbar" aria-label="Picture">
      <Ghost />
      {made?.scale === "heat" && <HeatChoice />}
      {made?.focus !== undefined && (
        <button
          type="button"
          class="chip"
          onClick={({ currentTarget }) => {
            focusNear(currentTarget, ".tools", "[aria-pressed]");
            change((to) => to.setFocus());
          }}
        >
          All indexes
        </button>
      )}
      <button
        type="button"
        class="chip"
        aria-pressed={isFolded.value}
        title="Stretches in which nothing happens are folded"
        onClick={() => {
          isFolded.value = !isFolded.value;
          change((to) => to.setFolded(isFolded.value));
        }}
      >
        ≋ Fold idle time
      </button>
      <button
        type="button"
        class="chip"
        aria-pressed={settings.hasNodes.value}
        title="Rows of the nodes, with the pods at work on them"
        onClick={() => settings.toggleNodes()}
      >
        Nodes
      </button>
      <Zoom change={change} />
    </div>
  );
}

/** Changes the picture, if there is one, and has it drawn. */
type Change = (run: (picture: Picture) => void) => void;

/** What the cells of a heat map show. */
function HeatChoice() {
  const { selection, session } = usePlayground();
  const { heatMode } = selection;
  return (
    <label>
      <span class="unseen">Cells show</span>
      <select value={heatMode.value} onChange={(event) => (heatMode.value = event.currentTarget.value as HeatMode)}>
        {HEAT.filter(([mode]) => mode !== "difference" || session.ghost.value !== undefined).map(([mode, label]) => (
          <option key={mode} value={mode}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Nearer, farther, and all of time. */
function Zoom({ change }: { readonly change: Change }) {
  const zoom = (factor: number): void => change((to) => to.zoom(factor, middle()));
  return (
    <span class="zoom">
      <button type="button" class="chip" aria-label="Zoom out" onClick={() => zoom(1 / ZOOM)}>
        −
      </button>
      <button type="button" class="chip" onClick={() => change((to) => to.setWindow())}>
        Fit
      </button>
      <button type="button" class="chip" aria-label="Zoom in" onClick={() => zoom(ZOOM)}>
        +
      </button>
    </span>
  );
}

/** The middle of the canvas, in CSS pixels from its left edge. */
function middle(): number {
  return (document.querySelector("#picture canvas")?.clientWidth ?? 0) / 2;
}

/** The branch before the past was changed, and what has become different since: in words when the run is there. */
function Ghost() {
  const playground = usePlayground();
  const { session, picture } = playground;
  const { ghost, branch, mode } = {
    ghost: session.ghost.value,
    branch: session.branch.value,
    mode: session.mode.value,
  };
  if (ghost === undefined || branch === undefined) return null;
  // What a run that was stopped would have done is not known.
  const isKnown = mode === "finished";
  const compared = isKnown ? comparedText(branch.timeline, ghost.timeline) : "";
  const shadow = picture.value?.hasShadow === true ? "The run before is drawn as a shadow." : "";
  return (
    <span class="ghost">
      <span class="soft" role="status">
        {compared === "" && isKnown && shadow === "" ? "The run before was of another Job." : `${compared} ${shadow}`}
      </span>
      <button type="button" class="chip" onClick={() => playground.switchBack()}>
        Switch
      </button>
      <button
        type="button"
        class="chip"
        aria-label="Forget the shadow"
        onClick={({ currentTarget }) => {
          focusNear(currentTarget, ".tools", "[aria-pressed]");
          session.dropGhost();
        }}
      >
        ×
      </button>
    </span>
  );
}
