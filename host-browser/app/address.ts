/**
 * Mirrors the page's state in its address: read once at the start, and written after each change. Invariant: writing
 * replaces the present entry of the browser's history, so Back leaves the page. share/ validates an address; for a bad
 * one, the page shows one sentence and opens the first lesson instead.
 */
import { effect } from "@preact/signals";
import { FIRST_LESSON, type Lesson, loadLessons } from "../catalogue/index.ts";
import type { Scenario } from "../../cluster/simulation/scenario.ts";
import { LONG_ADDRESS, readAddress, SHARED_HEAT_MODES, type SharedState, writeAddress } from "../share/address.ts";
import { readRecordingAddress } from "../share/recording-address.ts";
import { differenceOfRuns } from "../share/same-run.ts";
import { PANEL_NAMES } from "../../build/panel-names.ts";
import type { Playground } from "./playground.ts";

/** Writing waits until the reader has stopped. Browsers refuse more than some hundred writes in 30 s. */
const DEBOUNCE_MS = 400;

/** Opens the state of the address; false: it has none, or none that can be opened. */
export async function openAddress(playground: Playground, fragment: string): Promise<boolean> {
  try {
    const recording = await readRecordingAddress(fragment);
    if (recording !== undefined) {
      playground.import(recording, "of the address");
      return true;
    }
    const state = await readAddress(fragment, scenarioOf);
    if (state === undefined) return false;
    const { lesson, scenario, atMs, panel, heatMode = "last" } = state;
    const origin = lesson === undefined ? undefined : await lessonOf(lesson);
    if (origin !== undefined) playground.lesson.value = origin;
    const known = PANEL_NAMES.find((name) => name === panel);
    if (known !== undefined) playground.selection.panel.value = known;
    playground.selection.heatMode.value = heatMode;
    playground.open(
      scenario,
      origin?.bookmarks.find((bookmark) => bookmark.atMs === atMs) ?? atMs,
      origin ?? FIRST_LESSON,
    );
    playground.restoreDraft();
    compareOnce(playground, state);
    return true;
  } catch (error) {
    playground.trouble.value = `This address cannot be opened: ${(error as Error).message}`;
    return false;
  }
}

/** When the run has ended, compares it with the shared one, unless the reader has opened another one meanwhile. */
export function compareOnce({ session, trouble }: Playground, shared: SharedState): void {
  const stop = effect(() => {
    const branch = session.branch.value;
    const isFinished = session.mode.value === "finished" && branch?.scenario === shared.scenario;
    if (!isFinished && session.scenario === shared.scenario) return;
    const engineVersion = session.engineVersion.peek();
    if (isFinished) trouble.value = differenceOfRuns(shared, { engineVersion, digest: branch.digest }) ?? "";
    // The effect cannot dispose of itself during its first run.
    setTimeout(() => stop());
  });
}

/** From now on the address follows the page, and the page follows an address that the user enters. */
export function followWithAddress(playground: Playground): void {
  const { session, playhead, selection } = playground;
  let timer: ReturnType<typeof setTimeout> | undefined;
  addEventListener("hashchange", () => void openInstead(playground));
  effect(() => {
    void [session.branch.value, selection.panel.value, selection.heatMode.value];
    if (playhead.isPlaying.value) return;
    void playhead.atMs.value;
    clearTimeout(timer);
    timer = setTimeout(() => void write(playground), DEBOUNCE_MS);
  });
}

/** The shown run stays, if the address cannot be opened. */
async function openInstead(playground: Playground): Promise<void> {
  const { lesson, trouble } = playground;
  const before = lesson.value;
  trouble.value = "";
  lesson.value = undefined;
  if (await openAddress(playground, location.hash)) playground.incident.value = undefined;
  else lesson.value = before;
}

async function write(playground: Playground): Promise<void> {
  const text = await addressOf(playground);
  if (text === undefined) return;
  const path = `${location.pathname}${location.search}${text}`;
  history.replaceState(null, "", path);
  playground.addressLength.value = location.origin.length + path.length;
}

/** The fragment that opens what is shown now; undefined: nothing is shown. */
export async function addressOf(playground: Playground): Promise<string | undefined> {
  const { session, selection, playhead, lesson } = playground;
  const branch = session.branch.peek();
  if (branch === undefined) return undefined;
  const id = lesson.peek()?.id;
  const heatMode = SHARED_HEAT_MODES.find((mode) => mode === selection.heatMode.peek());
  return writeAddress(
    {
      scenario: branch.scenario,
      ...(id === undefined ? {} : { lesson: id }),
      atMs: Math.round(playhead.atMs.peek()),
      panel: selection.panel.peek(),
      ...(heatMode === undefined ? {} : { heatMode }),
      engineVersion: session.engineVersion.peek(),
      // The digest of a scenario's run. A recording has none: opening the address would run a scenario.
      digest: session.mode.peek() === "finished" && branch.recording === undefined ? branch.digest : "",
    },
    scenarioOf,
  );
}

/** Some programs in which users share addresses may truncate one of this length. */
export function isLong(length: number): boolean {
  return length > LONG_ADDRESS;
}

async function lessonOf(id: string): Promise<Lesson | undefined> {
  return id === FIRST_LESSON.id ? FIRST_LESSON : (await loadLessons()).find((lesson) => lesson.id === id);
}

async function scenarioOf(id: string): Promise<Scenario | undefined> {
  return (await lessonOf(id))?.scenario;
}
