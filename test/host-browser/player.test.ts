/** The player on a wall clock of the test: how far time moves per slice, and when it stops. */
import { describe, expect, test } from "vitest";
import { MAX_STEP_MS, type Playable, Player, type Wall } from "../../host-browser/player.ts";
import { VirtualClock } from "../../cluster/clock.ts";

/**
 * A world with a timer every `periodMs`; each `timersPerDecision`-th of them is a decision. Its wall moves by `costMs`
 * a timer.
 */
function setUp({
  periodMs = 10,
  timersPerDecision = 5,
  finishAfterTimers = Infinity,
  costMs = 0,
  timers = Infinity,
} = {}) {
  const clock = new VirtualClock(0);
  const wall = new VirtualClock(0);
  let wallNow = 0;
  let ran = 0;
  let began = 0;
  const tick = (): void => {
    ran++;
    wallNow += costMs;
    if (ran < timers) clock.setTimer(periodMs, tick);
  };
  clock.setTimer(periodMs, tick);
  const world: Playable = {
    begin: () => void began++,
    now: () => clock.now(),
    nextTimerAt: () => clock.nextTimerAt(),
    step: () => void clock.step(),
    advanceTo: (ms) => clock.advanceTo(ms),
    decisionCount: () => Math.floor(ran / timersPerDecision),
    isFinished: () => ran >= finishAfterTimers,
  };
  const host: Wall = {
    now: () => Math.max(wallNow, wall.now()),
    schedule: (delayMs, callback) => {
      const timer = wall.setTimer(delayMs, callback);
      return () => timer.cancel();
    },
  };
  let changes = 0;
  const player = new Player(world, host, () => void changes++);
  return { clock, wall, player, began: () => began, ran: () => ran, changes: () => changes };
}

describe("play", () => {
  test("moves simulated time at the speed asked for", () => {
    const { player, wall, clock } = setUp();
    player.play(3);
    wall.advance(4_000);
    expect(player.mode).toBe("playing");
    expect(clock.now()).toBe(12_000);
  });

  test("a change of speed goes on from where time is", () => {
    const { player, wall, clock } = setUp();
    player.play(1);
    wall.advance(1_000);
    player.play(10);
    wall.advance(1_000);
    expect(clock.now()).toBe(11_000);
  });

  test("pause stops time, play goes on", () => {
    const { player, wall, clock } = setUp();
    player.play(1);
    wall.advance(400);
    player.pause();
    wall.advance(10_000);
    expect([clock.now(), player.mode]).toEqual([400, "paused"]);
    player.play(1);
    wall.advance(400);
    expect(clock.now()).toBe(800);
  });

  test("without waiting it runs to the end, in slices that let a pause through", () => {
    const { player, wall, ran } = setUp({ finishAfterTimers: 1_000, costMs: 1 });
    player.play(Infinity);
    expect(ran()).toBeLessThan(100);
    wall.advance(0);
    expect(player.mode).toBe("finished");
    expect(ran()).toBe(1_000);
  });

  test("slows down when the simulation cannot keep up, and skips nothing", () => {
    const { player, wall, clock, ran } = setUp({ costMs: 5 });
    player.play(100);
    wall.advance(2_000);
    expect(clock.now()).toBeLessThan(200_000);
    expect(ran()).toBe(Math.floor(clock.now() / 10));
  });

  test("ends when everything is finished, and says so to its listener", () => {
    const { player, wall, changes } = setUp({ finishAfterTimers: 10 });
    player.play(1);
    wall.advance(200);
    expect(player.mode).toBe("finished");
    const before = changes();
    wall.advance(1_000);
    expect(changes()).toBe(before);
    player.pause();
    expect(player.mode).toBe("finished");
  });

  test.each([0, -1, NaN])("a speed of %d is refused", (speed) => {
    expect(() => setUp().player.play(speed)).toThrow(`play: speed is ${speed}; allowed are numbers above 0`);
  });
});

describe("step", () => {
  test("moves to the next decision and pauses there", () => {
    const { player, clock } = setUp();
    for (const expectedMs of [50, 100, 150]) {
      player.step();
      expect([player.mode, clock.now(), player.note]).toEqual(["paused", expectedMs, ""]);
    }
  });

  test("can be interrupted by pause when the decision is far away", () => {
    const { player, clock, wall } = setUp({ timersPerDecision: 1_000_000, costMs: 1 });
    player.step();
    expect(player.mode).toBe("stepping");
    player.pause();
    const now = clock.now();
    wall.advance(1_000);
    expect([player.mode, clock.now()]).toEqual(["paused", now]);
  });

  test("gives up after a week without a decision, and when nothing is left to happen", () => {
    const idle = setUp({ periodMs: 3_600_000, timersPerDecision: 1e9 });
    idle.player.step();
    idle.wall.advance(0);
    expect(idle.player.note).toBe("no decision in 7 days of simulated time");
    expect(idle.clock.now()).toBeLessThanOrEqual(MAX_STEP_MS);
    const empty = setUp({ timers: 1 });
    empty.player.step();
    expect([empty.player.mode, empty.player.note]).toEqual(["paused", "no decision in 7 days of simulated time"]);
  });

  test("finds a run that is over finished", () => {
    const { player } = setUp({ finishAfterTimers: 2, timersPerDecision: 100 });
    player.step();
    expect(player.mode).toBe("finished");
    player.step();
    expect(player.mode).toBe("finished");
  });
});
