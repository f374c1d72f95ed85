/**
 * The page's state as one object, and everything that a reader can do to it. Components read its signals and call its
 * methods; the Worker's notices come in through `session`.
 *
 * Invariant: whatever is shown follows from the shown run, the instant and the selection. Leaves out the DOM, so that
 * all of it can be driven without a browser.
 */
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { PageIncident } from "../catalogue/incident.ts";
import type { Bookmark, Lesson } from "../catalogue/index.ts";
import { spokenJob } from "../catalogue/spoken-job.ts";
import type { DoorAnswer, ToDo } from "../door-answer.ts";
import type { Command } from "../messages.ts";
import type { Picture } from "../picture/picture.ts";
import type { Timeline } from "../picture/timeline.ts";
import { failedJob, turningPointMs } from "../picture/turning-point.ts";
import type { Action, Scenario } from "../../cluster/simulation/scenario.ts";
import type { Thing } from "./break-it.ts";
import { Drafts } from "./drafts.ts";
import { forkedAt, sameUntilMs } from "./fork.ts";
import { Pace } from "./pace.ts";
import { Playhead } from "./playhead.ts";
import { Selection } from "./selection.ts";
import { type Branch, Session } from "./session.ts";
import { Settings } from "./settings.ts";
import { Memory } from "./storage.ts";

export type Dialog = "help" | "share" | "export" | "import" | "door";

export type Pane = "manifest" | "world" | "odds";

export interface OpenMenu {
  /** In CSS pixels of the window; absent: at the transport. */
  readonly place?: { readonly x: number; readonly y: number };
  /** A menu with what fits this alone. */
  readonly thing?: Thing;
}

/** An instant, with the position of its Job among those of the run. */
export interface Spot {
  readonly atMs: number;
  readonly position: number;
}

type Arrival = number | "turning point" | Bookmark | Spot;

/** What is known of a run before it is there. */
interface Asked {
  /** The name of the scenario, for the sentence that refuses it. */
  readonly name?: string;
  readonly isFork?: boolean;
  /** The run to compare a fork with; absent: the shown one. */
  readonly before?: Branch;
  /** The scenario is run from a text, which the editor holds. */
  readonly isInEditor?: boolean;
  /** The lesson to show in its original form if the scenario is refused; absent: what was shown before. */
  readonly fallback?: Lesson | undefined;
  /** Its first records are there. */
  readonly onShown?: () => void;
}

export interface OpenIncident {
  readonly incident: PageIncident;
  /** It is shown with its remedy. */
  readonly isRepaired: boolean;
}

/** A text that the door has explained. */
export interface ExplainedText {
  readonly answer: DoorAnswer;
  /** A file, or what else it is called. */
  readonly name: string;
  /** Its run has this remedy. */
  readonly remedy?: ToDo | undefined;
  /** Its run; absent: a recording. What is said of the run is true while this one is shown. */
  readonly run?: Scenario | undefined;
}

export class Playground {
  readonly session: Session;
  readonly playhead: Playhead;
  readonly selection = new Selection();
  readonly pace: Pace;
  readonly settings: Settings;
  readonly drafts: Drafts;
  readonly lesson = signal<Lesson | undefined>(undefined);
  readonly lessons = signal<readonly Lesson[]>([]);
  /** The reader came without an address: the page says what it is. */
  readonly isFirstVisit = signal(false);
  /** The open incident, where no lesson is. */
  readonly incident = signal<OpenIncident | undefined>(undefined);
  /** The lesson, while its Job is shown in its world, and none that the reader has made of them. */
  readonly taught = computed(() => {
    void [this.session.mode.value, this.session.branch.value];
    const { value: lesson } = this.lesson;
    const shown = this.session.scenario;
    const isLesson = lesson !== undefined && shown !== undefined && sameUntilMs(lesson.scenario, shown) > -Infinity;
    return shown === undefined || isLesson ? lesson : undefined;
  });
  /** What is shown, in a few words. */
  readonly title = computed(() => {
    const shown = this.taught.value ?? this.incident.value?.incident;
    const isRecording = this.session.branch.value?.recording !== undefined;
    const [job] = this.explained.value?.answer.jobs ?? [];
    if (job !== undefined && shown === undefined) return `${job.name}: ${job.verdict}`;
    return shown?.title ?? (isRecording ? "A recording" : "Your own scenario");
  });
  /** The bookmarks of that lesson up to what the reader has done to the run. */
  readonly bookmarks = computed(() => {
    const { value: lesson } = this.taught;
    const shown = this.session.branch.value?.scenario;
    const untilMs = lesson === undefined || shown === undefined ? Infinity : sameUntilMs(lesson.scenario, shown);
    return lesson?.bookmarks.filter(({ atMs }) => atMs <= untilMs) ?? [];
  });
  /** The open text, where neither a lesson nor an incident is. */
  readonly explained = signal<ExplainedText | undefined>(undefined);
  /** What a user has dropped, until the door takes it. */
  readonly offered = signal<File | string | undefined>(undefined);
  /** What the editor holds. */
  readonly draft = signal("");
  /** The editor's text is not that of the shown run. */
  readonly isEdited = computed(() => this.draft.value !== (this.session.branch.value?.scenario.yaml ?? ""));
  /** The text whose mistakes are in `session.checked`. */
  readonly #typed = signal<string | undefined>(undefined);
  /** The text of the latest turn of a number. */
  #tuned: string | undefined;
  /** The mistakes of the editor's text: those that the run reported, until the reader types. */
  readonly problems = computed(() =>
    this.draft.value === this.#typed.value ? this.session.checked.value : this.session.problems.value,
  );
  readonly dialog = signal<Dialog | undefined>(undefined);
  readonly isCatalogueOpen = signal(false);
  /** The mounted picture. */
  readonly picture = signal<Picture | undefined>(undefined);
  /** The break-it menu, and its place. */
  readonly menu = signal<OpenMenu | undefined>(undefined);
  /** One sentence for all users, also for screen readers: what the user's action has just caused. */
  readonly announcement = signal("");
  /** What of the workbench is shown. */
  readonly pane = signal<Pane>("manifest");
  /** A line of the manifest for the editor to show; a new object each time. The editor clears it afterwards. */
  readonly shownLine = signal<{ readonly line: number } | undefined>(undefined);
  /** Characters of the page's address; 0: it says nothing yet. */
  readonly addressLength = signal(0);
  /** Something that went wrong outside the run: a bad address, a refused file. */
  readonly trouble = signal("");
  /** Where the playhead goes when the run under way is complete, unless the reader has moved it meanwhile. */
  #arrival: Arrival | undefined;
  /** It plays from there. */
  #playsOn = false;
  /** When the reader last acted on the cluster, until the outcome is known. */
  #actedMs: number | undefined;
  /** Where it goes when that run is refused. */
  #left = 0;
  /** The run under way, until it is known whether it can be shown. */
  #asked: Asked | undefined;

  /** @param ofTab what this tab alone remembers over a reload */
  constructor(post: (command: Command) => void, memory: Memory, query: string, ofTab = new Memory(() => undefined)) {
    this.session = new Session(post);
    this.settings = new Settings(memory, query);
    this.drafts = new Drafts(memory, ofTab);
    const { session } = this;
    this.playhead = new Playhead({
      get nowMs() {
        return session.nowMs.peek();
      },
      get mode() {
        return session.mode.peek();
      },
      nextDecisionMs: (afterMs) => session.branch.peek()?.timeline.nextDecisionMs(afterMs),
      previousDecisionMs: (beforeMs) => session.branch.peek()?.timeline.previousDecisionMs(beforeMs),
      nextEventMs: (afterMs) => session.branch.peek()?.timeline.nextEventMs(afterMs),
      play: (speed) => session.play(speed),
      pause: () => session.pause(),
      step: () => session.step(),
      moved: () => (this.#arrival = undefined),
    });
    effect(() => this.#follow());
    this.pace = new Pace(session, this.playhead, this.selection);
  }

  /** Opens a lesson at its turning point, with the draft that the user made of it, if there is one. */
  openLesson(lesson: Lesson): void {
    const draft = this.drafts.read(lesson.id);
    batch(() => {
      this.lesson.value = lesson;
      this.incident.value = undefined;
      this.explained.value = undefined;
      this.isCatalogueOpen.value = false;
      if (draft === undefined) this.showLesson(lesson);
      else this.open({ ...lesson.scenario, yaml: draft }, undefined, lesson);
      this.announcement.value = `Lesson: ${lesson.title}`;
    });
  }

  /** Runs an incident to its end, where the panel Account says what became of it; the shown run becomes the ghost. */
  openIncident(incident: PageIncident, isRepaired: boolean): void {
    const isSame = this.incident.value?.incident.name === incident.name;
    const scenario = isRepaired ? incident.repaired : incident.broken;
    batch(() => {
      this.lesson.value = undefined;
      this.explained.value = undefined;
      this.incident.value = { incident, isRepaired };
      this.isCatalogueOpen.value = false;
      this.announcement.value = `Incident: ${incident.title}${isRepaired ? ", with its remedy" : ""}`;
      if (scenario === undefined) return;
      this.selection.panel.value = "account";
      this.draft.value = scenario.yaml;
      this.#load(scenario, Infinity, { isFork: isSame });
    });
  }

  /** Goes to a bookmark of the lesson, and to the Job that it is about. */
  goTo(bookmark: Bookmark): void {
    const jobs = this.session.branch.value?.timeline.jobs ?? [];
    this.selection.job.value = spokenJob(jobs, bookmark);
    this.playhead.seekAhead(bookmark.atMs);
  }

  /** Shows the lesson as it was written. The reader's draft of it is kept. */
  showLesson(lesson: Lesson): void {
    this.open(lesson.scenario, lesson.bookmarks[1]);
  }

  /** Restores the lesson's original manifest, without the reader's draft. */
  resetLesson(): void {
    const lesson = this.lesson.value;
    if (lesson === undefined) return;
    this.drafts.forget(lesson.id);
    this.openLesson(lesson);
  }

  /** Next (1) or previous (-1) lesson; at the ends it stays. */
  turnPage(by: 1 | -1): void {
    const { value: lessons } = this.lessons;
    const at = lessons.findIndex(({ id }) => id === this.lesson.value?.id);
    const next = lessons[at + by];
    if (at >= 0 && next !== undefined) this.openLesson(next);
  }

  /**
   * @param at where to put the playhead; absent: at the turning point
   * @param fallback the lesson to show in its original form if the scenario is refused
   */
  open(scenario: Scenario, at: Arrival = "turning point", fallback?: Lesson): void {
    batch(() => {
      this.draft.value = scenario.yaml;
      this.#load(scenario, at, { fallback });
    });
  }

  /**
   * Shows a recording of `stint run --record` or of the controller.
   * @param to `spot`: where to put the playhead; absent: where a Job failed, or at the turning point. `explained`: the
   * text that the recording was made from
   */
  import(
    recording: string,
    name: string,
    { spot, explained }: { readonly spot?: Spot | undefined; readonly explained?: ExplainedText | undefined } = {},
  ): void {
    const onShown = (): void => {
      this.#showFile(explained?.answer.jobs[0]?.what ?? `The recording ${name} is read.`);
      this.explained.value = explained;
    };
    batch(() => {
      this.dialog.value = undefined;
      this.#leave(spot ?? "turning point", { name, onShown });
      // A mistake in the recording is none of the editor's text, whose mistakes stay.
      this.session.checked.value = this.problems.value;
      this.#typed.value = this.draft.value;
      this.session.import(recording);
    });
  }

  /** A manifest of the reader, in the present world. */
  openManifest(yaml: string, name: string): void {
    const { scenario } = this.session;
    if (scenario !== undefined) this.#openFile({ ...scenario, yaml, inputs: [] }, name, "manifest");
  }

  /** A scenario that was saved as a file. */
  openScenario(scenario: Scenario, name: string): void {
    this.#openFile(scenario, name, "scenario");
  }

  #openFile(scenario: Scenario, name: string, kind: "manifest" | "scenario"): void {
    batch(() => {
      this.dialog.value = undefined;
      this.draft.value = scenario.yaml;
      this.#load(scenario, "turning point", { name, onShown: () => this.#showFile(`The ${kind} ${name} is read.`) });
    });
  }

  /** Opens the door for what a user has dropped. */
  offer(dropped: File | string): void {
    if (this.settings.isEmbedded) return;
    this.offered.value = dropped;
    this.dialog.value = "door";
  }

  /** Shows what the door says of a text, and its run. */
  openAnswer(explained: ExplainedText): void {
    const { recording, yaml } = explained.answer;
    if (recording !== undefined) this.import(recording, explained.name, { explained });
    else if (yaml !== undefined) this.#runExplained(explained, yaml, false);
  }

  /** Runs the explained text with a remedy, or without one again. */
  tryRemedy(remedy: ToDo | undefined): void {
    const { value: explained } = this.explained;
    if (explained === undefined) return;
    const yaml = remedy?.change?.yaml;
    if (yaml !== undefined) this.#runExplained({ ...explained, remedy }, yaml, true);
    else this.openAnswer({ ...explained, remedy: undefined });
  }

  #runExplained(explained: ExplainedText, yaml: string, isFork: boolean): void {
    const { scenario } = this.session;
    if (scenario === undefined) return;
    batch(() => {
      this.dialog.value = undefined;
      this.lesson.value = undefined;
      this.incident.value = undefined;
      this.draft.value = yaml;
      // Pods that a remedy changes are taken to succeed.
      const world = explained.answer.world ?? { ...scenario, outcomes: [] };
      const outcomes = explained.remedy?.change?.isOfPods === true ? [] : world.outcomes;
      const run: Scenario = { ...world, yaml, inputs: [], outcomes };
      this.explained.value = { ...explained, run };
      this.#load(run, "turning point", { name: explained.name, isFork });
      this.announcement.value = explained.answer.jobs[0]?.what ?? `${explained.answer.given}: it runs.`;
    });
  }

  edit(yaml: string): void {
    this.draft.value = yaml;
    this.#checkDraft();
    this.#keepDraft(this.session.scenario?.yaml ?? "");
  }

  /** Over a reload. @param base the manifest from which it was made */
  #keepDraft(base: string): void {
    const { value: origin } = this.lesson;
    const { value: yaml } = this.draft;
    if (yaml === origin?.scenario.yaml) this.drafts.forget(origin.id);
    else this.drafts.keep(origin?.id ?? "", base, yaml);
  }

  /** Runs the editor's text from the start; the shown run becomes the ghost. */
  runDraft(): void {
    const { scenario } = this.session;
    if (scenario !== undefined) this.change({ ...scenario, yaml: this.draft.value, inputs: [] }, "the edited manifest");
  }

  /** `kubectl apply` of the editor's text, at the playhead's instant (cluster/simulation/apply.ts). */
  applyDraft(): void {
    this.act({ kind: "apply", yaml: this.draft.value }, "the edited manifest");
  }

  /**
   * Acts at the playhead's instant: now, or in the past, which makes another history.
   * @param inputMs the instant of the action instead; the playhead stays
   */
  act(action: Action, words: string, inputMs?: number): void {
    const { session, playhead } = this;
    const { scenario } = session;
    if (scenario === undefined) return;
    this.trouble.value = "";
    if (inputMs === undefined && playhead.isLive.value && session.mode.value !== "finished") {
      this.#actedMs = Math.ceil(session.nowMs.value);
      session.act(action);
      this.announcement.value = `Done: ${words}`;
      return;
    }
    const atMs = inputMs ?? playhead.atMs.value;
    this.#actedMs = Math.ceil(atMs);
    this.#load(forkedAt(scenario, atMs, action), playhead.atMs.value, { isFork: true });
    this.announcement.value = `The past is changed: ${words}.`;
  }

  /** Goes there when the run under way is there, and plays on. @param isStill it does not play */
  playFrom(atMs: number, isStill: boolean): void {
    this.#arrival = atMs;
    this.#playsOn = !isStill;
  }

  /** Runs another scenario, to compare with the shown one. */
  change(scenario: Scenario, words: string): void {
    this.#load(scenario, "turning point", { isFork: true });
    this.announcement.value = `A new run: ${words}`;
  }

  /** Runs the scenario after one of its numbers was turned. @param before the run that stays behind it as a shadow */
  tune(scenario: Scenario, before: Branch): void {
    // What the reader has typed and not run stays in the editor.
    const isTyped = this.isEdited.value && this.draft.value !== this.#tuned;
    if (!isTyped) {
      this.draft.value = this.#tuned = scenario.yaml;
      this.#keepDraft(before.scenario.yaml);
    }
    this.#load(scenario, "turning point", { isFork: true, before });
  }

  /** Opens the break-it menu for the selected thing; time is paused until it closes. */
  openMenu(menu: OpenMenu = {}): void {
    if (this.session.branch.value === undefined) return;
    this.playhead.pause();
    this.menu.value = menu;
  }

  showLine(line: number): void {
    batch(() => {
      this.pane.value = "manifest";
      this.shownLine.value = { line };
    });
  }

  closeAll(): void {
    this.menu.value = undefined;
    this.dialog.value = undefined;
    this.isCatalogueOpen.value = false;
  }

  switchBack(): void {
    this.#arrival = this.playhead.atMs.value;
    this.playhead.pause();
    this.session.switchBack();
    this.selection.clear();
    this.draft.value = this.session.scenario?.yaml ?? "";
    this.announcement.value = "The other branch is shown.";
  }

  /** Puts the draft made from the opened manifest, or lesson, into the editor, without running it. */
  restoreDraft(): void {
    const { value: lesson } = this.lesson;
    const isOfLesson = this.draft.value === lesson?.scenario.yaml;
    const draft = this.drafts.read(lesson?.id ?? "", isOfLesson ? undefined : this.draft.value);
    if (draft === undefined || draft === this.draft.value) return;
    this.draft.value = draft;
    this.#checkDraft();
  }

  /** @param name of what another tab of the page has changed in the store */
  storeChanged(name: string | null): void {
    if (!this.drafts.differsFromOther(this.lesson.value?.id ?? "", name)) return;
    this.trouble.value =
      "The same manifest is edited in another tab. This tab keeps its draft; a new one opens the draft that is newer.";
  }

  #checkDraft(): void {
    this.#typed.value = this.draft.value;
    this.session.check(this.draft.value);
  }

  #load(scenario: Scenario, arrival: Arrival, asked: Asked): void {
    this.#leave(arrival, { ...asked, isInEditor: scenario.yaml === this.draft.value });
    this.playhead.isLive.value = true;
    this.session.load(
      scenario,
      asked.isFork ? (asked.before ?? this.session.branch.value) : undefined,
      asked.fallback?.scenario,
    );
    // The run reports the mistakes of the text that it was made from.
    if (scenario.yaml === this.draft.value) this.#typed.value = undefined;
    else if (this.#typed.value !== this.draft.value) this.#checkDraft();
  }

  /** The shown run is that of a file. */
  #showFile(words: string): void {
    this.lesson.value = undefined;
    this.incident.value = undefined;
    this.explained.value = undefined;
    this.draft.value = this.session.scenario?.yaml ?? "";
    this.announcement.value = words;
  }

  /** Gets ready for another run. */
  #leave(arrival: Arrival, asked: Asked): void {
    this.#left = asked.fallback?.bookmarks[1].atMs ?? this.playhead.atMs.value;
    this.playhead.pause();
    this.#arrival = arrival;
    this.#playsOn = false;
    this.#asked = asked;
    this.trouble.value = "";
    this.selection.clear();
  }

  /** The playhead follows the run; when the run has reached its target, the playhead goes to its place. */
  #follow(): void {
    void this.session.revision.value;
    const mode = this.session.mode.value;
    const { timeline } = this.session.branch.value ?? {};
    const isRefused = this.session.isRefused.value;
    untracked(() => {
      this.#settle(isRefused);
      if (timeline === undefined) return;
      this.#sayWhatFailed(timeline);
      const hasArrived = (mode === "finished" || mode === "paused") && !this.session.isLoading;
      if (!hasArrived || this.#arrival === undefined) {
        this.playhead.follow();
        return;
      }
      // After a refusal the earlier run is shown again, at the earlier place.
      const arrival = isRefused ? this.#left : this.#arrival;
      this.#arrival = undefined;
      this.#arriveAt(arrival, timeline);
      if (this.#playsOn && !isRefused) this.playhead.play();
      this.#playsOn = false;
    });
  }

  #arriveAt(arrival: Arrival, timeline: Timeline): void {
    if (typeof arrival === "number") this.playhead.seek(arrival);
    else if (arrival !== "turning point" && "shows" in arrival) this.goTo(arrival);
    else if (arrival !== "turning point") {
      this.selection.job.value = Math.min(arrival.position, Math.max(0, timeline.jobs.length - 1));
      this.playhead.seek(arrival.atMs);
    } else if (timeline.jobs.length < 2) this.playhead.seek(turningPointMs(timeline));
    else {
      const failed = failedJob(timeline);
      if (failed !== undefined) this.selection.job.value = failed.job;
      this.playhead.seek(failed?.atMs ?? turningPointMs(timeline));
    }
  }

  /** What was asked for is there, or was refused. */
  #settle(isRefused: boolean): void {
    const asked = this.#asked;
    if (asked === undefined || (!isRefused && (this.session.isLoading || this.session.fatal.value !== ""))) return;
    this.#asked = undefined;
    if (!isRefused) {
      asked.onShown?.();
      return;
    }
    const { name = "This text", fallback, isInEditor } = asked;
    const instead = fallback === undefined ? "" : `, so the lesson “${fallback.title}” is shown as it was written`;
    if (fallback !== undefined) this.lesson.value = fallback;
    // Problems listed below the editor are not repeated here.
    const reason =
      isInEditor && !this.settings.isEmbedded && this.pane.value === "manifest"
        ? ". The problems are listed below the manifest."
        : `: ${this.session.problems.value[0]?.message ?? ""}`;
    this.trouble.value = `${name} cannot be shown${instead}${reason}`;
  }

  /** Shows an error of the API server once; its flag keeps it. */
  #sayWhatFailed({ flags }: Timeline): void {
    const actedMs = this.#actedMs;
    if (actedMs === undefined || this.session.isLoading) return;
    const flag = flags.findLast(({ atMs }) => atMs >= actedMs);
    if (flag === undefined) return;
    this.#actedMs = undefined;
    if (flag.problem !== undefined) this.trouble.value = `This could not be done: ${flag.label}. ${flag.problem}`;
  }
}
