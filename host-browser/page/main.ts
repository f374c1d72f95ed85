/**
 * The page. It turns clicks and the manifest into commands for the Worker, and draws the Worker's snapshots.
 *
 * Invariant: the page shows only the latest run, and drops notices of earlier runs. Play and step on an edited manifest
 * first begin a new run, so the shown text is always the cause of the shown result. Leaves out the simulation: the
 * Worker does that.
 */
import { EXAMPLES } from "../examples.ts";
import type { Command, Mode, Notice } from "../protocol.ts";
import { type Panels, renderProblems, renderSnapshot } from "./render.ts";

const yaml = byId("yaml", HTMLTextAreaElement);
const example = byId("example", HTMLSelectElement);
const speed = byId("speed", HTMLSelectElement);
const seed = byId("seed", HTMLInputElement);
const mode = byId("mode", HTMLElement);
const buttons = {
  play: byId("play", HTMLButtonElement),
  pause: byId("pause", HTMLButtonElement),
  step: byId("step", HTMLButtonElement),
  reset: byId("reset", HTMLButtonElement),
};
const panels: Panels = {
  jobs: byId("jobs", HTMLElement),
  pods: byId("pods", HTMLTableElement).tBodies[0]!,
  podCount: byId("pod-count", HTMLElement),
  events: byId("events", HTMLTableElement).tBodies[0]!,
  trace: byId("trace", HTMLTableElement).tBodies[0]!,
  clock: byId("clock", HTMLElement),
  problems: byId("problems", HTMLElement),
};

const worker = new Worker("worker.js", { type: "module" });
let run = 0;
/** Manifest and seed of the latest run. */
let loaded = { yaml: "", seed: 0 };

worker.addEventListener("message", ({ data }: MessageEvent<Notice>) => handle(data));
worker.addEventListener("error", (event) => fail(`the Worker failed: ${event.message}`));

for (const [name, text] of Object.entries(EXAMPLES)) example.append(new Option(name, text));
yaml.value = example.value;

example.addEventListener("change", () => {
  yaml.value = example.value;
  load();
});
buttons.play.addEventListener("click", () => onCurrentRun({ kind: "play", speed: Number(speed.value) }));
buttons.step.addEventListener("click", () => onCurrentRun({ kind: "step" }));
buttons.pause.addEventListener("click", () => send({ kind: "pause" }));
buttons.reset.addEventListener("click", load);
speed.addEventListener("change", () => {
  if (mode.dataset["mode"] === "playing") send({ kind: "play", speed: Number(speed.value) });
});

function send(command: Command): void {
  worker.postMessage(command);
}

function load(): void {
  loaded = { yaml: yaml.value, seed: seedValue() };
  renderProblems(panels, [], "bad");
  send({ kind: "load", run: ++run, ...loaded });
}

/** Sends a command to the present run. If the manifest was edited, a new run begins first. */
function onCurrentRun(command: Command): void {
  if (yaml.value !== loaded.yaml || seedValue() !== loaded.seed) load();
  send(command);
}

function seedValue(): number {
  return Math.max(0, Math.trunc(Number(seed.value))) >>> 0;
}

function handle(notice: Notice): void {
  if (notice.kind === "ready") {
    load();
    return;
  }
  if (notice.run !== run) return;
  switch (notice.kind) {
    case "refused":
      renderProblems(panels, notice.problems, "bad");
      clear("refused");
      break;
    case "warned":
      renderProblems(panels, notice.problems, "warn");
      break;
    case "fatal":
      fail(notice.message);
      break;
    case "snapshot":
      renderSnapshot(panels, notice.snapshot);
      showMode(notice.snapshot.mode, notice.snapshot.note);
      break;
  }
}

function fail(message: string): void {
  renderProblems(panels, [{ message }], "bad");
  clear("stopped");
}

/** Shows that there is no run. Play stays enabled: it loads the manifest after an edit. */
function clear(shown: string): void {
  renderSnapshot(panels, {
    mode: "paused",
    nowMs: 0,
    note: "",
    jobs: [],
    pods: [],
    podCount: 0,
    events: [],
    decisions: [],
    decisionCount: 0,
  });
  showMode("paused", shown);
}

function showMode(current: Mode, note: string): void {
  mode.dataset["mode"] = current;
  mode.textContent = note === "" ? current : note;
  const isMoving = current === "playing" || current === "stepping";
  buttons.play.disabled = isMoving;
  buttons.step.disabled = isMoving;
  buttons.pause.disabled = !isMoving;
  buttons.reset.disabled = false;
}

function byId<T extends HTMLElement>(id: string, type: { new (): T }): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} with id ${id}`);
  return found;
}
