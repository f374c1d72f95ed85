/** Long lists come page by page: every row is on one of the pages, once, and the view says how many there are. */
import { beforeAll, describe, expect, test } from "vitest";
import type { View } from "../../../host-browser/history/view.ts";
import { MAX_VIEW_ROWS } from "../../../host-browser/messages.ts";
import { jobYaml, Run } from "./run.ts";

const COMPLETIONS = 450;

describe("of a Job with more pods, events and requests than a page has rows", () => {
  let run: Run;
  beforeAll(() => {
    run = new Run(jobYaml(`completions: ${COMPLETIONS}\nparallelism: 300`, '{ "runMs": [1000, 9000] }')).toEnd();
  });

  /** The ids of all rows, page by page. */
  function idsOf(atMs: number, read: (view: View) => readonly number[], countOf: (view: View) => number): number[] {
    const ids: number[] = [];
    for (let skip = 0; ; skip += MAX_VIEW_ROWS) {
      const view = run.look({ atMs, job: 0, skip });
      const rows = read(view);
      expect(view.skip).toBe(skip);
      expect(rows.length).toBe(Math.max(0, Math.min(MAX_VIEW_ROWS, countOf(view) - skip)));
      if (rows.length === 0) return ids;
      ids.push(...rows);
    }
  }

  test.each([2_000, 6_000, 1_000_000])("pages at %i ms have every row once", (atMs) => {
    const lists = {
      events: idsOf(
        atMs,
        ({ events }) => events.map(({ id }) => id),
        ({ eventCount }) => eventCount,
      ),
      requests: idsOf(
        atMs,
        ({ requests }) => requests.map(({ id }) => id),
        ({ requestCount }) => requestCount,
      ),
      decisions: idsOf(
        atMs,
        ({ decisions }) => decisions.map(({ id }) => id),
        ({ decisionCount }) => decisionCount,
      ),
    };
    for (const [name, ids] of Object.entries(lists)) {
      expect(new Set(ids).size, name).toBe(ids.length);
      expect(ids, `${name}, newest first`).toEqual(ids.toSorted((a, b) => b - a));
    }
    expect(lists.events.length).toBeGreaterThan(MAX_VIEW_ROWS);
    expect(lists.requests.length).toBeGreaterThan(MAX_VIEW_ROWS);
    const pods = idsOf(
      atMs,
      ({ podTable }) => podTable.ids,
      ({ podCount }) => podCount,
    );
    expect(new Set(pods).size).toBe(pods.length);
    if (atMs > 100_000)
      expect(pods.toSorted((a, b) => a - b)).toEqual(Array.from({ length: COMPLETIONS }, (_, i) => i));
  });

  test("an Event that was written again is counted once", () => {
    const yaml = jobYaml("completions: 1", '{ "runMs": 1000, "exitCode": 1 }').replace("Never", "OnFailure");
    const { events, eventCount } = new Run(yaml).toEnd().look({ atMs: 1_000_000, job: 0 });
    expect(events.some(({ count }) => count > 1)).toBe(true);
    expect(eventCount).toBe(events.length);
  });
});
