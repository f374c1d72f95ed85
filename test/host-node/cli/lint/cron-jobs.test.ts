/** What `stint lint` says of CronJobs that the API server takes: schedules, deadlines, and Jobs that do not end. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { CommandFolder } from "../command-folder.ts";

const folder = new CommandFolder();
beforeAll(async () => {
  await buildModule("engine");
});
afterAll(() => folder.remove());

const caseText = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, "cases", `${name}.yaml`), "utf8");

async function findingsIn(text: string): Promise<{ readonly exit: number; readonly found: Record<string, any>[] }> {
  const { exit, out } = await folder.run("lint", "-o", "json", folder.file("in.yaml", text));
  return { exit, found: JSON.parse(out).findings };
}

it.each([
  ["starting-deadline", [{ line: 6, code: "StartingDeadlineShort", field: "spec.startingDeadlineSeconds" }]],
  ["hourly-typo", [{ line: 5, code: "EveryMinute", field: "spec.schedule" }]],
  ["never-fires", [{ line: 5, code: "ScheduleNeverFires", field: "spec.schedule" }]],
  ["forbid-stuck", [{ line: 8, code: "ForbidWithoutDeadline", field: "spec.jobTemplate.spec.activeDeadlineSeconds" }]],
  ["allow-pileup", [{ line: 7, code: "AllowWithoutDeadline", field: "spec.jobTemplate.spec.activeDeadlineSeconds" }]],
])("lint of CronJobs in the case %s", async (name, expected) => {
  const { exit, found } = await findingsIn(caseText(name));
  expect(exit).toBe(0);
  const own = found.filter(({ code }) => name !== "starting-deadline" || code !== "ForbidWithoutDeadline");
  // Other rules are about the pods of the case.
  const cronRules = /Deadline|EveryMinute|Schedule|Clock|FailedHistory/;
  expect(own.filter(({ code }) => cronRules.test(code))).toMatchObject(expected);
});

it("lint of a time zone in which clocks change", async () => {
  const text = caseText("never-fires").replace('"0 0 31 2 *"', '"30 2 * * *"\n  timeZone: Europe/Berlin');
  const { found } = await findingsIn(text);
  expect(found).toMatchObject([{ line: 5, code: "ClockChanges", field: "spec.schedule" }]);
  expect(found[0]!["sentence"]).toMatch(
    /: in Europe\/Berlin 02:30 (is skipped|comes twice) on \d{4}-\d\d-\d\d, and 02:30 /,
  );
});

it("lint of a history limit of zero, and with settings and comments as for other rules", async () => {
  const text = caseText("never-fires").replace('"0 0 31 2 *"', '"0 1 * * *"\n  failedJobsHistoryLimit: 0');
  expect((await findingsIn(text)).found).toMatchObject([{ line: 6, code: "NoFailedHistory" }]);
  const ignored = text.replace("Limit: 0", "Limit: 0 # stint-ignore NoFailedHistory: logs are shipped");
  expect((await findingsIn(ignored)).found).toEqual([]);
  const { exit } = await folder.run("lint", "--rule", "NoFailedHistory=deny", folder.file("in.yaml", text));
  expect(exit).toBe(1);
});
