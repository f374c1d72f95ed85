/** A run that would never end is stopped, and one that may come to something is not. */
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../cluster/values/types.ts";
import type { OutcomeRule } from "../../../cluster/simulation/scenario.ts";
import type { Api } from "../../../cluster/simulation/api.ts";
import { MIN_TRIES, NO_PROGRESS_MS, Repetition } from "../../../cluster/simulation/repetition.ts";
import { jobYaml, run } from "./harness.ts";

const FAILS = '{ "runMs": 1000, "exitCode": 1 }';
const FOREVER = "backoffLimit: 2147483647";

describe("a run is stopped, and says why", () => {
  test.each<[string, string]>([
    ["restarts that are forgiven", jobYaml(FOREVER, FAILS).replace("Never", "OnFailure")],
    [
      "failures that are ignored",
      jobYaml("podFailurePolicy: {rules: [{action: Ignore, onExitCodes: {operator: In, values: [1]}}]}", FAILS),
    ],
    [
      "a quota without room",
      `apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {pods: "0"}}\n---\n${jobYaml()}`,
    ],
  ])("after %s for days", (_what, yaml) => {
    const { world } = run(yaml);
    expect(world.isFinished()).toBe(true);
    expect(world.now()).toBeGreaterThanOrEqual(NO_PROGRESS_MS);
    expect(world.now()).toBeLessThan(1.01 * NO_PROGRESS_MS);
    expect(world.endNote()).toMatch(
      /^The run was stopped here: it would never end\. For 3 days pods .* \d{3} times, and nothing else/,
    );
    // What a user does gives it another while, or an end.
    world.act({ kind: "delete-job", namespace: "default", name: "pi" });
    expect(world.isFinished()).toBe(false);
    while (!world.isFinished()) world.runNext();
    expect(world.endNote()).toBe("");
  });

  test("unless its deadline comes", () => {
    const { world, recorder } = run(jobYaml(`${FOREVER}\nactiveDeadlineSeconds: 300000`, FAILS));
    expect(recorder.condition()).toBe("Failed DeadlineExceeded");
    expect(world.now()).toBeGreaterThan(NO_PROGRESS_MS);
    expect(world.endNote()).toBe("");
  });
});

describe("after hundreds of failures in some days", () => {
  const job = (spec: object = {}, status: object = {}): KubeObject =>
    ({
      metadata: { name: "pi", uid: "1" },
      spec: { backoffLimit: 2 ** 31 - 1, template: { spec: { restartPolicy: "Never" } }, ...spec },
      status,
    }) as unknown as KubeObject;
  const pod = (phase: string, startedAt?: string): KubeObject =>
    ({
      metadata: { name: "pi-x", uid: "2" },
      status: {
        phase,
        containerStatuses: [
          { restartCount: 0, state: startedAt === undefined ? { waiting: {} } : { running: { startedAt } } },
        ],
      },
    }) as unknown as KubeObject;
  const NOW = Date.UTC(2026, 0, 9);

  interface Given {
    readonly job?: KubeObject;
    readonly pods?: readonly KubeObject[];
    readonly outcomes?: readonly OutcomeRule[];
    /** Before the last failures. */
    readonly news?: (repetition: Repetition) => void;
    readonly tries?: number;
  }

  function isEndless({ job: given = job(), pods = [], outcomes = [], news, tries = MIN_TRIES }: Given): boolean {
    const repetition = new Repetition(outcomes, NOW - NO_PROGRESS_MS);
    for (let i = 0; i < tries; i++) {
      const write = { resource: "pods", type: "MODIFIED", revision: i } as const;
      const object = pod("Failed");
      repetition.onWrite({ ...write, object, stored: { object }, previous: pod("Running") }, NOW - 1);
    }
    news?.(repetition);
    const answers = { jobs: [given], pods };
    const api = {
      get: (path: string) => ({ ok: true, object: { items: answers[path.includes("pods") ? "pods" : "jobs"] } }),
    };
    return repetition.isEndless(api as unknown as Api, NOW);
  }

  const jobWrite = (object: KubeObject) => (repetition: Repetition) =>
    repetition.onWrite(
      { resource: "jobs", type: "MODIFIED", revision: 0, object, stored: { object }, previous: job() },
      NOW - 1,
    );

  test.each<[boolean, string, Given]>([
    [true, "nothing else", {}],
    [true, "a failure that is counted, and no limit", { news: jobWrite(job({}, { failed: 1 })) }],
    [true, "a container that was started lately", { pods: [pod("Running", "2026-01-08T00:00:00Z")] }],
    [true, "a limit, and failures that are not counted", { job: job({ backoffLimit: 6 }) }],
    [false, "one failure less", { tries: MIN_TRIES - 1 }],
    [false, "a completion", { news: jobWrite(job({}, { succeeded: 1 })) }],
    [false, "an index that has failed", { news: jobWrite(job({}, { failedIndexes: "3" })) }],
    [false, "a condition", { news: jobWrite(job({}, { conditions: [{ type: "Suspended", status: "True" }] })) }],
    [
      false,
      "a failure that is counted, and a limit",
      { job: job({ backoffLimit: 5_000 }), news: jobWrite(job({}, { failed: 1 })) },
    ],
    [
      false,
      "restarts, and a limit",
      { job: job({ backoffLimit: 5_000, template: { spec: { restartPolicy: "OnFailure" } } }) },
    ],
    [
      false,
      "a limit of each index",
      { job: job({ backoffLimitPerIndex: 5_000 }), news: jobWrite(job({}, { failed: 1 })) },
    ],
    [false, "a deadline", { job: job({ activeDeadlineSeconds: 5 * 366 * 86_400 }) }],
    [false, "a container that has run all the time", { pods: [pod("Running", "2026-01-01T00:00:00Z")] }],
    [false, "chance", { outcomes: [{ share: 0.999, outcome: { exitCode: 1 } }] }],
  ])("that is endless is %s with %s", (expected, _what, given) => {
    expect(isEndless(given)).toBe(expected);
  });
});
