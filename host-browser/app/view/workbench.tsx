/** The Job and the world that it runs in: what can be changed. */
import type { Pane } from "../playground.ts";
import { usePlayground } from "./context.ts";
import { ManifestPane } from "./manifest-pane.tsx";
import { World } from "./world.tsx";

const PANES: readonly Pane[] = ["manifest", "world"];
const TITLES: Readonly<Record<Pane, string>> = { manifest: "The Job", world: "The world" };

export function Workbench() {
  const { pane } = usePlayground();
  const walk = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    event.preventDefault();
    pane.value = pane.value === "manifest" ? "world" : "manifest";
    document.getElementById(`pane-${pane.value}`)?.focus();
  };
  return (
    <aside class="workbench" aria-label="The Job and the world">
      <div class="tabs" role="tablist" aria-label="What to change" onKeyDown={walk}>
        {PANES.map((name) => (
          <button
            key={name}
            id={`pane-${name}`}
            type="button"
            role="tab"
            aria-selected={pane.value === name}
            aria-controls="workbench-pane"
            tabIndex={pane.value === name ? 0 : -1}
            onClick={() => (pane.value = name)}
          >
            {TITLES[name]}
          </button>
        ))}
      </div>
      <div id="workbench-pane" role="tabpanel" aria-labelledby={`pane-${pane.value}`}>
        {pane.value === "manifest" ? <ManifestPane /> : <World />}
      </div>
    </aside>
  );
}
