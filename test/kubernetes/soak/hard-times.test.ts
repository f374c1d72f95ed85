/**
 * `stint controller` when life is hard, on a real API server: a short form of `npm run soak`, and a leader that is
 * stopped for longer than its Lease and then resumes.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkHistory } from "../../history/check.ts";
import { whyUnavailable } from "../binaries/binaries.ts";
import { hasCondition } from "../conditions.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { type HistoryRecorder, recordHistory } from "../history-recorder.ts";
import { boundTemplate, startKwok } from "../kwok.ts";
import { isLeading, startStintController } from "../stint-controller.ts";
import { killLeaders } from "./kills.ts";
import { soak } from "./soak.ts";
import { podsDeleted } from "./workload.ts";

const MINUTES = 60_000;
/**
 * The Lease is shorter than by default, and longer than a busy machine keeps the second replica from renewing it: that
 * one leads to the end.
 */
const LEASE_FLAGS = [
  ...["--lease-duration=12s", "--renew-deadline=9s", "--retry-period=500ms", "--request-timeout=2s"],
  "--lease-namespace=default",
];

describe.skipIf(whyUnavailable() !== undefined)("stint controller", () => {
  it(
    "loses nothing in two minutes behind a proxy that cuts, delays, refuses, forgets and lies, and its memory does not grow",
    {
      timeout: 8 * MINUTES,
    },
    async () => {
      const { findings, jobs, faults, history } = await soak({ minutes: 2, seed: 1, lanes: 6 });
      expect(findings).toEqual([]);
      expect(checkHistory(history!)).toMatchObject({ findings: [], counts: { jobs } });
      expect(jobs).toBeGreaterThan(8);
      // Every kind of fault has come.
      expect(Object.keys(faults).toSorted()).toEqual([
        "delayed",
        "doubled",
        "errorPages",
        "expired",
        "failed",
        "late",
        "lost",
        "refused",
        "throttled",
        "torn",
        "watchesEnded",
        "wrongDocuments",
      ]);
    },
  );

  it(
    "continues with another replica when the leader is killed, and no completion gets a second pod",
    {
      timeout: 5 * MINUTES,
    },
    async () => {
      const { findings, jobs, history } = await killLeaders({ kills: 5 });
      expect(findings).toEqual([]);
      expect(checkHistory(history!)).toMatchObject({ findings: [], counts: { jobs } });
      expect(jobs).toBeGreaterThan(0);
    },
  );
});

describe.skipIf(whyUnavailable() !== undefined)("a leader that is stopped for longer than its Lease", () => {
  const users = ["stint-1", "stint-2"];
  let controlPlane: ControlPlane;
  let recorder: HistoryRecorder;
  beforeAll(async () => {
    controlPlane = await startControlPlane({
      audit: "objects",
      users: users.map((name) => ({ name, groups: ["system:masters"] })),
    });
    recorder = await recordHistory(controlPlane);
    await startKwok(controlPlane);
  });
  afterAll(() => controlPlane.stop());

  it(
    "writes nothing more when it resumes, and what it had sent leaves no second pod of an index",
    {
      timeout: 5 * MINUTES,
    },
    async () => {
      const client = controlPlane.client();
      const flags = ["--default-controller", ...LEASE_FLAGS];
      const first = await startStintController(controlPlane, { user: users[0]!, flags });
      await expect.poll(() => isLeading(first), { timeout: MINUTES }).toBe(true);
      const second = await startStintController(controlPlane, { user: users[1]!, flags });
      const completions = 600;
      const spec = { completionMode: "Indexed", completions, parallelism: completions, template: boundTemplate() };
      await client.succeed("POST", "/apis/batch/v1/namespaces/default/jobs", { metadata: { name: "stopped" }, spec });
      await client.waitFor("/api/v1/namespaces/default/pods", () => true);
      process.kill(first.pid, "SIGSTOP");
      await expect.poll(() => isLeading(second), { timeout: MINUTES }).toBe(true);
      process.kill(first.pid, "SIGCONT");
      await expect.poll(() => isLeading(first), { timeout: MINUTES }).toBe(false);

      const job = await client.waitFor<any>(
        "/apis/batch/v1/namespaces/default/jobs",
        (job) => hasCondition(job, "Complete"),
        2 * MINUTES,
      );
      expect(job.status).toMatchObject({ succeeded: completions, completedIndexes: `0-${completions - 1}` });
      expect(job.status.failed).toBeUndefined();
      const { items } = await client.succeed<{ items: any[] }>("GET", "/api/v1/namespaces/default/pods");
      const indexes = items.map(({ metadata }) => metadata.annotations["batch.kubernetes.io/job-completion-index"]);
      expect(new Set(indexes).size).toBe(completions);
      // As many surplus pods as it had requests under way; each was removed, or was done before that.
      expect(
        indexes.length + (await podsDeleted(client, "default", job.metadata.uid)) - completions,
      ).toBeLessThanOrEqual(32);
      expect(items.filter(({ metadata }) => metadata.finalizers !== undefined)).toEqual([]);
      expect(await isLeading(second)).toBe(true);
      expect(first.log()).toContain('"msg":"leads no longer"');
      client.close();
      const history = await recorder.finish(users.map((user) => ({ user, program: "stint" })));
      expect(checkHistory(history)).toMatchObject({ findings: [], counts: { jobs: 1 } });
    },
  );
});
