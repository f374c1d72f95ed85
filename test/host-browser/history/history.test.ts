/** The history of a run: its columns, and where each row comes from. */
import { describe, expect, test } from "vitest";
import { type Chunk, JobPhase, NodeState, NONE, PodState } from "../../../host-browser/records.ts";
import { example, jobYaml, Run } from "./run.ts";

interface Transition {
  readonly pod: string;
  readonly atMs: number;
  readonly state: string;
  readonly detail: string;
  readonly decision: string;
}

/** The transitions of a chunk that is the first one, in words. */
function transitionsOf({ pods, texts, transitions, decisions }: Chunk): Transition[] {
  const names = pods.names.split("\n");
  const states = Object.keys(PodState);
  return [...transitions.pod].map((pod, row) => ({
    pod: names[pod]!,
    atMs: transitions.atMs[row]!,
    state: states[transitions.state[row]!]!,
    detail: texts[transitions.detail[row]!] ?? "",
    decision: texts[decisions.code[transitions.decision[row]!]!] ?? "",
  }));
}

describe("the columns of a Job that fails", () => {
  const run = new Run(example("retry-never")).to(200_000);
  const chunk = run.history.take();
  const codes = [...chunk.decisions.code].map((id) => chunk.texts[id]);

  test("every pod goes its way, and each end belongs to the decision that takes it into account", () => {
    const rows = transitionsOf(chunk);
    const first = rows.filter(({ pod }) => pod === rows[0]!.pod);
    expect(first.map(({ state, atMs, detail, decision }) => ({ state, atMs, detail, decision }))).toEqual([
      { state: "PENDING", atMs: 0, detail: "", decision: "Creating" },
      { state: "STARTING", atMs: 0, detail: "", decision: "" },
      { state: "READY", atMs: 0, detail: "", decision: "" },
      { state: "FAILED", atMs: 20_000, detail: "exit code 1", decision: "Counted" },
    ]);
    expect([...chunk.pods.attempt]).toEqual([0, 1, 2, 3]);
    expect([...chunk.pods.index]).toEqual([NONE, NONE, NONE, NONE]);
  });

  test("each back-off is a gap of its length, from the failure on", () => {
    const gaps = [...chunk.gaps.fromMs].map((fromMs, i) => [fromMs, chunk.gaps.untilMs[i]!]);
    expect(gaps).toEqual([
      [20_000, 30_000],
      [50_000, 70_000],
      [90_000, 130_000],
    ]);
    expect([...chunk.gaps.decision].map((id) => codes[id])).toEqual(["Backoff", "Backoff", "Backoff"]);
  });

  test("each version of the Job has its counters and its decision", () => {
    const { versions } = chunk;
    const rows = [...versions.atMs].map((atMs, i) => ({
      atMs,
      active: versions.active[i],
      failed: versions.failed[i],
      phase: versions.phase[i],
      decision: codes[versions.decision[i]!],
    }));
    expect(rows.slice(0, 5)).toEqual([
      { atMs: 0, active: 0, failed: 0, phase: JobPhase.RUNNING, decision: "Creating" },
      { atMs: 0, active: 1, failed: 0, phase: JobPhase.RUNNING, decision: "Creating" },
      { atMs: 10, active: 1, failed: 0, phase: JobPhase.RUNNING, decision: "WaitingForPods" },
      { atMs: 20_010, active: 0, failed: 0, phase: JobPhase.RUNNING, decision: "Counted" },
      { atMs: 20_010, active: 0, failed: 1, phase: JobPhase.RUNNING, decision: "Counted" },
    ]);
    expect(rows.at(-2)).toMatchObject({ phase: JobPhase.RUNNING, decision: "TooManyFailures" });
    expect(rows.at(-1)).toMatchObject({ failed: 4, phase: JobPhase.FAILED, decision: "Ended" });
    expect(versions.completions[0]).toBe(1);
    expect(versions.parallelism[0]).toBe(1);
  });

  test("the controller's events tell of their decisions", () => {
    const events = [...chunk.events.reason].map((id, i) => [chunk.texts[id], codes[chunk.events.decision[i]!]]);
    expect(events).toContainEqual(["SuccessfulCreate", "Creating"]);
    expect(events).toContainEqual(["BackoffLimitExceeded", "Ended"]);
    expect(events).toContainEqual(["Scheduled", undefined]);
  });
});

test("a chunk has only what is new, and late decisions of rows before", () => {
  const run = new Run(example("retry-never")).to(20_000);
  const before = run.history.take();
  const failed = before.transitions.pod.length - 1;
  expect(before.transitions.state[failed]).toBe(PodState.FAILED);
  expect(before.transitions.decision[failed]).toBe(NONE);
  const after = run.to(20_010).history.take();
  expect(after.jobs).toEqual([]);
  expect(after.pods.names).toBe("");
  const late = [...after.late.row].indexOf(failed);
  expect(after.late.table[late]).toBe(0);
  const texts = [...before.texts, ...after.texts];
  const decision = after.late.decision[late]! - before.decisions.code.length;
  expect(texts[after.decisions.code[decision]!]).toBe("Counted");
});

describe("back-off of single indexes", () => {
  const outcome = '{ "runMs": 3000, "byIndex": { "1": { "exitCode": 3 }, "3": { "exitCode": 4 } } }';
  const spec = "completions: 4\nparallelism: 4\ncompletionMode: Indexed\nbackoffLimitPerIndex: 2";

  function gapsOf(yaml: string): (readonly [index: number, fromMs: number, untilMs: number, code: string])[] {
    const { decisions, gaps, texts } = new Run(yaml).to(60_000).history.take();
    return [...gaps.index].map((index, i) => [
      index,
      gaps.fromMs[i]!,
      gaps.untilMs[i]!,
      texts[decisions.code[gaps.decision[i]!]!] ?? "",
    ]);
  }

  test("every index that waits has a gap, also if the decision names another", () => {
    expect(gapsOf(jobYaml(spec, outcome))).toEqual([
      [1, 3_000, 13_000, "IndexBackoff"],
      [3, 3_000, 13_000, "IndexBackoff"],
      [1, 16_000, 36_000, "IndexBackoff"],
      [3, 16_000, 36_000, "IndexBackoff"],
    ]);
  });

  test("an index that a rule of the failure policy gives up does not wait", () => {
    const rules = `podFailurePolicy:
  rules:
    - action: FailIndex
      onExitCodes: { operator: In, values: [4] }`;
    const gaps = gapsOf(jobYaml(`${spec}\n${rules}`, outcome));
    expect(gaps.map(([index]) => index)).toEqual([1, 1]);
  });
});

describe("what people do", () => {
  const JOB = { namespace: "default", name: "pi" };
  const spec = "completions: 6\nparallelism: 2\ncompletionMode: Indexed";

  test("pods that a suspended Job loses go for that decision, to their end", () => {
    const inputs = [
      { atMs: 5_000, action: { kind: "suspend", ...JOB } },
      { atMs: 30_000, action: { kind: "resume", ...JOB } },
    ] as const;
    const chunk = new Run(jobYaml(spec, '{ "runMs": 20000 }'), { inputs }).to(40_000).history.take();
    const ends = transitionsOf(chunk).filter(({ atMs }) => atMs === 5_000);
    expect(ends.map(({ state, decision }) => `${state} ${decision}`)).toEqual([
      "TERMINATING Suspending",
      "TERMINATING Suspending",
      "FAILED Suspending",
      "GONE Suspending",
      "FAILED Suspending",
      "GONE Suspending",
    ]);
    expect(chunk.flags.map(({ atMs, kind }) => [atMs, kind])).toEqual([
      [5_000, "suspend"],
      [30_000, "resume"],
    ]);
  });

  test("a pod of a drained node belongs to the decision that counts it", () => {
    const inputs = [{ atMs: 5_000, action: { kind: "drain", node: "node-1" } }] as const;
    const chunk = new Run(jobYaml(spec, '{ "runMs": 20000 }'), { inputs }).to(40_000).history.take();
    const ends = transitionsOf(chunk).filter(({ detail }) => detail === "EvictionByEvictionAPI");
    expect(ends.map(({ state, decision }) => `${state} ${decision}`)).toEqual([
      "TERMINATING Counted",
      "FAILED Counted",
      "GONE Counted",
    ]);
  });

  test("nodes have a row for each change of whether they take pods", () => {
    const inputs = [
      { atMs: 5_000, action: { kind: "drain", node: "node-2" } },
      { atMs: 9_000, action: { kind: "cordon", node: "node-2" } },
      { atMs: 9_500, action: { kind: "uncordon", node: "node-2" } },
    ] as const;
    const { nodes, texts } = new Run(jobYaml(spec), { inputs }).to(40_000).history.take();
    const rows = [...nodes.node].map((id, row) => [texts[id], nodes.atMs[row], nodes.state[row]]);
    expect(rows).toEqual([
      ["node-1", 0, NodeState.READY],
      ["node-2", 0, NodeState.READY],
      ["node-3", 0, NodeState.READY],
      ["node-2", 5_000, NodeState.CORDONED],
      ["node-2", 9_500, NodeState.READY],
    ]);
  });

  test("a Job whose time to live is over goes for that decision, and its sentence says that it is gone", () => {
    const run = new Run(jobYaml("ttlSecondsAfterFinished: 10")).to(60_000);
    const { decisions, texts, versions } = run.history.take();
    const last = versions.phase.length - 1;
    expect(versions.phase[last]).toBe(JobPhase.GONE);
    expect(texts[decisions.code[versions.decision[last]!]!]).toBe("Removing");
    const view = run.look({ atMs: 60_000, job: 0 });
    expect(view.sentence).toBe("The Job is gone: the controller has nothing to do for it.");
    expect([view.jobTable.rows, view.podTable.rows, view.status]).toEqual([[], [], []]);
    expect(run.look({ atMs: 5_000, job: 0 }).sentence).toMatch(/it is deleted in 6 s, 10 s after its end$/);
  });
});
