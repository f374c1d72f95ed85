/** The matchers, in vitest's expect and in jest's: what they hold to be true, and what they say when it is not. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect as ofJest } from "expect";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type JobMatchers, matchers, startCluster, type TestCluster } from "../../../host-node/testing/index.ts";
import { buildModule } from "../../../scripts/build-engine.ts";

interface Judgement extends JobMatchers<void> {
  readonly not: JobMatchers<void>;
}
type Expect = (job: unknown) => Judgement;

const folder = mkdtempSync(join(tmpdir(), "stint-matchers-"));
let c: TestCluster;

beforeAll(async () => {
  await buildModule("engine");
  vi.stubEnv("STINT_RECORDINGS", folder);
  expect.extend(matchers);
  ofJest.extend(matchers);
});
afterEach(() => c.stop());
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const frameworks: readonly (readonly [string, Expect])[] = [
  ["vitest", expect as unknown as Expect],
  ["jest", ofJest as unknown as Expect],
];

async function start(outcome: object, spec: object = {}): Promise<void> {
  c = await startCluster();
  c.outcomes("job/pi", outcome);
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };
  const metadata = { name: "pi" };
  await c.apply({ apiVersion: "batch/v1", kind: "Job", metadata, spec: { backoffLimit: 0, template, ...spec } });
}

function messageOf(judge: () => unknown): string {
  try {
    judge();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it did not fail");
}

describe.each(frameworks)("in %s", (_name, judge) => {
  test("a Job has succeeded", async () => {
    await start({ exitCode: 0 });
    expect(messageOf(() => judge("pi").toHaveSucceeded())).toMatch(
      /^expected job pi to have succeeded, but it has not ended\n\njob pi {2}Running\n {2}the Job is running: .*\n {2}waiting for pods/,
    );
    judge("pi").not.toHaveSucceeded();
    await c.untilIdle();
    judge("pi").toHaveSucceeded();
    expect(messageOf(() => judge("pi").not.toHaveSucceeded())).toMatch(
      /^expected job pi not to have succeeded, but it has succeeded \(CompletionsReached\)\n/,
    );
  });

  test("a Job has failed, for a reason", async () => {
    await start({ exitCode: 3, logs: ["no such table"] });
    await c.untilIdle();
    judge("pi").toHaveFailed();
    judge("pi").toHaveFailed({ reason: "BackoffLimitExceeded" });
    judge("pi").not.toHaveFailed({ reason: "DeadlineExceeded" });
    const message = messageOf(() => judge("pi").toHaveFailed({ reason: "DeadlineExceeded" }));
    expect(message).toMatch(
      /^expected job pi to have failed for the reason DeadlineExceeded, but it has failed \(BackoffLimitExceeded\)\n/,
    );
    for (const part of ["container main exited (exit code 3, Error)", "│ no such table", "DECISION"])
      expect(message).toContain(part);
  });

  test("indexes have succeeded and failed", async () => {
    const indexed = { completions: 5, parallelism: 5, completionMode: "Indexed", backoffLimitPerIndex: 0 };
    await start({ byIndex: { 3: { exitCode: 1 } } }, { ...indexed, backoffLimit: undefined });
    await c.untilIdle();
    judge("pi").toHaveSucceededIndexes("0-2,4");
    judge("pi").toHaveSucceededIndexes("4,0,1-2");
    judge("pi").toHaveFailedIndexes("3");
    expect(messageOf(() => judge("pi").toHaveSucceededIndexes("0-4"))).toMatch(
      /^expected job pi to have succeeded indexes 0-4, but it has 0-2,4\n/,
    );
    expect(messageOf(() => judge("pi").toHaveFailedIndexes(""))).toContain("to have failed indexes none, but it has 3");
  });

  test("a Job is suspended", async () => {
    await start({}, { suspend: true });
    judge("pi").toBeSuspended();
    expect(messageOf(() => judge("pi").not.toBeSuspended())).toContain("but it is suspended (JobSuspended)");
  });

  test("a Job has pods", async () => {
    await start({ runMs: "forever" }, { completions: 3, parallelism: 2 });
    await c.advance("2s");
    judge("pi").toHavePods({ active: 2, ready: 2, failed: 0 });
    expect(messageOf(() => judge("pi").toHavePods({ active: 3 }))).toContain(
      "expected job pi to have pods: 3 active, but it has 2 active",
    );
    judge("pi").not.toHavePods({ active: 3 });
  });

  test("the recording lies beside, by the name of the test", async () => {
    await start({});
    const message = messageOf(() => judge("pi").toHaveSucceeded());
    const [, file] = /^recording: (.*)$/m.exec(message)!;
    expect(message).toContain(`  stint replay ${file}`);
    expect(readFileSync(file!, "utf8")).toBe(Buffer.from(c.recording()).toString());
  });

  test.each([
    [
      "what is no Job",
      () => judge({ kind: "Pod", metadata: { name: "x" } }).toHaveSucceeded(),
      "a matcher of Jobs is given",
    ],
    ["a promise", () => judge(Promise.resolve()).toHaveSucceeded(), "a promise (await it first)"],
    [
      "a Job that is not there",
      () => judge("po").not.toHaveFailed(),
      "there is no Job po in namespace default; did you mean pi?",
    ],
    ["no count", () => judge("pi").toHavePods({}), "toHavePods is given no count"],
    [
      "a count that is none",
      () => judge("pi").toHavePods({ activ: 1 } as never),
      "have the field activ; allowed are active",
    ],
    ["indexes that are none", () => judge("pi").not.toHaveSucceededIndexes("3-1"), "the indexes have 3-1"],
  ])("%s fails, with and without not", async (_what, act, message) => {
    await start({});
    expect(messageOf(act)).toContain(message);
  });
});

describe("the Job", () => {
  test("may be a handle, or an object, which is judged as it is now", async () => {
    await start({});
    const before = c.job("pi").get();
    await c.untilIdle();
    const given = expect as unknown as Expect;
    given(c.job("pi")).toHaveSucceeded();
    given(before).toHaveSucceeded();
  });

  test("that no cluster knows is judged as it is given", async () => {
    await start({});
    await c.untilIdle();
    const job = c.job("pi").get();
    await c.stop();
    (expect as unknown as Expect)(job).toHaveSucceeded();
    expect(messageOf(() => (expect as unknown as Expect)(job).toHaveFailed())).toBe(
      "expected job pi to have failed, but it has succeeded (CompletionsReached)",
    );
    expect(messageOf(() => (expect as unknown as Expect)("pi").toHaveFailed())).toBe(
      'the Job is given as "pi", but no cluster runs; start one',
    );
  });
});
