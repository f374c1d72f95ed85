/** What a reader can do to the page, driven without a browser: a fake Worker answers as the real one does. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { signal } from "@preact/signals";
import { Playground } from "../../../host-browser/app/playground.ts";
import { Memory } from "../../../host-browser/app/storage.ts";
import { pickHit } from "../../../host-browser/app/view/stage-actions.ts";
import type { Lesson } from "../../../host-browser/catalogue/index.ts";
import { JobPhase } from "../../../host-browser/records.ts";
import type { Command } from "../../../host-browser/messages.ts";
import { chunk, progress, SCENARIO } from "./chunks.ts";

const kept = new Map<string, string>();
const memory = new Memory(() => ({
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, value) => void kept.set(key, value),
  removeItem: (key) => void kept.delete(key),
}));
const lesson = (id: string): Lesson => ({
  id,
  group: "Begin",
  title: id,
  text: "",
  scenario: { ...SCENARIO, yaml: `kind: Job # ${id}` },
  bookmarks: [
    { atMs: 100, label: "", shows: { decision: "Backoff" } },
    { atMs: 400, label: "", shows: { decision: "Backoff" } },
    { atMs: 900, label: "", shows: { decision: "Backoff" } },
  ],
  question: "",
  answer: "",
  ends: [],
});
const DRAIN = { kind: "drain", node: "node-1" } as const;

let sent: Command[];
let playground: Playground;
beforeEach(() => {
  kept.clear();
  sent = [];
  playground = new Playground((command) => sent.push(command), memory, "");
});

afterEach(() => void vi.useRealTimers());

const loads = () => sent.filter((command) => command.kind === "load");
/** The Worker has run the latest scenario to its end. */
const finish = (nowMs = 1000): void =>
  playground.session.handle(progress(loads().at(-1)!.run, nowMs, { chunk: chunk([100, 400], [150], true) }));
const atMs = (): number => playground.playhead.atMs.value;

describe("a lesson", () => {
  test("is not asked about while its run is made, and then at once", () => {
    vi.useFakeTimers();
    const looks = (): number => sent.filter(({ kind }) => kind === "look").length;
    playground.openLesson(lesson("a"));
    const { run } = loads().at(-1)!;
    vi.advanceTimersByTime(1_000);
    for (const nowMs of [100, 200, 300]) playground.session.handle(progress(run, nowMs, { mode: "loading" }));
    expect(looks()).toBe(0);
    finish();
    expect(looks()).toBe(1);
  });

  test("is polled rarely while its run takes long", () => {
    vi.useFakeTimers();
    const looks = () => sent.filter((command) => command.kind === "look");
    playground.openLesson(lesson("a"));
    const { run } = loads().at(-1)!;
    for (let nowMs = 40; nowMs <= 2_000; nowMs += 40) {
      playground.session.handle(progress(run, nowMs, { mode: "loading" }));
      vi.advanceTimersByTime(40);
      if (looks().length > 0)
        playground.session.handle({ kind: "view", run, look: looks().at(-1)!.look, view: {} as never });
    }
    expect(looks()).toHaveLength(3);
  });

  test("opens at its turning point, and the panels are asked for that instant", () => {
    playground.openLesson(lesson("a"));
    expect(loads()).toMatchObject([{ scenario: { yaml: "kind: Job # a" }, untilMs: Infinity }]);
    finish();
    expect(atMs()).toBe(400);
    const looks = sent.filter((command) => command.kind === "look");
    playground.session.handle({ kind: "view", run: 1, look: looks.at(-1)!.look, view: {} as never });
    expect(sent.filter((command) => command.kind === "look").at(-1)!.query).toMatchObject({ atMs: 400, job: 0 });
  });

  test("that is still being made leaves the playhead where the reader has put it", () => {
    playground.openLesson(lesson("a"));
    const { run } = loads().at(-1)!;
    playground.session.handle(progress(run, 500, { mode: "loading" }));
    playground.playhead.seek(200);
    finish();
    expect(atMs()).toBe(200);
  });

  test("that is played while it is still being made plays on", () => {
    playground.openLesson(lesson("a"));
    const { run } = loads().at(-1)!;
    playground.session.handle(progress(run, 500, { mode: "loading" }));
    playground.playhead.seek(100);
    playground.playhead.play();
    finish();
    expect(playground.playhead.isPlaying.value).toBe(true);
    expect(atMs()).toBe(100);
  });

  test("stays where it is at both ends of the catalogue", () => {
    playground.lessons.value = [lesson("a"), lesson("b")];
    playground.openLesson(lesson("a"));
    playground.turnPage(-1);
    expect(playground.lesson.value!.id).toBe("a");
    playground.turnPage(1);
    playground.turnPage(1);
    expect(playground.lesson.value!.id).toBe("b");
  });

  test("keeps the reader's draft over a reload, and can be reset", () => {
    playground.openLesson(lesson("a"));
    finish();
    playground.edit("kind: Job # mine");
    const after = new Playground((command) => sent.push(command), memory, "");
    after.openLesson(lesson("a"));
    expect(after.draft.value).toBe("kind: Job # mine");
    expect(loads().at(-1)!.scenario.yaml).toBe("kind: Job # mine");
    after.resetLesson();
    expect(after.draft.value).toBe("kind: Job # a");
  });
});

describe("a text that is refused", () => {
  const NO = [{ severity: "error", message: "spec: no" }] as const;
  const refuse = (): void => playground.session.handle({ kind: "refused", run: loads().at(-1)!.run, problems: NO });

  test("when it is the draft of the first lesson leaves its own text shown, and its mistakes named", () => {
    playground.drafts.keep("a", "kind: Job # a", "foo");
    playground.openLesson(lesson("a"));
    refuse();
    expect(loads().at(-1)!.scenario.yaml).toBe("kind: Job # a");
    finish();
    expect(atMs()).toBe(400);
    expect(playground.draft.value).toBe("foo");
    expect(playground.problems.value).toEqual(NO);
    expect(playground.trouble.value).toMatch(
      /so the lesson “a” is shown as it was written\. The problems are listed b/,
    );
    playground.runDraft();
    expect(playground.trouble.value).toBe("");
  });

  test("when it is the draft of another lesson does not leave the run of the one before under its heading", () => {
    playground.openLesson(lesson("a"));
    finish();
    playground.drafts.keep("b", "kind: Job # b", "foo");
    playground.openLesson(lesson("b"));
    refuse();
    finish();
    expect(playground.lesson.value!.id).toBe("b");
    expect(playground.session.branch.value!.scenario.yaml).toBe("kind: Job # b");
  });

  test("when an address brings it shows the lesson instead", () => {
    playground.open({ ...SCENARIO, yaml: "foo" }, 300, lesson("a"));
    refuse();
    finish();
    expect(playground.lesson.value!.id).toBe("a");
    expect([playground.draft.value, playground.session.branch.value!.scenario.yaml]).toEqual(["foo", "kind: Job # a"]);
  });

  test("has its mistakes named until it is changed, then those of the new text", () => {
    playground.openLesson(lesson("a"));
    finish();
    playground.edit("foo");
    playground.session.handle({ kind: "checked", check: 1, problems: [] });
    expect(playground.problems.value).toEqual([]);
    playground.runDraft();
    refuse();
    finish();
    expect(playground.problems.value).toEqual(NO);
    playground.edit("fooo");
    playground.session.handle({ kind: "checked", check: 2, problems: [] });
    expect(playground.problems.value).toEqual([]);
  });
});

describe("an action", () => {
  beforeEach(() => {
    playground.openLesson(lesson("a"));
    finish();
  });

  test("in the past makes a branch of the inputs to that instant and one more, and a ghost of the old one", () => {
    const before = playground.session.branch.value!;
    playground.playhead.seek(250);
    playground.act(DRAIN, "drain");
    expect(loads().at(-1)!.scenario.inputs).toEqual([{ atMs: 250, action: DRAIN }]);
    finish(2000);
    expect(atMs()).toBe(250);
    expect(playground.session.ghost.value).toBe(before);
    playground.playhead.seek(100);
    playground.switchBack();
    expect(loads().at(-1)!.scenario.inputs).toEqual([]);
    finish();
    expect(atMs()).toBe(100);
    expect(playground.draft.value).toBe("kind: Job # a");
  });

  test("and its branch: what was selected in the one is not in the other", () => {
    playground.playhead.seek(250);
    playground.act(DRAIN, "drain");
    finish();
    playground.selection.pod.value = 3;
    playground.selection.ask({ of: "decision", id: 2 });
    playground.switchBack();
    expect(playground.selection.pod.value).toBeUndefined();
    expect(playground.selection.cause.value).toBeUndefined();
  });

  test("that the API server refuses says so, once", () => {
    playground.playhead.seek(250);
    playground.act(DRAIN, "drain");
    const flags = [{ atMs: 250, kind: "drain", label: "drain node-1", problem: "there is no node node-1" }];
    const { run } = loads().at(-1)!;
    playground.session.handle(progress(run, 900, { chunk: { ...chunk(), flags } }));
    expect(playground.trouble.value).toContain("there is no node node-1");
    playground.trouble.value = "";
    playground.playhead.seek(300);
    playground.session.handle(progress(run, 950));
    expect(playground.trouble.value).toBe("");
  });

  test("while the run continues live is done to it", () => {
    playground.playhead.toEnd();
    playground.session.handle(progress(1, 1100, { mode: "paused" }));
    playground.act(DRAIN, "drain");
    expect(sent.at(-1)).toEqual({ kind: "act", action: DRAIN });
  });

  test("that has to be done at another instant makes a branch there, also live, and the playhead stays", () => {
    playground.playhead.seek(250);
    playground.act(DRAIN, "drain", 40);
    expect(loads().at(-1)!.scenario.inputs).toEqual([{ atMs: 40, action: DRAIN }]);
    finish(2000);
    expect(atMs()).toBe(250);
    playground.playhead.toEnd();
    playground.session.handle(progress(2, 2100, { mode: "paused" }));
    playground.act(DRAIN, "drain", 30);
    expect(
      loads()
        .at(-1)!
        .scenario.inputs.map(({ atMs: inputMs }) => inputMs),
    ).toEqual([30]);
  });

  test("on the finished end makes a branch, too", () => {
    playground.playhead.toEnd();
    playground.act(DRAIN, "drain");
    expect(loads().at(-1)!.scenario.inputs).toEqual([{ atMs: 1000, action: DRAIN }]);
  });
});

describe("the edited manifest", () => {
  beforeEach(() => {
    playground.openLesson(lesson("a"));
    finish();
    playground.edit("kind: Job # new");
  });

  test("is checked while it is typed, and runs from the start", () => {
    expect(sent.at(-1)).toMatchObject({ kind: "check", yaml: "kind: Job # new" });
    expect(playground.isEdited.value).toBe(true);
    playground.runDraft();
    expect(loads().at(-1)!.scenario.yaml).toBe("kind: Job # new");
    finish();
    expect(playground.isEdited.value).toBe(false);
  });

  test("is applied at the playhead's instant", () => {
    playground.playhead.seek(300);
    playground.applyDraft();
    expect(loads().at(-1)!.scenario).toMatchObject({
      yaml: "kind: Job # a",
      inputs: [{ atMs: 300, action: { kind: "apply", yaml: "kind: Job # new" } }],
    });
  });

  test("that is refused leaves the picture and the instant as they were", () => {
    playground.playhead.seek(300);
    playground.runDraft();
    const { run } = loads().at(-1)!;
    playground.session.handle({ kind: "refused", run, problems: [{ severity: "error", message: "no" }] });
    finish();
    expect(atMs()).toBe(300);
    expect(playground.draft.value).toBe("kind: Job # new");
    expect(playground.session.problems.value).toHaveLength(1);
  });
});

test("a recording is shown as a separate run", () => {
  playground.import("{}", "a.jsonl");
  expect(sent).toEqual([{ kind: "import", run: 1, recording: "{}" }]);
  playground.session.handle(progress(1, 700, { scenario: { ...SCENARIO, yaml: "kind: Job # recorded" } }));
  expect(playground.session.branch.value!.scenario.yaml).toBe("kind: Job # recorded");
  expect(playground.lesson.value).toBeUndefined();
  expect(playground.draft.value).toBe("kind: Job # recorded");
  expect(playground.announcement.value).toContain("a.jsonl is read");
});

test.each([
  ["recording", () => playground.import("{", "a.jsonl"), "kind: Job # a"],
  ["manifest", () => playground.openManifest("foo", "a.yaml"), "foo"],
  ["scenario", () => playground.openScenario({ ...SCENARIO, yaml: "foo" }, "a.json"), "foo"],
])("a %s that is refused is not said to be read, and the lesson and its instant stay", (_, open, draft) => {
  playground.openLesson(lesson("a"));
  finish();
  playground.playhead.seek(300);
  playground.dialog.value = "import";
  open();
  const problems = [{ severity: "error", message: "line 1: no" }] as const;
  playground.session.handle({ kind: "refused", run: 2, problems });
  finish();
  expect(playground.lesson.value!.id).toBe("a");
  expect([playground.draft.value, atMs(), playground.dialog.value]).toEqual([draft, 300, undefined]);
  expect(playground.announcement.value).toBe("Lesson: a");
  // What is wrong is said once: below the text that it is about, or with the sentence.
  const isInEditor = draft === "foo";
  expect(playground.trouble.value).toMatch(
    isInEditor ? /^a\..* cannot be shown\. The problems are/ : /^a\..* cannot be shown: line 1: no$/,
  );
  expect(playground.problems.value).toEqual(isInEditor ? problems : []);
});

test.each([
  ["the world is open", "", "world"],
  ["the page is embedded", "embed=1", "manifest"],
] as const)("a text that is refused while %s has its reason in the sentence", (_, query, pane) => {
  playground = new Playground((command) => sent.push(command), memory, query);
  playground.openLesson(lesson("a"));
  finish();
  playground.pane.value = pane;
  playground.openManifest("foo", "a.yaml");
  playground.session.handle({ kind: "refused", run: 2, problems: [{ severity: "error", message: "line 1: no" }] });
  finish();
  expect(playground.trouble.value).toBe("a.yaml cannot be shown: line 1: no");
});

test("a line of the manifest is shown also while the world is", () => {
  playground.pane.value = "world";
  playground.showLine(7);
  expect(playground.pane.value).toBe("manifest");
  expect(playground.shownLine.value).toEqual({ line: 7 });
});

test("a lesson leaves when the Job is the reader's own, and comes back", () => {
  playground.openLesson(lesson("a"));
  finish();
  expect(playground.taught.value?.id).toBe("a");
  playground.edit("kind: Job # mine");
  expect(playground.taught.value?.id).toBe("a");
  playground.runDraft();
  finish();
  expect([playground.taught.value, playground.bookmarks.value, playground.lesson.value!.id]).toEqual([
    undefined,
    [],
    "a",
  ]);
  playground.showLesson(playground.lesson.value!);
  finish();
  expect([playground.taught.value?.id, atMs(), playground.bookmarks.value.length]).toEqual(["a", 400, 3]);
  expect(playground.drafts.read("a")).toBe("kind: Job # mine");
});

test("of a lesson whose run was changed the bookmarks up to the change stay", () => {
  playground.openLesson(lesson("a"));
  finish();
  playground.playhead.seek(400);
  playground.act(DRAIN, "drain");
  finish();
  expect(playground.taught.value?.id).toBe("a");
  expect(playground.bookmarks.value.map((bookmark) => bookmark.atMs)).toEqual([100, 400]);
});

describe("a number that is turned", () => {
  const turned = (part: Partial<typeof SCENARIO>): void => {
    const before = playground.session.branch.value!;
    playground.tune({ ...before.scenario, ...part }, before);
    finish();
  };
  beforeEach(() => {
    playground.openLesson(lesson("a"));
    finish();
  });

  test("is in the editor, and in the draft of the lesson, which leaves", () => {
    turned({ yaml: "kind: Job # 7" });
    turned({ yaml: "kind: Job # 8" });
    expect([playground.draft.value, playground.drafts.read("a"), playground.taught.value]).toEqual([
      "kind: Job # 8",
      "kind: Job # 8",
      undefined,
    ]);
  });

  test("leaves alone what the reader has typed and not run", () => {
    playground.edit("kind: Job # mine");
    turned({ yaml: "kind: Job # 7" });
    expect([playground.draft.value, playground.drafts.read("a")]).toEqual(["kind: Job # mine", "kind: Job # mine"]);
  });

  test("of the world alone keeps no draft, and the lesson leaves: it is about another run", () => {
    turned({ outcomes: [{ outcome: { exitCode: 1 } }] });
    expect([playground.drafts.read("a"), playground.taught.value]).toEqual([undefined, undefined]);
  });
});

describe("of two Jobs", () => {
  const finishBoth = (): void => {
    const one = chunk([100], [], true);
    const jobs = ["good", "bad"].map((name, i) => ({ namespace: "default", name, uid: name, createdMs: 300 * i }));
    const zero = new Int32Array(3);
    const versions = {
      active: zero,
      ready: zero,
      terminating: zero,
      succeeded: zero,
      failed: zero,
      completions: zero,
      parallelism: zero,
      decision: zero,
      job: Int32Array.from([0, 1, 1]),
      atMs: Float64Array.from([0, 300, 700]),
      phase: Uint8Array.from([JobPhase.RUNNING, JobPhase.RUNNING, JobPhase.FAILED]),
    };
    const { run } = sent.findLast((command) => command.kind === "load" || command.kind === "import")!;
    playground.session.handle(progress(run, 1000, { chunk: { ...one, jobs, versions } }));
  };
  const selected = (): unknown[] => [playground.selection.job.value, atMs()];

  test("a bookmark selects the one that it is about, also as the place at which a lesson opens", () => {
    const two = lesson("two");
    const bookmarks = two.bookmarks.map((bookmark, i) => ({ ...bookmark, ...(i === 1 ? { job: "bad" } : {}) }));
    const opened = { ...two, bookmarks: bookmarks as unknown as Lesson["bookmarks"] };
    playground.openLesson(opened);
    finishBoth();
    expect(selected()).toEqual([1, 400]);
    playground.goTo(opened.bookmarks[0]);
    expect(selected()).toEqual([0, 100]);
  });

  test("a recording opens at the one that failed, when it failed", () => {
    playground.import("recording", "rec.jsonl");
    finishBoth();
    expect(selected()).toEqual([1, 700]);
  });
});

test("a click on a bar goes to the instant of the click, and one on a decision to that of the decision", () => {
  playground.openLesson(lesson("a"));
  finish();
  const box = { x: 0, y: 0, width: 1, height: 1 };
  const acting = { playground, canvas: { current: null }, hover: signal(undefined), request: () => {} };
  pickHit(acting, { kind: "pod", text: "", atMs: 700, ownMs: 100, box, pod: 1 }, { x: 0, y: 0 });
  expect([atMs(), playground.selection.pod.value]).toEqual([700, 1]);
  pickHit(acting, { kind: "decision", text: "", atMs: 390, ownMs: 400, box }, { x: 0, y: 0 });
  expect(atMs()).toBe(400);
});

test("a pod of a list is not drawn on the node that was clicked before", () => {
  const { selection } = playground;
  selection.pick({
    kind: "pod",
    text: "",
    atMs: 0,
    ownMs: 0,
    box: { x: 0, y: 0, width: 1, height: 1 },
    pod: 1,
    node: "b",
  });
  expect(selection.node.value).toBe("b");
  selection.pickPod(0);
  expect(selection.pod.value).toBe(0);
  expect(selection.node.value).toBeUndefined();
});

test("what is selected names rows of the shown run alone", () => {
  playground.openLesson(lesson("a"));
  finish();
  playground.selection.ask({ of: "decision", id: 3 });
  expect(playground.selection.panel.value).toBe("why");
  playground.openLesson(lesson("b"));
  expect(playground.selection.cause.value).toBeUndefined();
});
