/**
 * The page's end of the connection to the Worker: the run that is shown, the branch that it was forked from, and what
 * the Worker reported about both.
 *
 * Invariant: what is shown belongs to one run. A new run replaces the shown one when its first records come, not when
 * it is requested, so the picture never flickers; notices of other runs are dropped. Leaves out the position of the
 * playhead (playhead.ts) and what is read at an instant (latest.ts).
 */
import { batch, signal } from "@preact/signals";
import type { DoorAnswer } from "../door-answer.ts";
import type { Command, ExportForm, Mode, Notice, Progress, Query } from "../messages.ts";
import type { Problem } from "../../cluster/simulation/loaded-manifest.ts";
import type { View } from "../history/view.ts";
import { Timeline } from "../picture/timeline.ts";
import type { Action, Scenario } from "../../cluster/simulation/scenario.ts";
import { Latest } from "./latest.ts";

/** One run, as far as it is known. */
export interface Branch {
  readonly run: number;
  readonly scenario: Scenario;
  readonly timeline: Timeline;
  readonly digest: string;
  /** The imported recording: it is no run of its scenario, and showing it again takes another import. */
  readonly recording: string | undefined;
}

interface Loading {
  readonly run: number;
  readonly scenario: Scenario;
  readonly recording: string | undefined;
  readonly ghost: Branch | undefined;
  /** The earlier run is made again, after another was refused: its problems are not the ones to show. */
  readonly isReturn: boolean;
  /** The scenario to run if this is refused; absent: the shown one is run again. */
  readonly fallback?: Scenario | undefined;
}

/** The first notice of a recording brings its scenario. */
const NO_SCENARIO: Scenario = { yaml: "", seed: 1, nodes: [], outcomes: [], inputs: [] };

export class Session {
  readonly engineVersion = signal("");
  readonly mode = signal<Mode | "starting">("starting");
  /** The newest instant of the shown run. */
  readonly nowMs = signal(0);
  readonly branch = signal<Branch | undefined>(undefined);
  /** The branch before the past was changed. */
  readonly ghost = signal<Branch | undefined>(undefined);
  /** Changes when the shown Timeline has grown or was replaced. */
  readonly revision = signal(0);
  readonly note = signal("");
  /** What is wrong with the scenario requested last. */
  readonly problems = signal<readonly Problem[]>([]);
  readonly isRefused = signal(false);
  readonly fatal = signal("");
  readonly view = signal<View | undefined>(undefined);
  /** What is wrong with the manifest in the editor. */
  readonly checked = signal<readonly Problem[]>([]);

  readonly #post: (command: Command) => void;
  readonly #looks: Latest<Query, View>;
  readonly #checks: Latest<string, readonly Problem[]>;
  #run = 0;
  /** The callback for the latest requested recording. */
  #exported: (notice: Extract<Notice, { kind: "exported" }>) => void = () => {};
  /** The callback for the text that is explained, and its number. */
  #explained: (answer: DoorAnswer) => void = () => {};
  #explain = 0;
  #loading: Loading | undefined;
  /** Why nothing can run in this browser; empty: nothing is known to prevent it. */
  #obstacle = "";

  constructor(post: (command: Command) => void) {
    this.#post = post;
    this.#looks = new Latest(
      (look, query) => post({ kind: "look", look, query }),
      (view) => (this.view.value = view),
    );
    this.#checks = new Latest(
      (check, yaml) => post({ kind: "check", check, yaml }),
      (problems) => (this.checked.value = problems),
    );
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** The scenario that is shown, or that will be. */
  get scenario(): Scenario | undefined {
    return this.#loading?.scenario ?? this.branch.value?.scenario;
  }

  /**
   * @param ghost the branch to compare with @param fallback the scenario to run if this is refused; absent: the shown
   * one
   */
  load(scenario: Scenario, ghost?: Branch, fallback?: Scenario): void {
    this.#load({ run: ++this.#run, scenario, recording: undefined, ghost, isReturn: false, fallback });
  }

  /** Shows a recording of production as a run. */
  import(recording: string): void {
    this.#load({ run: ++this.#run, scenario: NO_SCENARIO, recording, ghost: undefined, isReturn: false });
  }

  /** Shows the ghost's run again, and the shown one becomes the ghost. */
  switchBack(): void {
    const ghost = this.ghost.value;
    if (ghost === undefined) return;
    const { scenario, recording } = ghost;
    this.#load({ run: ++this.#run, scenario, recording, ghost: this.branch.value, isReturn: false });
  }

  dropGhost(): void {
    this.ghost.value = undefined;
    this.revision.value++;
  }

  play(speed: number): void {
    // The Worker reports this only with its next notice; until then the page must not show a paused run.
    this.mode.value = "playing";
    this.#post({ kind: "play", speed });
  }

  pause(): void {
    this.#post({ kind: "pause" });
  }

  step(): void {
    this.mode.value = "stepping";
    this.#post({ kind: "step" });
  }

  act(action: Action): void {
    this.#post({ kind: "act", action });
  }

  /** The shown scenario's run as a file. @returns its text, or rejects with the reason */
  export(form: ExportForm): Promise<string> {
    const { scenario } = this;
    const { recording } = this.#loading ?? this.branch.value ?? {};
    if (recording !== undefined)
      return form.as === "recording"
        ? Promise.resolve(recording)
        : Promise.reject(new Error("a vector is made of a run of this page, and a recording is shown"));
    if (scenario === undefined) return Promise.reject(new Error("there is no run yet"));
    return new Promise((resolve, reject) => {
      this.#exported = ({ text, problem }) => (problem === "" ? resolve(text) : reject(new Error(problem)));
      this.#post({ kind: "export", run: this.#run, scenario, form });
    });
  }

  /** What the door says of a text. A later text leaves an earlier one without an answer. */
  explain(text: string, nowMs: number): Promise<DoorAnswer> {
    return new Promise((resolve) => {
      this.#explained = resolve;
      this.#post({ kind: "explain", explain: ++this.#explain, text, nowMs });
    });
  }

  look(query: Query): void {
    // A Worker without a run does not answer.
    if (this.#loading === undefined && this.branch.value !== undefined) this.#looks.want(query);
  }

  check(yaml: string): void {
    this.#checks.want(yaml);
  }

  handle(notice: Notice): void {
    // Batched, so that the page sees a notice as a whole, or not yet.
    batch(() => this.#handle(notice));
  }

  #handle(notice: Notice): void {
    switch (notice.kind) {
      case "ready":
        this.engineVersion.value = notice.engineVersion;
        return;
      case "checked":
        this.#checks.answered(notice.check, notice.problems);
        return;
      case "exported":
        this.#exported(notice);
        return;
      case "explained":
        if (notice.explain === this.#explain) this.#explained(notice.answer);
        return;
    }
    if (notice.run !== this.#run) return;
    switch (notice.kind) {
      case "warned":
        if (this.#loading?.isReturn !== true) this.problems.value = notice.problems;
        return;
      case "refused":
        this.#refuse(notice.problems);
        return;
      case "fatal":
        this.fail(notice.message);
        return;
      case "view":
        this.#looks.answered(notice.look, notice.view as View);
        return;
      case "progress":
        this.#progress(notice);
    }
  }

  /** Says why there is nothing more to see. */
  fail(message: string): void {
    this.fatal.value = message;
    this.mode.value = "paused";
    this.#loading = undefined;
  }

  /** Says why nothing can run, now and whatever is opened later. */
  cannotStart(message: string): void {
    this.#obstacle = message;
    this.fail(message);
  }

  #load(loading: Loading, untilMs = Infinity): void {
    this.#begin(loading);
    if (this.#obstacle !== "") {
      this.fail(this.#obstacle);
      return;
    }
    const { run, scenario, recording } = loading;
    if (recording === undefined) this.#post({ kind: "load", run, scenario, untilMs });
    else this.#post({ kind: "import", run, recording });
  }

  #begin(loading: Loading): void {
    this.#loading = loading;
    this.#looks.forget();
    this.fatal.value = "";
    if (!loading.isReturn) {
      this.problems.value = [];
      this.isRefused.value = false;
    }
    this.mode.value = "loading";
  }

  #refuse(problems: readonly Problem[]): void {
    const { isReturn = false, fallback } = this.#loading ?? {};
    this.#loading = undefined;
    this.mode.value = "paused";
    if (isReturn) return;
    this.problems.value = problems;
    this.isRefused.value = true;
    const shown = this.branch.value;
    if (fallback === undefined && shown === undefined) return;
    const run = ++this.#run;
    if (fallback !== undefined) {
      this.#load({ run, scenario: fallback, recording: undefined, ghost: undefined, isReturn: true });
      return;
    }
    const { scenario, recording, timeline } = shown!;
    this.#load({ run, scenario, recording, ghost: this.ghost.value, isReturn: true }, timeline.nowMs);
  }

  #progress(progress: Progress): void {
    const { chunk, nowMs, digest, mode } = progress;
    const loading = this.#loading;
    const old = this.branch.value;
    if (loading === undefined && old === undefined) return;
    const timeline = loading === undefined ? old!.timeline : new Timeline();
    const scenario = progress.scenario ?? (loading ?? old)!.scenario;
    timeline.append(chunk, nowMs);
    const { recording } = (loading ?? old)!;
    this.branch.value = { run: progress.run, scenario, timeline, digest, recording };
    if (loading !== undefined) this.ghost.value = loading.ghost;
    this.#loading = undefined;
    this.nowMs.value = nowMs;
    this.note.value = progress.note;
    this.mode.value = mode;
    this.revision.value++;
  }
}
