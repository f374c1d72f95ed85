/** The controller's requests for a Job, and their answers. */
import type { Look } from "../look.ts";
import type { RequestRow } from "../request-recorder.ts";
import { requestsAt } from "../rows.ts";

interface Requests {
  /** On all pages. */
  readonly requestCount: number;
  /** Newest first. */
  readonly requests: readonly RequestRow[];
}

export function data({ history, track, atMs, skip }: Look): Requests {
  if (track === undefined) return { requestCount: 0, requests: [] };
  const { count, rows } = requestsAt(history, track, atMs, skip);
  return { requestCount: count, requests: rows };
}
