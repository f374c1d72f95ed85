/**
 * The outcome of a wait as JUnit XML, which CI servers show: one test case a Job. Source: the Jenkins schema of JUnit
 * reports. Invariant: any text of the API gives well-formed XML.
 */
import { xml } from "../output/xml.ts";
import { type AwaitedJob, holdSentence, sentenceOf } from "./job-watch.ts";

/** @param isTimedOut Jobs without an outcome have timed out; else the wait was interrupted */
export function junitOf(jobs: readonly AwaitedJob[], namespace: string, isTimedOut: boolean): string {
  const errors = jobs.filter(isOpen).length;
  const failures = jobs.filter((job) => !isOpen(job) && !job.outcome?.isGood).length;
  const cases = jobs.flatMap((job) => {
    const problem = problemOf(job, isTimedOut);
    const head = `    <testcase name="${xml(job.name)}" classname="${xml(namespace)}" time="${secondsOf(job)}"`;
    return problem === undefined ? [`${head}/>`] : [`${head}>`, `      ${problem}`, "    </testcase>"];
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${jobs.length}" failures="${failures}" errors="${errors}">`,
    `  <testsuite name="${xml(namespace)}" tests="${jobs.length}" failures="${failures}" errors="${errors}">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

/** It has not ended. */
function isOpen({ outcome }: AwaitedJob): boolean {
  return outcome === undefined || outcome.kind === "stuck";
}

function problemOf(job: AwaitedJob, isTimedOut: boolean): string | undefined {
  const { outcome, verdict } = job;
  if (outcome?.isGood) return undefined;
  const [element, type] =
    outcome === undefined
      ? ["error", isTimedOut ? "TimedOut" : "Interrupted"]
      : [isOpen(job) ? "error" : "failure", outcome.kind === "deleted" ? "Deleted" : verdict.reason || verdict.verdict];
  const head = `<${element} type="${xml(type!)}" message="${xml(sentenceOf(job))}"`;
  const lines = linesOf(job);
  return lines.length === 0 ? `${head}/>` : `${head}>${xml(lines.join("\n"))}</${element}>`;
}

function linesOf(job: AwaitedJob): string[] {
  const hold = holdSentence(job);
  const { lastFailure } = job;
  return [
    ...(hold === undefined ? [] : [hold]),
    ...(lastFailure === undefined ? [] : [`pod ${lastFailure.pod}: ${lastFailure.failure}`, ...lastFailure.log]),
  ];
}

/** From its start to its end, as far as they are known. */
function secondsOf({ object, verdict }: AwaitedJob): string {
  const startMs = Date.parse(object.status?.startTime ?? object.metadata.creationTimestamp);
  const seconds = verdict.isFinished && verdict.sinceMs !== null ? (verdict.sinceMs - startMs) / 1000 : 0;
  return Math.max(0, seconds || 0).toFixed(3);
}
