/** The report for CI servers: well-formed whatever the API says, with the right numbers. */
import { expect, test } from "vitest";
import type { Hold, Verdict } from "../../../../bindings/js/engine.ts";
import type { AwaitedJob } from "../../../../host-node/cli/wait/job-watch.ts";
import { junitOf } from "../../../../host-node/cli/wait/junit.ts";

const START = "2026-01-01T00:00:00Z";

function job(name: string, verdict: Partial<Verdict>, outcome?: AwaitedJob["outcome"]): AwaitedJob {
  const object = {
    metadata: { name, uid: name, resourceVersion: "1", creationTimestamp: START },
    status: { startTime: START },
  };
  return { name, uid: name, object: object as never, verdict: verdict as Verdict, outcome };
}

const succeeded = job(
  "good",
  { verdict: "Succeeded", isFinished: true, sinceMs: Date.parse(START) + 90_500, sentence: "" },
  { kind: "reached", isGood: true },
);
const failed = job(
  "bad",
  { verdict: "Failed", isFinished: true, reason: "Mine", sinceMs: null, sentence: 'a < b & "c"\u0000\n\ud800é' },
  { kind: "reached", isGood: false },
);
const deleted = job("gone", { verdict: "Deleting", isFinished: false }, { kind: "deleted", isGood: false });
const stuck = job(
  "stuck",
  { verdict: "Stuck", isFinished: false, reason: "ImagePullBackOff", sentence: "the Job is stuck" },
  { kind: "stuck", isGood: false },
);
const open = job("open", { verdict: "Running", isFinished: false, sentence: "the Job is running" });

test("each Job is a test case, and failures are not errors", () => {
  expect(junitOf([succeeded, failed, deleted, stuck, open], "team", true)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="5" failures="2" errors="2">
  <testsuite name="team" tests="5" failures="2" errors="2">
    <testcase name="good" classname="team" time="90.500"/>
    <testcase name="bad" classname="team" time="0.000">
      <failure type="Mine" message="a &#60; b &#38; &#34;c&#34;?&#10;?é"/>
    </testcase>
    <testcase name="gone" classname="team" time="0.000">
      <failure type="Deleted" message="the Job was deleted before its end was seen"/>
    </testcase>
    <testcase name="stuck" classname="team" time="0.000">
      <error type="ImagePullBackOff" message="the Job is stuck"/>
    </testcase>
    <testcase name="open" classname="team" time="0.000">
      <error type="TimedOut" message="the Job is running"/>
    </testcase>
  </testsuite>
</testsuites>
`);
});

test("a Job that has failed has what its last pod printed, and who ended it", () => {
  const lastFailure = { pod: "bad-x", failure: "container c exited (exit code 1)", endedBy: null, log: ["no <disk>"] };
  expect(junitOf([{ ...failed, lastFailure }], "team", true)).toContain(
    'c&#34;?&#10;?é">pod bad-x: container c exited (exit code 1)&#10;no &#60;disk&#62;</failure>',
  );
});

test("a Job that has not ended has what holds it", () => {
  const holds = [{ code: "Suspended", sentence: "spec.suspend is <true>" } as Hold];
  expect(junitOf([{ ...open, holds }], "team", true)).toContain(">spec.suspend is &#60;true&#62;</error>");
});

test("a wait that was interrupted has not timed out", () => {
  expect(junitOf([open], "team", false)).toContain('<error type="Interrupted"');
});
