/**
 * The field that brings a Job under a limit, and its largest value that does. A forecast checks each value before it is
 * reported, so that the advice holds whatever the rules are.
 *
 * A forecast costs as much as a fifth of a review, so few are made: the most that a field takes from an amount is often
 * known, and then one forecast finds a value and shows that no larger one fits.
 */
import type { Forecast } from "../../bindings/js/engine.ts";
import type { Loose } from "../manifests/job-in.ts";
import { essentialsOf, type Forecasts } from "./forecasts.ts";

export const MAX_INT32 = 2 ** 31 - 1;
/** For a larger Job no value is searched: that needs several forecasts. */
const MAX_SEARCHED_CHARACTERS = 64 * 1024;
/** The most steps down from a value that is too large, each by what the field takes at most. */
const DESCENTS = 3;
/** The number of tries by linear interpolation; after that the search is binary. */
const STRAIGHT_TRIES = 6;

export interface Field {
  readonly path: string;
  readonly least: number;
  /** The value that the API server sets; undefined: none. */
  readonly default?: number;
  /** For a field without a default, the largest value that may help if it is not set; undefined: no value can. */
  readonly unset?: number;
  /** The most by which the amount falls when the value is one less; undefined: unknown. */
  readonly takes?: (forecast: Forecast, job: Loose) => number | undefined;
}

interface Remedy {
  readonly path: string;
  readonly value: number;
}

export interface Goal {
  /** The fields, in the order in which to change them. */
  readonly fields: readonly Field[];
  readonly limit: number;
  /** It never falls when the value of a field rises. */
  amountOf(forecast: Forecast): number;
}

/** A value of a field, and the amount of its forecast. */
interface Point {
  readonly value: number;
  readonly amount: number;
}

/** Looks for the values that bring one Job under its limits. */
export class Remedies {
  readonly #forecasts: Forecasts;
  readonly #present: Forecast;
  readonly #job: Loose;
  readonly #before: Loose | undefined;
  readonly #isSearched: boolean;

  /** @param before of an update: the Job before it */
  constructor(forecasts: Forecasts, job: Loose, before: Loose | undefined) {
    this.#forecasts = forecasts;
    this.#present = forecasts.of(job);
    this.#job = essentialsOf(job);
    this.#before = before;
    this.#isSearched = JSON.stringify(this.#job).length <= MAX_SEARCHED_CHARACTERS;
  }

  /** The first field that can bring the Job under the limit alone: preferably one that the update has changed. */
  under(goal: Goal): Remedy | undefined {
    if (!this.#isSearched) return undefined;
    for (const field of goal.fields.toSorted((a, b) => Number(this.#isChanged(b)) - Number(this.#isChanged(a)))) {
      const value = this.#largestOf(field, goal);
      if (value !== undefined) return { path: field.path, value };
    }
    return undefined;
  }

  #isChanged({ path }: Field): boolean {
    return this.#before !== undefined && valueAt(this.#job, path) !== valueAt(this.#before, path);
  }

  /** Undefined: no value of the field is enough. */
  #largestOf(field: Field, { limit, amountOf }: Goal): number | undefined {
    const { path, least, unset, takes } = field;
    const present = valueAt(this.#job, path) ?? field.default;
    const most = typeof present === "number" ? Math.min(present, MAX_INT32) : unset;
    if (most === undefined || most < least) return undefined;
    const at = (value: number): Forecast =>
      value === present ? this.#present : this.#forecasts.ofEssentials(withValue(this.#job, path.split("."), value));
    const pointAt = (value: number): Point => ({ value, amount: amountOf(at(value)) });
    const forecast = at(most);
    const high: Point = { value: most, amount: amountOf(forecast) };
    if (high.amount <= limit) return most;
    const found = descend(limit, least, high, takes?.(forecast, this.#job), pointAt);
    if (found.amount <= limit) return found.value;
    return found.value < least ? undefined : searchBelow(limit, least, found, pointAt);
  }
}

/**
 * Goes down from a value that is too large, as far as the amount allows: all skipped values are too large, too.
 *
 * @returns a value that fits, the smallest one known to be too large, or one below `least`: then none fits
 */
function descend(
  limit: number,
  least: number,
  from: Point,
  takes: number | undefined,
  pointAt: (value: number) => Point,
): Point {
  if (takes === undefined) return from;
  let high = from;
  for (let tries = 0; tries < DESCENTS && high.amount > limit && high.amount < Infinity; tries++) {
    const value = high.value - Math.ceil((high.amount - limit) / takes);
    if (value < least) return { value, amount: Infinity };
    high = pointAt(value);
  }
  return high;
}

/** Undefined: there is none. @param pointAt its amount never falls, and mostly rises by the same */
function searchBelow(
  limit: number,
  least: number,
  above: Point,
  pointAt: (value: number) => Point,
): number | undefined {
  let low = pointAt(least);
  let high = above;
  if (low.amount > limit) return undefined;
  for (let tries = 0; high.value - low.value > 1; tries++) {
    const isStraight = tries < STRAIGHT_TRIES && high.amount < Infinity;
    const share = isStraight ? (limit - low.amount) / (high.amount - low.amount) : 0.5;
    const guess = low.value + Math.floor(share * (high.value - low.value));
    const tried = pointAt(Math.min(high.value - 1, Math.max(low.value + 1, guess)));
    if (tried.amount <= limit) low = tried;
    else high = tried;
  }
  return low.value;
}

function valueAt(object: Loose, path: string): unknown {
  return path.split(".").reduce<any>((at, name) => at?.[name], object);
}

function withValue(object: Loose, [name = "", ...rest]: readonly string[], value: number): Loose {
  return { ...object, [name]: rest.length === 0 ? value : withValue(object[name] ?? {}, rest, value) };
}
