/**
 * What can go wrong between a controller and the API server, as probabilities that the run changes while it goes: the
 * weather. Leaves out how it goes wrong, which is faulty-transport.ts, and what users and kubelets do.
 */
import type { FaultKind, Plan } from "./plan.ts";

export interface Weather {
  readonly name: string;
  /** Frequency in the course of a run. */
  readonly weight: number;
  /** The request never arrives; the controller reads no answer. */
  readonly lostRequests: number;
  /** The request is carried out; the controller reads no answer. */
  readonly lostAnswers: number;
  /** Answered 409, 429 with Retry-After, 500 or 503, and not carried out. */
  readonly refusals: number;
  /** Creations of pods that are answered 403: the quota is used up. */
  readonly quota: number;
  /** Answered 504 though it was carried out. */
  readonly falseRefusals: number;
  /** On the way there and on the way back, each. At least 1: a network takes time. */
  readonly maxDelayMs: number;
  readonly maxWatchLagMs: number;
  /** A watch breaks, per delivery; it ends as often cleanly, without an answer, or with 410. */
  readonly watchBreaks: number;
  /** A watch line comes twice. */
  readonly duplicates: number;
  /** A list that is not the first shows an older state. */
  readonly staleLists: number;
  /** Answered 200 with another document than the one asked for, carried out or not; watches end with such a line. */
  readonly wrongDocuments: number;
  /** Answered with the page of a proxy, without a Status in it, carried out or not. */
  readonly errorPages: number;
  /** The controller reads no answer, and after that the request is carried out. */
  readonly lateRequests: number;
  /** The request is carried out, and some time later once more. */
  readonly doubledRequests: number;
  /** Only in runs with all of these kinds. */
  readonly kinds?: readonly FaultKind[];
}

export const CALM: Weather = {
  name: "calm",
  weight: 3,
  lostRequests: 0,
  lostAnswers: 0,
  refusals: 0,
  quota: 0,
  falseRefusals: 0,
  maxDelayMs: 5,
  maxWatchLagMs: 20,
  watchBreaks: 0,
  duplicates: 0,
  staleLists: 0,
  wrongDocuments: 0,
  errorPages: 0,
  lateRequests: 0,
  doubledRequests: 0,
};

const WEATHERS: readonly Weather[] = [
  CALM,
  { ...CALM, name: "slow answers", weight: 2, maxDelayMs: 3_000 },
  { ...CALM, name: "watch lag", weight: 3, maxWatchLagMs: 8_000, duplicates: 0.1 },
  { ...CALM, name: "lost answers", weight: 3, lostRequests: 0.1, lostAnswers: 0.25, maxDelayMs: 400 },
  { ...CALM, name: "refusals", weight: 2, refusals: 0.3, falseRefusals: 0.05, maxDelayMs: 50 },
  { ...CALM, name: "quota", weight: 1, quota: 0.8 },
  { ...CALM, name: "broken watches", weight: 2, watchBreaks: 0.3, staleLists: 0.3, maxWatchLagMs: 1_000 },
  {
    ...CALM,
    name: "wrong documents",
    weight: 3,
    wrongDocuments: 0.2,
    watchBreaks: 0.1,
    maxDelayMs: 200,
    kinds: ["wrong documents"],
  },
  { ...CALM, name: "error pages", weight: 3, errorPages: 0.3, maxDelayMs: 400, kinds: ["error pages"] },
  { ...CALM, name: "late requests", weight: 3, lateRequests: 0.3, maxDelayMs: 400, kinds: ["late requests"] },
  { ...CALM, name: "doubled requests", weight: 2, doubledRequests: 0.5, maxDelayMs: 200, kinds: ["doubled requests"] },
  {
    ...CALM,
    name: "late pages",
    weight: 2,
    errorPages: 0.1,
    lateRequests: 0.15,
    maxWatchLagMs: 6_000,
    kinds: ["error pages", "late requests"],
  },
  {
    ...CALM,
    name: "a confused proxy",
    weight: 2,
    wrongDocuments: 0.1,
    errorPages: 0.1,
    doubledRequests: 0.1,
    watchBreaks: 0.1,
    kinds: ["wrong documents", "error pages"],
  },
  {
    ...CALM,
    name: "storm",
    weight: 2,
    lostRequests: 0.1,
    lostAnswers: 0.15,
    refusals: 0.15,
    quota: 0.1,
    falseRefusals: 0.05,
    maxDelayMs: 2_000,
    maxWatchLagMs: 5_000,
    watchBreaks: 0.1,
    duplicates: 0.2,
    staleLists: 0.2,
  },
  { ...CALM, name: "outage", weight: 1, lostRequests: 0.95, watchBreaks: 0.9 },
];

/** Those that may come in a run of this plan. */
export function weathersOf({ faults }: Plan): Weather[] {
  return WEATHERS.filter(({ kinds = [] }) => kinds.every((kind) => faults.has(kind)));
}

/** Answers in place of the API server's, with the Retry-After seconds of 429. */
export const REFUSALS: readonly {
  readonly status: number;
  readonly reason: string;
  readonly retryAfterSeconds?: number;
}[] = [
  { status: 409, reason: "Conflict" },
  { status: 429, reason: "TooManyRequests", retryAfterSeconds: 1 },
  { status: 429, reason: "TooManyRequests", retryAfterSeconds: 7 },
  { status: 500, reason: "InternalError" },
  { status: 503, reason: "ServiceUnavailable" },
];
