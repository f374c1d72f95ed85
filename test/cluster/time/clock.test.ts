/** The virtual clock: order of callbacks, movement of time, and the limit that ends a livelock. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, test } from "vitest";
import fc from "fast-check";
import type { Timer } from "../../../bindings/js/host.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";

const START_MS = 1_700_000_000_000;

describe("VirtualClock", () => {
  test("fires timers by due time, and those of one instant in the order in which they were set", () => {
    const clock = new VirtualClock(START_MS);
    const fired: string[] = [];
    clock.setTimer(20, () => fired.push(`c@${clock.now() - START_MS}`));
    clock.setTimer(10, () => fired.push(`a@${clock.now() - START_MS}`));
    clock.setTimer(10, () => fired.push(`b@${clock.now() - START_MS}`));
    clock.advance(19);
    expect(fired).toEqual(["a@10", "b@10"]);
    expect(clock.now()).toBe(START_MS + 19);
    expect(clock.nextTimerAt()).toBe(START_MS + 20);
    clock.advance(1);
    expect(fired).toEqual(["a@10", "b@10", "c@20"]);
    expect(clock.nextTimerAt()).toBe(Infinity);
  });

  test("runs all deferred callbacks of an instant, first in first out, before the next timer", () => {
    const clock = new VirtualClock(START_MS);
    const ran: string[] = [];
    clock.setTimer(0, () => {
      ran.push("timer 1");
      clock.defer(() => ran.push("deferred by timer 1"));
    });
    clock.setTimer(0, () => ran.push("timer 2"));
    clock.defer(() => {
      ran.push("first");
      clock.defer(() => ran.push("third"));
    });
    clock.defer(() => ran.push("second"));
    expect(ran).toEqual([]);
    clock.advance(0);
    expect(ran).toEqual(["first", "second", "third", "timer 1", "deferred by timer 1", "timer 2"]);
  });

  test("keeps nothing of a callback that has run, while others of the instant wait", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const clock = new VirtualClock(START_MS);
    const defer = (body: object): WeakRef<object> => {
      clock.defer(() => void body);
      return new WeakRef(body);
    };
    const first = defer({});
    const second = defer({});
    clock.runNext();
    // A WeakRef keeps its target to the end of the task.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect([first.deref(), second.deref()]).toEqual([undefined, {}]);
  });

  test("has work while something is deferred, or a timer is set that is neither housekeeping nor a heartbeat", () => {
    const clock = new VirtualClock(START_MS);
    const told: boolean[] = [];
    const tell = (): void => void told.push(clock.hasWork());
    const repeat = (): void => void clock.setTimer(10, repeat, "housekeeping");
    repeat();
    clock.setTimer(99, () => {}, "heartbeat");
    tell();
    const cancelled = clock.setTimer(50, () => {});
    clock.setTimer(15, () => clock.defer(() => {}));
    tell();
    cancelled.cancel();
    cancelled.cancel();
    tell();
    clock.runNext();
    tell();
    clock.runNext();
    tell();
    clock.runNext();
    tell();
    expect(told).toEqual([false, true, true, true, true, false]);
    expect(clock.nextTimerAt()).toBe(START_MS + 20);
  });

  test("runs one callback at a time when asked, the deferred ones of an instant first", () => {
    const clock = new VirtualClock(START_MS);
    const ran: string[] = [];
    clock.setTimer(5, () => {
      ran.push("timer");
      clock.defer(() => ran.push("deferred by the timer"));
    });
    clock.setTimer(5, () => ran.push("second timer"));
    clock.setTimer(1, () => ran.push("cancelled")).cancel();
    clock.defer(() => ran.push("deferred"));
    const told = Array.from({ length: 5 }, () => [clock.runNext(), ran.at(-1), clock.now() - START_MS]);
    expect(told).toEqual([
      [true, "deferred", 0],
      [true, "timer", 5],
      [true, "deferred by the timer", 5],
      [true, "second timer", 5],
      [false, "second timer", 5],
    ]);
  });

  test("a timer set by a timer fires in the same advance when it is due", () => {
    const clock = new VirtualClock(START_MS);
    const fired: number[] = [];
    const tick = (): void => {
      fired.push(clock.now() - START_MS);
      clock.setTimer(10, tick);
    };
    clock.setTimer(10, tick);
    clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
  });

  test("a cancelled timer does not fire, also when it is due at the instant that cancels it", () => {
    const clock = new VirtualClock(START_MS);
    const fired: string[] = [];
    clock.setTimer(5, () => second.cancel());
    const second = clock.setTimer(5, () => fired.push("second"));
    clock.setTimer(1, () => fired.push("first")).cancel();
    expect(clock.nextTimerAt()).toBe(START_MS + 5);
    clock.advance(100);
    expect(fired).toEqual([]);
    second.cancel();
    expect(clock.nextTimerAt()).toBe(Infinity);
  });

  test("step moves to the next timer and fires that one alone", () => {
    const clock = new VirtualClock(START_MS);
    const fired: string[] = [];
    clock.setTimer(7, () => fired.push("a"));
    clock.setTimer(7, () => fired.push("b"));
    expect(clock.step()).toBe(true);
    expect(fired).toEqual(["a"]);
    expect(clock.now()).toBe(START_MS + 7);
    expect(clock.step()).toBe(true);
    expect(clock.step()).toBe(false);
    expect(fired).toEqual(["a", "b"]);
  });
});

describe("VirtualClock, of timers that fire at once or never", () => {
  test("a fraction of a millisecond is rounded up, so that a timer is never early", () => {
    const clock = new VirtualClock(START_MS);
    clock.setTimer(1.2, () => {});
    expect(clock.nextTimerAt()).toBe(START_MS + 2);
  });

  test("a callback that defers itself for ever is an error that says so", () => {
    const clock = new VirtualClock(START_MS, { maxCallbacksAtOneInstant: 100 });
    const again = (): void => clock.defer(again);
    clock.defer(again);
    expect(() => clock.advance(1)).toThrow(
      /livelock: more than 100 callbacks ran at the instant 2023-11-14T22:13:20.000Z/,
    );
  });

  test("timers that re-arm themselves with delay 0 are a livelock too", () => {
    const clock = new VirtualClock(START_MS, { maxCallbacksAtOneInstant: 100 });
    const again = (): void => void clock.setTimer(0, again);
    again();
    expect(() => clock.advance(1)).toThrow(/livelock/);
  });
});

describe("heartbeats of a VirtualClock", () => {
  const SECOND_MS = 1000;
  const MINUTE_MS = 60 * SECOND_MS;
  const HOUR_MS = 60 * MINUTE_MS;
  let clock: VirtualClock;
  let beats: number[];
  beforeEach(() => {
    clock = new VirtualClock(START_MS);
    beats = [];
    const beat = (): void => {
      beats.push((clock.now() - START_MS) / SECOND_MS);
      clock.defer(() => clock.setTimer(20 * SECOND_MS, beat, "heartbeat"));
    };
    clock.setTimer(7 * SECOND_MS, beat, "heartbeat");
  });
  const beatsFrom = (second: number): number[] => beats.filter((beat) => beat >= second);

  test("are left out where there is nothing else, but for the first two minutes and the last one or two", () => {
    clock.advance(HOUR_MS);
    expect(beats).toEqual([7, 27, 47, 67, 87, 107, 127, 3507, 3527, 3547, 3567, 3587]);
    expect(clock.leftOutMs()).toBe(56 * MINUTE_MS);
    expect(clock.now()).toBe(START_MS + HOUR_MS);
  });

  test("come as usual before and after a timer of work, and before housekeeping", () => {
    clock.setTimer(HOUR_MS, () => {});
    clock.setTimer(2 * HOUR_MS, () => {}, "housekeeping");
    clock.advance(3 * HOUR_MS);
    expect(beats.filter((beat) => beat >= 3540 && beat < 7000)).toEqual([
      ...[3547, 3567, 3587, 3607, 3627, 3647, 3667, 3687, 3707, 3727],
    ]);
    expect(beatsFrom(7000)).toEqual([...[7107, 7127, 7147, 7167, 7187, 10687, 10707, 10727, 10747, 10767, 10787]]);
  });

  test("are played while work is done or set, or something comes from outside", () => {
    const busy = (): void => void clock.setTimer(MINUTE_MS, busy);
    busy();
    clock.advance(10 * MINUTE_MS);
    expect(beats).toHaveLength(30);
    expect(clock.leftOutMs()).toBe(0);
  });

  test.each<[string, (timer: Timer) => void]>([
    ["a timer that is set", () => clock.setTimer(9 * HOUR_MS, () => {}, "heartbeat")],
    ["a timer that is cancelled", (timer) => timer.cancel()],
    ["a deferred call", () => clock.defer(() => {})],
  ])("are played for two minutes after %s from outside", (_what, disturb) => {
    const timer = clock.setTimer(9 * HOUR_MS, () => {}, "heartbeat");
    clock.advance(HOUR_MS);
    disturb(timer);
    clock.advance(HOUR_MS);
    expect(beats.filter((beat) => beat >= 3600 && beat < 7000)).toEqual([3607, 3627, 3647, 3667, 3687, 3707, 3727]);
  });

  test("are never due later than the work that comes, and cost no time that is asked for", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20_000_000 }), { maxLength: 8 }), (delays) => {
        const own = new VirtualClock(START_MS);
        const seen: number[] = [];
        let lastBeat = START_MS;
        const beat = (): void => {
          lastBeat = own.now();
          own.setTimer(5 * SECOND_MS, beat, "heartbeat");
        };
        beat();
        for (const delay of delays)
          own.setTimer(delay, () => {
            expect(own.now() - lastBeat).toBeLessThanOrEqual(5 * SECOND_MS);
            seen.push(own.now() - START_MS);
          });
        own.advance(20_000_000);
        expect(seen).toEqual(delays.toSorted((a, b) => a - b));
        expect(own.now() - lastBeat).toBeLessThanOrEqual(5 * SECOND_MS);
      }),
    );
  });

  test("are not left out by a step, and not where nothing else will ever happen", () => {
    clock.advance(HOUR_MS);
    const left = clock.leftOutMs();
    for (let i = 0; i < 100; i++) clock.step();
    clock.leaveOutHeartbeats(Infinity);
    expect(clock.leftOutMs()).toBe(left);
  });
});

describe("VirtualClock on any input", () => {
  test("refuses times that are none", () => {
    const clock = new VirtualClock(START_MS);
    expect(() => clock.setTimer(-1, () => {})).toThrow(/delayMs is -1; allowed are 0 and more/);
    expect(() => clock.setTimer(NaN, () => {})).toThrow(/delayMs is NaN/);
    expect(() => clock.advanceTo(START_MS - 1)).toThrow(/lies before the current time/);
    expect(() => clock.advance(0.5)).toThrow(/allowed are whole milliseconds/);
    expect(() => new VirtualClock(-1)).toThrow(/startMs/);
  });

  test("agrees with a sorted list on random timers and cancellations", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(50), fc.boolean()), { maxLength: 3000 }), (timers) => {
        const clock = new VirtualClock(START_MS);
        const fired: number[] = [];
        const handles = timers.map(([delayMs], index) => clock.setTimer(delayMs, () => fired.push(index)));
        handles.forEach((handle, index) => timers[index]![1] && handle.cancel());
        clock.advance(50);
        const expected = timers
          .map(([delayMs, cancelled], index) => ({ delayMs, cancelled, index }))
          .filter((timer) => !timer.cancelled)
          .sort((a, b) => a.delayMs - b.delayMs || a.index - b.index)
          .map((timer) => timer.index);
        expect(fired).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});
