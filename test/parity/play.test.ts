/** A run that is overtaken by the end of its Job says so, and is no run that comes to no end. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ApiClient } from "../kubernetes/api-client.ts";
import { Sighting } from "./observer.ts";
import { Overtaken, play } from "./play.ts";
import type { Moment, Scenario } from "./scenario.ts";

const MINUTES = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What becomes of a run that waits for a moment which does not come, while its Job has these conditions. */
async function endOf(when: Moment, conditions: readonly object[], { isRestless = false } = {}): Promise<unknown> {
  const scenario: Scenario = { name: "j", rows: [], job: {}, actions: [{ when, deletePod: {} }] };
  const sighting = new Sighting("room", "j", Date.now());
  const job = { metadata: { name: "j", namespace: "room", uid: "u", resourceVersion: "1", creationTimestamp: "" } };
  sighting.take("jobs", "ADDED", { ...job, status: { conditions } }, Date.now());
  if (isRestless) setInterval(() => (sighting.changedMs = Date.now()), 1_000);
  const client = { succeed: async () => ({}) } as unknown as ApiClient;
  const ended = play({ scenario, sighting, client }).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(10 * MINUTES);
  return ended;
}

test("a Job that has ended, and a moment that did not come before", async () => {
  const error = await endOf({ gone: 1 }, [{ type: "Complete", status: "True" }]);
  expect(error).toBeInstanceOf(Overtaken);
  expect(String(error)).toContain('the Job ended before {"gone":1}; seen last: status {"conditions":');
});

test("a Job that has ended, and pods that go on changing until the time is over", async () => {
  expect(await endOf({ gone: 1 }, [{ type: "Failed", status: "True" }], { isRestless: true })).toBeInstanceOf(
    Overtaken,
  );
});

test("a Job that goes on, and a moment that does not come", async () => {
  const error = await endOf({ gone: 1 }, []);
  expect(error).not.toBeInstanceOf(Overtaken);
  expect(String(error)).toContain('{"gone":1} did not come');
});
