/**
 * Draws a snapshot. Everything is set as text, never as markup, so text of a manifest or a container cannot become a
 * part of the page. Leaves out state: each call shows exactly the snapshot that it is given.
 */
import type { DecisionRow, EventRow, JobRow, PodRow, Problem, Snapshot } from "../protocol.ts";

export interface Panels {
  readonly jobs: HTMLElement;
  readonly pods: HTMLTableSectionElement;
  readonly podCount: HTMLElement;
  readonly events: HTMLTableSectionElement;
  readonly trace: HTMLTableSectionElement;
  readonly clock: HTMLElement;
  readonly problems: HTMLElement;
}

export function renderSnapshot(panels: Panels, snapshot: Snapshot): void {
  panels.clock.textContent = formatMs(snapshot.nowMs);
  panels.jobs.replaceChildren(...snapshot.jobs.map(jobCard));
  panels.podCount.textContent =
    snapshot.podCount > snapshot.pods.length
      ? `the newest ${snapshot.pods.length} of ${snapshot.podCount}`
      : `${snapshot.podCount}`;
  fill(panels.pods, snapshot.pods.map(podCells), "No pods.");
  fill(panels.trace, snapshot.decisions.map(decisionCells), "No decision yet: play or step.");
  fill(panels.events, snapshot.events.map(eventCells), "No events yet.");
}

/** @param tone how serious they are */
export function renderProblems(panels: Panels, problems: readonly Problem[], tone: "bad" | "warn"): void {
  panels.problems.replaceChildren(
    ...problems.map(({ message, line, column }) =>
      element(
        "li",
        tone,
        line === undefined ? "" : element("span", "where", `line ${line}, column ${column}`),
        message,
      ),
    ),
  );
}

/** `1.250 s`, `3 min 05.000 s`, `2 h 03 min 05.000 s`: simulated time, always with milliseconds. */
export function formatMs(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = ((ms % 60_000) / 1000).toFixed(3);
  if (hours > 0) return `${hours} h ${String(minutes).padStart(2, "0")} min ${seconds.padStart(6, "0")} s`;
  return minutes > 0 ? `${minutes} min ${seconds.padStart(6, "0")} s` : `${seconds} s`;
}

function jobCard(job: JobRow): HTMLElement {
  const facts: [string, string][] = [
    ["Completions", job.completions],
    ["Active", String(job.counts.active)],
    ["Ready", String(job.counts.ready)],
    ["Succeeded", String(job.counts.succeeded)],
    ["Failed", String(job.counts.failed)],
    ["Terminating", String(job.counts.terminating)],
    ["Completed indexes", job.completedIndexes],
    ["Duration", job.duration],
  ];
  const card = element(
    "section",
    "job",
    element("h2", "", `${job.namespace}/${job.name}`, element("span", toneOf(job.status), job.status)),
    element("p", "", job.explanation),
    element(
      "dl",
      "",
      ...facts
        .filter(([, value]) => value !== "")
        .map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", value))),
    ),
    element("ul", "", ...job.conditions.map(conditionLine)),
  );
  card.dataset["job"] = `${job.namespace}/${job.name}`;
  return card;
}

function conditionLine({ type, status, reason, message }: JobRow["conditions"][number]): HTMLElement {
  return element(
    "li",
    "",
    element("strong", toneOf(type), `${type}=${status}`),
    reason === "" ? "" : ` ${reason}`,
    message === "" ? "" : `: ${message}`,
  );
}

function podCells(pod: PodRow): HTMLElement[] {
  return [
    cell("name", pod.name),
    cell("", pod.completionIndex),
    cell("", pod.ready),
    cell(toneOf(pod.status), pod.status),
    cell("", pod.restarts),
    cell("time", pod.age),
  ];
}

function decisionCells(decision: DecisionRow): HTMLElement[] {
  const next = decision.nextMs === undefined ? "" : `at ${formatMs(decision.nextMs)}`;
  return [
    cell("time", formatMs(decision.atMs)),
    cell("name", decision.job),
    cell("", decision.code),
    cell("", decision.message),
    cell("time", next),
  ];
}

function eventCells(event: EventRow): HTMLElement[] {
  const message = event.count > 1 ? `${event.message} (×${event.count})` : event.message;
  return [
    cell("time", formatMs(event.atMs)),
    cell("name", event.object),
    cell(event.type === "Warning" ? "warn" : "", event.type),
    cell("", event.reason),
    cell("", message),
  ];
}

const TONES: Readonly<Record<string, string>> = {
  Complete: "good",
  Completed: "good",
  SuccessCriteriaMet: "good",
  Running: "busy",
  Pending: "warn",
  ContainerCreating: "warn",
  Terminating: "warn",
  Suspended: "warn",
};

/** A status that is not known to be harmless is shown as bad, so new reasons of failure need no entry here. */
function toneOf(status: string): string {
  return TONES[status] ?? "bad";
}

function fill(body: HTMLTableSectionElement, rows: readonly HTMLElement[][], whenEmpty: string): void {
  if (rows.length > 0) {
    body.replaceChildren(...rows.map((cells) => element("tr", "", ...cells)));
    return;
  }
  const note = element("td", "empty", whenEmpty) as HTMLTableCellElement;
  note.colSpan = 6;
  body.replaceChildren(element("tr", "", note));
}

function cell(className: string, text: string): HTMLElement {
  return element("td", className, text);
}

function element(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  made.append(...children.filter((child) => child !== ""));
  return made;
}
