/**
 * The incidents, below the lessons: a list that can be searched, fetched when it is opened; and over the picture what
 * people saw of the open one, its cause when the reader asks for it, and its remedy, which can be tried.
 */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { loadIncidents, type PageIncident } from "../../catalogue/incident.ts";
import { usePlayground } from "./context.ts";

type Fetched = readonly PageIncident[] | "not yet" | "failed";

export function Incidents() {
  const isOpen = useSignal(false);
  const fetched = useSignal<Fetched>("not yet");
  const open = (): void => {
    isOpen.value = !isOpen.value;
    if (!isOpen.value || Array.isArray(fetched.value)) return;
    loadIncidents().then(
      (incidents) => (fetched.value = incidents),
      () => (fetched.value = "failed"),
    );
  };
  return (
    <section class="incidents">
      <h2>
        <button type="button" aria-expanded={isOpen.value} aria-controls="incident-list" onClick={open}>
          <span aria-hidden="true">{isOpen.value ? "▾" : "▸"}</span> Incidents
        </button>
      </h2>
      <div id="incident-list" hidden={!isOpen.value}>
        {isOpen.value && <Listed fetched={fetched.value} />}
      </div>
    </section>
  );
}

function Listed({ fetched }: { readonly fetched: Fetched }) {
  const words = useSignal("");
  const search = useRef<HTMLInputElement>(null);
  // The list opens below the last lesson, where there is no room.
  useEffect(() => search.current?.closest("section")?.scrollIntoView(), [fetched]);
  if (fetched === "not yet") return <p class="soft">The incidents are on their way…</p>;
  if (fetched === "failed")
    return <p class="soft">The incidents could not be fetched. Close this list, and open it again.</p>;
  const found = fetched.filter((incident) => hasWords(incident, words.value));
  const groups = [...new Set(found.map(({ group }) => group))];
  return (
    <>
      <label>
        Search{" "}
        <input
          ref={search}
          type="search"
          value={words.value}
          placeholder="OutOfMemory, drain, quota…"
          onInput={({ currentTarget }) => (words.value = currentTarget.value)}
        />
      </label>
      <p class="soft" role="status">
        {found.length === 0 ? "No incident has these words." : `${found.length} of ${fetched.length}`}
      </p>
      {groups.map((group) => (
        <Group key={group} title={group} incidents={found.filter((incident) => incident.group === group)} />
      ))}
    </>
  );
}

function Group({ title, incidents }: { readonly title: string; readonly incidents: readonly PageIncident[] }) {
  const playground = usePlayground();
  const present = playground.incident.value?.incident.name;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {incidents.map((incident) => (
          <li key={incident.name}>
            <button
              type="button"
              aria-current={incident.name === present ? "true" : undefined}
              onClick={() => playground.openIncident(incident, false)}
            >
              {incident.title} <span class="soft">{incident.cause}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Whether each of the words is somewhere in what is said of it. */
function hasWords({ name, group, title, story, cause, object }: PageIncident, words: string): boolean {
  const text = [name, group, title, story, cause, object].join(" ").toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function IncidentText() {
  const playground = usePlayground();
  const isTold = useSignal(false);
  const { incident, isRepaired } = playground.incident.value!;
  const { name, title, story, cause, object, remedy, broken } = incident;
  useEffect(() => {
    isTold.value = false;
  }, [name]);
  return (
    <section class="lesson" aria-labelledby="lesson-title">
      <div class="lesson-head">
        <h2 id="lesson-title">{title}</h2>
      </div>
      <p class="lesson-text">{story}</p>
      {broken === undefined && (
        <p>
          It needs more of a world than this page has: <code>stint incident {name}</code> plays it.
        </p>
      )}
      <div class="question">
        <p>
          <span class="label">Before you look</span> What is wrong? The panel Account says who ended each pod and what
          holds the Job.{" "}
          <button
            type="button"
            class="link"
            aria-expanded={isTold.value}
            onClick={() => (isTold.value = !isTold.value)}
          >
            {isTold.value ? "Hide the cause" : "Show the cause"}
          </button>
        </p>
        {isTold.value && (
          <p class="answer" role="status">
            <code>{cause}</code>: {object}. {remedy}
          </p>
        )}
      </div>
      {broken !== undefined && (
        <p class="incident-run">
          <button type="button" class="chip" onClick={() => playground.openIncident(incident, !isRepaired)}>
            {isRepaired ? "Run it again without the remedy" : "Apply the remedy and run again"}
          </button>{" "}
          {isRepaired && <span>With the remedy: {remedy}</span>}
        </p>
      )}
    </section>
  );
}
