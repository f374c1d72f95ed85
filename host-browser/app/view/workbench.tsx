/** The Job and the world that it runs in: what can be changed. */
import { useSignal } from "@preact/signals";
import type { Pane } from "../playground.ts";
import { usePlayground } from "./context.ts";
import { Fault } from "./fault.tsx";
import { lazyComponent, useFetched } from "./lazy-component.tsx";
import { ManifestPane } from "./manifest-pane.tsx";
import { World } from "./world.tsx";

const PANES: readonly Pane[] = ["manifest", "world", "odds"];
const TITLES: Readonly<Record<Pane, string>> = { manifest: "The Job", world: "The world", odds: "What if" };

const OddsPane = lazyComponent(async () => (await import("./odds.tsx")).OddsPane);

export function Workbench() {
  const { pane } = usePlayground();
  const walk = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: PANES.length - 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    pane.value = PANES[(PANES.indexOf(pane.value) + step) % PANES.length]!;
    document.getElementById(`pane-${pane.value}`)?.focus();
  };
  return (
    <section class="workbench" aria-label="The Job and the world">
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
        {pane.value === "manifest" && <ManifestPane />}
        {pane.value === "world" && <World />}
        {pane.value === "odds" && <Odds />}
      </div>
    </section>
  );
}

/** Without a network it says so, and the next opening tries again. */
function Odds() {
  const problem = useSignal("");
  useFetched(OddsPane, true, (error) => (problem.value = String(error)));
  if (problem.value === "") return <OddsPane />;
  return <Fault text={`The odds cannot be loaded: ${problem.value}. Open them again when the network is back.`} />;
}
