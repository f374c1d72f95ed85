/** Commands in, notices out: what the Worker answers, on a wall clock of the test. */
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import type { YamlReader } from "../../../cluster/yaml/yaml-tree.ts";
import * as Door from "../../../host-browser/door/door.ts";
import type { Command, Notice, Progress, Query } from "../../../host-browser/messages.ts";
import type { ShownRecorder } from "../../../host-browser/recorder.ts";
import type { Chunk } from "../../../host-browser/records.ts";
import { RecordedRun } from "../../../host-browser/share/recorded-run.ts";
import { Lazy } from "../../../host-browser/worker/lazy.ts";
import {
  DRAW_MS,
  DRAW_PAUSES,
  FIRST_DRAW_MS,
  FIRST_PROGRESS_MS,
  FIRST_WARNINGS_MS,
  LOADING_PERIOD_MS,
  LOOK_RETRY_MS,
  PROGRESS_PERIOD_MS,
  Session,
} from "../../../host-browser/worker/session.ts";
import type { LazyParts } from "../../../cluster/simulation/tools.ts";
import { allTools } from "../../cluster/simulation/tools.ts";
import { engineModule, jobYaml, scenarioOf, TestRecorder } from "../../cluster/simulation/harness.ts";

const EMPTY_CHUNK = { texts: [], jobs: [], flags: [] } as unknown as Chunk;

class LookedAt extends TestRecorder implements ShownRecorder {
  readonly looks: Query[] = [];

  take(): Chunk {
    return { ...EMPTY_CHUNK, buffer: new ArrayBuffer(8) } as unknown as Chunk;
  }

  look(query: Query): unknown {
    this.looks.push(query);
    return { atMs: query.atMs };
  }
}

function setUp({
  costMs = 0,
  loaded = Promise.resolve<YamlReader>(readYaml),
  looks = undefined as Promise<void> | undefined,
  prepareLook = () => looks,
  loadLazyParts = () => Promise.resolve(allTools.lazyParts()),
  loadRecordedRun = () => Promise.resolve(RecordedRun),
} = {}) {
  const clock = new VirtualClock(0);
  const notices: Notice[] = [];
  const transfers: ArrayBuffer[][] = [];
  const recorders: LookedAt[] = [];
  const toldAtMs: number[] = [];
  const pauses: number[] = [];
  let cost = 0;
  let libraries = 0;
  const session = new Session({
    engineModule,
    loadDoor: () => Promise.resolve(Door),
    loadWholeEngine: () => Promise.resolve({ module: engineModule, bytes: new Uint8Array() }),
    wall: {
      now: () => clock.now() + (cost += costMs),
      schedule: (delayMs, callback) => {
        if (delayMs > 0 && delayMs !== FIRST_WARNINGS_MS) pauses.push(delayMs);
        const timer = clock.setTimer(delayMs, callback);
        return () => timer.cancel();
      },
    },
    createRecorder: () => {
      recorders.push(new LookedAt());
      return recorders.at(-1)!;
    },
    prepareLook,
    loadLazyParts,
    loadRecordedRun,
    isKnown: ({ yaml, seed, inputs }) => !/-1|Quota/.test(yaml) && Number.isInteger(seed) && inputs.length === 0,
    preparedYaml: (text) => (text.includes("&") ? undefined : readYaml(text)),
    loadYamlLibrary: () => {
      libraries++;
      return loaded;
    },
    post: (notice, transfer) => {
      notices.push(notice);
      toldAtMs.push(clock.now() + cost);
      transfers.push(transfer);
    },
  });
  const progress = (): Progress[] => notices.filter((notice): notice is Progress => notice.kind === "progress");
  return { session, clock, notices, transfers, recorders, progress, toldAtMs, pauses, libraries: () => libraries };
}

/** Lets promises be kept. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const load = (run: number, yaml = jobYaml("completions: 2"), untilMs = Infinity): Command => ({
  kind: "load",
  run,
  scenario: scenarioOf(yaml),
  untilMs,
});

describe("load", () => {
  test("runs to the end, and says so", () => {
    const { session, clock, progress } = setUp();
    session.obey(load(3));
    clock.advance(0);
    const last = progress().at(-1)!;
    expect(last).toMatchObject({ run: 3, mode: "finished", note: "" });
    expect(last.nowMs).toBeGreaterThan(2_000);
    expect(last.digest).toMatch(/^[0-9a-f]{16}$/);
    expect(last).not.toHaveProperty("scenario");
  });

  test("to an instant pauses there", () => {
    const { session, clock, progress } = setUp();
    session.obey(load(1, jobYaml(), 1_234));
    clock.advance(0);
    expect(progress().at(-1)).toMatchObject({ mode: "paused", nowMs: 1_234 });
  });

  test("of something that is wrong is refused, and a warning comes before the run", async () => {
    const { session, notices } = setUp();
    session.obey(load(1, jobYaml("parallelism: -1")));
    await turn();
    expect(notices.map(({ kind }) => kind)).toEqual(["refused"]);
    session.obey({ ...load(2), scenario: scenarioOf(jobYaml(), { seed: 0.5 }) } as Command);
    expect(notices[1]).toMatchObject({ kind: "refused", run: 2, problems: [{ severity: "error" }] });
    session.obey(load(3, jobYaml("managedBy: example.com/x")));
    expect(notices.slice(2).map(({ kind }) => kind)).toEqual(["warned", "progress"]);
  });

  test("reports the first warnings after the run, as their code is not loaded before it", async () => {
    let loads = 0;
    const { session, clock, notices } = setUp({
      loadLazyParts: () => Promise.resolve((loads++, allTools.lazyParts())),
    });
    session.obey(load(1, jobYaml("managedBy: example.com/x")));
    clock.advance(FIRST_WARNINGS_MS - 1);
    expect(loads).toBe(0);
    clock.advance(1);
    await turn();
    expect(notices.at(-1)).toMatchObject({ kind: "warned", run: 1, problems: [{ severity: "warning" }] });
  });

  test("fetches the code of quotas before a run that has one, and that keeps within it", async () => {
    let loads = 0;
    const quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {pods: 0}}\n";
    const { session, clock, notices, recorders } = setUp({
      loadLazyParts: () => Promise.resolve((loads++, allTools.lazyParts())),
    });
    session.obey(load(1, `${quota.replace("0", '"0"')}---\n${jobYaml()}`));
    expect([loads, notices]).toEqual([1, []]);
    await turn();
    clock.advance(60_000);
    expect(notices.at(-1)).toMatchObject({ kind: "progress", run: 1, mode: "finished" });
    expect(recorders[0]!.objects.get("resourcequotas/q")!["status"].used).toEqual({ pods: "0" });
  });

  test("ends the run before it, even while that is loading", () => {
    const { session, clock, notices } = setUp({ costMs: 5 });
    session.obey(load(1));
    session.obey(load(2));
    clock.advance(60_000);
    expect(notices.every((notice) => "run" in notice && notice.run === 2)).toBe(true);
    expect(notices.at(-1)).toMatchObject({ run: 2, mode: "finished" });
  });

  test("gives away the memory of columns", () => {
    const { session, transfers } = setUp();
    session.obey(load(1, jobYaml(), 0));
    expect(transfers.at(-1)).toEqual([new ArrayBuffer(8)]);
  });
});

describe("progress", () => {
  test("of a run that is made soon comes once", () => {
    const { session, clock, progress } = setUp();
    session.obey(load(1));
    clock.advance(0);
    expect(progress().map(({ mode }) => mode)).toEqual(["finished"]);
  });

  test("of a run that takes longer comes after its first moments, and then as it continues", () => {
    const { session, clock, progress, toldAtMs } = setUp({ costMs: 5 });
    session.obey(load(1, jobYaml("completions: 20\nparallelism: 2")));
    clock.advance(2_000);
    expect(toldAtMs[0]).toBeGreaterThanOrEqual(FIRST_PROGRESS_MS);
    const [first, second] = toldAtMs;
    expect(second! - first!).toBeGreaterThanOrEqual(LOADING_PERIOD_MS);
    expect(second! - first!).toBeLessThan(LOADING_PERIOD_MS + PROGRESS_PERIOD_MS);
    expect(new Set(progress().map(({ mode }) => mode))).toEqual(new Set(["loading", "finished"]));
  });

  test("of a run without waiting leaves the page a processor to draw it, the first time for longer", () => {
    const { session, clock, progress, pauses } = setUp({ costMs: 5 });
    session.obey(load(1, jobYaml("completions: 20\nparallelism: 2")));
    clock.advance(FIRST_DRAW_MS - 1);
    expect([progress().length, pauses]).toEqual([1, [FIRST_DRAW_MS]]);
    clock.advance(1_000);
    expect(pauses).toEqual([FIRST_DRAW_MS, ...Array<number>(progress().length - 2).fill(DRAW_MS)]);
    expect(progress().at(-1)!.mode).toBe("finished");
  });

  test("of a long run leaves the Worker alone when all is compiled", () => {
    const { session, clock, progress, pauses } = setUp({ costMs: 5 });
    session.obey(load(1, jobYaml("completions: 200\nparallelism: 2")));
    clock.advance(60_000);
    expect(progress().length).toBeGreaterThan(2 * DRAW_PAUSES);
    expect(pauses).toEqual([FIRST_DRAW_MS, ...Array<number>(DRAW_PAUSES - 1).fill(DRAW_MS)]);
  });

  test("at a speed, and of a run that is over, is followed by no such pause", () => {
    const { session, clock, pauses } = setUp({ costMs: 5 });
    session.obey(load(1, jobYaml(), 0));
    session.obey({ kind: "play", speed: 1_000 });
    clock.advance(2_000);
    expect(pauses).not.toContain(DRAW_MS);
    expect(pauses).not.toContain(FIRST_DRAW_MS);
  });

  test("comes at most so often while time passes, and at once when the mode changes", () => {
    const { session, clock, progress } = setUp();
    session.obey(load(1, jobYaml("", '{ "runMs": 60000 }'), 0));
    session.obey({ kind: "play", speed: 1 });
    const before = progress().length;
    clock.advance(4_000);
    const sent = progress().length - before;
    expect(sent).toBeGreaterThan(50);
    expect(sent).toBeLessThanOrEqual(4_000 / PROGRESS_PERIOD_MS + 1);
    session.obey({ kind: "pause" });
    expect(progress().at(-1)).toMatchObject({ mode: "paused" });
  });

  test("reports the scenario once after an action on the run", async () => {
    const { session, clock, progress } = setUp();
    session.obey(load(1, jobYaml("", '{ "runMs": 60000 }'), 5_000));
    session.obey({ kind: "act", action: { kind: "suspend", namespace: "default", name: "pi" } });
    await turn();
    expect(progress().at(-1)).toMatchObject({
      mode: "paused",
      scenario: { inputs: [{ atMs: 5_000, action: { kind: "suspend" } }] },
    });
    session.obey({ kind: "play", speed: Infinity });
    clock.advance(0);
    expect(progress().at(-1)).not.toHaveProperty("scenario");
    expect(progress().at(-1)).toMatchObject({ mode: "finished", note: expect.stringContaining("is suspended") });
  });

  test("a run that is finished continues when something is done to it", async () => {
    const { session, clock, progress, recorders } = setUp();
    session.obey(load(1));
    clock.advance(0);
    const { nowMs } = progress().at(-1)!;
    session.obey({ kind: "act", action: { kind: "apply", yaml: jobYaml("", "{}", "second") } });
    await turn();
    expect(progress().at(-1)).toMatchObject({ mode: "paused", nowMs });
    session.obey({ kind: "play", speed: Infinity });
    clock.advance(0);
    expect(progress().at(-1)).toMatchObject({ mode: "finished" });
    expect(recorders[0]!.condition("second")).toMatch(/^Complete/);
  });
});

describe("look and check", () => {
  const query = (atMs: number): Query => ({ atMs, job: 0 });

  test("only the latest look is answered", () => {
    const { session, clock, notices, recorders } = setUp();
    session.obey(load(1, jobYaml(), 0));
    for (let look = 1; look <= 5; look++) session.obey({ kind: "look", look, query: query(look) });
    clock.advance(0);
    const views = notices.filter(({ kind }) => kind === "view");
    expect(views).toEqual([{ kind: "view", run: 1, look: 5, view: { atMs: 5 } }]);
    session.obey({ kind: "look", look: 6, query: query(6) });
    clock.advance(0);
    expect(recorders[0]!.looks.map(({ atMs }) => atMs)).toEqual([5, 6]);
  });

  test("a look waits for what answers it", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { session, clock, notices } = setUp({ looks: promise });
    session.obey(load(1, jobYaml(), 0));
    session.obey({ kind: "look", look: 1, query: query(1) });
    session.obey({ kind: "look", look: 2, query: query(2) });
    clock.advance(0);
    expect(notices.filter(({ kind }) => kind === "view")).toEqual([]);
    resolve();
    // The second took the place of the first, and waits for what it needs itself.
    for (let i = 0; i < 2; i++) {
      await turn();
      clock.advance(0);
    }
    expect(notices.filter(({ kind }) => kind === "view")).toEqual([
      { kind: "view", run: 1, look: 2, view: { atMs: 2 } },
    ]);
  });

  test("a check needs no run", async () => {
    const { session, notices } = setUp();
    session.obey({ kind: "check", check: 4, yaml: jobYaml("paralelism: 3") });
    await turn();
    expect(notices).toEqual([
      { kind: "checked", check: 4, problems: [expect.objectContaining({ line: 6, column: 3, severity: "error" })] },
    ]);
  });

  test("a check after an import knows nothing of the nodes of the run before", async () => {
    const { session, notices } = setUp();
    const nodes = [{ name: "small", count: 1, cpu: "1", memory: "1Gi", pods: 1 }];
    const yaml = `${jobYaml()}        resources: { requests: { cpu: "2" } }\n`;
    session.obey({ kind: "load", run: 1, scenario: scenarioOf(jobYaml(), { nodes }), untilMs: 0 });
    session.obey({ kind: "check", check: 1, yaml });
    session.obey({ kind: "import", run: 2, recording: "" });
    session.obey({ kind: "check", check: 2, yaml });
    await turn();
    expect(notices.filter(({ kind }) => kind === "checked")).toEqual([
      { kind: "checked", check: 1, problems: [expect.objectContaining({ severity: "warning" })] },
      { kind: "checked", check: 2, problems: [] },
    ]);
  });

  test("commands without a run are not obeyed", () => {
    const { session, notices } = setUp();
    session.obey({ kind: "play", speed: 1 });
    session.obey({ kind: "look", look: 1, query: query(0) });
    expect(notices).toEqual([]);
  });

  test("a fault of Stint ends the run, and the next one begins", () => {
    const { session, clock, notices, recorders } = setUp();
    session.obey(load(1, jobYaml(), 0));
    recorders[0]!.look = () => {
      throw new Error("broken");
    };
    session.obey({ kind: "look", look: 1, query: query(0) });
    clock.advance(0);
    expect(notices.at(-1)).toEqual({ kind: "fatal", run: 1, message: "broken" });
    session.obey(load(2));
    clock.advance(0);
    expect(notices.at(-1)).toMatchObject({ run: 2, mode: "finished" });
  });
});

describe("YAML that is not simple", () => {
  const anchored = jobYaml("parallelism: &many 2\ncompletions: *many");
  test("makes its command wait for the library, and those behind it", async () => {
    const { session, clock, notices, progress, libraries } = setUp();
    session.obey(load(1, anchored));
    session.obey({ kind: "look", look: 1, query: { atMs: 0, job: 0 } });
    session.obey({ kind: "check", check: 2, yaml: "a: [" });
    expect(notices).toEqual([]);
    await turn();
    clock.advance(0);
    expect(progress().at(-1)).toMatchObject({ run: 1, mode: "finished" });
    expect(notices.filter(({ kind }) => kind === "view" || kind === "checked")).toHaveLength(2);
    session.obey(load(2, anchored, 0));
    expect(notices.at(-1)).toMatchObject({ run: 2, mode: "paused" });
    expect(libraries()).toBe(1);
  });

  test("in an action waits, too", async () => {
    const { session, clock, progress, recorders } = setUp();
    session.obey(load(1, jobYaml(), 0));
    session.obey({ kind: "act", action: { kind: "apply", yaml: anchored.replace("name: pi", "name: second") } });
    await turn();
    session.obey({ kind: "play", speed: Infinity });
    clock.advance(0);
    expect(progress().at(-1)).toMatchObject({ mode: "finished" });
    expect(recorders[0]!.condition("second")).toMatch(/^Complete/);
  });

  test("says so when the library cannot be loaded, and the next command is obeyed", async () => {
    const { session, clock, notices } = setUp({ loaded: Promise.reject(new Error("no network")) });
    session.obey(load(1, anchored));
    session.obey(load(2));
    await turn();
    clock.advance(0);
    expect(notices[0]).toEqual({ kind: "fatal", run: 1, message: "no network" });
    expect(notices.at(-1)).toMatchObject({ run: 2, mode: "finished" });
  });
});

describe("what goes wrong in Stint", () => {
  const query = { atMs: 0, job: 0 };
  const problem = { severity: "error", message: "broken" };

  test("while a manifest is checked is a problem, and the next commands are obeyed", async () => {
    let isBroken = true;
    const manifestWarnings: LazyParts["manifestWarnings"] = () => {
      if (isBroken) throw new Error("broken");
      return [];
    };
    const lazyParts = { ...allTools.lazyParts(), manifestWarnings };
    const { session, clock, notices } = setUp({ loadLazyParts: () => Promise.resolve(lazyParts) });
    session.obey({ kind: "check", check: 1, yaml: jobYaml() });
    session.obey({ kind: "check", check: 2, yaml: jobYaml() });
    await turn();
    session.obey({ kind: "check", check: 3, yaml: jobYaml() });
    expect(notices).toEqual([1, 2, 3].map((check) => ({ kind: "checked", check, problems: [problem] })));
    isBroken = false;
    session.obey(load(1));
    clock.advance(0);
    expect(notices.at(-1)).toMatchObject({ run: 1, mode: "finished" });
  });

  test("code that cannot be loaded does not end the run", async () => {
    const fail = (): Promise<never> => Promise.reject(new Error("broken"));
    const { session, clock, notices, progress } = setUp({ loadLazyParts: fail, loadRecordedRun: fail });
    session.obey(load(7, jobYaml(), 0));
    await turn();
    notices.length = 0;
    session.obey({ kind: "check", check: 1, yaml: jobYaml() });
    session.obey({ kind: "export", run: 7, scenario: scenarioOf(jobYaml()), form: { as: "recording" } });
    session.obey({ kind: "act", action: { kind: "suspend", namespace: "default", name: "pi" } });
    await turn();
    expect(notices).toEqual([
      { kind: "checked", check: 1, problems: [problem] },
      { kind: "exported", run: 7, text: "", problem: "broken" },
      { kind: "warned", run: 7, problems: [problem] },
    ]);
    session.obey({ kind: "play", speed: Infinity });
    clock.advance(0);
    expect(progress().at(-1)).toMatchObject({ run: 7, mode: "finished" });
  });

  test("a look that takes the place of another waits for what it needs itself", async () => {
    const prepared: number[] = [];
    const prepareLook = (asked?: Query): Promise<void> => Promise.resolve(void prepared.push(asked!.atMs));
    const { session, clock, notices } = setUp({ prepareLook });
    session.obey(load(1, jobYaml(), 0));
    session.obey({ kind: "look", look: 1, query: { ...query, atMs: 1 } });
    session.obey({ kind: "look", look: 2, query: { ...query, atMs: 2 } });
    for (let i = 0; i < 2; i++) {
      await turn();
      clock.advance(0);
    }
    expect(prepared).toEqual([1, 2]);
    expect(notices.at(-1)).toMatchObject({ kind: "view", look: 2 });
  });

  test("a look tries again when its code could not be loaded", async () => {
    let view: string | undefined;
    let loads = 0;
    const late = new Lazy(() => (loads++ === 0 ? Promise.reject(new Error("no network")) : Promise.resolve("view")));
    const prepareLook = (): Promise<void> | undefined => ((view = late.value) === undefined ? late.load() : undefined);
    const { session, clock, notices } = setUp({ prepareLook });
    session.obey(load(1, jobYaml(), 0));
    session.obey({ kind: "look", look: 1, query });
    await turn();
    expect(notices.at(-1)).toMatchObject({ kind: "warned", run: 1, problems: [{ severity: "warning" }] });
    session.obey({ kind: "look", look: 2, query });
    clock.advance(LOOK_RETRY_MS);
    await turn();
    clock.advance(0);
    expect(notices.at(-1)).toMatchObject({ kind: "view", run: 1, look: 2 });
    session.obey({ kind: "look", look: 3, query });
    clock.advance(0);
    expect({ view, loads }).toEqual({ view: "view", loads: 2 });
    expect(notices.at(-1)).toMatchObject({ kind: "view", look: 3 });
  });
});
