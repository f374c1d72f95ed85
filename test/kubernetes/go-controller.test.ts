/**
 * The Go example (examples/go/controller) on a real API server: under the role of `stint controller` it runs Jobs to
 * their end, and without that role it says which permission is missing.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { ApiClient } from "./api-client.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { hasCondition } from "./conditions.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { boundTemplate, startKwok } from "./kwok.ts";
import type { Running } from "./processes.ts";

interface Job {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly succeeded?: number;
    readonly completedIndexes?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const root = resolve(import.meta.dirname, "../..");
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const USER = "gopher";
const [role] = parseAllDocuments(readFileSync(`${root}/deploy/controller/base/rbac.yaml`, "utf8"));

function job(name: string, spec: object = {}): object {
  return { metadata: { name }, spec: { managedBy: "stint.dev/job-controller", template: boundTemplate(), ...spec } };
}

describe.skipIf(whyUnavailable() !== undefined)("the Go example on a real API server", () => {
  let controlPlane: ControlPlane;
  let client: ApiClient;
  let controller: Running;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ users: [{ name: USER }] });
    client = controlPlane.client();
    await startKwok(controlPlane);
    const { processes } = controlPlane;
    const command = processes.path("go-controller");
    const built = spawnSync("go", ["build", "-o", command, "."], { cwd: `${root}/examples/go/controller` });
    expect(built.stderr.toString()).not.toMatch(/^#/m);
    expect(built.status).toBe(0);
    const env = { KUBECONFIG: controlPlane.kubeconfig(USER) };
    controller = await processes.start("go-controller", command, [], env);
  });
  afterAll(() => controlPlane?.stop());

  const isComplete = (name: string): Promise<Job> =>
    client.waitFor<Job>(JOBS, (job) => job.metadata.name === name && hasCondition(job, "Complete"));

  it("says which permission is missing", async () => {
    await expect.poll(() => controller.log(), { timeout: 30_000 }).toContain('cannot list resource \\"jobs\\"');
    expect(controller.log()).toContain('needs the verb \\"list\\" on \\"jobs\\" in the API group \\"batch\\"');
    expect(controller.exited).toBe(false);
  });

  it("runs Jobs once it has the role", async () => {
    const apiGroup = "rbac.authorization.k8s.io";
    await client.succeed("POST", `${RBAC}/clusterroles`, role!.toJSON() as object);
    await client.succeed("POST", `${RBAC}/clusterrolebindings`, {
      metadata: { name: USER },
      roleRef: { apiGroup, kind: "ClusterRole", name: "stint-job-controller" },
      subjects: [{ apiGroup, kind: "User", name: USER }],
    });
    await client.succeed("POST", JOBS, job("three", { completions: 3, parallelism: 2 }));
    await client.succeed("POST", JOBS, job("indexed", { completionMode: "Indexed", completions: 5, parallelism: 5 }));
    expect((await isComplete("three")).status!.succeeded).toBe(3);
    expect((await isComplete("indexed")).status!.completedIndexes).toBe("0-4");
  });

  it("leaves Jobs of others alone", async () => {
    await client.succeed("POST", JOBS, job("foreign", { managedBy: "example.com/other" }));
    await client.succeed("POST", JOBS, job("late", { suspend: true }));
    await client.succeed("PATCH", `${JOBS}/late`, { spec: { suspend: false } });
    await isComplete("late");
    expect((await client.succeed<Job>("GET", `${JOBS}/foreign`)).status).toEqual({});
  });

  it("leaves no finalizer, is refused nothing, and shuts down in order", async () => {
    const { items } = await client.succeed<{ items: { metadata: { finalizers?: string[] } }[] }>("GET", PODS);
    expect(items.length).toBeGreaterThanOrEqual(9);
    expect(items.filter(({ metadata }) => metadata.finalizers !== undefined)).toEqual([]);
    expect(controller.log()).not.toContain("does not allow a request");
    await controller.stop();
    expect(await controller.ended).toBe("status 0");
  });
});
