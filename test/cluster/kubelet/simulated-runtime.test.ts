/** The simulated runtime: the schema of outcomes, rules, attempts, and how containers stop. */
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import type { ContainerExit } from "../../../cluster/kubelet/container-runtime.ts";
import {
  MAX_VARIANT_DEPTH,
  OutcomeError,
  parseOutcome,
  parseOutcomeText,
} from "../../../cluster/kubelet/simulation-outcome.ts";
import { SimulatedRuntime } from "../../../cluster/kubelet/simulated-runtime.ts";
import type { SimulationRule } from "../../../cluster/kubelet/simulated-runtime.ts";
import type { Container, Pod } from "../../../cluster/values/kinds.ts";
import { seeded } from "../component-harness.ts";

interface PodOptions {
  readonly uid?: string;
  readonly owner?: string;
  readonly index?: number;
  readonly job?: string;
  readonly annotation?: object | string;
  readonly container?: Record<string, unknown>;
  readonly isInit?: boolean;
}

function setUp(rules: readonly SimulationRule[] = [], chanceOf?: (key: string) => () => number) {
  const clock = new VirtualClock(0);
  const chance = chanceOf === undefined ? {} : { chanceOf };
  const runtime = new SimulatedRuntime({ clock, random: seeded(5), rules, ...chance });
  const start = ({
    uid = "u",
    owner,
    index,
    job,
    annotation,
    container = { name: "c" },
    isInit = false,
  }: PodOptions = {}) => {
    const seen: {
      started: number | undefined;
      ended: number;
      exit: ContainerExit | undefined;
      failed: string | undefined;
      log: string;
    } = {
      started: undefined,
      ended: NaN,
      exit: undefined,
      failed: undefined,
      log: "",
    };
    const pod = {
      metadata: {
        name: "p",
        namespace: "ns",
        uid,
        resourceVersion: "1",
        creationTimestamp: "",
        labels: job === undefined ? {} : { "batch.kubernetes.io/job-name": job },
        annotations: {
          ...(index === undefined ? {} : { "batch.kubernetes.io/job-completion-index": `${index}` }),
          ...(annotation === undefined
            ? {}
            : { "stint.dev/simulate": typeof annotation === "string" ? annotation : JSON.stringify(annotation) }),
        },
        ...(owner === undefined
          ? {}
          : { ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid: owner, controller: true }] }),
      },
      spec: {},
    } as unknown as Pod;
    const handle = runtime.startContainer(
      {
        pod,
        podIP: "10.244.0.1",
        container: container as unknown as Container,
        isInit,
        attempt: 0,
        env: [{ name: "X", value: "7" }],
      },
      {
        started: () => void (seen.started = clock.now()),
        output: (_stream, chunk) => void (seen.log += String(chunk)),
        exited: (exit) => void ((seen.exit = exit), (seen.ended = clock.now())),
        failed: (reason, message) => void (seen.failed = `${reason}: ${message}`),
      },
    );
    return { seen, handle };
  };
  /** Runs a container to its end. */
  const run = (options: PodOptions = {}) => {
    const begunAt = clock.now();
    const { seen } = start(options);
    clock.advance(10_000);
    return { ...seen, ranMs: seen.ended - begunAt };
  };
  return { clock, start, run };
}

describe("outcomes", () => {
  test("by default a container runs one to three seconds and exits 0", () => {
    const { run } = setUp();
    const times = Array.from({ length: 50 }, () => {
      const { exit, ranMs } = run();
      expect(exit).toEqual({ exitCode: 0 });
      return ranMs;
    });
    expect(Math.min(...times)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...times)).toBeLessThanOrEqual(3000);
    expect(new Set(times).size).toBeGreaterThan(10);
  });

  test("startDelayMs, runMs, exitCode with its details, and logs that know the environment", () => {
    const { run } = setUp();
    const outcome = {
      startDelayMs: 100,
      runMs: 700,
      exitCode: 137,
      signal: 9,
      reason: "OOMKilled",
      message: "m",
      logs: ["X is $(X)", "bye"],
    };
    expect(run({ annotation: outcome })).toMatchObject({
      started: 100,
      ended: 800,
      exit: { exitCode: 137, signal: 9, reason: "OOMKilled", message: "m" },
      log: "X is 7\nbye\n",
    });
  });

  test("attempts continue from pod to pod of a Job, each completion index for itself; the last exit code repeats", () => {
    const { run } = setUp();
    const annotation = { runMs: 1, exitCodes: [1, 2, 0] };
    const codes = (pods: PodOptions[]) => pods.map((pod) => run({ annotation, ...pod }).exit!.exitCode);
    expect(
      codes([{ owner: "j" }, { owner: "j", uid: "u2" }, { owner: "j", uid: "u3" }, { owner: "j", uid: "u4" }]),
    ).toEqual([1, 2, 0, 0]);
    expect(
      codes([
        { owner: "i", index: 0 },
        { owner: "i", index: 1 },
        { owner: "i", index: 0 },
      ]),
    ).toEqual([1, 1, 2]);
    expect(codes([{ uid: "a" }, { uid: "b" }, { uid: "a" }])).toEqual([1, 1, 2]);
  });

  test("byIndex and byContainer say what differs", () => {
    const { run } = setUp();
    const annotation = {
      runMs: 5,
      byIndex: { 3: { exitCode: 4 } },
      byContainer: { setup: { runMs: 9 }, c: { byIndex: { 5: { exitCode: 6 } } } },
    };
    expect(run({ annotation, index: 3 })).toMatchObject({ ranMs: 5, exit: { exitCode: 4 } });
    expect(run({ annotation, index: 4 }).exit!.exitCode).toBe(0);
    expect(run({ annotation, index: 5 }).exit!.exitCode).toBe(6);
    expect(run({ annotation, container: { name: "setup" }, isInit: true }).ranMs).toBe(9);
  });

  test("a sidecar runs until it is stopped, whatever is said of the main containers", () => {
    const { clock, start } = setUp();
    const { seen, handle } = start({
      annotation: { runMs: 5, exitCode: 1 },
      container: { name: "side", restartPolicy: "Always" },
      isInit: true,
    });
    clock.advance(1_000_000);
    expect(seen.exit).toBeUndefined();
    handle.stop(30);
    clock.advance(0);
    expect(seen.exit).toEqual({ exitCode: 143 });
  });

  test("failReason fails the start", () => {
    const { run } = setUp();
    expect(run({ annotation: { failReason: "ErrImagePull", failMessage: "no such image" } })).toMatchObject({
      started: undefined,
      failed: "ErrImagePull: no such image",
    });
  });
});

describe("stopping", () => {
  test.each([
    ["SIGTERM ends it at once", {}, 30, 143, 0],
    ["its own answer to SIGTERM", { sigterm: { exitCode: 3, afterMs: 500 } }, 30, 3, 500],
    ["killed when the answer takes too long", { sigterm: { exitCode: 3, afterMs: 5000 } }, 2, 137, 2000],
    ["killed when it ignores SIGTERM", { ignoreSigterm: true }, 2, 137, 2000],
  ])("%s", (_name, outcome, graceSeconds, exitCode, afterMs) => {
    const { clock, start } = setUp();
    const { seen, handle } = start({ annotation: { runMs: "forever", ...outcome } });
    clock.advance(1000);
    handle.stop(graceSeconds);
    clock.advance(60_000);
    expect(seen).toMatchObject({ exit: { exitCode }, ended: 1000 + afterMs });
  });

  test("a shorter grace period replaces a longer one", () => {
    const { clock, start } = setUp();
    const { seen, handle } = start({ annotation: { runMs: "forever", ignoreSigterm: true } });
    handle.stop(100);
    handle.stop(1);
    clock.advance(1000);
    expect(seen.exit).toEqual({ exitCode: 137 });
  });
});

describe("rules", () => {
  test("with a share are for that part of the containers; the next rule applies to the others", () => {
    const { run } = setUp([
      { share: 0.25, outcome: { exitCode: 137, runMs: 5 } },
      { outcome: { exitCode: 3, runMs: 5 } },
    ]);
    const codes = Array.from({ length: 1_000 }, (_, index) => run({ uid: `u${index}` }).exit?.exitCode);
    const killed = codes.filter((code) => code === 137).length;
    expect(killed).toBeGreaterThan(200);
    expect(killed).toBeLessThan(300);
    expect(codes.filter((code) => code === 3)).toHaveLength(1_000 - killed);
  });

  test("draw for each start from the chance of its Job, index, container and attempt", () => {
    const keys: string[] = [];
    const { run } = setUp([], (key) => {
      keys.push(key);
      return seeded(key.length);
    });
    const first = run({ uid: "a", owner: "o", job: "pi", index: 3 });
    const second = run({ uid: "b", owner: "o", job: "pi", index: 3 });
    run({ uid: "c", owner: "o", job: "pi", index: 4, container: { name: "d" } });
    run({ uid: "d" });
    expect(keys).toEqual(["ns/pi/3/c/0", "ns/pi/3/c/1", "ns/pi/4/d/0", "ns/p//c/0"]);
    expect(second.ranMs).toBe(first.ranMs);
  });

  const rules: SimulationRule[] = [
    { match: { jobName: "a", attempt: 1 }, outcome: { runMs: 1, exitCode: 11 } },
    { match: { jobName: "a", completionIndex: 2 }, outcome: { runMs: 1, exitCode: 12 } },
    { match: { jobName: "a" }, outcome: { runMs: 1, exitCode: 13 } },
    { match: { container: "setup" }, outcome: { runMs: 1, exitCode: 14 } },
  ];
  test("the first that matches wins, and an annotation comes before all", () => {
    const { run } = setUp(rules);
    expect(run({ job: "a", owner: "o", index: 2 }).exit!.exitCode).toBe(12);
    expect(run({ job: "a", owner: "o", index: 2 }).exit!.exitCode).toBe(11);
    expect(run({ job: "a", uid: "x" }).exit!.exitCode).toBe(13);
    expect(run({ job: "b", uid: "y" }).exit!.exitCode).toBe(0);
    expect(run({ container: { name: "setup" }, isInit: true }).exit!.exitCode).toBe(14);
    expect(run({ job: "a", uid: "z", annotation: { runMs: 1, exitCode: 15 } }).exit!.exitCode).toBe(15);
  });

  test("a bad rule is refused at once, by its place", () => {
    expect(() => setUp([{ outcome: {} }, { outcome: { exitCode: 300 } }])).toThrow(
      "rules[1].outcome.exitCode is 300; allowed is an integer from 0 to 255",
    );
  });
});

describe("the schema", () => {
  test.each([
    ["{", /^not JSON: /],
    ["[]", "the outcome is []; allowed is an object"],
    ['{"exitcode": 1}', /^exitcode is not a field of an outcome; allowed are startDelayMs, runMs, /],
    ['{"exitCodes": []}', "exitCodes is []; allowed is a list of at least one exit code"],
    ['{"exitCodes": [0, "x"]}', 'exitCodes[1] is "x"; allowed is an integer from 0 to 255'],
    ['{"runMs": [5, 4]}', "runMs[1] is 4; allowed is an integer from 5 to 1000000000000"],
    ['{"runMs": [5]}', "runMs is [5]; allowed is milliseconds, or [from, to]"],
    ['{"sigterm": {"code": 1}}', "sigterm.code is not a field of sigterm; allowed are exitCode and afterMs"],
    ['{"byIndex": {"x": {}}}', "byIndex.x is null; allowed is an integer from 0 to 2147483647"],
    ['{"byContainer": {"c": {"logs": "x"}}}', 'byContainer.c.logs is "x"; allowed is a list'],
  ])("%s is refused", (text, message) => {
    expect(() => parseOutcomeText(text)).toThrow(message);
  });

  test.each([MAX_VARIANT_DEPTH + 1, 10_000])("%s levels of byIndex are refused", (levels) => {
    const nested = (depth: number): string => `${'{"byIndex":{"0":'.repeat(depth)}{}${"}}".repeat(depth)}`;
    expect(() => parseOutcomeText(nested(levels))).toThrow(OutcomeError);
    expect(() => parseOutcomeText(nested(levels))).toThrow(/is level 9 of byIndex and byContainer; allowed are 8$/);
    expect(() => parseOutcomeText(nested(MAX_VARIANT_DEPTH))).not.toThrow();
  });

  test("an error in the annotation is the container's", () => {
    const { run } = setUp();
    expect(run({ annotation: "{" }).failed).toMatch(
      /^CreateContainerConfigError: annotation stint.dev\/simulate: not JSON: /,
    );
  });

  test("every field of the description is read", () => {
    const outcome = {
      startDelayMs: [1, 2],
      runMs: "forever",
      exitCodes: [1],
      signal: 9,
      reason: "r",
      message: "m",
      logs: ["l"],
      ignoreSigterm: true,
      failReason: "f",
      failMessage: "g",
      readyAfterMs: 3,
      hangsAfterMs: [4, 5],
    };
    expect(parseOutcome(outcome, "").base).toEqual({
      startDelayMs: [1, 2],
      runMs: "forever",
      exitCodes: [1],
      signal: 9,
      reason: "r",
      message: "m",
      logs: ["l"],
      sigterm: "ignore",
      failReason: "f",
      failMessage: "g",
      readyAfterMs: [3, 3],
      hangsAfterMs: [4, 5],
    });
  });
});
