/**
 * What the values of options mean that are no plain texts: durations, numbers and gates.
 *
 * Invariant: a value that is not allowed is an InvalidArgumentError whose sentence says what is.
 */
import { InvalidArgumentError } from "commander";
import { MAX_WATCHES } from "../../server/connection-limits.ts";
import { MAX_PORT } from "../../settings/kinds.ts";
import { listText } from "../../settings/table.ts";
import { parseDuration } from "../../words/duration.ts";
import { DEFAULT_FEATURE_GATES, type FeatureGates, parseFeatureGates } from "../../settings/feature-gates.ts";
import type { DurationRange } from "../forecast/forecast.ts";
import { MAX_NODES } from "../../words/node-names.ts";

export function asDuration(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError(`Allowed is ${(error as Error).message}`);
  }
}

/** `10m`, or `5m..20m`. */
export function asDurationRange(text: string): DurationRange {
  const [least = "", most = least, ...rest] = text.split("..");
  const range = { leastMs: asDuration(least), mostMs: asDuration(most) };
  if (rest.length > 0 || range.leastMs > range.mostMs)
    throw new InvalidArgumentError("Allowed is a duration, or two with .. between, the shorter one first: 5m..20m");
  return range;
}

export function asCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Allowed is a whole number from 0 to 999999999.");
  return Number(text);
}

export function asFeatureGates(texts: readonly string[]): FeatureGates {
  try {
    return parseFeatureGates(listText(texts), DEFAULT_FEATURE_GATES);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

export function asMaxWatches(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MAX_WATCHES)
    throw new InvalidArgumentError(`Allowed are whole numbers from 1 to ${MAX_WATCHES}`);
  return count;
}

export function asNodes(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) > MAX_NODES)
    throw new InvalidArgumentError(`Allowed are whole numbers from 0 to ${MAX_NODES}`);
  return Number(text);
}

export function asPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > MAX_PORT)
    throw new InvalidArgumentError(`Allowed are whole numbers from 0 to ${MAX_PORT}`);
  return port;
}
