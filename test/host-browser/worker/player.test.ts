/** The player on a wall clock of the test: how far time moves per slice, and where it stops. */
import { describe, expect, test } from "vitest";
import {
  CALLBACKS_A_LOOK,
  MAX_STEP_MS,
  type Playable,
  Player,
  type Wall,
} from "../../../host-browser/worker/player.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";

/**
 * A world in which `callbacks` things happen every `periodMs`; each `perDecision`-th is a decision. Its wall moves by
 * `costMs` with each.
 */
function setUp({
  periodMs = 10,
  callbacks = 1,
  perDecision = 5,
  finishAfter = Infinity,
  costMs = 0,
  timers = Infinity,
  pauseMs = 0,
} = {}) {
  const clock = new VirtualClock(0);
  const wall = new VirtualClock(0);
  let wallNow = 0;
  let ran = 0;
  let looks = 0;
  const happen = (): void => {
    ran++;
    wallNow += costMs;
  };
  const tick = (): void => {
    happen();
    for (let i = 1; i < callbacks; i++) clock.defer(happen);
    if (ran < timers) clock.setTimer(periodMs, tick);
  };
  clock.setTimer(periodMs, tick);
  const world: Playable = {
    now: () => clock.now(),
    nextAt: () => (clock.hasDeferred() ? clock.now() : clock.nextTimerAt()),
    runNext: () => void clock.runNext(),
    advanceTo: (ms) => clock.advanceTo(ms),
    decisionCount: () => Math.floor(ran / perDecision),
    isFinished: () => ran >= finishAfter,
    endNote: () => "it is over",
  };
  const host: Wall = {
    now: () => (looks++, Math.max(wallNow, wall.now())),
    schedule: (delayMs, callback) => {
      const timer = wall.setTimer(delayMs, callback);
      return () => timer.cancel();
    },
  };
  let changes = 0;
  const player = new Player(world, host, () => (changes++, pauseMs));
  return { clock, wall, player, ran: () => ran, looks: () => looks, changes: () => changes };
}

describe("load", () => {
  test("runs without waiting to the instant, and pauses there", () => {
    const { player, clock, wall } = setUp();
    player.load(1_005);
    wall.advance(0);
    expect([player.mode, clock.now()]).toEqual(["paused", 1_005]);
  });

  test("to its end says that it is finished, and why", () => {
    const { player, wall } = setUp({ finishAfter: 50 });
    player.load(Infinity);
    wall.advance(0);
    expect([player.mode, player.note]).toEqual(["finished", "it is over"]);
  });

  test("goes in slices, between which others get their turn", () => {
    const { player, wall, ran } = setUp({ costMs: 1, finishAfter: 10_000 });
    player.load(Infinity);
    expect(player.mode).toBe("loading");
    expect(ran()).toBeLessThan(50);
    wall.advance(0);
    expect(ran()).toBe(10_000);
  });

  test("waits between slices as long as its listener asks for", () => {
    const { player, wall, ran } = setUp({ costMs: 1, finishAfter: 10_000, pauseMs: 30 });
    player.load(Infinity);
    const first = ran();
    wall.advance(29);
    expect(ran()).toBe(first);
    wall.advance(1);
    expect(ran()).toBeGreaterThan(first);
  });

  test("reads the wall clock once in some callbacks", () => {
    const { player, looks } = setUp({ finishAfter: 800 });
    player.load(Infinity);
    expect(player.mode).toBe("finished");
    expect(looks()).toBe(1 + 800 / CALLBACKS_A_LOOK);
  });

  test("that was stopped does nothing more", () => {
    const { player, wall, ran } = setUp({ costMs: 1 });
    player.load(Infinity);
    const before = ran();
    player.stop();
    wall.advance(10_000);
    expect(ran()).toBe(before);
  });
});

describe("play", () => {
  test("moves simulated time at the speed asked for", () => {
    const { player, wall, clock } = setUp();
    player.play(3);
    wall.advance(4_800);
    expect([player.mode, clock.now()]).toEqual(["playing", 14_400]);
  });

  test("a change of speed continues from where time is", () => {
    const { player, wall, clock } = setUp();
    player.play(1);
    wall.advance(960);
    player.play(10);
    wall.advance(960);
    expect(clock.now()).toBe(10_560);
  });

  test("pause stops time, play continues", () => {
    const { player, wall, clock } = setUp();
    player.play(1);
    wall.advance(480);
    player.pause();
    wall.advance(10_000);
    expect([clock.now(), player.mode]).toEqual([480, "paused"]);
    player.play(1);
    wall.advance(480);
    expect(clock.now()).toBe(960);
  });

  test("pause finishes what has begun at its instant, in slices", () => {
    const { player, wall, clock, ran } = setUp({ callbacks: 1_000, costMs: 1 });
    player.play(Infinity);
    player.pause();
    expect([player.mode, clock.now()]).toEqual(["playing", 10]);
    expect(ran()).toBeLessThan(100);
    wall.advance(0);
    expect([player.mode, clock.now(), ran()]).toEqual(["paused", 10, 1_000]);
  });

  test("without waiting it runs to the end", () => {
    const { player, wall, ran } = setUp({ finishAfter: 1_000, costMs: 1 });
    player.play(Infinity);
    expect(ran()).toBeLessThan(100);
    wall.advance(0);
    expect([player.mode, ran()]).toEqual(["finished", 1_000]);
  });

  test("slows down when the simulation cannot keep up, and skips nothing", () => {
    const { player, wall, clock, ran } = setUp({ costMs: 5 });
    player.play(100);
    wall.advance(2_000);
    expect(clock.now()).toBeLessThan(200_000);
    expect(clock.now()).toBeGreaterThan(1_000);
    expect(ran()).toBe(Math.floor(clock.now() / 10));
  });

  test("ends when everything is finished, and says so to its listener", () => {
    const { player, wall, changes } = setUp({ finishAfter: 10 });
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

  test("goes to the end of the decision's instant", () => {
    const { player, clock, ran } = setUp({ callbacks: 7 });
    player.step();
    expect([player.mode, clock.now(), ran()]).toEqual(["paused", 10, 7]);
  });

  test("can be interrupted by pause when the decision is far away", () => {
    const { player, clock, wall } = setUp({ perDecision: 1_000_000, costMs: 1 });
    player.step();
    expect(player.mode).toBe("stepping");
    player.pause();
    const now = clock.now();
    wall.advance(1_000);
    expect([player.mode, clock.now()]).toEqual(["paused", now]);
  });

  test("gives up after a week without a decision, and when nothing is left to happen", () => {
    const idle = setUp({ periodMs: 3_600_000, perDecision: 1e9 });
    idle.player.step();
    idle.wall.advance(0);
    expect(idle.player.note).toBe("no decision in 7 days of simulated time");
    expect(idle.clock.now()).toBeLessThanOrEqual(MAX_STEP_MS);
    const empty = setUp({ timers: 1 });
    empty.player.step();
    expect([empty.player.mode, empty.player.note]).toEqual(["paused", "no decision in 7 days of simulated time"]);
  });

  test("finds a run that is over finished", () => {
    const { player } = setUp({ finishAfter: 2, perDecision: 100 });
    player.step();
    expect(player.mode).toBe("finished");
    player.step();
    expect(player.mode).toBe("finished");
  });
});
