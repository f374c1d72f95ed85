/**
 * Carries out the page's commands: one run at a time, with its player.
 *
 * Invariant: each load ends the run before it, and the old one sends nothing any more. Everything new since the last
 * progress notice is in the next one, once. A fault of Stint ends the run, and the session takes the next command.
 * Leaves out what is simulated (cluster/simulation/), how time passes (player.ts) and how messages travel (worker.ts).
 */
import { Engine } from "../../bindings/js/engine.ts";
import type * as Door from "../door/door.ts";
import type { DoorAnswer } from "../door-answer.ts";
import type { Command, Notice, Query } from "../messages.ts";
import { DEFAULT_NODES, type Scenario } from "../../cluster/simulation/scenario.ts";
import type { RecordedRun } from "../share/recorded-run.ts";
import type { YamlReader } from "../../cluster/yaml/yaml-tree.ts";
import { checkManifest } from "../../cluster/simulation/load-manifest.ts";
import type { Problem } from "../../cluster/simulation/loaded-manifest.ts";
import { askAccount } from "./ask-account.ts";
import { Player, type Wall } from "./player.ts";
import type { ShownRecorder } from "../recorder.ts";
import { type Loaders, Toolbox } from "./toolbox.ts";
import type { LazyParts } from "../../cluster/simulation/tools.ts";
import { START_MS, World } from "../../cluster/simulation/world.ts";

/** Progress is sent this often while time passes. A change of mode is sent at once. */
export const PROGRESS_PERIOD_MS = 40;
/** A run that ends before this is drawn once. A picture of its first moments would only make it take longer. */
export const FIRST_PROGRESS_MS = 400;
/** And then this often, while it runs without waiting: the user sees it grow, and it gets most of the processor. */
export const LOADING_PERIOD_MS = 100;
/**
 * Then the page gets a processor for itself: a run without waiting needs one, and the compiler of its code another, and
 * many machines have no more. Drawing the news takes the page less than a frame; the first time it takes a few. After
 * some notices all code is compiled, and the run keeps its processor.
 */
export const DRAW_MS = 16;
export const FIRST_DRAW_MS = 80;
export const DRAW_PAUSES = 20;
/** A look whose code could not be loaded is retried after this. */
export const LOOK_RETRY_MS = 5_000;
/** Warnings about the first manifest come this much later, after most first pictures. */
export const FIRST_WARNINGS_MS = 1_000;

export interface SessionOptions extends Loaders {
  readonly engineModule: WebAssembly.Module;
  readonly wall: Wall;
  /** @param startMs the instant at which the run begins, in milliseconds since 1970 */
  createRecorder(startMs: number, scenario: Scenario, readYaml: YamlReader): ShownRecorder;
  /** The look can be answered after this, or without a query any look; undefined: now. */
  prepareLook(query?: Query): Promise<void> | undefined;
  /** The code that plays recordings, and the engine that makes and plays them. */
  loadRecordedRun(): Promise<typeof RecordedRun>;
  loadWholeEngine(): Promise<WholeEngine>;
  /** The code that recognises and explains texts. */
  loadDoor(): Promise<Pick<typeof Door, "openDoor">>;
  /** @param transfer buffers that the sender gives away */
  post(notice: Notice, transfer: ArrayBuffer[]): void;
}

/** The engine of the package `stint`; the page's own has only what the first picture needs. A recording names it. */
export interface WholeEngine {
  readonly module: WebAssembly.Module;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class Session {
  readonly #options: SessionOptions;
  #run: Run | RecordedRun | undefined;
  /** In which manifests are checked. */
  #world: Pick<Scenario, "nodes" | "kubernetes"> = { nodes: DEFAULT_NODES };
  readonly #tools: Toolbox;
  #recordedRun: typeof RecordedRun | undefined;
  #wholeEngine: WholeEngine | undefined;
  #door: Pick<typeof Door, "openDoor"> | undefined;
  /** Commands that wait until the one before them is carried out. */
  #waiting: Command[] | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#tools = new Toolbox(options);
  }

  obey(command: Command): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(command);
      return;
    }
    const ready = this.#prepare(command);
    if (ready === undefined) this.#obey(command);
    else this.#obeyLater(command, ready);
  }

  /** Undefined: the command can be obeyed now. */
  #prepare(command: Command): Promise<void> | undefined {
    if (command.kind === "import" || command.kind === "export") return this.#prepareRecordings();
    return command.kind === "explain" ? this.#prepareDoor() : this.#tools.prepare(command);
  }

  async #prepareDoor(): Promise<void> {
    this.#door ??= await this.#options.loadDoor();
    this.#wholeEngine ??= await this.#options.loadWholeEngine();
    await this.#tools.prepareYaml();
    await this.#tools.loadLazyParts();
  }

  async #prepareRecordings(): Promise<void> {
    this.#recordedRun ??= await this.#options.loadRecordedRun();
    this.#wholeEngine ??= await this.#options.loadWholeEngine();
    await this.#tools.prepareYaml();
    await this.#tools.loadLazyParts();
    await this.#options.prepareLook();
  }

  #obeyLater(command: Command, ready: Promise<void>): void {
    this.#waiting = [];
    const goOn = (): void => {
      const waiting = this.#waiting!;
      this.#waiting = undefined;
      for (const next of waiting) this.obey(next);
    };
    void ready
      .then(() => this.#obey(command))
      .catch((error: unknown) => this.#refuse(command, messageOf(error)))
      .finally(goOn);
  }

  /** Rejects a command. This ends a run only if the command begins one. */
  #refuse(command: Command, message: string): void {
    const { post } = this.#options;
    const problems: Problem[] = [{ severity: "error", message }];
    if (command.kind === "check") post({ kind: "checked", check: command.check, problems }, []);
    else if (command.kind === "explain")
      post({ kind: "explained", explain: command.explain, answer: unexplained(message) }, []);
    else if (command.kind === "export") post({ kind: "exported", run: command.run, text: "", problem: message }, []);
    else if ("run" in command) post({ kind: "fatal", run: command.run, message }, []);
    else if (this.#run !== undefined) post({ kind: "warned", run: this.#run.number, problems }, []);
  }

  #obey(command: Command): void {
    if (command.kind === "load") this.#load(command);
    else if (command.kind === "import") this.#import(command);
    else if (command.kind === "export") this.#export(command);
    else if (command.kind === "check") this.#check(command);
    else if (command.kind === "explain") this.#explain(command);
    else this.#run?.obey(command);
  }

  #check(command: Extract<Command, { kind: "check" }>): void {
    const { engineModule, post } = this.#options;
    const tools = { readYaml: this.#tools.readYaml, lazyParts: this.#tools.lazyParts() };
    try {
      const problems = checkManifest(engineModule, command.yaml, this.#world, tools);
      post({ kind: "checked", check: command.check, problems }, []);
    } catch (error) {
      this.#refuse(command, messageOf(error));
    }
  }

  #explain(command: Extract<Command, { kind: "explain" }>): void {
    const { explain, text, nowMs } = command;
    try {
      const engine = this.#wholeEngine!;
      const ask = askAccount(Engine.createSync(engine.module));
      const answer = this.#door!.openDoor(text, {
        readYaml: this.#tools.readYaml,
        ask,
        engine,
        newWorld: (scenario, recorder) => new World(this.#options.engineModule, scenario, recorder, this.#tools),
        nowMs: () => nowMs,
      });
      this.#options.post({ kind: "explained", explain, answer }, []);
    } catch (error) {
      this.#refuse(command, messageOf(error));
    }
  }

  #export(command: Extract<Command, { kind: "export" }>): void {
    const { run, scenario, form } = command;
    const { post } = this.#options;
    const { module, bytes } = this.#wholeEngine!;
    try {
      const text = this.#recordedRun!.export(form, bytes, (recorder, engineRecording) => {
        return new World(module, scenario, recorder, this.#tools, engineRecording);
      });
      post({ kind: "exported", run, text, problem: "" }, []);
    } catch (error) {
      this.#refuse(command, messageOf(error));
    }
  }

  #import({ run, recording }: Extract<Command, { kind: "import" }>): void {
    this.#run?.end();
    const { createRecorder, post } = this.#options;
    const recorded = new this.#recordedRun!(run, {
      engineBytes: this.#wholeEngine!.bytes,
      createRecorder: (startMs, scenario) => createRecorder(startMs, scenario, this.#tools.readYaml),
      post: (notice) => post(notice, notice.kind === "progress" ? [notice.chunk.buffer] : []),
    });
    this.#run = recorded;
    // Those of the scenario that the page gets for a recording.
    this.#world = { nodes: DEFAULT_NODES };
    void recorded.play(recording);
  }

  /** Reports why the run was refused, and warnings, unless these need code that would delay the first picture. */
  #tellProblems(run: number, world: World): void {
    const { post, wall } = this.#options;
    const kind = world.isRefused ? "refused" : "warned";
    const tell = (lazyParts: LazyParts): void => {
      const problems = world.problems(lazyParts);
      if (problems.length > 0) post({ kind, run, problems }, []);
    };
    const tellLater = (): void =>
      void this.#tools
        .loadLazyParts()
        .then(tell)
        .catch((error: unknown) => {
          const message = `the manifest could not be checked: ${messageOf(error)}`;
          post({ kind, run, problems: [{ severity: "warning", message }] }, []);
        });
    const { rareNow } = this.#tools;
    if (rareNow !== undefined) tell(rareNow);
    else if (world.isRefused) tellLater();
    else wall.schedule(FIRST_WARNINGS_MS, tellLater);
  }

  #load({ run, scenario, untilMs }: Extract<Command, { kind: "load" }>): void {
    this.#run?.end();
    this.#run = undefined;
    const { engineModule, createRecorder, post } = this.#options;
    try {
      const faults = this.#tools.checks(scenario)?.scenarioFaults(scenario) ?? [];
      if (faults.length > 0) {
        post({ kind: "refused", run, problems: faults.map((message) => ({ severity: "error", message })) }, []);
        return;
      }
      this.#world = scenario;
      const recorder = createRecorder(START_MS, scenario, this.#tools.readYaml);
      const world = new World(engineModule, scenario, recorder, this.#tools);
      this.#tellProblems(run, world);
      if (!world.isRefused) this.#run = new Run(run, world, recorder, this.#options, untilMs);
    } catch (error) {
      post({ kind: "fatal", run, message: messageOf(error) }, []);
    }
  }
}

/** One world with its player. */
class Run {
  readonly number: number;
  readonly #world: World;
  readonly #recorder: ShownRecorder;
  readonly #options: SessionOptions;
  readonly #player: Player;
  #isOver = false;
  /** When progress is sent although the mode is the same. */
  #dueMs: number;
  #sentMode = "loading";
  #sentScenario: Scenario;
  #sent = 0;
  /** The latest look that has not been answered. */
  #look: { readonly look: number; readonly query: Query } | undefined;

  constructor(number: number, world: World, recorder: ShownRecorder, options: SessionOptions, untilMs: number) {
    this.number = number;
    this.#world = world;
    this.#recorder = recorder;
    this.#options = options;
    this.#sentScenario = world.scenario;
    this.#dueMs = options.wall.now() + FIRST_PROGRESS_MS;
    const wall: Wall = {
      now: () => options.wall.now(),
      schedule: (delayMs, callback) => options.wall.schedule(delayMs, () => this.#attempt(callback)),
    };
    this.#player = new Player(world, wall, () => this.#report());
    this.#attempt(() => this.#player.load(untilMs));
  }

  obey(command: Exclude<Command, { kind: "load" | "check" | "explain" | "import" | "export" }>): void {
    this.#attempt(() => {
      switch (command.kind) {
        case "play":
          this.#player.play(command.speed);
          break;
        case "pause":
          this.#player.pause();
          break;
        case "step":
          this.#player.step();
          break;
        case "act":
          this.#world.act(command.action);
          this.#player.acted();
          break;
        case "look":
          this.#lookLater(command.look, command.query);
      }
    });
  }

  /** Stops the run for good. */
  end(): void {
    this.#isOver = true;
    this.#player.stop();
  }

  /** A fault in the simulation ends the run. */
  #attempt(run: () => void): void {
    if (this.#isOver) return;
    try {
      run();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.end();
    this.#options.post({ kind: "fatal", run: this.number, message: messageOf(error) }, []);
  }

  /** Later looks replace this one until it is answered. */
  #lookLater(look: number, query: Query): void {
    const isWaiting = this.#look !== undefined;
    this.#look = { look, query };
    if (isWaiting) return;
    const prepare = (): void => {
      const asked = this.#look!;
      // A later look may need what this one did not.
      const answer = (): void => (asked === this.#look ? this.#answerLook() : prepare());
      const answerSoon = (): void => void this.#options.wall.schedule(0, () => this.#attempt(answer));
      const ready = this.#options.prepareLook(asked.query);
      if (ready === undefined) answerSoon();
      else ready.then(answerSoon, (error: unknown) => this.#attempt(() => retry(error)));
    };
    const retry = (error: unknown): void => {
      const message = `what the panels show could not be loaded: ${messageOf(error)}`;
      this.#options.post({ kind: "warned", run: this.number, problems: [{ severity: "warning", message }] }, []);
      this.#options.wall.schedule(LOOK_RETRY_MS, () => this.#attempt(prepare));
    };
    prepare();
  }

  #answerLook(): void {
    const { look, query } = this.#look!;
    this.#look = undefined;
    const view = this.#recorder.look(query);
    this.#options.post({ kind: "view", run: this.number, look, view }, []);
  }

  /** Reports to the page, and returns the time that the page needs to draw the report. */
  #report(): number {
    const { mode, note, isHurried } = this.#player;
    const nowMs = this.#options.wall.now();
    if (this.#isOver || (mode === this.#sentMode && isMoving(mode) && nowMs < this.#dueMs)) return 0;
    const drawMs = !isHurried || this.#sent >= DRAW_PAUSES ? 0 : this.#sent > 0 ? DRAW_MS : FIRST_DRAW_MS;
    this.#sent++;
    this.#dueMs = nowMs + (isHurried ? LOADING_PERIOD_MS : PROGRESS_PERIOD_MS);
    this.#sentMode = mode;
    const { scenario, digest } = this.#world;
    const changed = scenario === this.#sentScenario ? {} : { scenario };
    this.#sentScenario = scenario;
    const chunk = this.#recorder.take();
    this.#options.post(
      { kind: "progress", run: this.number, mode, nowMs: this.#world.now(), note, digest, ...changed, chunk },
      [chunk.buffer],
    );
    return drawMs;
  }
}

function unexplained(problem: string): DoorAnswer {
  return { kind: "unknown", given: "", problem, notes: [], jobs: [] };
}

function isMoving(mode: string): boolean {
  return mode !== "paused" && mode !== "finished";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
