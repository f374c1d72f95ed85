/**
 * Schedules beside what upstream's parser says of them. The vectors are answers of github.com/robfig/cron/v3 v3.0.1,
 * the module that Kubernetes uses: of ParseStandard, and of some calls of Next from an instant on. Most are random.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseSchedule } from "../../../cluster/cron/schedule.ts";

interface Answer {
  readonly schedule: string;
  /** The instant that the first of `next` comes after; each other one comes after the one before it. */
  readonly after?: string;
  readonly next?: readonly string[];
  readonly error?: string;
}

const answers = readFileSync(new URL("../../vectors/schedules/robfig-cron.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Answer);

test("there are answers of every kind", () => {
  expect(answers.length).toBeGreaterThan(350);
  expect(answers.filter(({ error }) => error !== undefined).length).toBeGreaterThan(15);
  expect(answers.filter(({ after, next }) => after !== undefined && next === undefined).length).toBeGreaterThan(0);
});

test.each(answers)("$schedule after $after", ({ schedule, after, next = [], error }) => {
  if (error !== undefined) {
    expect(() => parseSchedule(schedule)).toThrow(new Error(error));
    return;
  }
  const parsed = parseSchedule(schedule);
  const found: string[] = [];
  for (let atMs = parsed.next(Date.parse(after!)); atMs !== undefined && found.length < Math.max(1, next.length);) {
    found.push(new Date(atMs).toISOString().replace(".000Z", "Z"));
    atMs = parsed.next(atMs);
  }
  expect(found).toEqual(next);
});
