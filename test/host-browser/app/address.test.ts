/** What an address opens, and what the page writes into one, driven without a browser. */
import { beforeEach, expect, test } from "vitest";
import { addressOf, openAddress } from "../../../host-browser/app/address.ts";
import { FIRST_LESSON } from "../../../host-browser/catalogue/index.ts";
import { Playground } from "../../../host-browser/app/playground.ts";
import { Memory } from "../../../host-browser/app/storage.ts";
import type { Command } from "../../../host-browser/messages.ts";
import { readAddress, type SharedState, writeAddress } from "../../../host-browser/share/address.ts";
import { squeeze } from "../../../host-browser/share/squeeze.ts";
import { progress, SCENARIO } from "./chunks.ts";

const kept = new Map<string, string>();
const memory = new Memory(() => ({
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, value) => void kept.set(key, value),
  removeItem: (key) => void kept.delete(key),
}));
let sent: Command[];
const start = (): Playground => new Playground((command) => sent.push(command), memory, "");
beforeEach(() => {
  kept.clear();
  sent = [];
});
const shared = async (playground: Playground) =>
  readAddress((await addressOf(playground))!, () => Promise.resolve(undefined));

const FOREIGN: SharedState = { scenario: SCENARIO, atMs: 300, panel: "", engineVersion: "1", digest: "ef" };
const write = (changes: Partial<SharedState> = {}): Promise<string> =>
  writeAddress({ ...FOREIGN, ...changes }, () => Promise.resolve(FIRST_LESSON.scenario));

test("the address of a scenario names the digest of its run; that of a recording has the recording", async () => {
  const playground = start();
  playground.open(SCENARIO);
  playground.session.handle(progress(1, 700));
  expect(await shared(playground)).toMatchObject({ scenario: SCENARIO, digest: "ab" });
  playground.import("{} of production", "a.jsonl");
  playground.session.handle(progress(2, 700, { scenario: SCENARIO }));
  playground.playhead.seek(300);
  playground.selection.panel.value = "events";

  const address = (await addressOf(playground))!;
  const other = start();
  expect(await openAddress(other, address)).toBe(true);
  expect(sent.at(-1)).toMatchObject({ kind: "import", recording: "{} of production" });
  other.session.handle(progress(1, 700, { scenario: SCENARIO }));
  expect([other.playhead.atMs.value, other.selection.panel.value]).toEqual([300, "events"]);
});

test("a recording that is too large for an address has none, and one that is not kept is not opened", async () => {
  const playground = start();
  playground.import(Array.from({ length: 5_000 }, () => crypto.randomUUID()).join(""), "a.jsonl");
  playground.session.handle(progress(1, 700, { scenario: SCENARIO }));
  expect(await addressOf(playground)).toBeUndefined();
  expect(await openAddress(playground, "#kept/0123456789abcdef?t=5")).toBe(false);
  expect(playground.trouble.value).toMatch(/this browser does not keep it.*Open its file again/);
});

test("a lesson has a readable address, also with an instant and a panel", async () => {
  const playground = start();
  expect(await openAddress(playground, "#lesson/one-fails")).toBe(true);
  playground.session.handle(progress(1, 60_000));
  expect([playground.lesson.value, playground.playhead.atMs.value]).toEqual([
    FIRST_LESSON,
    FIRST_LESSON.bookmarks[1].atMs,
  ]);
  expect(await openAddress(playground, "#lesson/one-fails?t=700&p=events&m=worst&utm=mail")).toBe(true);
  playground.session.handle(progress(2, 60_000));
  const { selection, playhead } = playground;
  expect([playhead.atMs.value, selection.panel.value, selection.heatMode.value]).toEqual([700, "events", "worst"]);
  await openAddress(playground, "#lesson/one-fails");
  expect([selection.panel.value, selection.heatMode.value]).toEqual(["status", "last"]);
  for (const [fragment, message] of [
    ["#lesson/nothing", "it names the lesson nothing, which this page does not have"],
    ["#lesson/A B", "the address does not name a lesson"],
    ["#lesson/one-fails?t=soon", "t is null; allowed is an integer"],
  ] as const) {
    expect(await openAddress(playground, fragment)).toBe(false);
    expect(playground.trouble.value).toContain(`This address cannot be opened: ${message}`);
  }
});

test("the address of a manifest that is refused shows the first lesson, and says why", async () => {
  const playground = start();
  expect(await openAddress(playground, await write())).toBe(true);
  playground.session.handle({ kind: "refused", run: 1, problems: [{ severity: "error", message: "spec: no" }] });
  expect(sent.at(-1)).toMatchObject({ kind: "load", run: 2, scenario: FIRST_LESSON.scenario });
  playground.session.handle(progress(2, 700));
  expect(playground.trouble.value).toContain("is shown as it was written. The problems are listed below");
  expect(playground.problems.value).toEqual([{ severity: "error", message: "spec: no" }]);
  expect([playground.lesson.value, playground.draft.value]).toEqual([FIRST_LESSON, SCENARIO.yaml]);
});

test.each([
  ["a lesson", FIRST_LESSON],
  ["a scenario of the reader's own", undefined],
])("the address of %s brings the draft that was made of it into the editor, and does not run it", async (_, lesson) => {
  const scenario = lesson?.scenario ?? SCENARIO;
  const playground = start();
  if (lesson === undefined) playground.open(scenario);
  else playground.openLesson(lesson);
  playground.session.handle(progress(1, 700));
  playground.edit("kind: Job # mine");
  const state = { scenario, ...(lesson === undefined ? {} : { lesson: lesson.id }) };

  sent = [];
  const after = start();
  await openAddress(after, await write(state));
  expect([after.draft.value, after.isEdited.value]).toEqual(["kind: Job # mine", true]);
  expect(sent.filter(({ kind }) => kind === "load")).toMatchObject([{ scenario }]);
  expect(sent.at(-1)).toMatchObject({ kind: "check", yaml: "kind: Job # mine" });

  const foreign = start();
  await openAddress(foreign, await write({ ...state, scenario: { ...scenario, yaml: "kind: Job # foreign" } }));
  expect(foreign.draft.value).toBe("kind: Job # foreign");
});

test("the address of a recording shows it, as the file would", async () => {
  const playground = start();
  const recording = `{"format":"stint-recording"}\n`.repeat(10);
  expect(await openAddress(playground, `#r1/${await squeeze(recording)}`)).toBe(true);
  expect(sent.at(-1)).toMatchObject({ kind: "import", recording });
});

test("the address of a recording that is damaged, too long, or unpacks to too much is not opened, and the page says why", async () => {
  const playground = start();
  const big = `#r1/${await squeeze(" ".repeat(33 * 1024 * 1024))}`;
  for (const [fragment, message] of [
    ["#r1/!", "the address is damaged or was cut off"],
    [`#r1/${"a".repeat(1_000_000)}`, "the address is 1000004 characters long; allowed are 1000000"],
    [big, "the address unpacks to more than 33554432 bytes"],
  ] as const) {
    expect(await openAddress(playground, fragment)).toBe(false);
    expect(playground.trouble.value).toContain(`This address cannot be opened: ${message}`);
  }
  expect(sent).toEqual([]);
});
