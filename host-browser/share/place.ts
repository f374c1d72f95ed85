/**
 * Where in a run the page is, as the readable end of an address: `?t=12842&j=1&p=events&m=worst`. Each part may be
 * absent. Unknown names are passed over: programs through which people send addresses add theirs.
 */
import { MAX_SPAN_MS } from "../../cluster/simulation/scenario.ts";
import { integer, matching } from "./fields.ts";

export interface Place {
  /** The position of the playhead. */
  readonly atMs?: number | undefined;
  /** Position of the selected Job among those of the run. */
  readonly job?: number | undefined;
  /** Name of the chosen panel. */
  readonly panel?: string | undefined;
  /** What cells of a heat map show. */
  readonly heatMode?: string | undefined;
}

/** More Jobs than a run has. */
const MAX_JOBS = 1_000_000;

export function placeText({ atMs, job, panel, heatMode }: Place): string {
  const parts = Object.entries({ t: atMs, j: job, p: panel, m: heatMode }).filter(([, value]) => value !== undefined);
  return parts.length === 0 ? "" : `?${parts.map(([name, value]) => `${name}=${value}`).join("&")}`;
}

/** @throws SharedDataError with the sentence for the page */
export function readPlace(text: string): Place {
  const given = new URLSearchParams(text);
  const number = (name: string, most: number): number | undefined =>
    given.has(name) ? integer(Number(given.get(name) || NaN), name, 0, most) : undefined;
  const word = (name: string): string | undefined =>
    given.has(name) ? matching(given.get(name), name, /^[a-z0-9-]{0,40}$/, "a word in lower case") : undefined;
  return { atMs: number("t", MAX_SPAN_MS), job: number("j", MAX_JOBS), panel: word("p"), heatMode: word("m") };
}
