/**
 * A Job of which one index is evicted again and again, and a rule ignores that: the last pods of the Job run for hours,
 * and no count of failures says why. The explanation names the index, how often, and the rule.
 */
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type ClusterCore, createCore } from "../../../host-node/testing/cluster-core.ts";
import { ClusterControls, type Controls } from "../../../host-node/control/controls.ts";
import { buildModule } from "../../../scripts/build-engine.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const DISRUPTED = { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] };
const INDEX = 7;
const EVICTIONS = 5;

let core: ClusterCore;
let controls: Controls;
beforeAll(() => buildModule("engine"));
beforeEach(async () => {
  core = await createCore({});
  controls = new ClusterControls(core.options);
  await controls.settle();
});
afterEach(() => core.stop());

function send(method: "GET" | "POST", path: string, body?: object): any {
  const headers = { "content-type": "application/json" };
  const response = core.embedded.cluster.handle({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
  return JSON.parse(String("body" in response ? response.body : ""));
}

/** Twenty pods of 27 minutes. All have succeeded but one, which was evicted as often as EVICTIONS says. */
async function evictAgainAndAgain(rules: readonly object[]): Promise<string[]> {
  const container = { name: "main", image: "reformat", resources: { requests: { cpu: "100m" } } };
  const made = send("POST", JOBS, {
    metadata: { name: "backfill" },
    spec: {
      completionMode: "Indexed",
      completions: 20,
      parallelism: 20,
      backoffLimit: 2147483647,
      podFailurePolicy: { rules },
      template: {
        metadata: { annotations: { "stint.dev/simulate": '{"runMs": 1620000}' } },
        spec: { restartPolicy: "Never", containers: [container] },
      },
    },
  });
  expect(made.kind).toBe("Job");
  await controls.settle();
  const pods = controls.pods("job/backfill", { index: INDEX });
  await pods.hang();
  await controls.advance("28m");
  const names = new Set<string>();
  for (let evicted = 0; evicted < EVICTIONS; evicted++) {
    for (const { name } of pods.list().filter(({ phase }) => phase === "Running")) names.add(name);
    await pods.evict();
    await controls.advance("15m");
  }
  return [...names];
}

test("the only pod that is left is named with its index, how often it was replaced, and the rule", async () => {
  const names = await evictAgainAndAgain([DISRUPTED]);
  expect(names).toHaveLength(EVICTIONS);
  expect(send("GET", `${JOBS}/backfill`).status).toMatchObject({ active: 1, succeeded: 19 });
  const { code, numbers, failed } = core.embedded.engine.explain("default", "backfill", controls.now());
  expect({ code, numbers, failed }).toEqual({
    code: "WaitingForPods",
    numbers: { active: 1, ready: 1, succeeded: 19, completions: 20, index: INDEX, ignored: EVICTIONS, rule: 0 },
    failed: 0,
  });
  expect(controls.why("job/backfill")).toContain(
    "waiting for pods: 1 active, 1 of them ready, 19 succeeded of 20; the one of index 7 is active; " +
      "5 pods failed since the last success, and rules of podFailurePolicy with the action Ignore keep them out of " +
      "status.failed: the only such rule is at index 0\n",
  );
});

test("the only pod is named while its replacement waits for the back-off, too", async () => {
  await evictAgainAndAgain([{ action: "Count", onExitCodes: { operator: "In", values: [3] } }, DISRUPTED]);
  await controls.pods("job/backfill", { index: INDEX }).evict();
  await controls.advance("2s");
  const { code, numbers } = core.embedded.engine.explain("default", "backfill", controls.now());
  expect({ code, numbers }).toMatchObject({ code: "Backoff", numbers: { failures: 6, ignored: 6, rule: 1 } });
  expect(controls.why("job/backfill")).toContain(
    "rules of podFailurePolicy with the action Ignore keep 6 of them out of status.failed: the only such rule is at index 1\n",
  );
});

test("no rule is named where it can have been one of several", async () => {
  await evictAgainAndAgain([{ action: "Ignore", onExitCodes: { operator: "In", values: [3] } }, DISRUPTED]);
  const { numbers } = core.embedded.engine.explain("default", "backfill", controls.now());
  expect(numbers).toEqual({ active: 1, ready: 1, succeeded: 19, completions: 20, index: INDEX, ignored: EVICTIONS });
  expect(controls.why("job/backfill")).toMatch(/keep them out of status\.failed\n/);
});
