/** The page's end of the talk with the Worker: which notices count, when another run is shown, how forks go back. */
import { describe, expect, test } from "vitest";
import { Session } from "../../../host-browser/app/session.ts";
import type { View } from "../../../host-browser/history/view.ts";
import type { Command } from "../../../host-browser/messages.ts";
import { chunk, progress, SCENARIO } from "./chunks.ts";

function start() {
  const sent: Command[] = [];
  const session = new Session((command) => sent.push(command));
  return { session, sent, looks: () => sent.filter((command) => command.kind === "look") };
}
const OTHER = { ...SCENARIO, seed: 2 };
const view = (atMs: number): View => ({ atMs, sentence: `at ${atMs}` }) as View;

describe("a run", () => {
  test("is loaded to its end, and shown when its first records come", () => {
    const { session, sent } = start();
    session.load(SCENARIO);
    expect(sent).toEqual([{ kind: "load", run: 1, scenario: SCENARIO, untilMs: Infinity }]);
    expect(session.branch.value).toBeUndefined();
    session.handle(progress(1, 500, { mode: "loading", chunk: chunk([100]) }));
    session.handle(progress(1, 900, { chunk: chunk([700]), digest: "cd" }));
    expect(session.branch.value).toMatchObject({ run: 1, digest: "cd" });
    expect(session.branch.value!.timeline.nowMs).toBe(900);
    expect(session.branch.value!.timeline.nextDecisionMs(100)).toBe(700);
    expect(session.mode.value).toBe("finished");
  });

  test("that cannot be made in this browser says why, also when another one is opened", () => {
    const { session, sent } = start();
    session.cannotStart("there is no Worker");
    session.load(SCENARIO);
    expect([session.fatal.value, session.isLoading, session.mode.value]).toEqual([
      "there is no Worker",
      false,
      "paused",
    ]);
    expect(sent).toEqual([]);
  });

  test("keeps the old one in sight until then, and drops late notices of it", () => {
    const { session } = start();
    session.load(SCENARIO);
    session.handle(progress(1, 500));
    session.load(OTHER);
    session.handle(progress(1, 600));
    expect(session.branch.value).toMatchObject({ run: 1, scenario: { seed: 1 } });
    expect(session.nowMs.value).toBe(500);
    session.handle(progress(2, 10));
    expect(session.branch.value).toMatchObject({ run: 2, scenario: { seed: 2 } });
    expect(session.branch.value!.timeline.nowMs).toBe(10);
  });

  test("takes over the scenario that the Worker says, with what was done", () => {
    const { session } = start();
    session.load(SCENARIO);
    session.handle(progress(1, 5));
    const scenario = { ...SCENARIO, inputs: [{ atMs: 5, action: { kind: "drain", node: "node-1" } as const }] };
    session.handle(progress(1, 6, { scenario }));
    expect(session.scenario).toBe(scenario);
  });

  test("that is refused shows its problems, and the one before is made again", () => {
    const { session, sent } = start();
    session.load(SCENARIO);
    session.handle(progress(1, 500));
    session.load(OTHER);
    session.handle({ kind: "refused", run: 2, problems: [{ severity: "error", message: "no" }] });
    expect(session.isRefused.value).toBe(true);
    expect(sent.at(-1)).toEqual({ kind: "load", run: 3, scenario: SCENARIO, untilMs: 500 });
    session.handle({ kind: "warned", run: 3, problems: [] });
    session.handle(progress(3, 500));
    expect(session.problems.value).toEqual([{ severity: "error", message: "no" }]);
    expect(session.branch.value).toMatchObject({ run: 3, scenario: { seed: 1 } });
  });

  test("that is refused at the start leaves nothing", () => {
    const { session, sent } = start();
    session.load(SCENARIO);
    session.handle({ kind: "refused", run: 1, problems: [{ severity: "error", message: "no" }] });
    expect(sent).toHaveLength(1);
    expect(session.branch.value).toBeUndefined();
  });

  test("that is refused is replaced by the fallback run, and says why", () => {
    const { session, sent } = start();
    session.load(SCENARIO);
    session.handle(progress(1, 500));
    session.load({ ...OTHER, yaml: "foo" }, undefined, OTHER);
    session.handle({ kind: "refused", run: 2, problems: [{ severity: "error", message: "no" }] });
    expect(sent.at(-1)).toEqual({ kind: "load", run: 3, scenario: OTHER, untilMs: Infinity });
    session.handle(progress(3, 500));
    expect(session.branch.value).toMatchObject({ run: 3, scenario: OTHER });
    expect(session.problems.value).toEqual([{ severity: "error", message: "no" }]);
  });

  test("that ends by a fault of Stint says so, and what was recorded stays", () => {
    const { session } = start();
    session.load(SCENARIO);
    session.handle(progress(1, 500, { mode: "loading" }));
    session.handle({ kind: "fatal", run: 1, message: "unreachable" });
    expect(session.fatal.value).toBe("unreachable");
    expect(session.branch.value!.timeline.nowMs).toBe(500);
  });
});

test("a fork keeps the branch before as ghost, and switches back", () => {
  const { session, sent } = start();
  session.load(SCENARIO);
  session.handle(progress(1, 500));
  const before = session.branch.value!;
  session.load(OTHER, before);
  session.handle(progress(2, 700));
  expect(session.ghost.value).toBe(before);
  session.switchBack();
  expect(sent.at(-1)).toMatchObject({ kind: "load", scenario: SCENARIO });
  session.handle(progress(3, 500));
  expect(session.branch.value!.scenario).toBe(SCENARIO);
  expect(session.ghost.value!.scenario).toBe(OTHER);
  session.dropGhost();
  expect(session.ghost.value).toBeUndefined();
});

describe("a recording", () => {
  const shown = () => {
    const made = start();
    made.session.import("{}");
    made.session.handle(progress(1, 700, { scenario: SCENARIO }));
    return made;
  };

  test("is shown again, and not run, when another scenario is refused", () => {
    const { session, sent } = shown();
    session.load(OTHER);
    session.handle({ kind: "refused", run: 2, problems: [{ severity: "error", message: "no" }] });
    expect(sent.at(-1)).toEqual({ kind: "import", run: 3, recording: "{}" });
    session.handle(progress(3, 700, { scenario: SCENARIO }));
    expect(session.branch.value).toMatchObject({ run: 3, scenario: SCENARIO, recording: "{}" });
  });

  test("that became the ghost comes back as one, and the fork of it is none", () => {
    const { session, sent } = shown();
    session.load(OTHER, session.branch.value);
    session.handle(progress(2, 900));
    expect(session.branch.value!.recording).toBeUndefined();
    session.switchBack();
    expect(sent.at(-1)).toEqual({ kind: "import", run: 3, recording: "{}" });
  });

  test("is handed out as it was read", async () => {
    const { session, sent } = shown();
    expect(await session.export({ as: "recording" })).toBe("{}");
    await expect(session.export({ as: "vector", name: "" })).rejects.toThrow(/made of a run of this page/);
    expect(sent).toHaveLength(1);
  });
});

describe("a look", () => {
  test("is asked one at a time, and only the newest of those that wait", () => {
    const { session, looks } = start();
    session.look({ atMs: 0, job: 0 });
    expect(looks()).toEqual([]);
    session.load(SCENARIO);
    session.handle(progress(1, 500));
    for (const atMs of [1, 2, 3]) session.look({ atMs, job: 0 });
    expect(looks().map(({ query }) => query.atMs)).toEqual([1]);
    session.handle({ kind: "view", run: 1, look: looks()[0]!.look, view: view(1) });
    expect(looks().map(({ query }) => query.atMs)).toEqual([1, 3]);
    session.handle({ kind: "view", run: 1, look: looks()[1]!.look, view: view(3) });
    expect(session.view.value).toEqual(view(3));
  });

  test("of an earlier run is forgotten", () => {
    const { session, looks } = start();
    session.load(SCENARIO);
    session.handle(progress(1, 500));
    session.look({ atMs: 1, job: 0 });
    session.load(OTHER);
    session.handle(progress(2, 500));
    session.look({ atMs: 2, job: 0 });
    expect(looks()).toHaveLength(2);
    session.handle({ kind: "view", run: 1, look: 1, view: view(1) });
    expect(session.view.value).toBeUndefined();
  });
});

test("a check of the manifest needs no run, and only the newest text is checked", () => {
  const { session, sent } = start();
  for (const text of ["a", "b", "c"]) session.check(text);
  session.handle({ kind: "checked", check: 1, problems: [] });
  expect(sent.map((command) => command.kind === "check" && command.yaml)).toEqual(["a", "c"]);
  session.handle({ kind: "checked", check: 2, problems: [{ severity: "warning", message: "c" }] });
  expect(session.checked.value).toEqual([{ severity: "warning", message: "c" }]);
});
