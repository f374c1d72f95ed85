/**
 * Every lesson of the catalogue, run whole with the real engine: it ends as it says, its bookmarks show what they say,
 * and an address holds it in few characters.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { FIRST_LESSON, GROUPS, type Lesson, loadLessons } from "../../../host-browser/catalogue/index.ts";
import { SETTLE_MS } from "../../../host-browser/catalogue/lesson.ts";
import { LESSONS } from "../../../host-browser/catalogue/lessons.ts";
import { readAddress, writeAddress } from "../../../host-browser/share/address.ts";
import { readScenario } from "../../../host-browser/share/read-scenario.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import { runLesson } from "./run-lesson.ts";
import type { Witness } from "./witness.ts";

const MAX_LESSON_ADDRESS = 700;
const examples = path.resolve(import.meta.dirname, "../../../examples");

let engineModule: WebAssembly.Module;
beforeAll(async () => {
  await buildModule("core");
  engineModule = await WebAssembly.compile(readFileSync(modulePath("core")));
});

describe.each(LESSONS.map((lesson) => [lesson.id, lesson] as const))("%s", (_, lesson) => {
  let witness: Witness;
  beforeAll(() => {
    witness = runLesson(engineModule, lesson.scenario);
  });

  test("ends as it says", () => {
    expect(witness.ends).toEqual(lesson.ends.map((end) => (end.startsWith("not: ") ? "" : end)));
  });

  test.each([0, 1, 2] as const)("bookmark %i shows what it says", (i) => {
    const { atMs, shows } = lesson.bookmarks[i];
    const found = witness.find(shows);
    expect(found, `the run shows ${witness.sights}`).toBeDefined();
    expect(atMs).toBeGreaterThanOrEqual(found!);
    expect(atMs).toBeLessThanOrEqual(found! + SETTLE_MS);
  });

  test("has its bookmarks in the order of time", () => {
    const times = lesson.bookmarks.map(({ atMs }) => atMs);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  });

  test("is one that a stranger may send, in a short address", async () => {
    expect(readScenario(lesson.scenario)).toEqual(lesson.scenario);
    const find = (id: string) => Promise.resolve(LESSONS.find((other) => other.id === id)?.scenario);
    const state = {
      scenario: lesson.scenario,
      lesson: lesson.id,
      atMs: lesson.bookmarks[1].atMs,
      panel: "decisions",
      engineVersion: "0.1.0",
      digest: "0123456789abcdef0123456789abcdef",
    };
    const address = await writeAddress(state, find);
    expect(address.length).toBeLessThanOrEqual(MAX_LESSON_ADDRESS);
    expect(await readAddress(address, find)).toEqual(state);
    // With one more input and an edit it is still short.
    const edited = {
      ...state,
      scenario: {
        ...state.scenario,
        yaml: state.scenario.yaml.replace("spec:", "spec:\n  activeDeadlineSeconds: 3600"),
        inputs: [...state.scenario.inputs, { atMs: 1e9, action: { kind: "drain", node: "node-3" } as const }],
      },
    };
    expect((await writeAddress(edited, find)).length).toBeLessThanOrEqual(MAX_LESSON_ADDRESS);
  });

  test("has words of the right length", () => {
    expect(sentencesIn(lesson.text)).toBe(2);
    expect(lesson.question).toMatch(/\?$/);
    expect(sentencesIn(lesson.answer)).toBeGreaterThan(0);
    expect(lesson.title.length).toBeLessThanOrEqual(60);
    for (const { label } of lesson.bookmarks) expect(label.length).toBeLessThanOrEqual(40);
  });
});

describe("the catalogue", () => {
  test("begins with the lesson that the page opens with", async () => {
    expect((await loadLessons())[0]).toBe(FIRST_LESSON);
  });

  test("has every id once, and its groups in their order", () => {
    const ids = LESSONS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...new Set(LESSONS.map(({ group }) => group))]).toEqual([...GROUPS]);
    expect(ids.filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  test("shows every file of examples/, and ends as that file says", () => {
    const files = readdirSync(examples).filter((file) => file.endsWith(".yaml"));
    const missing = files.filter((file) => !LESSONS.some((lesson) => shows(lesson, file)));
    expect(missing).toEqual([]);
    for (const file of files) {
      const said = /^# Ends: (.*)$/m.exec(exampleText(file))![1]!;
      const unchanged = LESSONS.filter((lesson) => shows(lesson, file) && lesson.scenario.inputs.length === 0);
      for (const lesson of unchanged) expect(lesson.ends, `${lesson.id}, ${file}`).toContain(said);
    }
  });
});

function exampleText(file: string): string {
  return readFileSync(path.join(examples, file), "utf8");
}

function shows({ scenario }: Lesson, file: string): boolean {
  return scenario.yaml.includes(exampleText(file).replace(/^(#[^\n]*\n)+/, ""));
}

function sentencesIn(text: string): number {
  return text.match(/[.?!](?= [A-Z]|$)/g)?.length ?? 0;
}
