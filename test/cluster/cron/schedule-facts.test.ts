/** What is strange about a schedule that can be read. */
import { describe, expect, it } from "vitest";
import { scheduleFacts } from "../../../cluster/cron/schedule-facts.ts";

const NOW_MS = Date.UTC(2026, 10, 28);
const factsOf = (schedule: unknown, timeZone?: unknown): object => scheduleFacts(schedule, timeZone, NOW_MS);

describe("a schedule that never fires", () => {
  it.each(["0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *"])("is %s", (schedule) => {
    expect(factsOf(schedule)).toEqual({ neverFires: true });
    expect(factsOf(schedule, "Europe/Berlin")).toEqual({ neverFires: true });
  });

  it.each(["0 0 29 2 *", "0 0 31 * *", "@yearly", "@every 1h"])("is not %s", (schedule) => {
    expect(factsOf(schedule)).toEqual({});
  });
});

describe("a schedule with a run in each minute of chosen hours", () => {
  it.each(["* */1 * * *", "* */2 * * *", "* 2 * * *", "*/1 2,14 * * *", "0-59 3 * * 1", "* * 1 * *", "* 8-18/2 * * *"])(
    "is %s",
    (schedule) => {
      expect(factsOf(schedule)).toEqual({ everyMinute: true });
    },
  );

  it.each(["* * * * *", "* 9-17 * * 1-5", "*/5 2 * * *", "0 */1 * * *", "@hourly", "* * * * 1", "0 2 * * *"])(
    "is not %s",
    (schedule) => {
      expect(factsOf(schedule)).toEqual({});
    },
  );
});

describe("clocks that change", () => {
  it.each([
    [
      "30 2 * * *",
      "Europe/Berlin",
      "in Europe/Berlin 02:30 is skipped on 2027-03-28, and 02:30 comes twice on 2027-10-31",
    ],
    [
      "15,45 2 * * *",
      "Europe/Berlin",
      "in Europe/Berlin 02:15 is skipped on 2027-03-28, and 02:15 comes twice on 2027-10-31",
    ],
    ["30 1 * * *", "America/New_York", "in America/New_York 01:30 comes twice on 2027-11-07"],
    ["30 2 * * *", "America/New_York", "in America/New_York 02:30 is skipped on 2027-03-14"],
    [
      "0 2 * * 0",
      "Europe/Berlin",
      "in Europe/Berlin 02:00 is skipped on 2027-03-28, and 02:00 comes twice on 2027-10-31",
    ],
    ["50 1 * * *", "Australia/Lord_Howe", "in Australia/Lord_Howe 01:50 comes twice on 2027-04-04"],
    ["10 2 * * *", "Australia/Lord_Howe", "in Australia/Lord_Howe 02:10 is skipped on 2027-10-03"],
  ])("at %s in %s", (schedule, timeZone, clockChanges) => {
    expect(factsOf(schedule, timeZone)).toEqual({ clockChanges });
  });

  it.each([
    ["30 2 * * *", undefined],
    ["30 2 * * *", "Etc/UTC"],
    ["30 2 * * *", "Asia/Tokyo"],
    ["30 4 * * *", "Europe/Berlin"],
    ["30 2 * * 3", "Europe/Berlin"],
    ["*/15 * * * *", "Europe/Berlin"],
    ["@every 1h", "Europe/Berlin"],
  ])("do not matter to %s in %s", (schedule, timeZone) => {
    expect(factsOf(schedule, timeZone)).toEqual({});
  });
});

it.each([
  [undefined, undefined],
  [5, {}],
  ["", ""],
  ["0 25 * * *", "Europe/Berlin"],
  ["0 1 * * *", "Europe/Berlim"],
  ["CRON_TZ=Etc/UTC 30 2 * * *", undefined],
])("nothing is said of what the API server refuses: %j in %j", (schedule, timeZone) => {
  expect(factsOf(schedule, timeZone)).toEqual({});
});
