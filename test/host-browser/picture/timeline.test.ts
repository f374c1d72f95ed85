/** The page's history: what it answers for an instant or a range, against a scan of all rows. */
import { describe, expect, test } from "vitest";
import { countBelow, countUpTo } from "../../../host-browser/columns.ts";
import { COUNTED } from "../../../host-browser/picture/counts.ts";
import { Timeline } from "../../../host-browser/picture/timeline.ts";
import { turningPointMs } from "../../../host-browser/picture/turning-point.ts";
import { JobPhase, NONE, PodState } from "../../../host-browser/records.ts";
import { indexedRun, randomOf, Sample } from "./sample.ts";

/** States of all pods, by reading all transitions up to an instant. */
function naiveStates(timeline: Timeline, atMs: number): Map<number, number> {
  const states = new Map<number, number>();
  const { pod, atMs: times, state } = timeline.transitions;
  for (let id = 0; id < pod.length; id++) if (times.at(id) <= atMs) states.set(pod.at(id), state.at(id));
  return states;
}

function naiveCounts(timeline: Timeline, atMs: number): number[] {
  const counts = Array.from({ length: COUNTED }, () => 0);
  for (const state of naiveStates(timeline, atMs).values()) if (state < COUNTED) counts[state]!++;
  return counts;
}

function countsAt(timeline: Timeline, atMs: number): number[] {
  const counts = new Int32Array(COUNTED);
  const { atMs: times } = timeline.transitions;
  timeline.counts.read(countUpTo(times.data, times.length, atMs), counts);
  return [...counts];
}

describe("Timeline", () => {
  test("state and counts at random instants are what a scan finds, however the chunks were cut", () => {
    const { sample, endMs } = indexedRun(400, 25, 7);
    const random = randomOf(3);
    const whole = sample.timeline(endMs);
    const cut = new Timeline();
    const ends = Array.from({ length: 9 }, (_, i) => Math.round(((i + 1) * endMs) / 10));
    for (const [i, chunk] of sample.chunks(...ends).entries()) cut.append(chunk, ends[i] ?? endMs);
    for (let i = 0; i < 200; i++) {
      const atMs = Math.floor(random() * (endMs + 2_000)) - 1_000;
      const states = naiveStates(whole, atMs);
      for (const timeline of [whole, cut]) {
        expect(countsAt(timeline, atMs)).toEqual(naiveCounts(whole, atMs));
        for (let pod = 0; pod < timeline.podCount; pod += 13) {
          expect(timeline.stateAt(pod, atMs)).toBe(states.get(pod));
        }
      }
    }
    expect(cut.podNames).toEqual(whole.podNames);
  });

  test("a pod's transitions are linked over chunks", () => {
    const sample = new Sample();
    const job = sample.job("a");
    const pod = sample.pod(job, 0, 0, 5, "a-0");
    sample.state(pod, 7, PodState.RUNNING, "", "node-1");
    sample.state(pod, 20, PodState.FAILED, "OOMKilled", "node-1");
    const timeline = new Timeline();
    for (const chunk of sample.chunks(6, 8)) timeline.append(chunk, 30);
    expect([...timeline.transitionsOf(pod)]).toEqual([0, 1, 2]);
    expect(timeline.stateAt(pod, 4)).toBeUndefined();
    expect(timeline.stateAt(pod, 19)).toBe(PodState.RUNNING);
    expect(timeline.untilMs(1)).toBe(20);
    expect(timeline.untilMs(2)).toBe(30);
    expect(timeline.text(timeline.transitions.detail.at(2))).toBe("OOMKilled");
    expect(timeline.text(NONE)).toBe("");
  });

  test("next and previous decision and event", () => {
    const sample = new Sample();
    const job = sample.job("a");
    for (const atMs of [10, 10, 50]) sample.decision(job, atMs, "Creating");
    sample.event(job, 30, "SuccessfulCreate");
    const timeline = sample.timeline(60);
    expect(timeline.nextDecisionMs(0)).toBe(10);
    expect(timeline.nextDecisionMs(10)).toBe(50);
    expect(timeline.nextDecisionMs(50)).toBeUndefined();
    expect(timeline.previousDecisionMs(50)).toBe(10);
    expect(timeline.previousDecisionMs(10)).toBeUndefined();
    expect(timeline.nextEventMs(0)).toBe(30);
    expect(timeline.decisionsBetween(10, 50)).toEqual([0, 2]);
  });

  test("the version of a Job at an instant", () => {
    const sample = new Sample();
    const a = sample.job("a");
    const b = sample.job("b");
    sample.version(a, 0, JobPhase.RUNNING);
    sample.version(b, 5, JobPhase.SUSPENDED);
    sample.version(a, 9, JobPhase.COMPLETE);
    const timeline = sample.timeline(10);
    expect(timeline.versionAt(a, 8)).toBe(0);
    expect(timeline.versionAt(a, 9)).toBe(2);
    expect(timeline.versionAt(b, 4)).toBe(NONE);
  });

  test("stretches without any record are known, over all tables and chunks", () => {
    const sample = new Sample();
    const job = sample.job("a");
    const pod = sample.pod(job, 0, 0, 100, "a-0");
    sample.decision(job, 3_000, "Creating");
    sample.state(pod, 60_000, PodState.RUNNING);
    sample.event(job, 90_000, "Completed");
    const timeline = new Timeline();
    for (const chunk of sample.chunks(70_000)) timeline.append(chunk, 90_000);
    expect(timeline.idle.stretches).toEqual([
      { fromMs: 100, untilMs: 3_000 },
      { fromMs: 3_000, untilMs: 60_000 },
      { fromMs: 60_000, untilMs: 90_000 },
    ]);
  });
});

describe("the turning point", () => {
  test("is within the first back-off, else the first failure, else what people did, else the end", () => {
    const sample = new Sample();
    const job = sample.job("a");
    const pod = sample.pod(job, NONE, 0, 0, "a-x");
    expect(turningPointMs(sample.timeline(9_000))).toBe(9_000);
    sample.version(job, 8_000, JobPhase.COMPLETE);
    expect(turningPointMs(sample.timeline(9_000))).toBe(8_000);
    sample.flag({ atMs: 4_000, kind: "drain", label: "drain node-1" });
    expect(turningPointMs(sample.timeline(9_000))).toBe(4_000);
    sample.state(pod, 5_000, PodState.FAILED, "exit code 1");
    expect(turningPointMs(sample.timeline(9_000))).toBe(5_000);
    sample.gap(job, NONE, 5_000, 15_000);
    expect(turningPointMs(sample.timeline(20_000))).toBe(9_000);
    expect(turningPointMs(sample.timeline(6_000))).toBe(5_400);
  });
});

describe("binary search", () => {
  test("agrees with a count", () => {
    const random = randomOf(1);
    for (let i = 0; i < 500; i++) {
      const numbers = Array.from({ length: Math.floor(random() * 20) }, () => Math.floor(random() * 10)).sort();
      const value = Math.floor(random() * 12) - 1;
      expect(countUpTo(numbers, numbers.length, value)).toBe(numbers.filter((n) => n <= value).length);
      expect(countBelow(numbers, numbers.length, value)).toBe(numbers.filter((n) => n < value).length);
    }
  });
});
