/** Everything that can be read at the playhead's instant, as tabs; one is open. */
import { useEffect, useRef } from "preact/hooks";
import type { View } from "../../messages.ts";
import { PANEL_TITLES, PANELS, type Panel } from "../selection.ts";
import { instantText } from "../time-text.ts";
import { AddressNotice } from "./address-notice.tsx";
import { usePlayground } from "./context.ts";
import { Conditions, Decisions, Events, Requests } from "./lists.tsx";
import { Describe, Get, Status } from "./kubectl.tsx";
import { Why } from "./why.tsx";

export function Panels() {
  const playground = usePlayground();
  const { selection, session } = playground;
  const chosen = selection.panel.value;
  const tabs = useRef<HTMLDivElement>(null);
  const asks = selection.asks.value;
  useEffect(() => showTab(tabs.current!), [chosen]);
  // A reason requested in the picture may be below the window. Scrolls only its beginning into view.
  useEffect(() => {
    if (asks > 0) tabs.current!.scrollIntoView({ block: "nearest" });
  }, [asks]);
  const walk = (event: KeyboardEvent): void => {
    const at = PANELS.indexOf(chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: PANELS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    selection.panel.value = PANELS[(to + PANELS.length) % PANELS.length]!;
    requestAnimationFrame(() => tabs.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
  };
  return (
    <section class="panels" aria-label="At this instant">
      <AddressNotice />
      <JobChoice />
      <div ref={tabs} class="tabs" role="tablist" aria-label="What to read" onKeyDown={walk}>
        {PANELS.map((panel) => (
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
            {PANEL_TITLES[panel]}
            {panel === "events" && <Count of={session.view.value?.eventCount} />}
            {panel === "decisions" && <Count of={session.view.value?.decisionCount} />}
          </button>
        ))}
      </div>
      <div id="panel" class="panel" role="tabpanel" aria-labelledby={`tab-${chosen}`} tabIndex={0}>
        {session.view.value === undefined ? (
          <p class="soft">Nothing has happened yet.</p>
        ) : (
          <Body panel={chosen} view={session.view.value} />
        )}
      </div>
    </section>
  );
}

function Body({ panel, view }: { readonly panel: Panel; readonly view: View }) {
  switch (panel) {
    case "status":
      return <Status view={view} />;
    case "conditions":
      return <Conditions view={view} />;
    case "events":
      return <Events view={view} />;
    case "decisions":
      return <Decisions view={view} />;
    case "requests":
      return <Requests view={view} />;
    case "get":
      return <Get view={view} />;
    case "describe":
      return <Describe view={view} />;
    case "why":
      return <Why view={view} />;
  }
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
            {jobs.map(({ uid, namespace, name }, id) => (
              <option key={uid} value={String(id)}>{`${namespace}/${name}`}</option>
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
