/** The playhead: anywhere in the past, or live; playing from the past continues live where the record ends. */
import { beforeEach, describe, expect, test } from "vitest";
import { Playhead } from "../../../host-browser/app/playhead.ts";
import type { Mode } from "../../../host-browser/messages.ts";

const decisions = [100, 400, 900];
const events = [150, 600];
let asked: string[];
let track: { nowMs: number; mode: Mode };
let playhead: Playhead;

beforeEach(() => {
  asked = [];
  track = { nowMs: 1000, mode: "finished" };
  playhead = new Playhead({
    get nowMs() {
      return track.nowMs;
    },
    get mode() {
      return track.mode;
    },
    nextDecisionMs: (afterMs) => decisions.find((ms) => ms > afterMs),
    previousDecisionMs: (beforeMs) => decisions.findLast((ms) => ms < beforeMs),
    nextEventMs: (afterMs) => events.find((ms) => ms > afterMs),
    play: (speed) => asked.push(`play ${speed}`),
    pause: () => asked.push("pause"),
    step: () => asked.push("step"),
    moved: () => {},
  });
  playhead.follow();
});

/** Where it is, whether it is live, whether it plays. */
const state = () => [playhead.atMs.value, playhead.isLive.value, playhead.isPlaying.value];

describe("the playhead", () => {
  test("stays on the newest instant while it is live, and elsewhere where it was put", () => {
    expect(state()).toEqual([1000, true, false]);
    track.nowMs = 1500;
    playhead.follow();
    expect(state()).toEqual([1500, true, false]);
    playhead.seek(300);
    track.nowMs = 2000;
    playhead.follow();
    expect(state()).toEqual([300, false, false]);
  });

  test("never leaves the recorded history", () => {
    playhead.seek(-5);
    expect(playhead.atMs.value).toBe(0);
    playhead.seek(9999);
    expect(playhead.atMs.value).toBe(1000);
    playhead.seek(800);
    track.nowMs = 500;
    playhead.follow();
    expect(playhead.atMs.value).toBe(500);
  });

  test("goes from decision to decision, and to the next event", () => {
    const visited = [
      () => playhead.toStart(),
      () => playhead.toNextDecision(),
      () => playhead.toNextDecision(),
      () => playhead.toPreviousDecision(),
      () => playhead.toPreviousDecision(),
      () => playhead.toNextEvent(),
    ].map((go) => {
      go();
      return playhead.atMs.value;
    });
    expect(visited).toEqual([0, 100, 400, 100, 0, 150]);
    playhead.toEnd();
    playhead.toNextDecision();
    expect(state()).toEqual([1000, true, false]);
    expect(asked).toEqual([]);
  });

  test("asks the Worker for a decision when none is recorded any more", () => {
    track.mode = "paused";
    playhead.seek(950);
    playhead.toNextDecision();
    expect(asked).toEqual(["step"]);
    expect(playhead.isLive.value).toBe(true);
  });
});

describe("an instant ahead of the run", () => {
  const arrive = (nowMs: number, mode: Mode): void => {
    track = { nowMs, mode };
    playhead.follow();
  };

  test("is reached when the run that is being made gets there, and the run goes on", () => {
    track.mode = "loading";
    playhead.seekAhead(5000);
    expect([...state(), playhead.aheadMs.value]).toEqual([1000, false, false, 5000]);
    arrive(2000, "loading");
    expect([...state(), playhead.aheadMs.value]).toEqual([2000, false, false, 5000]);
    arrive(6000, "loading");
    expect([...state(), playhead.aheadMs.value]).toEqual([5000, false, false, undefined]);
    arrive(9000, "finished");
    expect(state()).toEqual([5000, false, false]);
    expect(asked).toEqual([]);
  });

  test("lets a run that waits continue, and pauses it there", () => {
    track.mode = "paused";
    playhead.seekAhead(5000);
    arrive(4000, "playing");
    expect(asked).toEqual(["play Infinity"]);
    arrive(5500, "playing");
    expect(playhead.atMs.value).toBe(5000);
    expect(asked).toEqual(["play Infinity", "pause"]);
  });

  test("is given up for another one, and at the end of a run that never gets there", () => {
    track.mode = "loading";
    playhead.seekAhead(5000);
    playhead.seek(300);
    arrive(6000, "loading");
    expect([...state(), playhead.aheadMs.value]).toEqual([300, false, false, undefined]);
    playhead.seekAhead(8000);
    arrive(7000, "finished");
    expect([...state(), playhead.aheadMs.value]).toEqual([7000, false, false, undefined]);
    playhead.seekAhead(9000);
    expect([...state(), playhead.aheadMs.value]).toEqual([7000, false, false, undefined]);
  });

  test("that the run has reached is one like others", () => {
    track.mode = "loading";
    playhead.seekAhead(700);
    expect([...state(), playhead.aheadMs.value]).toEqual([700, false, false, undefined]);
  });
});

describe("playing", () => {
  test("from the past moves over the record at the speed, without the Worker", () => {
    playhead.seek(100);
    playhead.setSpeed(10);
    playhead.play();
    playhead.tick(20);
    expect(state()).toEqual([300, false, true]);
    expect(asked).toEqual([]);
  });

  test("stops at the end of a finished run, and begins again from there", () => {
    playhead.seek(900);
    playhead.play();
    playhead.tick(50);
    expect(state()).toEqual([1000, true, false]);
    playhead.play();
    expect(state()).toEqual([0, false, true]);
  });

  test("continues live where the record ends, until the run has finished", () => {
    track.mode = "paused";
    playhead.seek(900);
    playhead.setSpeed(2);
    playhead.play();
    playhead.tick(60);
    expect(asked).toEqual(["play 2"]);
    expect(state()).toEqual([1000, true, true]);
    track = { nowMs: 1200, mode: "playing" };
    playhead.follow();
    playhead.tick(60);
    expect(state()).toEqual([1200, true, true]);
    playhead.setSpeed(60);
    expect(asked).toEqual(["play 2", "play 60"]);
    track = { nowMs: 1300, mode: "finished" };
    playhead.follow();
    expect(state()).toEqual([1300, true, false]);
  });

  test("stops when the playhead is put somewhere", () => {
    track.mode = "paused";
    playhead.play();
    track.mode = "playing";
    playhead.seek(200);
    expect(state()).toEqual([200, false, false]);
    expect(asked).toEqual(["play 10", "pause"]);
  });

  test("without waiting is at the end at once", () => {
    playhead.seek(10);
    playhead.setSpeed(Infinity);
    playhead.play();
    // The first frame after a pause says that no time has passed.
    playhead.tick(0);
    expect(state()).toEqual([1000, true, false]);
  });

  test("changes its speed along the list", () => {
    playhead.changeSpeed(1);
    expect(playhead.speed.value).toBe(60);
    for (let i = 0; i < 9; i++) playhead.changeSpeed(1);
    expect(playhead.speed.value).toBe(Infinity);
    for (let i = 0; i < 9; i++) playhead.changeSpeed(-1);
    expect(playhead.speed.value).toBe(1);
  });
});
