/**
 * A Job under a ResourceQuota, from the creation that is refused to the end: engine, API server, scheduler and kubelet
 * together. What upstream's controllers did with the same Job is recorded in
 * test/vectors/recordings/job-under-quota.json.
 */
import { readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { buildModule } from "../../scripts/build-engine.ts";
import { VirtualCluster } from "./virtual-cluster.ts";

await buildModule("engine");
const recorded = JSON.parse(
  readFileSync(new URL("../vectors/recordings/job-under-quota.json", import.meta.url), "utf8"),
) as {
  readonly events: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
  readonly used: readonly string[];
  readonly status: object;
  readonly conditions: readonly string[][];
};

const MANIFEST = `
apiVersion: v1
kind: ResourceQuota
metadata: { name: two }
spec: { hard: { pods: "2" } }
---
apiVersion: batch/v1
kind: Job
metadata: { name: five }
spec:
  completions: 5
  parallelism: 5
  template:
    metadata: { annotations: { stint.dev/simulate: '{"runMs": 5000}' } }
    spec:
      restartPolicy: Never
      containers: [{ name: c, image: b }]
`;
const IN_DEFAULT = "/api/v1/namespaces/default";
const JOB = "/apis/batch/v1/namespaces/default/jobs/five";

let cluster: VirtualCluster;
afterEach(() => cluster.stop());

interface Told {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** The events of the Job, once each, with the random parts of names taken out. */
function told(events: readonly Told[]): string[] {
  const lines = events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  return [...new Set(lines.map((line) => line.replace(/five-\w{5}/g, "five-HASH")))].toSorted();
}

const countOf = (events: readonly Told[], wanted: string): number =>
  events.filter(({ reason }) => reason === wanted).length;

it("a Job of five runs through under a quota of two, and says what upstream says", async () => {
  cluster = await VirtualCluster.start();
  cluster.create(MANIFEST);
  const used: string[] = [];
  let mostAtOnce = 0;
  const look = (): boolean => {
    const now = cluster.api("GET", `${IN_DEFAULT}/resourcequotas/two`).status.used?.pods;
    if (now !== undefined && used.at(-1) !== now) used.push(now);
    const running = cluster.pods().filter(({ status }) => !["Succeeded", "Failed"].includes(status.phase)).length;
    mostAtOnce = Math.max(mostAtOnce, running);
    return cluster.api("GET", JOB).status.completionTime !== undefined;
  };
  expect(cluster.runUntil(look, 120_000)).toBe(true);
  cluster.runUntil(() => false, 60_000);
  expect(mostAtOnce).toBe(2);
  expect(cluster.pods()).toHaveLength(5);

  const events = cluster.list(`${IN_DEFAULT}/events?fieldSelector=involvedObject.kind%3DJob`);
  expect(told(events)).toEqual(told(recorded.events));
  expect(countOf(events, "SuccessfulCreate")).toBe(countOf(recorded.events, "SuccessfulCreate"));
  const { startTime: _start, completionTime: _end, conditions, ...status } = cluster.api("GET", JOB).status;
  expect(status).toEqual(recorded.status);
  expect(conditions.map((c: any) => [c.type, c.status, c.reason, c.message])).toEqual(recorded.conditions);
  expect([used.at(-1), recorded.used.at(-1)]).toEqual(["0", "0"]);
});

it("the retries that a quota refuses lie further and further apart, and room is found by the next", async () => {
  cluster = await VirtualCluster.start();
  cluster.create(MANIFEST.replace('pods: "2"', 'pods: "0"'));
  cluster.runUntil(() => false, 100_000);
  const refusals = cluster.list(`${IN_DEFAULT}/events?fieldSelector=reason%3DFailedCreate`);
  expect(told(refusals)).toEqual([
    'Warning FailedCreate: Error creating: pods "five-HASH" is forbidden: exceeded quota: two, requested: pods=1, used: pods=0, limited: pods=0',
  ]);
  const seconds = refusals.map(({ firstTimestamp }) => Date.parse(firstTimestamp) / 1000 - Date.UTC(2026, 0, 1) / 1000);
  expect([...new Set(seconds)].toSorted((a, b) => a - b)).toEqual([0, 1, 3, 7, 15, 31, 63]);
  const headers = { "content-type": "application/merge-patch+json" };
  cluster.api("PATCH", `${IN_DEFAULT}/resourcequotas/two`, { spec: { hard: { pods: "5" } } }, headers);
  expect(cluster.runUntil(() => cluster.api("GET", JOB).status.succeeded === 5, 60_000)).toBe(true);
});
