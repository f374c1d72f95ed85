/**
 * Where the controller's view of a Job differs from the API at an instant: numbers that are not written yet, pods whose
 * change it has not seen, requests without an answer. Each sentence says whose view is which.
 */
import { NONE } from "../records.ts";
import type { Said } from "./explanations.ts";
import type { History } from "./history.ts";
import { jobVersionAt } from "./job-versions.ts";
import type { JobTrack } from "./job-track.ts";
import type { PodsThen } from "./pod-scan.ts";
import { requestsAt } from "./rows.ts";

interface Pictures {
  readonly atMs: number;
  /** The controller's. */
  readonly said: Said;
  /** The API's. */
  readonly pods: PodsThen;
}

const NAMES = ["active", "ready", "terminating"] as const;
/** With more requests under way, only their number is shown. */
const MAX_REQUESTS = 3;

export function differencesAt(history: History, track: JobTrack, { atMs, pods, said }: Pictures): readonly string[] {
  const job = jobVersionAt(history, track, atMs)?.object;
  if (job === undefined) return [];
  // An older explanation says nothing about what the controller knows now.
  const known = said.atMs >= pods.changedMs ? said.counts : undefined;
  return [
    ...NAMES.flatMap((name) => {
      const there = pods[name];
      const stored: number = job.status?.[name] ?? 0;
      const status = stored === there ? [] : [`API: ${podText(there)} ${name}, and status.${name} is still ${stored}`];
      return known === undefined || known[name] === there
        ? status
        : [...status, `API: ${podText(there)} ${name}; controller: it knows of ${known[name]}`];
    }),
    ...unansweredAt(history, track, atMs),
  ];
}

function unansweredAt(history: History, track: JobTrack, atMs: number): readonly string[] {
  const waiting = requestsAt(history, track, atMs).rows.filter(({ answeredMs }) => answeredMs === NONE);
  const rest = waiting.length - MAX_REQUESTS;
  return [
    ...waiting
      .slice(0, MAX_REQUESTS)
      .map(({ method, path }) => `controller: it waits for the answer to ${method} ${path}`),
    ...(rest > 0 ? [`controller: it waits for the answers to ${rest} more requests`] : []),
  ];
}

function podText(count: number): string {
  return count === 1 ? "1 pod is" : `${count} pods are`;
}
