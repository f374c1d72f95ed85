/**
 * Mirrors the page's state in its address: read once at the start, and written after each change. Invariant: a lesson,
 * a recording and the reader's scenario are an entry each of the browser's history, so Back and Forward walk
 * them; what changes within one replaces its entry. share/ validates an address; for a bad one, the page shows one
 * sentence and what it showed before, or else the first lesson.
 */
import { batch, effect } from "@preact/signals";
import { FIRST_LESSON, type Lesson, loadLessons } from "../catalogue/index.ts";
import { spokenJob } from "../catalogue/spoken-job.ts";
import type { Scenario } from "../../cluster/simulation/scenario.ts";
import { LONG_ADDRESS, readAddress, SHARED_HEAT_MODES, type SharedState, writeAddress } from "../share/address.ts";
import { lessonAddress, readLessonAddress } from "../share/lesson-address.ts";
import type { Place } from "../share/place.ts";
import {
  type AddressedRecording,
  keptAddress,
  readRecordingAddress,
  recordingAddress,
  squeezedRecording,
} from "../share/recording-address.ts";
import { differenceOfRuns } from "../share/same-run.ts";
import { PANEL_NAMES } from "../../build/panel-names.ts";
import { keepRecording, keptRecording } from "./kept-recordings.ts";
import type { Playground } from "./playground.ts";
import type { Branch } from "./session.ts";

/** Writing waits until the reader has stopped. Browsers refuse more than some hundred writes in 30 s. */
const DEBOUNCE_MS = 400;

/** Opens the state of the address; false: it has none, or none that can be opened. */
export async function openAddress(playground: Playground, fragment: string): Promise<boolean> {
  try {
    const recording = await readRecordingAddress(fragment);
    if (recording !== undefined) {
      await openRecording(playground, recording);
      return true;
    }
    const named = readLessonAddress(fragment);
    if (named !== undefined) {
      await openNamed(playground, named.id, named.place);
      return true;
    }
    const state = await readAddress(fragment, scenarioOf);
    if (state === undefined) return false;
    await openState(playground, state);
    return true;
  } catch (error) {
    playground.trouble.value = `This address cannot be opened: ${(error as Error).message}`;
    return false;
  }
}

async function openRecording(playground: Playground, addressed: AddressedRecording): Promise<void> {
  const { place } = addressed;
  const recording = "recording" in addressed ? addressed.recording : await keptRecording(addressed.digest);
  if (recording === undefined)
    throw new Error(
      "it names a recording that was too large for an address, and this browser does not keep it (any more). " +
        "Open its file again, with Import.",
    );
  choose(playground, place);
  playground.import(recording, "of the address", { spot: spotOf(place) });
}

async function openNamed(playground: Playground, id: string, place: Place): Promise<void> {
  const lesson = await lessonOf(id);
  if (lesson === undefined) throw new Error(`it names the lesson ${id}, which this page does not have`);
  batch(() => {
    playground.lesson.value = lesson;
    // Of a lesson the address has only what is not as at its opening.
    choose(playground, { ...place, panel: place.panel ?? "status" });
    const spot = place.job === undefined ? undefined : spotOf(place);
    playground.open(lesson.scenario, spot ?? bookmarkAt(lesson, place.atMs) ?? place.atMs ?? lesson.bookmarks[1]);
    playground.restoreDraft();
  });
}

async function openState(playground: Playground, state: SharedState): Promise<void> {
  const { lesson, scenario, atMs } = state;
  const origin = lesson === undefined ? undefined : await lessonOf(lesson);
  batch(() => {
    if (origin !== undefined) playground.lesson.value = origin;
    choose(playground, state);
    playground.open(scenario, bookmarkAt(origin, atMs) ?? atMs, origin ?? FIRST_LESSON);
    playground.restoreDraft();
  });
  compareOnce(playground, state);
}

/** Chooses the panel, and what heat maps show. */
function choose({ selection }: Playground, { panel, heatMode }: Place): void {
  const known = PANEL_NAMES.find((name) => name === panel);
  if (known !== undefined) selection.panel.value = known;
  selection.heatMode.value = SHARED_HEAT_MODES.find((mode) => mode === heatMode) ?? "last";
}

function spotOf({ atMs, job = 0 }: Place): { readonly atMs: number; readonly position: number } | undefined {
  return atMs === undefined ? undefined : { atMs, position: job };
}

function bookmarkAt(lesson: Lesson | undefined, atMs: number | undefined): Lesson["bookmarks"][number] | undefined {
  return lesson?.bookmarks.find((bookmark) => bookmark.atMs === atMs);
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

/** From now on the address follows the page, and the page follows an address that the user enters or goes back to. */
export function followWithAddress(playground: Playground): void {
  const { session, playhead, selection, lesson } = playground;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** What the present entry of the browser's history is about; undefined: what is shown next. */
  let entry: string | undefined = subjectOf(playground);

  const write = async (): Promise<void> => {
    const branch = session.branch.peek();
    const text = await ownAddressOf(playground);
    // Another run is on its way.
    if (text === undefined || session.isLoading || session.branch.peek()?.run !== branch?.run) return;
    const subject = subjectOf(playground);
    const path = `${location.pathname}${location.search}${text}`;
    if (entry === undefined || entry === subject) history.replaceState(null, "", path);
    else history.pushState(null, "", path);
    entry = subject;
    playground.addressLength.value = location.origin.length + path.length;
  };
  const openInstead = async (): Promise<void> => {
    clearTimeout(timer);
    entry = undefined;
    const before = lesson.peek();
    playground.trouble.value = "";
    lesson.value = undefined;
    const explained = playground.explained.peek();
    playground.explained.value = undefined;
    if (await openAddress(playground, location.hash)) playground.incident.value = undefined;
    else {
      playground.explained.value = explained;
      lesson.value = before;
      // The bad address would be opened again by the next reload.
      await write();
    }
  };

  addEventListener("hashchange", () => void openInstead());
  // A lesson gets its entry at once, however fast the reader turns pages.
  effect(() => {
    const id = lesson.value?.id;
    if (id === undefined || entry === undefined || entry === id) return;
    history.pushState(null, "", lessonAddress(id));
    entry = id;
  });
  effect(() => {
    void [session.branch.value, selection.job.value, selection.panel.value, selection.heatMode.value];
    if (playhead.isPlaying.value) return;
    void playhead.atMs.value;
    clearTimeout(timer);
    timer = setTimeout(() => void write(), DEBOUNCE_MS);
  });
}

/** What is shown, as a name for its entry in the browser's history. */
function subjectOf({ lesson, session }: Playground): string {
  const branch = session.branch.peek();
  return lesson.peek()?.id ?? (branch?.recording === undefined ? "" : `recording ${branch.digest}`);
}

/** The fragment for the page's own address: a lesson as it was written has a readable one. */
async function ownAddressOf(playground: Playground): Promise<string | undefined> {
  const { session, lesson } = playground;
  const branch = session.branch.peek();
  if (branch === undefined) return undefined;
  if (branch.recording !== undefined) return addressOfRecording(playground, branch);
  const id = lesson.peek()?.id;
  return id !== undefined && branch.scenario === lesson.peek()?.scenario
    ? lessonAddress(id, placeInLesson(playground, lesson.peek()!))
    : addressOf(playground);
}

/** Without what the lesson has at its opening. */
function placeInLesson(playground: Playground, lesson: Lesson): Place {
  const { atMs, job, panel, heatMode } = placeOf(playground);
  const jobs = playground.session.branch.peek()?.timeline.jobs ?? [];
  const bookmark = bookmarkAt(lesson, atMs);
  const isOpening = bookmark === lesson.bookmarks[1];
  const ownJob = bookmark === undefined ? 0 : spokenJob(jobs, bookmark);
  return {
    atMs: isOpening && job === ownJob ? undefined : atMs,
    job: job === ownJob ? undefined : job,
    panel: panel === "status" ? undefined : panel,
    heatMode,
  };
}

function placeOf({ selection, playhead }: Playground): Place {
  return {
    atMs: Math.round(playhead.atMs.peek()),
    job: selection.job.peek(),
    panel: selection.panel.peek(),
    heatMode: SHARED_HEAT_MODES.find((mode) => mode === selection.heatMode.peek()),
  };
}

/** The recording that was squeezed last, and its outcome; undefined: it is too large for an address. */
let squeezed: { readonly recording: string; readonly text: Promise<string | undefined> } | undefined;
/** The digest of the recording that was last given to the browser to keep. */
let keptDigest = "";

function squeezedOnce(recording: string): Promise<string | undefined> {
  if (squeezed?.recording !== recording) squeezed = { recording, text: squeezedRecording(recording) };
  return squeezed.text;
}

/** A recording that is too large for an address is kept in this browser, and the page says when it cannot be. */
async function addressOfRecording(playground: Playground, { recording, digest }: Branch): Promise<string> {
  const text = await squeezedOnce(recording!);
  if (text !== undefined) return recordingAddress(text, placeOf(playground));
  if (keptDigest !== digest) {
    keptDigest = digest;
    if (!(await keepRecording(digest, recording!))) playground.trouble.value = NOT_KEPT;
  }
  return keptAddress(digest, placeOf(playground));
}

const NOT_KEPT =
  "This recording is too large for an address, and the browser does not keep it: keep its file, " +
  "because a reload of this page loses it.";

/**
 * The fragment that opens what is shown now, in any browser; undefined: nothing is shown, or a recording that is too
 * large for an address.
 */
export async function addressOf(playground: Playground): Promise<string | undefined> {
  const { session, selection, lesson } = playground;
  const branch = session.branch.peek();
  if (branch === undefined) return undefined;
  const place = placeOf(playground);
  if (branch.recording !== undefined) {
    const text = await squeezedOnce(branch.recording);
    return text === undefined ? undefined : recordingAddress(text, place);
  }
  const id = lesson.peek()?.id;
  const heatMode = SHARED_HEAT_MODES.find((mode) => mode === place.heatMode);
  return writeAddress(
    {
      scenario: branch.scenario,
      ...(id === undefined ? {} : { lesson: id }),
      atMs: place.atMs!,
      panel: selection.panel.peek(),
      ...(heatMode === undefined ? {} : { heatMode }),
      engineVersion: session.engineVersion.peek(),
      digest: session.mode.peek() === "finished" ? branch.digest : "",
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
