/** Everything that the panels offer a reason for has one: changed lines of the status, conditions and events. */
import { describe, expect, test } from "vitest";
import { LESSONS } from "../../../host-browser/catalogue/lessons.ts";
import type { Why } from "../../../host-browser/history/panels/why.ts";
import type { Cause } from "../../../host-browser/messages.ts";
import { NONE } from "../../../host-browser/records.ts";
import { Run } from "./run.ts";

/** More would only repeat the same kinds of writes. */
const MAX_VERSIONS = 60;
const IDS = ["one-fails", "policies", "accounting", "pause", "restart", "eviction"];

describe.each(LESSONS.filter(({ id }) => IDS.includes(id)))("in the lesson $id", ({ scenario: { yaml, ...rest } }) => {
  const run = new Run(yaml, rest).toEnd();
  const { versions } = run.history.take();
  const instants = [...new Set(versions.atMs)].slice(0, MAX_VERSIONS);
  const whyOf = (job: number, atMs: number, why: Cause): Why | undefined => run.look({ atMs, job, why }).why;

  test("a line of the status that was changed has the decision that changed it", () => {
    let changed = 0;
    for (const atMs of instants)
      for (let job = 0; job < run.history.book.tracks.length; job++) {
        const { status, version } = run.look({ atMs, job });
        if (!status.some(({ isChanged }) => isChanged)) continue;
        changed++;
        const why = whyOf(job, atMs, { of: "version", id: version });
        expect(why?.decision?.code, `Job ${job} at ${atMs} ms`).toBeTruthy();
        expect(why!.text).toContain("It comes from this decision:");
      }
    expect(changed).toBeGreaterThan(3);
  });

  test("a condition has the decision that made it so, and an event says at least whose it is", () => {
    const atMs = run.world.now();
    for (let job = 0; job < run.history.book.tracks.length; job++) {
      const { conditions, events } = run.look({ atMs: Math.max(...instants), job });
      for (const { version, type, decision } of conditions) {
        const why = whyOf(job, atMs, { of: "version", id: version });
        expect(why?.decision?.code, type).toBeTruthy();
        // It may be noted after the instant.
        if (decision !== NONE) expect(why!.decision!.id, type).toBe(decision);
      }
      for (const { id, reason } of events)
        expect(whyOf(job, atMs, { of: "event", id })?.text, reason).toMatch(/^Event \S+ of \S/);
    }
  });
});
