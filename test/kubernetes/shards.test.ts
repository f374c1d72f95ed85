/**
 * Two controllers share the namespaces of a real API server that offers lists and watches in shards: each Job is
 * written by one of them alone. A server whose feature gate is off ignores the selector, and no controller of a shard
 * starts there. The gate exists since 1.36.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isInShard } from "../../host-node/controller/shard.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { hasCondition } from "./conditions.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { boundTemplate, startKwok } from "./kwok.ts";
import { startStintController, type StintController } from "./stint-controller.ts";
import { TESTED_VERSION } from "./tested-version.ts";

const HAS_SHARDS = Number(TESTED_VERSION.split(".")[1]) >= 36;
const SHARDS = 2;
const JOBS = 20;
const COMPLETIONS = 3;
const NAMESPACES = ["build", "green", "prod", "staging", "team", "web"];

interface Job {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const userOf = (index: number): string => `controller-${index}`;
const shardOf = (namespace: string): number => (isInShard({ index: 0, count: SHARDS }, namespace) ? 0 : 1);

describe.skipIf(whyUnavailable() !== undefined || !HAS_SHARDS)("shards of a real API server", () => {
  let controlPlane: ControlPlane;
  const controllers: StintController[] = [];

  beforeAll(async () => {
    controlPlane = await startControlPlane({
      users: [0, 1].map((index) => ({ name: userOf(index), groups: ["system:masters"] })),
      featureGates: { ShardedListAndWatch: true },
      audit: "requests",
    });
    await startKwok(controlPlane);
    for (const name of NAMESPACES) await create("/api/v1/namespaces", { metadata: { name } });
  });
  afterAll(() => controlPlane?.stop());

  const create = (path: string, body: object): Promise<unknown> => controlPlane.client().succeed("POST", path, body);
  const createJob = (namespace: string, name: string): Promise<unknown> =>
    create(`/apis/batch/v1/namespaces/${namespace}/jobs`, {
      metadata: { name },
      spec: {
        managedBy: "stint.dev/job-controller",
        completions: COMPLETIONS,
        parallelism: COMPLETIONS,
        template: boundTemplate(),
      },
    });

  it("run each Job by one controller, those that were there before and those that come", async () => {
    const placed = Array.from({ length: JOBS }, (_, index) => ({
      namespace: NAMESPACES[index % NAMESPACES.length]!,
      name: `job-${index}`,
    }));
    for (const { namespace, name } of placed.slice(0, JOBS / 2)) await createJob(namespace, name);
    for (let index = 0; index < SHARDS; index++)
      controllers.push(
        await startStintController(controlPlane, { user: userOf(index), flags: [`--shard=${index}/${SHARDS}`] }),
      );
    for (const { namespace, name } of placed.slice(JOBS / 2)) await createJob(namespace, name);
    for (const { namespace, name } of placed)
      await controlPlane
        .client()
        .waitFor<Job>(
          `/apis/batch/v1/namespaces/${namespace}/jobs`,
          (job) => job.metadata.name === name && hasCondition(job, "Complete"),
        );
    const writes = controlPlane
      .audited()
      .filter(({ verb, user, objectRef }) => {
        const isWrite = !["get", "list", "watch"].includes(verb);
        return isWrite && user.username.startsWith("controller-") && objectRef?.resource !== "leases";
      })
      .map(({ user, objectRef }) => ({ user: user.username, namespace: objectRef!.namespace!, ref: objectRef! }));
    for (const { user, namespace } of writes)
      expect([namespace, user]).toEqual([namespace, userOf(shardOf(namespace))]);
    const finished = writes.filter(({ ref }) => ref.resource === "jobs" && ref.subresource === "status");
    expect(new Set(finished.map(({ namespace, ref }) => `${namespace}/${ref.name}`)).size).toBe(JOBS);
    expect(new Set(writes.map(({ user }) => user)).size).toBe(SHARDS);
    const pods = await controlPlane.client().succeed<{ items: unknown[] }>("GET", "/api/v1/pods");
    expect(pods.items).toHaveLength(JOBS * COMPLETIONS);
  });

  it("are listed and watched in parts, and led by a Lease each", async () => {
    const counts = await Promise.all(
      controllers.map(async ({ url }) => {
        const [, jobs] = /^stint_jobs (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())!;
        return Number(jobs);
      }),
    );
    const inFirst = Array.from({ length: JOBS }, (_, index) => shardOf(NAMESPACES[index % NAMESPACES.length]!));
    expect(counts).toEqual([0, 1].map((shard) => inFirst.filter((of) => of === shard).length));
    const reads = controlPlane.audited().filter(({ verb }) => verb === "watch");
    const byControllers = reads.filter(({ user }) => user.username.startsWith("controller-"));
    expect(byControllers.length).toBeGreaterThanOrEqual(2 * SHARDS);
    for (const { requestURI } of byControllers)
      expect(requestURI).toContain("shardSelector=shardRange(object.metadata.namespace");
    for (let index = 0; index < SHARDS; index++) {
      const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/stint-job-controller-shard-${index}-of-2`;
      await controlPlane.client().succeed("GET", path);
      expect(await (await fetch(`${controllers[index]!.url}/readyz?verbose`)).text()).toContain(`shard ${index} of 2`);
    }
  });
});

describe.skipIf(whyUnavailable() !== undefined)("a real API server without shards", () => {
  let controlPlane: ControlPlane;
  beforeAll(async () => {
    controlPlane = await startControlPlane();
  });
  afterAll(() => controlPlane?.stop());

  it("is no place for the controller of one", async () => {
    // It may end before it is ready.
    const ending = await startStintController(controlPlane, { flags: ["--shard=0/2"] }).then(
      async ({ running }) => `${await running.ended}\n${running.log()}`,
      (error: Error) => error.message,
    );
    expect(ending).toContain("status 2");
    expect(ending).toContain("the API server ignores the selector and answers with all of them");
    expect(ending).toContain("feature gate ShardedListAndWatch");
    const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    expect(await controlPlane.client().succeed("GET", leases)).toMatchObject({ items: [] });
  });
});
