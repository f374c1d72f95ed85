/** Who ended a pod, in the words of the engine: in the reason of its bar, and in the panel of all pods. */
import { describe, expect, test } from "vitest";
import { PodState } from "../../../host-browser/records.ts";
import type { Action } from "../../../cluster/simulation/scenario.ts";
import type { AskAccount } from "../../../host-browser/history/account.ts";
import type { Write } from "../../../cluster/index.ts";
import { viewAt } from "../../../host-browser/history/view.ts";
import { jobYaml, Run } from "./run.ts";

const FOREVER = '{ "runMs": "forever" }';
const END_MS = 60_000;

/** The panel of a Job that was acted on after 2 s. */
function accountOf(spec: string, outcome: string, action?: (pod: string) => Action) {
  const yaml = jobYaml(spec, outcome);
  const inputs = action === undefined ? [] : [{ atMs: 2_000, action: action(firstPodOf(yaml)) }];
  const run = new Run(yaml, { inputs }).to(END_MS);
  return { run, rows: run.look({ atMs: END_MS, job: 0, panel: "account" }).account!.rows };
}

function firstPodOf(yaml: string): string {
  return new Run(yaml).to(1_000).history.book.tables.podNames[0]!;
}

/** The reason of the latest transition to the state. */
function whyOf(run: Run, state: PodState) {
  const { columns } = run.history.book.tables.transitions;
  const id = columns.state.data.subarray(0, columns.state.length).lastIndexOf(state);
  return run.look({ atMs: END_MS, job: 0, why: { of: "transition", id } }).why!;
}

describe("the pods of a Job", () => {
  test("are shown newest first, with what ended each", () => {
    const { rows } = accountOf("backoffLimit: 1", '{ "runMs": 1000, "exitCode": 3, "message": "no such table" }');
    expect(rows.map(({ endedBy }) => endedBy)).toEqual(["Exited", "Exited"]);
    const [newest, first] = rows;
    expect(newest!.sentence).toBe(
      `pod ${newest!.pod} has failed: container main exited (exit code 3, Error): no such table`,
    );
    expect(newest!.startMs).toBeGreaterThan(first!.endMs!);
    expect(first).toMatchObject({ id: 0, index: undefined, node: expect.stringMatching(/^node-/), startMs: 0 });
  });

  test("are there when they are gone, and before they have ended", () => {
    const { run } = accountOf("parallelism: 2\nttlSecondsAfterFinished: 5", '{ "runMs": 3000 }');
    const at = (atMs: number) => run.look({ atMs, job: 0, panel: "account" }).account!;
    expect(at(2_000).rows.map(({ endedBy, endMs }) => [endedBy, endMs])).toEqual(
      [["", undefined]].concat([["", undefined]]),
    );
    expect(run.look({ atMs: END_MS, job: 0 }).podCount).toBe(0);
    expect(at(END_MS)).toMatchObject({ isThere: true, count: 2 });
    expect(at(END_MS).rows.map(({ endedBy }) => endedBy)).toEqual(["Completed", "Completed"]);
  });

  test.each<[code: string, spec: string, action: (pod: string) => Action]>([
    ["Deleted", "backoffLimit: 0", (name) => ({ kind: "delete-pod", namespace: "default", name })],
    ["ApiEviction", "backoffLimit: 0", (name) => ({ kind: "evict-pod", namespace: "default", name })],
    ["JobDeleted", "backoffLimit: 0", () => ({ kind: "delete-job", namespace: "default", name: "pi" })],
    ["Suspended", "backoffLimit: 0", () => ({ kind: "suspend", namespace: "default", name: "pi" })],
    ["JobDeadline", "activeDeadlineSeconds: 5", () => ({ kind: "cordon", node: "node-3" })],
  ])("say who ended them: %s", (code, spec, action) => {
    const { run, rows } = accountOf(spec, FOREVER, action);
    const ended = rows.find(({ id }) => id === 0)!;
    expect(ended.endedBy).toBe(code);
    const why = whyOf(run, PodState.TERMINATING);
    expect(why.endedBy).toBe(code);
    expect(why.text).toContain(`The cause: ${ended.sentence.split(": ").slice(1).join(": ")}.`);
  });

  test("of the pods that the Job wants no more, the Events tell", () => {
    const scale: Action = { kind: "scale", namespace: "default", name: "pi", parallelism: 1 };
    const { rows } = accountOf("parallelism: 3\ncompletions: 5", FOREVER, () => scale);
    expect(rows.map(({ endedBy }) => endedBy).toSorted()).toEqual(["", "ScaledDown", "ScaledDown"]);
  });
});

test("the reason of a failure has the engine's words", () => {
  const { run } = accountOf("backoffLimit: 0", '{ "runMs": 1000, "exitCode": 137, "reason": "OOMKilled" }');
  const why = whyOf(run, PodState.FAILED);
  expect(why.endedBy).toBe("OutOfMemory");
  expect(why.text).toMatch(
    /^Pod pi-\w+ has failed: container main was killed for want of memory \(exit code 137, signal 9, OOMKilled\)\. /,
  );
});

test("a state that is no end has no cause", () => {
  const { run } = accountOf("backoffLimit: 0", '{ "runMs": 1000, "exitCode": 3 }');
  expect(whyOf(run, PodState.READY)).not.toHaveProperty("endedBy");
});

test("without the whole engine the panel says so, and a reason has the rest", () => {
  const { run } = accountOf("backoffLimit: 0", '{ "runMs": 1000, "exitCode": 3 }');
  expect(viewAt(run.history, { atMs: END_MS, job: 0, panel: "account" }).account).toMatchObject({ isThere: false });
  const { columns } = run.history.book.tables.transitions;
  const id = columns.state.data.subarray(0, columns.state.length).lastIndexOf(PodState.FAILED);
  const { why } = viewAt(run.history, { atMs: END_MS, job: 0, why: { of: "transition", id } });
  expect(why!.text).toMatch(/^Pod pi-\w+ has failed: exit code 3\. /);
});

test("a long list has pages, and its questions stay within the limits of the engine", () => {
  const run = new Run(jobYaml("parallelism: 300\ncompletions: 300", '{ "runMs": 1000, "exitCode": 0 }')).to(END_MS);
  const page = (skip: number) => run.look({ atMs: END_MS, job: 0, panel: "account", skip }).account!;
  expect([page(0).count, page(0).rows.length, page(200).rows.length]).toEqual([300, 200, 100]);
  const ids = [...page(0).rows, ...page(200).rows].map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: 300 }, (_, i) => 299 - i));
  expect(page(200).rows.every(({ endedBy }) => endedBy === "Completed")).toBe(true);
  const asked: number[] = [];
  const askNothing: AskAccount = ({ pods }) => void asked.push(pods!.length);
  const { account } = viewAt(run.history, { atMs: END_MS, job: 0, panel: "account" }, askNothing);
  // The last one is about the Job.
  expect(asked).toEqual([50, 50, 50, 50, 50]);
  expect(account!.job).toBeUndefined();
  expect(account!.rows[0]!.sentence).toBe("The engine cannot read this pod, or its Job.");
});

test("a pod whose versions are no longer kept says so", () => {
  const run = new Run(jobYaml("completions: 300\nparallelism: 50\nttlSecondsAfterFinished: 1"), {
    maxPodVersions: 256,
  });
  const { rows } = run.to(END_MS).look({ atMs: END_MS, job: 0, panel: "account", skip: 200 }).account!;
  expect(rows.at(-1)).toMatchObject({ id: 0, endedBy: "", sentence: expect.stringMatching(/is no longer kept\.$/) });
});

test("a pod that is gone without an end was deleted", () => {
  const run = new Run(jobYaml("parallelism: 1", FOREVER)).to(2_000);
  const { podVersions } = run.history;
  const stored = { object: podVersions.newest(0)! };
  run.history.onWrite({ type: "DELETED", resource: "pods", object: stored.object, stored } as unknown as Write, 3_000);
  const at = (atMs: number) => run.look({ atMs, job: 0, panel: "account" }).account!.rows[0]!.endedBy;
  expect([at(2_999), at(3_000)]).toEqual(["", "Deleted"]);
});

test("another panel does not ask the engine", () => {
  const { run } = accountOf("backoffLimit: 0", '{ "runMs": 1000 }');
  const asked = (panel: "account" | "status"): boolean => {
    let isAsked = false;
    viewAt(run.history, { atMs: END_MS, job: 0, panel }, () => void (isAsked = true));
    return isAsked;
  };
  expect([asked("status"), asked("account")]).toEqual([false, true]);
});

describe("the Job", () => {
  const jobOf = (spec: string, outcome: string) => {
    const run = new Run(jobYaml(spec, outcome)).to(END_MS);
    return run.look({ atMs: END_MS, job: 0, panel: "account" }).account!.job!;
  };

  test("has what holds it, what comes next, and what to do", () => {
    expect(jobOf("suspend: true", FOREVER)).toEqual({
      sentence: expect.stringMatching(/suspend/),
      holds: [{ code: "Suspended", sentence: expect.stringMatching(/^spec.suspend is true/) }],
      next: "nothing until spec.suspend is false",
      remedies: [
        { code: "Suspended", sentence: "resume the Job", command: expect.stringMatching(/^kubectl patch job /) },
      ],
    });
  });

  test("has the last failure and what to do about it", () => {
    const { sentence, holds, remedies } = jobOf("backoffLimit: 0", '{ "runMs": 1000, "exitCode": 3 }');
    expect(sentence).toMatch(/container main exited \(exit code 3/);
    expect({ holds, codes: remedies.map(({ code }) => code) }).toEqual({ holds: [], codes: ["Exited"] });
  });
});
