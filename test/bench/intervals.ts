/**
 * Reading and writing interval text, as every status of an Indexed Job does, against the naive twin.
 */
import * as naive from "../naive/intervals.ts";
import { INTERVAL_SET_BYTES, type Leaves } from "../properties/leaves.ts";
import type { Bench } from "./measure.ts";

const INTERVALS = [100, 10_000, 20_000];

export function intervalBenches(leaves: Leaves): Bench[] {
  return INTERVALS.flatMap((intervals) => {
    const { text, completions } = mixedIntervals(intervals);
    const unit = { kind: "MB/s", bytesPerRun: text.length } as const;
    const size = `${intervals.toLocaleString("en-US")} intervals, ${(text.length / 1000).toFixed(1)} kB`;
    const indexes = naive.parseIntervals(text, completions);
    const { setParse, setFormat } = leaves.exports;

    // Each bench has its own memory, since they are all made before the first one runs.
    const input = leaves.exports.allocate(text.length);
    new Uint8Array(leaves.exports.memory.buffer, input, text.length).set(new TextEncoder().encode(text));
    const set = leaves.exports.allocate(INTERVAL_SET_BYTES);
    setParse(set, input, text.length, completions);
    return [
      {
        title: `interval text, read (${size})`,
        unit,
        contenders: () => [
          { name: "stint", run: () => setParse(set, input, text.length, completions) },
          { name: "naive twin", run: () => naive.parseIntervals(text, completions) },
        ],
      },
      {
        title: `interval text, write (${size})`,
        unit,
        contenders: () => [
          { name: "stint", run: () => setFormat(set, leaves.output) },
          { name: "naive twin", run: () => naive.formatIntervals(indexes) },
        ],
      },
    ];
  });
}

/**
 * Runs of one to four indexes in no order that a branch predictor could learn, with gaps of one or two between them.
 */
function mixedIntervals(count: number): { text: string; completions: number } {
  let state = 1;
  const next = (below: number) => {
    state = Math.imul(state, 1_103_515_245) + 12_345;
    return (state >>> 16) % below;
  };
  const indexes = new Set<number>();
  let index = 0;
  for (let i = 0; i < count; i++) {
    for (let length = 1 + next(4); length > 0; length--) indexes.add(index++);
    index += 1 + next(2);
  }
  return { text: naive.formatIntervals(indexes), completions: index };
}
