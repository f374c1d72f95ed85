/** The odds of a scenario in words, and what differs between those of two. */
import type { Odds, Share } from "../odds/odds.ts";
import { lengthText } from "./time-text.ts";

/** `93 % (90 to 95 %)`: the share of the runs, and what it may be for all seeds. */
export function shareText({ value, low, high }: Share): string {
  return `${percent(value)} (${percent(low).replace(" %", "")} to ${percent(high)})`;
}

/** What became of the runs, in sentences; the first one says it all. */
export function oddsText(odds: Odds): string {
  const { runs, complete, failed, open, completeByMs } = odds;
  const first = `${shareText(complete)} of ${runs} runs complete.`;
  const times =
    completeByMs === undefined
      ? ""
      : ` Half of these have completed by ${lengthText(completeByMs.half)}, nine in ten by ${lengthText(completeByMs.nineTenths)}.`;
  const fail = failed.value > 0 ? ` ${percent(failed.value)} fail.` : "";
  const never = open.value > 0 ? ` ${percent(open.value)} never end.` : "";
  return `${first}${times}${fail}${never}`;
}

/** What `b` has that `a` had not, in one sentence. The chances of both are the same, for the seeds are. */
export function differenceText(a: Odds, b: Odds): string {
  const [before, after] = [percent(a.complete.value), percent(b.complete.value)];
  const parts = [
    before === after ? "" : `${after} of the runs complete instead of ${before}`,
    ...times(a, b),
    ...pods(a, b),
  ];
  const said = parts.filter((part) => part !== "");
  return said.length === 0 ? "Nothing differs from A." : `Compared with A: ${said.join(", ")}.`;
}

function times(a: Odds, b: Odds): string[] {
  if (a.completeByMs === undefined || b.completeByMs === undefined) return [];
  const earlierMs = a.completeByMs.half - b.completeByMs.half;
  if (Math.abs(earlierMs) < 100) return [];
  return [`half of them ${lengthText(Math.abs(earlierMs))} ${earlierMs > 0 ? "earlier" : "later"}`];
}

function pods(a: Odds, b: Odds): string[] {
  const difference = Math.round(10 * (b.pods.mean - a.pods.mean)) / 10;
  if (difference === 0) return [];
  const count = Math.abs(difference);
  return [`${count} ${count === 1 ? "pod" : "pods"} ${difference > 0 ? "more" : "fewer"} on average`];
}

/** A digit more near 0 and 100, where it matters. */
function percent(share: number): string {
  const value = 100 * share;
  const isMiddle = value >= 10 && value <= 90;
  return `${isMiddle ? Math.round(value) : value.toFixed(1).replace(/\.0$/, "")} %`;
}
