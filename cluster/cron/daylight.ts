/**
 * Where the local times of a schedule lie in real time, when the zone's offset from UTC changes in between.
 *
 * Invariant: the answer is the first instant whose local time the schedule names. So a local time that is skipped in
 * spring has no instant, and one that comes twice in autumn has two. Leaves out what upstream gets wrong where clocks
 * change at midnight (Africa/Cairo) or by half an hour (Australia/Lord_Howe): it may miss some hours of such a day.
 */
import type { Zone } from "./zone.ts";

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
/** The most offset changes to search: zones change at most four times a year. */
const MAX_CHANGES = 40;

/**
 * @param nextLocal the first local time after another one, both as if they were UTC
 * @param afterMs in whole seconds
 */
export function instantsOf(
  nextLocal: (localMs: number) => number | undefined,
  zone: Zone,
  afterMs: number,
): number | undefined {
  let fromMs = afterMs;
  let offsetMs = zone.offsetMs(afterMs);
  for (let changes = 0; changes <= MAX_CHANGES; changes++) {
    const localMs = nextLocal(fromMs + offsetMs);
    if (localMs === undefined) return undefined;
    const atMs = localMs - offsetMs;
    const changeMs = firstChange(zone, offsetMs, fromMs + SECOND_MS, atMs);
    if (changeMs === undefined) return atMs;
    offsetMs = zone.offsetMs(changeMs);
    // The instant of the change itself may be the next time.
    fromMs = changeMs - SECOND_MS;
  }
  return undefined;
}

/** The first second in a span at which the zone has another offset. */
function firstChange(zone: Zone, offsetMs: number, fromMs: number, toMs: number): number | undefined {
  if (zone.isFixed) return undefined;
  for (let beforeMs = fromMs; ;) {
    const probeMs = Math.min(beforeMs + DAY_MS, toMs);
    if (zone.offsetMs(probeMs) !== offsetMs) return between(zone, offsetMs, beforeMs, probeMs);
    if (probeMs === toMs) return undefined;
    beforeMs = probeMs;
  }
}

/** Finds the change by bisection: `beforeMs` has the old offset or is the change itself, `afterMs` has another one. */
function between(zone: Zone, offsetMs: number, beforeMs: number, afterMs: number): number {
  if (zone.offsetMs(beforeMs) !== offsetMs) return beforeMs;
  let [low, high] = [beforeMs, afterMs];
  while (high - low > SECOND_MS) {
    const middle = low + Math.floor((high - low) / SECOND_MS / 2) * SECOND_MS;
    if (zone.offsetMs(middle) === offsetMs) low = middle;
    else high = middle;
  }
  return high;
}
