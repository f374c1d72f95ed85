/** What waits for the first picture is called once, whatever becomes of the run. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LONG_RUN_MS, whenFirstRunIsKnown } from "../../../host-browser/app/first-run.ts";
import { Session } from "../../../host-browser/app/session.ts";
import { progress, SCENARIO } from "./chunks.ts";

let session: Session;
let times: number;

beforeEach(() => {
  vi.useFakeTimers();
  session = new Session(() => undefined);
  times = 0;
  whenFirstRunIsKnown(session, () => times++);
  session.load(SCENARIO);
});

afterEach(() => vi.useRealTimers());

test.each(["is shown", "is refused", "fails"])("the first run that %s is known once", (how) => {
  expect(times).toBe(0);
  if (how === "is refused") session.handle({ kind: "refused", run: 1, problems: [] });
  else if (how === "fails") session.handle({ kind: "fatal", run: 1, message: "unreachable" });
  session.load({ ...SCENARIO, seed: 2 });
  for (const nowMs of [10, 20, 30]) session.handle(progress(2, nowMs));
  expect(times).toBe(1);
  vi.runAllTimers();
  expect(times).toBe(1);
});

test("a run is waited for while it is made, and a long one not to its end", () => {
  session.handle(progress(1, 10, { mode: "loading" }));
  vi.advanceTimersByTime(LONG_RUN_MS - 1);
  session.handle(progress(1, 20, { mode: "loading" }));
  expect(times).toBe(0);
  vi.advanceTimersByTime(1);
  expect(times).toBe(1);
});

test("a run that ends at once is not waited for", () => {
  session.handle(progress(1, 10, { mode: "loading" }));
  expect(times).toBe(0);
  session.handle(progress(1, 20, { mode: "finished" }));
  expect(times).toBe(1);
});
