/** What `stint lint` takes of other objects in the files: quotas, LimitRanges and PodDisruptionBudgets. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildModule } from "../../../scripts/build-engine.ts";
import { CommandFolder } from "../cli/command-folder.ts";
import type { LintReport } from "../../../host-node/cli/lint/document.ts";

const folder = new CommandFolder();
beforeAll(async () => {
  await buildModule("engine");
});
afterAll(() => folder.remove());

const JOB = `
apiVersion: batch/v1
kind: Job
metadata: { name: j, namespace: team }
spec:
  activeDeadlineSeconds: 600
  ttlSecondsAfterFinished: 3600
  template:
    metadata: { labels: { app: import } }
    spec: { restartPolicy: Never, containers: [{ name: c, image: i }] }
`;
const around = (kind: string, apiVersion: string, spec: object, namespace = "team"): string =>
  `---\n${JSON.stringify({ apiVersion, kind, metadata: { name: "around", namespace }, spec })}\n`;

/** The codes that lint says of the Job, with the text in the brackets of the sentence. */
async function said(...others: readonly string[]): Promise<string[]> {
  const { out } = await folder.run("lint", "-o", "json", folder.file("all.yaml", JOB + others.join("")));
  const { findings } = JSON.parse(out) as LintReport;
  return findings.map(({ code, field, sentence }) => `${code} ${field}: ${/\((.*)\)/.exec(sentence)?.[1] ?? ""}`);
}

const quota = around("ResourceQuota", "v1", { hard: { "limits.memory": "8Gi", "requests.cpu": 4, pods: 10 } });
const budget = (spec: object, namespace?: string): string =>
  around("PodDisruptionBudget", "policy/v1", { selector: { matchLabels: { app: "import" } }, ...spec }, namespace);

it("lint with other objects says what a quota demands that a container does not set", async () => {
  expect(await said(quota)).toEqual([
    "QuotaNeedsResources spec.template.spec.containers[0].resources: c: limits.memory, requests.cpu",
  ]);
});

it.each([
  ["max is a default limit, and that a default request", [{ type: "Container", max: { memory: "1Gi", cpu: 2 } }], []],
  [
    "min is a default request alone",
    [{ type: "Container", min: { memory: "1Gi", cpu: 1 } }],
    ["QuotaNeedsResources spec.template.spec.containers[0].resources: c: limits.memory"],
  ],
  [
    "limits of pods give nothing to containers",
    [{ type: "Pod", max: { memory: "1Gi", cpu: 2 } }],
    ["QuotaNeedsResources spec.template.spec.containers[0].resources: c: limits.memory, requests.cpu"],
  ],
])("lint with other objects takes defaults of LimitRanges: %s", async (_, limits, codes) => {
  expect(await said(quota, around("LimitRange", "v1", { limits }))).toEqual(codes);
});

it("lint with other objects says that a budget blocks drains, and where the labels are", async () => {
  expect(await said(budget({ minAvailable: 1 }))).toEqual([
    "BudgetBlocksDrains spec.template.metadata.labels: around: minAvailable is not below the number of pods that run at once",
  ]);
});

it("lint with other objects knows budgets and quotas of its namespace alone, and reads what it can of broken ones", async () => {
  expect(await said(budget({ maxUnavailable: 0 }, "other"))).toEqual([]);
  const broken = { selector: { matchLabels: { app: 1 }, matchExpressions: [{ key: 1 }, 7] }, minAvailable: 1.5 };
  const objects = [around("PodDisruptionBudget", "policy/v1", broken), around("LimitRange", "v1", { limits: 3 })];
  expect(await said(...objects, around("ResourceQuota", "v1", { hard: [1] }))).toEqual([]);
});
