/** What becomes of a report: its Job succeeds, is tried again, fails, or takes too long. */
import { BatchV1Api } from "@kubernetes/client-node";
import { test } from "@stint-dev/stint/testing/vitest";
import { expect } from "vitest";
import { reportState, startReport } from "../src/reports.ts";

const DAY = "2026-01-01";
const JOB = `report-${DAY}`;

test("is published when its Job has succeeded", async ({ cluster }) => {
  const batch = cluster.client(BatchV1Api);
  await startReport(batch, DAY);
  expect(await reportState(batch, DAY)).toBe("running");
  await cluster.untilIdle();
  expect(JOB).toHaveSucceeded();
  expect(await reportState(batch, DAY)).toBe("published");
});

test("is tried twice again, and then has failed", async ({ cluster }) => {
  const batch = cluster.client(BatchV1Api);
  cluster.outcomes(`job/${JOB}`, { exitCode: 3, logs: ["no such table: orders"] });
  await startReport(batch, DAY);
  await cluster.untilIdle();
  expect(JOB).toHaveFailed({ reason: "BackoffLimitExceeded" });
  expect(JOB).toHavePods({ failed: 3 });
  expect(await reportState(batch, DAY)).toBe("failed");
});

const testOnTwoNodes = test.extend({ clusterOptions: { nodes: 2 } });

testOnTwoNodes("is published although its node was drained", async ({ cluster }) => {
  const batch = cluster.client(BatchV1Api);
  await startReport(batch, DAY);
  const [pod] = cluster.pods(`job/${JOB}`).list();
  await cluster.drain(pod!.node!);
  await cluster.untilIdle();
  expect(await reportState(batch, DAY)).toBe("published");
});

test("has failed when it takes more than an hour", async ({ cluster }) => {
  const batch = cluster.client(BatchV1Api);
  await startReport(batch, DAY);
  await cluster.pods(`job/${JOB}`).hang();
  await cluster.advance("59m");
  expect(await reportState(batch, DAY)).toBe("running");
  await cluster.advance("2m");
  expect(JOB).toHaveFailed({ reason: "DeadlineExceeded" });
  expect(await reportState(batch, DAY)).toBe("failed");
});

test("is made once, however often it is asked for", async ({ cluster }) => {
  const batch = cluster.client(BatchV1Api);
  await startReport(batch, DAY);
  await startReport(batch, DAY);
  expect((await batch.listNamespacedJob({ namespace: "default" })).items).toHaveLength(1);
});
