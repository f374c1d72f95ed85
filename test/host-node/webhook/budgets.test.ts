/** Budgets: which Jobs are beyond them, what is said, and that the value which is said to fit does. */
import { beforeAll, describe, expect, it } from "vitest";
import { Engine } from "../../../bindings/js/engine.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { beyondBudgets } from "../../../host-node/webhook/budgets.ts";
import type { Finding } from "../../../host-node/webhook/finding.ts";
import { Forecasts } from "../../../host-node/webhook/forecasts.ts";
import { readProfile } from "../../../host-node/webhook/profile.ts";
import { subjectOf } from "../../../host-node/webhook/subject.ts";
import { job } from "./reviews.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.create((await loadEngineModule()).module);
});

interface Spec extends JsonObject {
  readonly template?: JsonObject;
}

function beyond(
  profile: string,
  spec: Spec,
  old?: Spec,
  kind = "Job",
  asked: Pick<Engine, "forecast"> = engine,
): Finding[] {
  const objectOf = (of: Spec): JsonObject =>
    kind === "Job"
      ? job({ spec: of })
      : { metadata: { name: "c" }, spec: { schedule: "* * * * *", jobTemplate: { spec: job({ spec: of })["spec"]! } } };
  const subject = subjectOf({
    kind: { group: "batch", kind },
    operation: old === undefined ? "CREATE" : "UPDATE",
    object: objectOf(spec),
    oldObject: old === undefined ? null : objectOf(old),
  });
  const read = readProfile("strict", "strict.yaml", profile);
  return beyondBudgets(new Forecasts(asked, read.disruptions), subject!, read);
}
const said = (...args: Parameters<typeof beyond>): string[] =>
  beyond(...args).map(({ field, sentence }) => `${field}: ${sentence}`);
const pods = (template: JsonObject): { readonly template: JsonObject } => ({
  template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "i" }], ...template } },
});
const INDEXED = { ...pods({}), completionMode: "Indexed", backoffLimitPerIndex: 2 };
const IGNORING = {
  podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }] },
};

describe("what is beyond a budget", () => {
  it.each<[string, Spec, string]>([
    [
      "maxPods: 50",
      { completions: 54 },
      "spec.completions: this Job may run 60 pods; the budget of this namespace is 50 pods (profile strict); with spec.completions 44 it fits",
    ],
    [
      "maxPods: 5",
      {},
      "spec.backoffLimit: this Job may run 7 pods; the budget of this namespace is 5 pods (profile strict); with spec.backoffLimit 4 it fits",
    ],
    [
      "maxPods: 20",
      { completions: 10, completionMode: "Indexed", backoffLimitPerIndex: 3, backoffLimit: 2 ** 31 - 1 },
      "spec.backoffLimitPerIndex: this Job may run 40 pods; the budget of this namespace is 20 pods (profile strict); with spec.backoffLimitPerIndex 1 it fits",
    ],
    ["maxPods: 0", {}, "spec: this Job may run 7 pods; the budget of this namespace is 0 pods (profile strict)"],
    [
      "maxDuration: 1h",
      {},
      "spec.activeDeadlineSeconds: nothing limits how long this Job takes; the budget of this namespace is 60 min (profile strict); with spec.activeDeadlineSeconds 3570 it fits",
    ],
    [
      "maxDuration: 1h",
      { activeDeadlineSeconds: 7200 },
      "spec.activeDeadlineSeconds: this Job may take 2 h; the budget of this namespace is 60 min (profile strict); with spec.activeDeadlineSeconds 3570 it fits",
    ],
    [
      "maxDuration: 1h",
      { activeDeadlineSeconds: 60, ...pods({ terminationGracePeriodSeconds: 7200 }) },
      "spec.template.spec.terminationGracePeriodSeconds: this Job may take 2 h 1 min; the budget of this namespace is 60 min (profile strict); with spec.template.spec.terminationGracePeriodSeconds 3540 it fits",
    ],
    [
      "maxPodHours: 2.5",
      { activeDeadlineSeconds: 3600, parallelism: 10, completions: 10 },
      "spec.activeDeadlineSeconds: this Job may take 10.09 pod hours; the budget of this namespace is 2.5 pod hours (profile strict); with spec.activeDeadlineSeconds 870 it fits",
    ],
    [
      "maxPodHours: 1",
      { completions: 4, parallelism: 2 },
      "spec.activeDeadlineSeconds: nothing limits how long the pods of this Job take; the budget of this namespace is 1 pod hour (profile strict); with spec.activeDeadlineSeconds 1770 it fits",
    ],
    [
      "maxPods: 50\ndisruptions: 44",
      { ...IGNORING, backoffLimit: 6 },
      "spec.backoffLimit: this Job may run 51 pods; the budget of this namespace is 50 pods (profile strict); with spec.backoffLimit 5 it fits",
    ],
  ])("%s: %j", (profile, spec, sentence) => {
    expect(said(profile, spec)).toEqual([sentence]);
  });

  it("gets one value for a field that two budgets ask for", () => {
    expect(said("maxPodHours: 2\nmaxDuration: 1h", {}).map((text) => text.replace(/.*; with/, "with"))).toEqual([
      "with spec.activeDeadlineSeconds 3570 it fits",
      "with spec.activeDeadlineSeconds 3570 it fits",
    ]);
  });

  it("names the field of a CronJob's template", () => {
    expect(said("maxPods: 5", {}, undefined, "CronJob")).toEqual([
      "spec.jobTemplate.spec.backoffLimit: each Job of it may run 7 pods; the budget of this namespace is 5 pods (profile strict); with spec.jobTemplate.spec.backoffLimit 4 it fits",
    ]);
  });

  it("is a warning, if the profile says so", () => {
    expect(beyond("maxPods: 5\noverBudget: warn", {})).toEqual([
      expect.objectContaining({ rule: "maxPods", action: "warn" }),
    ]);
  });
});

describe("what is within", () => {
  it.each<[string, Spec]>([
    ["maxPods: 7", {}],
    ["maxPods: 60", { completions: 54 }],
    // Evictions are no fault of the Job: as many as the profile says.
    ["maxPods: 7", IGNORING],
    ["maxDuration: 1h", { activeDeadlineSeconds: 3570 }],
    ["maxPodHours: 1", { activeDeadlineSeconds: 3570 }],
    ["maxPods: 0\nmaxDuration: 1s\nmaxPodHours: 0", { completions: 0 }],
    ["maxPods: 0", { parallelism: 0 }],
    ["", { completions: 1_000_000 }],
  ])("%s: %j", (profile, spec) => {
    expect(said(profile, spec)).toEqual([]);
  });
});

describe("the value that is said to fit", () => {
  const profiles = [
    "maxPods: 17",
    "maxPodHours: 3.3",
    "maxDuration: 40m",
    "maxPods: 200\nmaxPodHours: 100",
    "maxPodHours: 3.3\ndisruptions: 9",
  ];
  const specs = [1, 3, 40, 1000].flatMap((completions) =>
    [1, 7, 500].flatMap((parallelism) =>
      [undefined, 1, 900, 100_000].flatMap((activeDeadlineSeconds) =>
        [0, 6, 2 ** 31 - 1].flatMap((backoffLimit) =>
          [pods({ restartPolicy: "Never" }), pods({ restartPolicy: "OnFailure" }), INDEXED].map((template): Spec => {
            const deadline = activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds };
            return { completions, parallelism, backoffLimit, ...deadline, ...template };
          }),
        ),
      ),
    ),
  );

  it.each(profiles)("does, and one more does not: %s", (profile) => {
    let seen = 0;
    for (const spec of specs) {
      for (const finding of beyond(profile, spec)) {
        const [, path, value] = /with spec\.(\S+) (\d+) it fits$/.exec(finding.sentence) ?? [];
        if (path === undefined) continue;
        seen++;
        const isBeyond = (changed: number): boolean =>
          beyond(profile, { ...spec, [path]: changed }).some(({ rule }) => rule === finding.rule);
        expect([spec, isBeyond(Number(value)), isBeyond(Number(value) + 1)]).toEqual([spec, false, true]);
      }
    }
    expect(seen).toBeGreaterThan(50);
  });

  it.each<[number, string, Spec]>([
    [2, "maxPods: 5", {}],
    [3, "maxDuration: 1h", {}],
    [2, "maxDuration: 1h", { activeDeadlineSeconds: 7200 }],
    [3, "maxPodHours: 1", { completions: 4, parallelism: 2 }],
    [2, "maxPods: 50", { completions: 54 }],
    // No value fits: the first pods are too many.
    [1, "maxPods: 5", { completions: 100, parallelism: 100 }],
    [4, "maxPods: 5\nmaxPodHours: 0.1\nmaxDuration: 5m", { ...DEADLINE, parallelism: 10, completions: 10 }],
  ])("is found with %i forecasts: %s, %j", (count, profile, spec) => {
    let asked = 0;
    beyond(profile, spec, undefined, "Job", {
      forecast: (question, nowMs) => {
        asked++;
        return engine.forecast(question, nowMs);
      },
    });
    expect(asked).toBe(count);
  });

  it("is looked for in what matters of a Job, unless that is large", () => {
    const env = [{ name: "A", value: "a".repeat(100_000) }];
    expect(said("maxPods: 5", pods({ containers: [{ name: "main", image: "i", env }] }))).toEqual([
      expect.stringMatching(/; with spec\.backoffLimit 4 it fits$/),
    ]);
    const resources = { requests: { cpu: "100m", memory: "100Mi" } };
    const containers = Array.from({ length: 1500 }, (_, i) => ({ name: `c${i}`, image: "i", resources }));
    expect(said("maxPods: 5", pods({ containers }))).toEqual([
      "spec: this Job may run 7 pods; the budget of this namespace is 5 pods (profile strict)",
    ]);
  });
});

describe("an update", () => {
  it("is beyond a budget only if it makes that worse", () => {
    const change = (from: number, to: number): string[] =>
      beyond("maxPods: 50", { completions: to }, { completions: from }).map(({ rule }) => rule);
    expect([change(10, 60), change(60, 70), change(70, 60), change(60, 10)]).toEqual([
      ["maxPods"],
      ["maxPods"],
      [],
      [],
    ]);
    expect(said("maxDuration: 1h", { parallelism: 2 }, { parallelism: 1 })).toEqual([]);
    expect(said("maxPodHours: 1", { parallelism: 2, ...DEADLINE }, { parallelism: 1, ...DEADLINE })).toHaveLength(1);
  });

  it("is denied with the field that it has changed", () => {
    expect(said("maxPodHours: 1", { parallelism: 2, ...DEADLINE }, { parallelism: 1, ...DEADLINE })).toEqual([
      expect.stringMatching(/^spec\.parallelism: .* with spec\.parallelism 1 it fits$/),
    ]);
  });

  it("that resumes a Job counts as its start", () => {
    const suspended = { completions: 60, suspend: true };
    expect(said("maxPods: 50", { ...suspended, suspend: false }, suspended)).toHaveLength(1);
    expect(said("maxPods: 50", suspended, { ...suspended, suspend: false })).toEqual([]);
  });
});
const DEADLINE = { activeDeadlineSeconds: 3000 };
