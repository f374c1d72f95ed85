/**
 * Which field brings a Job under a limit, and the largest value that does: found by asking, so that what is said holds
 * whatever the rules are.
 */
import type { Loose } from "../cli/lint/job-in.ts";

export const MAX_INT32 = 2 ** 31 - 1;
/** Of a larger Job it is not said which value of a field would fit: some dozen forecasts are needed for that. */
const MAX_SEARCHED_CHARACTERS = 64 * 1024;
/** So often a value is looked for on a straight line; after that the middle is taken. */
const STRAIGHT_TRIES = 6;

export interface Field {
  readonly path: string;
  readonly least: number;
  /** The largest value that may help if it is not set; undefined: then it cannot. */
  readonly unset?: number;
}

interface Remedy {
  readonly path: string;
  readonly value: number;
}

interface Wanted {
  readonly job: Loose;
  /** Of an update: the Job before it. */
  readonly before: Loose | undefined;
  /** Those first that are to be changed first. */
  readonly fields: readonly Field[];
  readonly limit: number;
  /** Of the Job as it is: more than the limit. */
  readonly amount: number;
  /** It never falls when the value of a field rises. */
  amountOf(job: Loose): number;
}

/** The first field that can bring the Job under the limit alone: one that the update has changed, if there is one. */
export function remedyFor({ job, before, fields, limit, amount, amountOf }: Wanted): Remedy | undefined {
  if (JSON.stringify(job).length > MAX_SEARCHED_CHARACTERS) return undefined;
  const isChanged = ({ path }: Field): boolean => before !== undefined && valueAt(job, path) !== valueAt(before, path);
  for (const { path, least, unset } of fields.toSorted((a, b) => Number(isChanged(b)) - Number(isChanged(a)))) {
    const present = valueAt(job, path);
    const most = typeof present === "number" ? Math.min(present, MAX_INT32) : unset;
    if (most === undefined || most < least) continue;
    const amountAt = (value: number): number =>
      value === present ? amount : amountOf(withValue(job, path.split("."), value));
    const value = largestWithin(limit, least, most, amountAt);
    if (value !== undefined) return { path, value };
  }
  return undefined;
}

/** Undefined: there is none. @param amountAt never falls, and mostly rises by the same */
function largestWithin(
  limit: number,
  least: number,
  most: number,
  amountAt: (value: number) => number,
): number | undefined {
  let [low, lowAmount] = [least, amountAt(least)];
  if (lowAmount > limit) return undefined;
  let [high, highAmount] = [most, amountAt(most)];
  if (highAmount <= limit) return high;
  for (let tries = 0; high - low > 1; tries++) {
    const share =
      tries < STRAIGHT_TRIES && highAmount < Infinity ? (limit - lowAmount) / (highAmount - lowAmount) : 0.5;
    const value = Math.min(high - 1, Math.max(low + 1, low + Math.floor(share * (high - low))));
    const amount = amountAt(value);
    if (amount <= limit) [low, lowAmount] = [value, amount];
    else [high, highAmount] = [value, amount];
  }
  return low;
}

function valueAt(object: Loose, path: string): unknown {
  return path.split(".").reduce<any>((at, name) => at?.[name], object);
}

function withValue(object: Loose, [name = "", ...rest]: readonly string[], value: number): Loose {
  return { ...object, [name]: rest.length === 0 ? value : withValue(object[name] ?? {}, rest, value) };
}
