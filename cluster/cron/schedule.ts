/**
 * The schedules of CronJobs: five fields, `@hourly` and its like, `@every 1h30m`, and a time zone in front (`TZ=`), as
 * upstream's parser takes and refuses them (github.com/robfig/cron/v3, ParseStandard; the texts of errors are its own).
 *
 * The parser here makes a plain pattern of lists of numbers, because that dialect is upstream's alone; croner computes
 * the dates of the pattern. It is asked about local times only, and daylight.ts finds the instants: upstream starts a
 * Job at a local time that comes twice two times, and at one that is skipped not at all, which croner does otherwise.
 */
import { Cron } from "croner";
import { memoize } from "../values/memoize.ts";
import { instantsOf } from "./daylight.ts";
import { parseGoDuration } from "./go-duration.ts";
import { loadZone, UTC, type Zone } from "./zone.ts";

const SECOND_MS = 1000;
/** A schedule without a time within this many years has none. */
const MAX_YEARS = 5;

export interface Schedule {
  /** The first time after an instant, in milliseconds since 1970; undefined: there is none in five years. */
  next(afterMs: number): number | undefined;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DAY_OF_MONTH = 2;
const DAY_OF_WEEK = 4;

const DESCRIPTORS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const EVERY = "@every ";

/** The numbers of one field. `hasStar`: it is `*` or `?`, without a step. */
interface Field {
  readonly numbers: ReadonlySet<number>;
  readonly hasStar: boolean;
}

/** @throws Error with the text of upstream's parser */
export const parseSchedule = memoize((text: string): Schedule => {
  const zoned = /^(?:CRON_)?TZ=/.exec(text);
  if (zoned === null) return parseInZone(text, UTC);
  const space = text.indexOf(" ");
  if (space < 0) throw new Error("invalid schedule format: runtime error: slice bounds out of range [:-1]");
  const name = text.slice(zoned[0].length, space);
  return parseInZone(text.slice(space).trim(), zoneOf(name));
});

function zoneOf(name: string): Zone {
  try {
    return loadZone(name);
  } catch (error) {
    throw new Error(`provided bad location ${name}: ${(error as Error).message}`);
  }
}

function parseInZone(text: string, zone: Zone): Schedule {
  if (text === "") throw new Error("empty spec string");
  if (text.startsWith(EVERY)) return every(text);
  if (text.startsWith("@") && !Object.hasOwn(DESCRIPTORS, text)) throw new Error(`unrecognized descriptor: ${text}`);
  const parts = (DESCRIPTORS[text] ?? text).split(/\s+/u).filter((part) => part !== "");
  if (parts.length !== FIELDS.length)
    throw new Error(`expected exactly ${FIELDS.length} fields, found ${parts.length}: [${parts.join(" ")}]`);
  const fields = parts.map((part, place) => parseField(part, FIELDS[place]!));
  const pattern = patternOf(fields);
  return pattern === undefined ? { next: () => undefined } : inZone(pattern, zone);
}

/** At a fixed distance from the given time. */
function every(text: string): Schedule {
  let durationMs: number;
  try {
    durationMs = parseGoDuration(text.slice(EVERY.length));
  } catch (error) {
    throw new Error(`failed to parse duration ${text}: ${(error as Error).message}`);
  }
  const delayMs = Math.max(SECOND_MS, wholeSeconds(durationMs));
  return { next: (afterMs) => wholeSeconds(afterMs) + delayMs };
}

function wholeSeconds(ms: number): number {
  return Math.trunc(ms / SECOND_MS) * SECOND_MS;
}

function inZone(pattern: Cron, zone: Zone): Schedule {
  return {
    next(afterMs) {
      const lastYear = new Date(afterMs).getUTCFullYear() + MAX_YEARS;
      const at = instantsOf(
        (localMs) => pattern.nextRun(new Date(localMs))?.getTime(),
        zone,
        Math.floor(afterMs / SECOND_MS) * SECOND_MS,
      );
      return at === undefined || new Date(at).getUTCFullYear() > lastYear ? undefined : at;
    },
  };
}

/**
 * Undefined: a field of commas alone is valid, and names no time.
 *
 * Upstream quirk: a day must match both of its fields if either has a star, and else one of them. `1-31` is no star.
 */
function patternOf(fields: readonly Field[]): Cron | undefined {
  const [dayOfMonth, dayOfWeek] = [fields[DAY_OF_MONTH]!, fields[DAY_OF_WEEK]!];
  const matchesBoth = dayOfMonth.hasStar || dayOfWeek.hasStar;
  const lists = fields.map(({ numbers }) => [...numbers].toSorted((a, b) => a - b).join(","));
  const empty = lists.flatMap((list, place) => (list === "" ? [place] : []));
  const [place] = empty;
  const isDay = place === DAY_OF_MONTH || place === DAY_OF_WEEK;
  if (empty.length > 1 || (place !== undefined && (matchesBoth || !isDay))) return undefined;
  // Only the other day field must match.
  if (place !== undefined) lists[place] = "*";
  return new Cron(lists.join(" "), { mode: "5-part", utcOffset: 0, domAndDow: matchesBoth || place !== undefined });
}

function parseField(text: string, bounds: Bounds): Field {
  const ranges = text
    .split(",")
    .filter((range) => range !== "")
    .map((range) => parseRange(range, bounds));
  const numbers = new Set<number>();
  for (const { first, last, step } of ranges)
    for (let number = first; number <= last; number += step) numbers.add(number);
  return { numbers, hasStar: ranges.some(({ isStar }) => isStar) };
}

interface Range {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly isStar: boolean;
}

/** `*`, `5`, `1-5`, each optionally with a step such as `/2`. `5/2` extends to the end. */
function parseRange(text: string, bounds: Bounds): Range {
  const [range = "", stepText, ...slashes] = text.split("/");
  const [low = "", high, ...hyphens] = range.split("-");
  const isStar = low === "*" || low === "?";
  const first = isStar ? bounds.min : parseNumber(low, bounds.names);
  if (!isStar && hyphens.length > 0) throw new Error(`too many hyphens: ${text}`);
  let last = isStar ? bounds.max : high === undefined ? first : parseNumber(high, bounds.names);
  if (slashes.length > 0) throw new Error(`too many slashes: ${text}`);
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  if (stepText !== undefined && high === undefined) last = bounds.max;
  if (first < bounds.min) throw new Error(`beginning of range (${first}) below minimum (${bounds.min}): ${text}`);
  if (last > bounds.max) throw new Error(`end of range (${last}) above maximum (${bounds.max}): ${text}`);
  if (first > last) throw new Error(`beginning of range (${first}) beyond end of range (${last}): ${text}`);
  if (step === 0) throw new Error(`step of range should be a positive number: ${text}`);
  return { first, last, step, isStar: isStar && step === 1 };
}

const MAX_INT64 = 2n ** 63n - 1n;

function parseNumber(text: string, names: readonly string[] = []): number {
  const named = text === "" ? -1 : names.indexOf(text.toLowerCase());
  if (named >= 0) return named;
  const problem = !/^[-+]?\d+$/.test(text)
    ? "invalid syntax"
    : BigInt(text.replace("+", "")) > MAX_INT64
      ? "value out of range"
      : undefined;
  if (problem !== undefined)
    throw new Error(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${problem}`);
  const number = Number(text);
  if (number < 0) throw new Error(`negative number (${number}) not allowed: ${text}`);
  return number;
}
