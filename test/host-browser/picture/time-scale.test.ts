/** The piecewise scale of time: monotone, invertible, and true where nothing is folded. */
import { describe, expect, test } from "vitest";
import { Bins } from "../../../host-browser/picture/bins.ts";
import { foldsIn, TimeScale, ticksOf } from "../../../host-browser/picture/time-scale.ts";
import { instantText, shortSpanText, spanText, tickText } from "../../../host-browser/picture/words.ts";
import { panned, zoomed } from "../../../host-browser/picture/zoom.ts";
import { randomOf } from "./sample.ts";

/** Idle stretches anywhere in a window. */
function stretchesOf(random: () => number, untilMs: number) {
  const points = Array.from({ length: 2 * Math.floor(1 + random() * 6) }, () => Math.floor(random() * untilMs));
  points.sort((a, b) => a - b);
  const stretches = [];
  for (let i = 0; i + 1 < points.length; i += 2) stretches.push({ fromMs: points[i]!, untilMs: points[i + 1]! });
  return stretches;
}

describe("folding", () => {
  test("leaves a run alone whose stretches are alike", () => {
    const stretches = [0, 1, 2, 3, 4, 5].map((i) => ({ fromMs: i * 20_000, untilMs: (i + 1) * 20_000 }));
    expect(foldsIn(stretches, 0, 120_000)).toEqual([]);
  });

  test("leaves the one long run of the only pod alone", () => {
    expect(foldsIn([{ fromMs: 1_000, untilMs: 3_600_000 }], 0, 3_601_000)).toEqual([]);
  });

  test("folds what is much longer than the rest, and leaves its ends", () => {
    const short = { fromMs: 5_000, untilMs: 17_000 };
    const long = { fromMs: 25_000, untilMs: 325_000 };
    expect(foldsIn([short, long], 0, 340_000)).toEqual([{ fromMs: 26_000, untilMs: 324_000 }]);
    // Not within the window as a whole: one looks at a part of it.
    expect(foldsIn([short, long], 0, 300_000)).toEqual([]);
  });

  test("the longest fold together if they are alike", () => {
    const stretches = [620, 1240].map((second) => ({ fromMs: second * 1_000, untilMs: second * 1_000 + 600_000 }));
    expect(foldsIn(stretches, 0, 1_900_000)).toHaveLength(2);
    expect(foldsIn(stretches, 0, 4_000_000)).toEqual([]);
  });

  test("doubling back-offs fold but for the first ones", () => {
    const stretches = [];
    let ms = 5_000;
    for (let wait = 10_000; wait <= 320_000; wait *= 2) {
      stretches.push({ fromMs: ms, untilMs: ms + wait });
      ms += wait + 5_000;
    }
    const folds = foldsIn(stretches, 0, ms);
    expect(folds.map(({ fromMs, untilMs }) => untilMs - fromMs)).toEqual([38_000, 78_000, 158_000, 318_000]);
  });
});

describe("TimeScale", () => {
  test("ascends, and every instant comes back from its place", () => {
    const random = randomOf(11);
    for (let run = 0; run < 60; run++) {
      const untilMs = 1_000 + Math.floor(random() * 1_000_000);
      const folds = run % 3 === 0 ? [] : foldsIn(stretchesOf(random, untilMs), 0, untilMs);
      const scale = new TimeScale({ fromMs: 0, untilMs }, { fromX: 80, untilX: 80 + 300 + random() * 1_000 }, folds);
      expect(scale.xOf(0)).toBeCloseTo(80, 6);
      expect(scale.xOf(untilMs)).toBeCloseTo(scale.untilX, 6);
      let last = -Infinity;
      for (let i = 0; i <= 50; i++) {
        const ms = (untilMs * i) / 50;
        const x = scale.xOf(ms);
        expect(x).toBeGreaterThan(last);
        expect(scale.msAt(x)).toBeCloseTo(ms, 3);
        last = x;
      }
    }
  });

  test("a folded stretch has its width however long it is, and the rest one scale", () => {
    const window = { fromMs: 0, untilMs: 1_000_000 };
    const scale = new TimeScale(window, { fromX: 0, untilX: 1_058 }, [{ fromMs: 10_000, untilMs: 900_000 }], 58);
    expect(scale.folds).toHaveLength(1);
    expect(scale.folds[0]!.untilX - scale.folds[0]!.fromX).toBeCloseTo(58);
    expect(scale.xOf(10_000)).toBeCloseTo((10_000 / 110_000) * 1_000);
    expect(scale.xOf(1_000_000) - scale.xOf(950_000)).toBeCloseTo((50_000 / 110_000) * 1_000);
    expect(scale.foldAt(scale.xOf(500_000))).toBeDefined();
  });

  test("ticks are round, apart, and not in folds", () => {
    const folds = [{ fromMs: 10_000, untilMs: 900_000 }];
    const scale = new TimeScale({ fromMs: 0, untilMs: 1_000_000 }, { fromX: 0, untilX: 1_000 }, folds);
    const { timesMs, stepMs } = ticksOf(scale, 70);
    expect(timesMs.length).toBeGreaterThan(5);
    for (const [i, ms] of timesMs.entries()) {
      expect(ms % stepMs).toBe(0);
      expect(ms > 10_000 && ms < 900_000).toBe(false);
      if (i > 0) expect(scale.xOf(ms) - scale.xOf(timesMs[i - 1]!)).toBeGreaterThanOrEqual(70);
    }
  });
});

describe("zoom", () => {
  const domain = { fromMs: 0, untilMs: 100_000 };
  const time = new TimeScale(domain, { fromX: 100, untilX: 1_100 });

  test("keeps what is under the pointer", () => {
    const window = zoomed(time, domain, 2, 350)!;
    const after = new TimeScale(window, { fromX: 100, untilX: 1_100 });
    expect(after.msAt(350)).toBeCloseTo(time.msAt(350), 0);
    expect(window.untilMs - window.fromMs).toBe(50_000);
  });

  test("ends at the run's ends", () => {
    expect(zoomed(time, domain, 0.5, 600)).toBeUndefined();
    const window = { fromMs: 10_000, untilMs: 30_000 };
    const near = new TimeScale(window, { fromX: 100, untilX: 1_100 });
    expect(panned(near, domain, -10_000)).toEqual({ fromMs: 0, untilMs: 20_000 });
    expect(panned(near, domain, 10_000)).toEqual({ fromMs: 80_000, untilMs: 100_000 });
    expect(panned(near, domain, 100)).toEqual({ fromMs: 12_000, untilMs: 32_000 });
  });
});

describe("Bins", () => {
  test("touch, fill the window, begin at multiples of a power of two, and are at most a pixel wide", () => {
    const random = randomOf(5);
    for (let run = 0; run < 8; run++) {
      const untilMs = 500 + Math.floor(random() * 2_000_000);
      const folds = foldsIn(stretchesOf(random, untilMs), 0, untilMs);
      const scale = new TimeScale({ fromMs: 0, untilMs }, { fromX: 60, untilX: 960 }, folds);
      const { edges, count } = new Bins(scale);
      const bins = new Bins(scale);
      expect(edges[0]).toBe(0);
      expect(edges[count]).toBe(untilMs);
      const stepMs = Math.max(1, 2 ** Math.floor(Math.log2(1 / scale.density)));
      for (let i = 0; i < count; i++) {
        expect(edges[i + 1]!).toBeGreaterThan(edges[i]!);
        expect(bins.at(edges[i]!)).toBe(i);
        const piece = scale.pieces.find(({ fromMs, untilMs: end }) => edges[i]! >= fromMs && edges[i]! < end)!;
        if (piece.isFold || edges[i] === piece.fromMs) continue;
        expect(edges[i]! % stepMs).toBe(0);
        expect(edges[i + 1]! - edges[i]!).toBeLessThanOrEqual(stepMs);
      }
      expect(bins.at(-5)).toBe(0);
      expect(bins.at(untilMs + 5)).toBe(count - 1);
    }
  });
});

describe("words", () => {
  test("of spans", () => {
    const cases: [number, string][] = [
      [0, "0 ms"],
      [850, "850 ms"],
      [4_200, "4.2 s"],
      [10_000, "10 s"],
      [59_600, "1 min"],
      [125_000, "2 min 5 s"],
      [120_000, "2 min"],
      [3_599_900, "1 h"],
      [11_400_000, "3 h 10 min"],
      [90_000_000, "1 d 1 h"],
      [-2_000, "−2 s"],
    ];
    for (const [ms, text] of cases) expect(spanText(ms), String(ms)).toBe(text);
    expect(shortSpanText(78_000)).toBe("1.3 min");
  });

  test("of instants", () => {
    expect(tickText(250, 50)).toBe("0.25 s");
    expect(tickText(90_000, 1_000)).toBe("1:30");
    expect(tickText(7_265_000, 1_000)).toBe("2:01:05");
    expect(tickText(60_500, 500)).toBe("1:00.5");
    expect(instantText(8_510)).toBe("8.510 s");
    expect(instantText(123_440)).toBe("2:03.440");
  });
});
