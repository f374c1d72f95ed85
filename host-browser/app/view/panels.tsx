/** Everything that can be read at the playhead's instant, as tabs; one is open. */
import { useEffect, useRef } from "preact/hooks";
import { PANELS } from "../../../build/panel-components.ts";
import { PANEL_NAMES, type PanelName } from "../../../build/panel-names.ts";
import { instantText } from "../time-text.ts";
import { AddressNotice } from "./address-notice.tsx";
import { usePlayground } from "./context.ts";
import type { Panel } from "./panel.ts";

/** Every panel by its name. */
const BY_NAME: Readonly<Record<PanelName, Panel>> = PANELS;
/** The panels from left to right. */
export const IN_ORDER: readonly PanelName[] = PANEL_NAMES.toSorted((a, b) => BY_NAME[a].place - BY_NAME[b].place);

export function Panels() {
  const playground = usePlayground();
  const { selection, session } = playground;
  const chosen = selection.panel.value;
  const { Body } = BY_NAME[chosen];
  const view = session.view.value;
  const tabs = useRef<HTMLDivElement>(null);
  const asks = selection.asks.value;
  useEffect(() => showTab(tabs.current!), [chosen]);
  // A reason requested in the picture may be below the window. Scrolls only its beginning into view.
  useEffect(() => {
    if (asks > 0) tabs.current!.scrollIntoView({ block: "nearest" });
  }, [asks]);
  const walk = (event: KeyboardEvent): void => {
    const at = IN_ORDER.indexOf(chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: IN_ORDER.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    selection.panel.value = IN_ORDER[(to + IN_ORDER.length) % IN_ORDER.length]!;
    requestAnimationFrame(() => tabs.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
  };
  return (
    <section class="panels" aria-label="At this instant">
      <AddressNotice />
      <JobChoice />
      <div ref={tabs} class="tabs" role="tablist" aria-label="What to read" onKeyDown={walk}>
        {IN_ORDER.map((panel) => (
          <button
            key={panel}
            type="button"
            role="tab"
            id={`tab-${panel}`}
            aria-selected={panel === chosen}
            aria-controls="panel"
            tabIndex={panel === chosen ? 0 : -1}
            onClick={() => (selection.panel.value = panel)}
          >
            {titleOf(panel)}
            <Count of={view && BY_NAME[panel].count?.(view)} />
          </button>
        ))}
      </div>
      <div id="panel" class="panel" role="tabpanel" aria-labelledby={`tab-${chosen}`} tabIndex={0}>
        {view === undefined ? <p class="soft">Nothing has happened yet.</p> : <Body view={view} titleOf={titleOf} />}
      </div>
    </section>
  );
}

function titleOf(panel: PanelName): string {
  return BY_NAME[panel].title;
}

/** Scrolls the chosen tab into view, where not all tabs fit. */
function showTab(tabs: HTMLElement): void {
  const { left, right } = tabs.querySelector("[aria-selected=true]")!.getBoundingClientRect();
  const room = tabs.getBoundingClientRect();
  if (left < room.left) tabs.scrollLeft -= room.left - left;
  else if (right > room.right) tabs.scrollLeft += right - room.right;
}

function Count({ of }: { readonly of: number | undefined }) {
  return of === undefined || of === 0 ? null : <span class="count">{of}</span>;
}

/** The Job of the panels, and the instant that they show. */
function JobChoice() {
  const { pace, session, selection } = usePlayground();
  void pace.beat.value;
  const jobs = session.branch.value?.timeline.jobs ?? [];
  const view = session.view.value;
  return (
    <p class="panel-head">
      {jobs.length > 1 ? (
        <label>
          <span class="unseen">Job</span>
          <select
            value={String(selection.job.value)}
            onChange={(event) => (selection.job.value = Number(event.currentTarget.value))}
          >
            {jobs.map(({ uid, namespace, name, createdMs }, id) => (
              <option key={uid} value={String(id)}>
                {`${namespace}/${name}`}
                {jobs.some((other, i) => i < id && other.namespace === namespace && other.name === name) &&
                  `, created again at ${instantText(createdMs)}`}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <b>{jobs[0] === undefined ? "No Job yet" : `job/${jobs[0].name}`}</b>
      )}
      {view !== undefined && <span class="soft"> at {instantText(view.atMs)}</span>}
    </p>
  );
}
