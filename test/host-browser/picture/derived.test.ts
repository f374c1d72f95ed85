/** What is computed piece by piece as chunks come, against naive twins that read everything at once. */
import { describe, expect, test } from "vitest";
import { Band } from "../../../host-browser/picture/band.ts";
import { Bins } from "../../../host-browser/picture/bins.ts";
import { unpack } from "../../../host-browser/picture/cells.ts";
import { COUNTED } from "../../../host-browser/picture/counts.ts";
import { Derived } from "../../../host-browser/picture/derived.ts";
import { gapEndMs } from "../../../host-browser/picture/gaps.ts";
import { paletteOf, pixelOf } from "../../../host-browser/picture/palette.ts";
import { endOf } from "../../../host-browser/picture/pod-ends.ts";
import { ThinRows } from "../../../host-browser/picture/thin-rows.ts";
import { foldsIn, TimeScale } from "../../../host-browser/picture/time-scale.ts";
import { Timeline } from "../../../host-browser/picture/timeline.ts";
import { JobPhase, NONE, PodState } from "../../../host-browser/records.ts";
import { indexedRun, randomOf, Sample } from "./sample.ts";

const PLACE = { fromX: 50, untilX: 650 };

describe("rows", () => {
  test("of indexes: one each, those of spec.completions that have no pod yet too", () => {
    const sample = new Sample();
    const job = sample.job("a");
    sample.version(job, 0, JobPhase.RUNNING, { completions: 5 });
    sample.pod(job, 1, 0, 10, "a-1-x");
    sample.pod(job, 1, 1, 20, "a-1-y");
    const { rows } = new Derived(sample.timeline(30));
    const track = rows.trackOf(job)!;
    expect(track).toMatchObject({ size: 5, isIndexed: true });
    expect([...rows.podsOf(track, 1)]).toEqual([1, 0]);
    expect([...rows.podsOf(track, 4)]).toEqual([]);
    expect(rows.nameOf(track, 4)).toBe("4");
  });

  test("of pods without indexes: one each, whatever spec.completions says", () => {
    const sample = new Sample();
    const job = sample.job("a");
    sample.version(job, 0, JobPhase.RUNNING, { completions: 5 });
    sample.pod(job, NONE, 0, 10, "a-x");
    sample.pod(job, NONE, 1, 20, "a-y");
    const { rows } = new Derived(sample.timeline(30));
    expect(rows.trackOf(job)).toMatchObject({ size: 2, isIndexed: false });
    expect(rows.nameOf(rows.trackOf(job)!, 1)).toBe("a-y");
  });
});

describe("gaps", () => {
  test("of a whole Job are drawn before the pods that they held back", () => {
    const sample = new Sample();
    const job = sample.job("a");
    const early = sample.pod(job, NONE, 0, 10, "a-x");
    sample.gap(job, NONE, 5_000, 15_000);
    const held = sample.pod(job, NONE, 1, 15_000, "a-y");
    const late = sample.pod(job, NONE, 2, 40_000, "a-z");
    const { gaps } = new Derived(sample.timeline(50_000));
    expect([early, held, late].map((pod) => gaps.before(pod))).toEqual([NONE, 0, NONE]);
  });
});

describe("a back-off is over", () => {
  test("when its time is, when another begins, or when its Job ends", () => {
    const sample = new Sample();
    const [a, b] = [sample.job("a"), sample.job("b")];
    for (const job of [a, b]) {
      sample.version(job, 0, JobPhase.RUNNING);
      sample.gap(job, NONE, 5_000, 15_000);
      sample.gap(job, NONE, 12_000, 32_000);
      sample.gap(job, NONE, 33_000, 73_000);
    }
    sample.version(a, 40_000, JobPhase.FAILED);
    const timeline = sample.timeline(80_000);
    const { gaps } = new Derived(timeline);
    const endsOf = (job: number): number[] => gaps.of(job, NONE).map((_, i, ids) => gapEndMs(timeline, ids, i));
    expect(endsOf(a)).toEqual([12_000, 32_000, 40_000]);
    expect(endsOf(b)).toEqual([12_000, 32_000, 73_000]);
  });
});

describe("cells", () => {
  test("at random instants, forwards and backwards, are what a scan finds", () => {
    const { sample, endMs } = indexedRun(300, 30, 9);
    const timeline = new Timeline();
    const ends = [endMs / 3, endMs / 2];
    const chunks = sample.chunks(...ends);
    timeline.append(chunks[0]!, ends[0]!);
    const derived = new Derived(timeline);
    const random = randomOf(2);
    const check = (atMs: number) => {
      derived.cells.seek(atMs);
      const track = derived.rows.tracks[0]!;
      for (let row = 0; row < track.size; row++) {
        const pods = [...derived.rows.podsOf(track, row)].filter((pod) => timeline.pods.createdMs.at(pod) <= atMs);
        const value = unpack(derived.cells.valueOf(track, row));
        if (pods.length === 0) {
          expect(value).toBeUndefined();
          continue;
        }
        const last = timeline.stateAt(pods[0]!, atMs);
        const hasFailed = pods.some((pod) => timeline.stateAt(pod, atMs) === PodState.FAILED);
        expect(value).toEqual({ last, worst: hasFailed ? PodState.FAILED : last, attempts: pods.length, end: last });
      }
    };
    for (let i = 0; i < 10; i++) check(Math.floor(random() * ends[0]!));
    timeline.append(chunks[1]!, ends[1]!);
    timeline.append(chunks[2]!, endMs);
    derived.update();
    for (let i = 0; i < 20; i++) check(Math.floor(random() * endMs));
    check(endMs);
    check(-1);
  });
});

describe("a pod that is deleted while it runs", () => {
  test("has not failed, though it does in the instant in which it goes", () => {
    const sample = new Sample();
    const job = sample.job("a");
    const pod = sample.pod(job, 0, 0, 0, "a-0");
    sample.state(pod, 1_000, PodState.READY);
    sample.state(pod, 5_000, PodState.FAILED, "exit code 137");
    sample.state(pod, 5_000, PodState.GONE);
    const derived = new Derived(sample.timeline(9_000));
    const track = derived.rows.tracks[0]!;
    derived.cells.seek(9_000);
    const gone = { last: PodState.GONE, worst: PodState.GONE, attempts: 1, end: PodState.GONE };
    expect(unpack(derived.cells.valueOf(track, 0))).toEqual(gone);
    const seen = [PodState.PENDING, PodState.READY, PodState.FAILED, PodState.GONE];
    expect(seen.map((state) => derived.occurring.has(state))).toEqual([true, true, false, true]);
    expect(endOf(derived.timeline, pod)).toMatchObject({ state: PodState.GONE, atMs: 5_000 });
  });
});

describe("a pod that is deleted after its end", () => {
  test("is remembered by how it ended, until there is another attempt", () => {
    const sample = new Sample();
    const job = sample.job("a");
    const first = sample.pod(job, 0, 0, 0, "a-0");
    sample.state(first, 5_000, PodState.FAILED, "exit code 137");
    sample.state(first, 6_000, PodState.GONE);
    sample.state(sample.pod(job, 0, 1, 9_000, "a-1"), 9_500, PodState.READY);
    const derived = new Derived(sample.timeline(12_000));
    const endAt = (atMs: number) => {
      derived.cells.seek(atMs);
      return unpack(derived.cells.valueOf(derived.rows.tracks[0]!, 0))?.end;
    };
    expect([5_000, 7_000, 9_500, 7_000].map(endAt)).toEqual([
      ...[PodState.FAILED, PodState.FAILED, PodState.READY, PodState.FAILED],
    ]);
  });
});

describe("the band", () => {
  test("has the counts at the end of each bin, however the chunks were cut", () => {
    const { sample, endMs } = indexedRun(200, 20, 4);
    const scale = new TimeScale({ fromMs: 0, untilMs: endMs + 1_000 }, PLACE);
    const timeline = new Timeline();
    const band = new Band(timeline, new Bins(scale), PodState.SUCCEEDED);
    const ends = [1, 777, 5_000, 5_001, Math.round(endMs / 2)];
    for (const [i, chunk] of sample.chunks(...ends).entries()) {
      timeline.append(chunk, ends[i] ?? endMs);
      band.update();
    }
    let peak = 0;
    for (let bin = 0; bin < band.filled; bin++) {
      const counts = timeline.countsAt(Math.min(band.bins.edges[bin + 1]! - 1, endMs));
      expect(band.counts.subarray(bin * COUNTED, (bin + 1) * COUNTED)).toEqual(counts);
      peak = Math.max(
        peak,
        counts.subarray(0, PodState.SUCCEEDED).reduce((sum, count) => sum + count, 0),
      );
    }
    expect(band.activePeak).toBeGreaterThanOrEqual(peak);
  });
});

describe("thin rows", () => {
  /** Paints all at once. */
  function whole(timeline: Timeline, scale: TimeScale, lanes: number, beside = 0): Uint32Array {
    const derived = new Derived(timeline);
    const track = derived.rows.tracks[0]!;
    const part = { first: 0, count: track.size, lanes, beside };
    const thin = new ThinRows(derived, track, part, new Bins(scale), paletteOf("light"));
    thin.update();
    return thin.bitmap.pixels;
  }

  test("painted news by news are what they are when painted at once", () => {
    const { sample, endMs } = indexedRun(120, 12, 8);
    const all = sample.timeline(endMs);
    for (const folds of [[], foldsIn(all.idle.stretches, 0, endMs)]) {
      const scale = new TimeScale({ fromMs: 0, untilMs: endMs }, PLACE, folds);
      for (const lanes of [120, 40]) {
        const timeline = new Timeline();
        const ends = Array.from({ length: 60 }, (_, i) => Math.round(((i + 1) * endMs) / 61));
        const chunks = sample.chunks(...ends);
        timeline.append(chunks[0]!, ends[0]!);
        const derived = new Derived(timeline);
        const track = derived.rows.tracks[0]!;
        const part = { first: 0, count: track.size, lanes, beside: 1 };
        const thin = new ThinRows(derived, track, part, new Bins(scale), paletteOf("light"));
        for (const [i, chunk] of chunks.entries()) {
          if (i > 0) timeline.append(chunk, ends[i] ?? endMs);
          derived.update();
          thin.update();
        }
        expect(thin.bitmap.pixels).toEqual(whole(all, scale, lanes, 1));
      }
    }
  });

  test("one failure among a thousand successes is seen, however thin the rows are", () => {
    const sample = new Sample();
    const job = sample.job("a");
    sample.version(job, 0, JobPhase.RUNNING, { completions: 1_000 });
    for (let index = 0; index < 1_000; index++) {
      const pod = sample.pod(job, index, 0, 0, `a-${index}`);
      sample.state(pod, 1, PodState.READY);
      sample.state(pod, 5_000, index === 500 ? PodState.FAILED : PodState.SUCCEEDED);
    }
    const scale = new TimeScale({ fromMs: 0, untilMs: 10_000 }, PLACE);
    const pixels = whole(sample.timeline(10_000), scale, 200, 1);
    const failed = pixelOf(paletteOf("light").states[PodState.FAILED]!.fill);
    expect(pixels.filter((pixel) => pixel === failed).length).toBe(15);
  });

  test("a cell shows the gravest of what shares it", () => {
    const sample = new Sample();
    const job = sample.job("a");
    sample.version(job, 0, JobPhase.RUNNING, { completions: 2 });
    for (const index of [0, 1]) {
      const pod = sample.pod(job, index, 0, 0, `a-${index}`);
      sample.state(pod, 1_000, PodState.READY);
      if (index === 1) sample.state(pod, 5_000, PodState.FAILED);
    }
    const timeline = sample.timeline(10_000);
    const scale = new TimeScale({ fromMs: 0, untilMs: 10_000 }, PLACE);
    const pixels = whole(timeline, scale, 1);
    const { edges } = new Bins(scale);
    const red = paletteOf("light").states[PodState.FAILED]!.fill;
    const at = (ms: number) => pixels[edges.findLastIndex((edge) => edge <= ms)]!;
    const hex = (pixel: number) =>
      `#${[pixel, pixel >> 8, pixel >> 16].map((byte) => (byte & 255).toString(16).padStart(2, "0")).join("")}`;
    expect(hex(at(5_000))).toBe(red);
    // Afterwards the other row, which still runs, shows.
    expect(hex(at(8_000))).toBe(paletteOf("light").states[PodState.READY]!.fill);
  });
});
