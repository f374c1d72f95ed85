/** What the panels get to show for an instant. */
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { NONE, PodState } from "../../../host-browser/records.ts";
import { example, jobYaml, Run } from "./run.ts";

describe("a Job that fails and is tried again", () => {
  const run = new Run(example("retry-never")).to(200_000);
  const view = run.look({ atMs: 25_000, job: 0, pod: 0 });
  const codes = (id: number): string => view.decisions.find((row) => row.id === id)?.code ?? "";

  test("the sentence says what is left of the wait at that instant, and when it is over", () => {
    expect(view.code).toBe("Backoff");
    expect(view.sentence).toMatch(/^waiting 5 s before the next pod is created: 1 failure in a row, back-off 10 s/);
    expect(view.nextMs).toBe(30_000);
    expect(run.look({ atMs: 29_000, job: 0 }).sentence).toMatch(/^waiting 1 s before/);
  });

  test("tables are those of kubectl", () => {
    expect(view.jobTable.columns).toEqual(["Name", "Status", "Completions", "Duration", "Age"]);
    expect(view.jobTable.rows).toEqual([["retry-never", "Running", "0/1", "25s", "25s"]]);
    expect(view.podTable.columns).toEqual(["Name", "Ready", "Status", "Restarts", "Age"]);
    expect(view.podTable.ids).toEqual([0]);
    expect(view.podTable.rows[0]!.slice(1)).toEqual(["0/1", "Error", "0", "25s"]);
    expect(view.podCount).toBe(1);
  });

  test("the status is YAML, with what the last write changed", () => {
    const status = parse(view.status.map(({ text }) => text).join("\n"));
    expect(status).toMatchObject({ failed: 1, ready: 0, startTime: "2026-01-01T00:00:00Z" });
    expect(view.status.filter(({ isChanged }) => isChanged).map(({ text }) => text)).toEqual([
      "failed: 1",
      "uncountedTerminatedPods: {}",
    ]);
  });

  test("each line of the status leads to the decision that wrote it last", () => {
    const why = (text: string): readonly unknown[] => {
      const { version } = view.status.find((line) => line.text.startsWith(text))!;
      const { decision } = run.look({ atMs: 25_000, job: 0, why: { of: "version", id: version } }).why!;
      return [decision?.code, decision?.atMs];
    };
    const { version } = view.status.find(({ isChanged }) => isChanged)!;
    expect(version).toBe(view.version);
    expect(why("failed: 1")).toEqual(["Counted", 20_010]);
    expect(why("startTime")).toEqual(["Creating", 0]);
    expect(why("ready: 0")[1]).toBeGreaterThan(0);
    // The version of a line is the oldest of those that have it, and not older than what it says.
    const first = run.look({ atMs: 0, job: 0 }).status;
    expect(first.find(({ text }) => text.startsWith("startTime"))?.version).toBe(
      view.status.find(({ text }) => text.startsWith("startTime"))!.version,
    );
  });

  test("requests have their answers and their decisions", () => {
    const [newest] = view.requests;
    expect(newest).toMatchObject({ method: "PATCH", status: 200, atMs: 20_010, answeredMs: 20_010 });
    expect(newest!.path).toBe("/apis/batch/v1/namespaces/default/jobs/retry-never/status");
    expect(newest!.summary).toBe('{"status":{"failed":1,"uncountedTerminatedPods":{"failed":null}}}');
    expect(view.requests.map(({ decision, method, summary }) => `${method} ${summary} ${codes(decision)}`)).toContain(
      "PATCH changes the finalizers of the pod Counted",
    );
    expect(view.requests.at(-1)).toMatchObject({ method: "POST", summary: "creates a pod" });
    expect(codes(view.requests.at(-1)!.decision)).toBe("Creating");
  });

  test("nothing of it is newer than the instant", () => {
    for (const { atMs } of [...view.events, ...view.decisions, ...view.requests])
      expect(atMs).toBeLessThanOrEqual(25_000);
    expect(view.conditions).toEqual([]);
  });

  test("the pod that was asked for is described, and shown whole", () => {
    expect(view.pod!.description).toMatch(/^Name: +retry-never-/);
    expect(view.pod!.description).toMatch(/Exit Code: +1\n/);
    expect(parse(view.pod!.yaml)).toMatchObject({ apiVersion: "v1", kind: "Pod", status: { phase: "Failed" } });
    expect(view.description).toMatch(/Pods Statuses: +0 Active \(0 Ready\) \/ 0 Succeeded \/ 1 Failed\n/);
    expect(view.description).toMatch(/SuccessfulCreate +25s +job-controller +Created pod: retry-never-/);
  });

  test("conditions say since when they are so, and which decision made them so", () => {
    const { conditions, decisions } = run.look({ atMs: 200_000, job: 0 });
    const rows = conditions.map(({ atMs, decision, reason, status, type }) => {
      const code = decisions.find(({ id }) => id === decision)?.code;
      return [type, status, reason, atMs, code];
    });
    expect(rows).toEqual([
      ["FailureTarget", "True", "BackoffLimitExceeded", 150_010, "TooManyFailures"],
      ["Failed", "True", "BackoffLimitExceeded", 150_010, "Ended"],
    ]);
  });
});

test("before there is a Job, and for one that never was, a view is empty", () => {
  const run = new Run(jobYaml("parallelism: 1"));
  expect(run.look({ atMs: 0, job: 7 })).toMatchObject({ sentence: "There is no Job yet.", status: [], podCount: 0 });
});

test("where the controller's picture is not the API's, it says whose is which", () => {
  const inputs = [{ atMs: 2_000, action: { kind: "slow-api", delayMs: 700, forMs: 20_000 } }] as const;
  const run = new Run(jobYaml("completions: 2", '{ "runMs": 5000 }'), { inputs }).to(8_000);
  expect(run.look({ atMs: 5_000, job: 0 }).differences).toEqual([
    "API: 0 pods are active, and status.active is still 1",
    "API: 0 pods are ready, and status.ready is still 1",
  ]);
  expect(run.look({ atMs: 5_100, job: 0 }).differences).toContain(
    "controller: it waits for the answer to POST /api/v1/namespaces/default/pods",
  );
});

describe("requests that the API server does not carry out", () => {
  const inputs = [{ atMs: 500, action: { kind: "api-errors", status: 503, forMs: 4_000 } }] as const;
  const run = new Run(jobYaml("completions: 2", '{ "runMs": 1000 }'), { inputs }).to(10_000);
  const { decisions, requests } = run.look({ atMs: 10_000, job: 0 });
  const refused = requests.filter(({ status }) => status === 503);

  test("are the Job's all the same, with their answer and their decision", () => {
    const codeOf = (decision: number): string | undefined => decisions.find(({ id }) => id === decision)?.code;
    const [newest] = refused.filter(({ method }) => method === "POST");
    expect(newest).toMatchObject({ path: "/api/v1/namespaces/default/pods", summary: "creates a pod" });
    expect(codeOf(newest!.decision)).toBe("Creating");
  });

  test("make the controller wait before it tries again", () => {
    const { gaps } = run.history.take();
    const spans = [...gaps.fromMs].map((fromMs, i) => gaps.untilMs[i]! - fromMs);
    expect(spans).toEqual([1_000, 2_000, 4_000]);
    const { why } = run.look({ atMs: 10_000, job: 0, why: { of: "gap", id: 1 } });
    expect(why!.text).toMatch(
      /^The controller waits 2 s before it tries again\. .*Trying again in 2 s, after 2 failures/,
    );
  });

  test("had no answer before they were answered", () => {
    const late = [{ atMs: 500, action: { kind: "slow-api", delayMs: 300, forMs: 4_000 } }] as const;
    const slow = new Run(jobYaml("completions: 2", '{ "runMs": 1000 }'), { inputs: late }).to(10_000);
    const post = (atMs: number) => slow.look({ atMs, job: 0 }).requests.find(({ atMs: sent }) => sent > 500);
    const sent = slow.look({ atMs: 10_000, job: 0 }).requests.findLast(({ atMs }) => atMs > 500)!;
    expect(sent).toMatchObject({ status: 201, answeredMs: sent.atMs + 300 });
    expect(post(sent.atMs + 299)).toMatchObject({ status: 0, answeredMs: NONE });
  });
});

test("those of many pods are shown that are not over, and then those that were over last", () => {
  const spec = "completions: 300\nparallelism: 60\ncompletionMode: Indexed";
  const run = new Run(jobYaml(spec, '{ "runMs": 10000 }')).to(40_000);
  const view = run.look({ atMs: 40_000, job: 0 });
  expect(view.podTable.rows).toHaveLength(200);
  expect(view.podCount).toBeGreaterThan(200);
  const running = view.podTable.rows.filter(([, , status]) => status === "Running");
  expect(running).toHaveLength(60);
  expect(view.podTable.ids.at(-1)).toBe(view.podCount - 1);
});

test("versions that had to be dropped are named as such, and rows come from the columns", () => {
  const spec = "completions: 900\nparallelism: 100\ncompletionMode: Indexed\nttlSecondsAfterFinished: 1";
  const run = new Run(jobYaml(spec, '{ "runMs": 2000 }'), { maxPodVersions: 0 }).to(600_000);
  const view = run.look({ atMs: 1_000, job: 0, pod: 0 });
  expect(view.pod!.yaml).toBe("# So many pods were written that this version of the pod is no longer kept.");
  expect(view.podTable.rows[0]!.slice(1)).toEqual(["1/1", "Running", "0", "1s"]);
  expect(view.podCount).toBe(100);
});

describe("why", () => {
  const run = new Run(example("retry-never")).to(200_000);
  const { gaps, transitions, versions, events } = run.history.take();
  const why = (of: "transition" | "gap" | "version" | "event" | "pod" | "decision", id: number) =>
    run.look({ atMs: 200_000, job: 0, why: { of, id } }).why;

  test("a gap has its rule, its numbers, the lines of its fields, and its end", () => {
    const answer = why("gap", 1)!;
    expect(gaps.untilMs[1]).toBe(70_000);
    expect(answer.decision).toMatchObject({ code: "Backoff", nextMs: 70_000 });
    expect(answer.text).toMatch(
      /^The Job waits 20 s before a pod is created again\. .*back-off 20 s since 00:00:50\.$/,
    );
    expect(Object.fromEntries(answer.numbers)).toMatchObject({
      failures: "2",
      backoffMs: "20 s",
      lastFailureMs: "00:00:50 UTC",
    });
    const lines = example("retry-never").split("\n");
    expect(answer.fields.map(({ line, path }) => [path, lines[line! - 1]!.trim()])).toEqual([
      ["spec.backoffLimit", "backoffLimit: 3"],
      ["spec.template.spec.restartPolicy", "restartPolicy: Never"],
    ]);
    expect(answer.nextMs).toBe(70_000);
  });

  test("the end of a bar tells what happened, and what the controller made of it", () => {
    const failed = [...transitions.state].indexOf(7);
    const answer = why("transition", failed)!;
    expect(answer.text).toMatch(
      /^Pod retry-never-\w+ has failed: container main exited \(exit code 1, Error\)\. The controller: Counted: 0 succeeded, 1 failed/,
    );
    expect(answer.text).toMatch(/ Then: Waiting 10 s before the next pod is created: 1 failure in a row/);
    expect(answer.nextMs).toBe(30_000);
    expect(answer.cause).toEqual({ of: "transition", id: failed });
  });

  test("the end of a pod that is replaced at once was counted, too", () => {
    const replaced = new Run(example("one-fails")).to(60_000);
    const { state } = replaced.history.take().transitions;
    const succeeded = [...state.keys()].filter((id) => state[id] === PodState.SUCCEEDED);
    const codes = succeeded.map(
      (id) => replaced.look({ atMs: 60_000, job: 0, why: { of: "transition", id } }).why!.decision!.code,
    );
    expect(codes).toEqual([...Array<string>(5).fill("Counted"), "CompletionsReached"]);
  });

  test("a bar of a pod at work tells which decision made the pod", () => {
    const ready = [...transitions.state].lastIndexOf(PodState.READY);
    const answer = why("transition", ready)!;
    expect(answer.text).toMatch(/^Pod retry-never-\w+ runs and is ready\. The controller made it: Creating 1 pod/);
    expect(answer.decision).toMatchObject({ code: "Creating", atMs: 130_000 });
    expect(answer.fields.map(({ path }) => path)).toContain("spec.parallelism");
    // It was made after a wait that is over.
    expect(answer.nextMs).toBeUndefined();
  });

  test("a write of the status tells what changed", () => {
    expect(why("version", versions.atMs.length - 1)!.text).toMatch(
      /^The Job has failed: failed 3 → 4\. It comes from this decision: The Job has ended with Failed/,
    );
    expect(why("version", 0)!.text).toMatch(/^The Job was created\./);
  });

  test("what the controller had no part in has no decision", () => {
    const started = [...events.decision].indexOf(NONE);
    expect(why("event", started)!.decision).toBeUndefined();
    expect(why("event", started)!.text).toMatch(/^Event Scheduled of default-scheduler: Successfully assigned/);
    expect(why("pod", 0)!.text).toMatch(/^Pod retry-never-\w+ was created: pod 1 of its Job\. .*Creating 1 pod/);
  });

  test("there is none of a row that is not there", () => {
    expect([why("gap", 99), why("decision", -1), why("pod", 0.5)]).toEqual([undefined, undefined, undefined]);
  });
});

test("a rule of a policy is named with its number", () => {
  const run = new Run(example("pod-failure-policy")).to(60_000);
  const { decisions, texts } = run.history.take();
  const id = [...decisions.code].findIndex((code) => texts[code] === "PolicyFailsJob");
  const { why } = run.look({ atMs: 60_000, job: 0, why: { of: "decision", id } });
  expect(why!.fields.map(({ path }) => path)).toEqual(["spec.podFailurePolicy.rules[0]"]);
  expect(why!.fields[0]!.line).toBeGreaterThan(0);
});

describe("why a pod is as it is", () => {
  function whyOf(yaml: string, state: PodState) {
    const run = new Run(yaml).to(10_000);
    const { transitions } = run.history.take();
    const id = [...transitions.state].lastIndexOf(state);
    const { why } = run.look({ atMs: 10_000, job: 0, why: { of: "transition", id } });
    const lines = yaml.split("\n");
    return { text: why!.text, lines: why!.fields.map(({ line }) => lines[line! - 1]?.trim()) };
  }

  test("it does not fit: the scheduler's message, and what it asks for", () => {
    const yaml = jobYaml("parallelism: 1") + '          resources: { requests: { cpu: "99" } }\n';
    const { lines, text } = whyOf(yaml, PodState.PENDING);
    expect(text).toMatch(/^Pod pi-\w+ has no node yet: Unschedulable\. 0\/3 nodes are available: .*Insufficient cpu/);
    expect(lines).toContain('resources: { requests: { cpu: "99" } }');
  });

  test("it failed: how the playground lets it end, and the rule that comes next", () => {
    const { lines, text } = whyOf(jobYaml("backoffLimit: 2", '{ "runMs": 500, "exitCode": 4 }'), PodState.FAILED);
    expect(text).toMatch(/^Pod pi-\w+ has failed: container main exited \(exit code 4, Error\)\. The controller: /);
    expect(lines).toEqual(
      expect.arrayContaining([
        'stint.dev/simulate: \'{ "runMs": 500, "exitCode": 4 }\'',
        "restartPolicy: Never",
        "backoffLimit: 2",
      ]),
    );
  });
});
