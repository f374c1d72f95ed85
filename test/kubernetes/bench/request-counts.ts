/**
 * How many requests a real API server has answered, from its own metrics.
 *
 * They are counted by verb and resource and not by client: only the Job controller makes the requests in question,
 * since a kubelet writes the status of pods and makes none.
 */
import type { ApiClient } from "../api-client.ts";

export interface RequestCounts {
  readonly podCreations: number;
  readonly podPatches: number;
  readonly podDeletions: number;
  readonly jobStatusWrites: number;
  /** Events, and their patches: of every client. */
  readonly eventWrites: number;
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The counters of the server since it started. @throws Error when it does not tell */
export async function countRequests(client: ApiClient): Promise<RequestCounts> {
  const samples = samplesOf(await client.succeed<string>("GET", "/metrics"), "apiserver_request_total");
  const sum = (verbs: readonly string[], resource: string, subresource: string): number =>
    samples
      .filter(
        ({ labels }) =>
          verbs.includes(labels["verb"]!) && labels["resource"] === resource && labels["subresource"] === subresource,
      )
      .reduce((total, { value }) => total + value, 0);
  return {
    podCreations: sum(["POST"], "pods", ""),
    podPatches: sum(["PATCH"], "pods", ""),
    podDeletions: sum(["DELETE"], "pods", ""),
    jobStatusWrites: sum(["PUT", "PATCH"], "jobs", "status"),
    eventWrites: sum(["POST", "PATCH"], "events", ""),
  };
}

export function difference(after: RequestCounts, before: RequestCounts): RequestCounts {
  const names = Object.keys(after) as (keyof RequestCounts)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as RequestCounts;
}

/** Samples of one family in Prometheus' text format. */
function samplesOf(text: string, family: string): Sample[] {
  return [...text.matchAll(new RegExp(`^${family}\\{(.*)\\} (\\S+)$`, "gm"))].map(([, labels, value]) => ({
    labels: Object.fromEntries(
      [...labels!.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, text]) => [name!, text!]),
    ),
    value: Number(value),
  }));
}
