/** The real clock: order, no early firing, long delays, cancellation, and deferral that leaves room for I/O. */
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MAX_DEFERRED_PER_TURN, RealClock } from "../../host-node/clock.ts";

const clocks: RealClock[] = [];
function newClock(): RealClock {
  const clock = new RealClock();
  clocks.push(clock);
  return clock;
}

afterEach(() => {
  for (const clock of clocks.splice(0)) clock.stop();
  vi.useRealTimers();
});

describe("setTimer", () => {
  it("fires in order of due time, then of registration, never early", async () => {
    const clock = newClock();
    const fired: string[] = [];
    const startMs = clock.now();
    await new Promise<void>((resolve) => {
      clock.setTimer(30, () => (fired.push("30"), expect(clock.now()).toBeGreaterThanOrEqual(startMs + 30), resolve()));
      clock.setTimer(10, () => fired.push("10 first"));
      clock.setTimer(10, () => fired.push("10 second"));
      clock.setTimer(0, () => fired.push("0"));
      expect(fired).toEqual([]);
    });
    expect(fired).toEqual(["0", "10 first", "10 second", "30"]);
  });

  it("does not fire what was cancelled, and cancelling twice is harmless", async () => {
    const clock = newClock();
    const fired: number[] = [];
    const timers = Array.from({ length: 3000 }, (_, i) => clock.setTimer(1, () => fired.push(i)));
    for (const timer of timers.slice(1)) {
      timer.cancel();
      timer.cancel();
    }
    await new Promise<void>((resolve) => clock.setTimer(5, resolve));
    expect(fired).toEqual([0]);
  });

  it("waits for delays beyond what setTimeout can hold", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
    const clock = newClock();
    const fortyDaysMs = 40 * 86_400_000;
    let fired = false;
    clock.setTimer(fortyDaysMs, () => (fired = true));
    vi.advanceTimersByTime(fortyDaysMs - 10);
    expect(fired).toBe(false);
    vi.advanceTimersByTime(20);
    expect(fired).toBe(true);
  });

  it("refuses a delay that is no delay", () => {
    expect(() => newClock().setTimer(-1, () => {})).toThrow(/delayMs is -1; allowed are 0 and more/);
    expect(() => newClock().setTimer(Number.NaN, () => {})).toThrow(RangeError);
  });
});

describe("defer", () => {
  it("runs after the present call, in order, with what is deferred meanwhile", async () => {
    const clock = newClock();
    const ran: string[] = [];
    clock.defer(() => {
      ran.push("a");
      clock.defer(() => ran.push("c"));
    });
    clock.defer(() => ran.push("b"));
    expect(ran).toEqual([]);
    await turn();
    await turn();
    expect(ran).toEqual(["a", "b", "c"]);
  });

  it("lets I/O have its turn in an endless chain", async () => {
    const clock = newClock();
    let count = 0;
    const again = (): void => {
      count++;
      clock.defer(again);
    };
    again();
    await turn();
    await turn();
    expect(count).toBeGreaterThan(1);
    expect(count).toBeLessThanOrEqual(3 * MAX_DEFERRED_PER_TURN);
  });
});
