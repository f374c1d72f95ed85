/**
 * Matchers for vitest and jest. A Job is given as an object, a handle or a name, and is judged as it is now. When a
 * matcher fails, its message says what the Job waits for, and where the recording is.
 *
 * Invariant: nothing of a test framework is imported. Time does not move.
 */
import { checkedInteger, checkedText, checkFields } from "../control/check-input.ts";
import { ControlError } from "../control/control-error.ts";
import { leaveRecording } from "./failure-report.ts";
import { indexesIn } from "./index-text.ts";
import { trueCondition } from "../../cluster/values/job-conditions.ts";
import { type JudgedJob, judgedJob } from "./judged-job.ts";
import type { Job } from "../../cluster/values/kinds.ts";

/** What both frameworks give a matcher, as far as it is used. */
interface MatcherState {
  readonly isNot?: boolean;
  readonly currentTestName?: string | undefined;
}

export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/** How many pods, as the status of the Job says it. */
export interface PodCounts {
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
}

/** The matchers of `expect(job)`. */
export interface JobMatchers<R = unknown> {
  /** The Job is Complete. */
  toHaveSucceeded(): R;
  /** The Job is Failed, for this reason if one is given: `BackoffLimitExceeded`. */
  toHaveFailed(wanted?: { readonly reason?: string }): R;
  /** Exactly these completion indexes have succeeded: `0-3,5`. */
  toHaveSucceededIndexes(indexes: string): R;
  /** Exactly these completion indexes have failed, of a Job with backoffLimitPerIndex. */
  toHaveFailedIndexes(indexes: string): R;
  /** The Job is suspended, and its pods are gone. */
  toBeSuspended(): R;
  /** The given counts are equal to those of the Job. */
  toHavePods(counts: PodCounts): R;
}

/** How a matcher found the Job: `expected job pi WANTED, but it IS`. */
interface Finding {
  readonly pass: boolean;
  readonly wanted: string;
  readonly unwanted: string;
  readonly is: string;
}

const COUNTS = ["active", "ready", "terminating", "succeeded", "failed"] as const;
const MAX_REASON_LENGTH = 1_000;

type Judge<Args extends readonly unknown[]> = (job: Job, ...args: Args) => Finding;
type Matcher<Args extends readonly unknown[]> = (this: MatcherState, given: unknown, ...args: Args) => MatcherResult;

/** For `expect.extend`. */
export const matchers = {
  toHaveSucceeded: matcher((job) => ({
    pass: trueCondition(job, "Complete") !== undefined,
    wanted: "to have succeeded",
    unwanted: "not to have succeeded",
    is: stateOf(job),
  })),
  toHaveFailed: matcher((job, wanted: { readonly reason?: string } = {}) => {
    checkFields(wanted, "what toHaveFailed takes", ["reason"]);
    const { reason } = wanted;
    if (reason !== undefined) checkedText(reason, "reason", MAX_REASON_LENGTH);
    const because = reason === undefined ? "" : ` for the reason ${reason}`;
    const failure = trueCondition(job, "Failed");
    return {
      pass: failure !== undefined && (reason === undefined || failure.reason === reason),
      wanted: `to have failed${because}`,
      unwanted: `not to have failed${because}`,
      is: stateOf(job),
    };
  }),
  toHaveSucceededIndexes: matcher((job, indexes: string) =>
    indexFinding("succeeded", indexes, job.status?.completedIndexes),
  ),
  toHaveFailedIndexes: matcher((job, indexes: string) => indexFinding("failed", indexes, job.status?.failedIndexes)),
  toBeSuspended: matcher((job) => {
    const pods = Number(job.status?.active ?? 0) + Number(job.status?.terminating ?? 0);
    const going = job.spec?.suspend === true && pods > 0 ? `, and still has ${pods} pods` : "";
    return {
      pass: trueCondition(job, "Suspended") !== undefined && pods === 0,
      wanted: "to be suspended",
      unwanted: "not to be suspended",
      is: `${stateOf(job)}${going}`,
    };
  }),
  toHavePods: matcher((job, counts: PodCounts) => {
    checkFields(counts, "what toHavePods takes", COUNTS);
    const wanted = COUNTS.filter((name) => counts[name] !== undefined);
    if (wanted.length === 0)
      throw new ControlError(400, `toHavePods is given no count; allowed are ${COUNTS.join(", ")}`);
    for (const name of wanted) checkedInteger(counts[name], name, 0, 2 ** 31 - 1);
    const has = (name: (typeof COUNTS)[number]): number => job.status?.[name] ?? 0;
    const text = wanted.map((name) => `${counts[name]} ${name}`).join(", ");
    return {
      pass: wanted.every((name) => has(name) === counts[name]),
      wanted: `to have pods: ${text}`,
      unwanted: `not to have pods: ${text}`,
      is: `has ${wanted.map((name) => `${has(name)} ${name}`).join(", ")}`,
    };
  }),
};

function matcher<Args extends readonly unknown[]>(judge: Judge<Args>): Matcher<Args> {
  return function (this: MatcherState, given: unknown, ...args: Args): MatcherResult {
    const judged = judgedJob(given);
    const { pass, wanted, unwanted, is } = judge(judged.job, ...args);
    const { isNot = false, currentTestName } = this;
    return {
      pass,
      message: () =>
        [
          `expected job ${judged.name} ${isNot ? unwanted : wanted}, but it ${is}`,
          ...explanationOf(judged),
          ...(judged.cluster === undefined ? [] : leaveRecording(judged.cluster, currentTestName ?? judged.name)),
        ].join("\n"),
    };
  };
}

function explanationOf({ why }: JudgedJob): string[] {
  return why === undefined ? [] : ["", why, ""];
}

function indexFinding(what: "succeeded" | "failed", wanted: string, status: string | undefined): Finding {
  const has = status ?? "";
  const shown = (text: string): string => (text === "" ? "none" : text);
  return {
    pass: indexesIn(wanted) === indexesIn(has),
    wanted: `to have ${what} indexes ${shown(wanted)}`,
    unwanted: `not to have ${what} indexes ${shown(wanted)}`,
    is: `has ${shown(has)}`,
  };
}

function stateOf(job: Job): string {
  for (const [type, words] of [
    ["Complete", "has succeeded"],
    ["Failed", "has failed"],
    ["Suspended", "is suspended"],
  ] as const) {
    const condition = trueCondition(job, type);
    if (condition !== undefined) return `${words} (${condition.reason})`;
  }
  return "has not ended";
}
