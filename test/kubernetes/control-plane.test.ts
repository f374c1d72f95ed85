/**
 * The real control plane, upstream's Job controller and kwok do what the tests that build on them count on, and leave
 * nothing behind.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findKubectl, pinnedVersion, whyUnavailable } from "./binaries/binaries.ts";
import { isOver } from "./conditions.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { DEFAULT_NODE, startKwok } from "./kwok.ts";
import { startUpstreamController } from "./upstream-controller.ts";

interface Job {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status?: {
    readonly succeeded?: number;
    readonly completedIndexes?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const namespace = (name: string): object => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane({
    users: [{ name: "nobody-yet" }],
    audit: "requests",
    admissionPlugins: ["OwnerReferencesPermissionEnforcement"],
    featureGates: { CoordinatedLeaderElection: true },
    runtimeConfig: { "coordination.k8s.io/v1beta1": true },
  });
});
afterAll(() => controlPlane?.stop());

describe.skipIf(whyUnavailable() !== undefined)("a real control plane", () => {
  it.skipIf("KUBEBUILDER_ASSETS" in process.env)("is the version that go.mod pins", () => {
    expect(controlPlane.version).toBe(pinnedVersion("kube-apiserver"));
  });

  it("knows its users by their tokens, and gives them what RBAC says", async () => {
    const admin = controlPlane.client();
    const user = controlPlane.client("nobody-yet");
    expect(await user.request("GET", "/apis/batch/v1/jobs")).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('User "nobody-yet" cannot list resource "jobs"') },
    });
    const rule = { apiGroups: ["batch"], resources: ["jobs"], verbs: ["list"] };
    await admin.succeed("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", {
      metadata: { name: "list-jobs" },
      rules: [rule],
    });
    await admin.succeed("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "list-jobs" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "list-jobs" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "nobody-yet" }],
    });
    // The server's own watch of the roles takes a moment.
    await expect
      .poll(async () => (await user.request("GET", "/apis/batch/v1/jobs")).status, { timeout: 30_000 })
      .toBe(200);
    expect((await user.request("GET", "/apis/batch/v1/namespaces/default/jobs/none")).status).toBe(403);
    expect((await user.request("POST", "/api/v1/namespaces", namespace("not-mine"))).status).toBe(403);
    expect(() => controlPlane.token("stranger")).toThrow("there is no user stranger; there are admin, nobody-yet");
  });

  it("serves what its switches ask for", async () => {
    expect(await controlPlane.client().request("GET", "/apis/coordination.k8s.io/v1beta1")).toMatchObject({
      status: 200,
      body: { kind: "APIResourceList" },
    });
    // Blocks the deletion of something that this user has nothing to do with, which the plugin of the same name is
    // there for.
    const owner = {
      apiVersion: "batch/v1",
      kind: "Job",
      name: "some",
      uid: "0",
      controller: true,
      blockOwnerDeletion: true,
    };
    const event = { metadata: { name: "owned", ownerReferences: [owner] }, involvedObject: { namespace: "default" } };
    const rule = { apiGroups: [""], resources: ["events"], verbs: ["create"] };
    await controlPlane.client().succeed("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", {
      metadata: { name: "events" },
      rules: [rule],
    });
    await controlPlane.client().succeed("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {
      metadata: { name: "events" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "events" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "nobody-yet" }],
    });
    const message = async (): Promise<string> =>
      String(
        (await controlPlane.client("nobody-yet").request("POST", "/api/v1/namespaces/default/events?dryRun=All", event))
          .body["message"],
      );
    await expect.poll(message, { timeout: 30_000 }).toMatch(/cannot set blockOwnerDeletion/);
  });

  it("writes down who asked for what", async () => {
    await controlPlane.client("nobody-yet").request("DELETE", "/api/v1/namespaces/default/pods/none");
    const requests = (): unknown[] =>
      controlPlane.audited().filter(({ user, verb }) => user.username === "nobody-yet" && verb === "delete");
    await expect.poll(requests, { timeout: 30_000 }).toMatchObject([
      {
        requestURI: "/api/v1/namespaces/default/pods/none",
        objectRef: { resource: "pods", namespace: "default", name: "none" },
        responseStatus: { code: 403 },
      },
    ]);
  });

  it.skipIf(findKubectl() === undefined)("is reached by kubectl with its kubeconfig", () => {
    const ran = spawnSync(
      findKubectl()!,
      [
        "--cache-dir",
        controlPlane.processes.path("kubectl-cache"),
        "--kubeconfig",
        controlPlane.kubeconfig(),
        "get",
        "namespace",
        "default",
        "-o",
        "name",
      ],
      { encoding: "utf8" },
    );
    expect(ran).toMatchObject({ status: 0, stdout: "namespace/default\n", stderr: "" });
  });
});

describe.skipIf(whyUnavailable() !== undefined)("a real control plane with upstream's controller and kwok", () => {
  it("has an Indexed Job run to its end by upstream's controller and kwok", async () => {
    const client = controlPlane.client();
    const kwok = await startKwok(controlPlane);
    const upstream = await startUpstreamController(controlPlane, { clientQps: -1 });
    await client.succeed("POST", "/api/v1/namespaces", namespace("indexed"));
    await client.succeed("POST", "/apis/batch/v1/namespaces/indexed/jobs", {
      metadata: { name: "three" },
      spec: {
        completionMode: "Indexed",
        completions: 3,
        parallelism: 3,
        template: {
          spec: {
            nodeName: DEFAULT_NODE,
            restartPolicy: "Never",
            containers: [{ name: "main", image: "example.com/nothing" }],
          },
        },
      },
    });
    const job = await client.waitFor<Job>("/apis/batch/v1/namespaces/indexed/jobs", isOver);
    expect(job.status).toMatchObject({
      succeeded: 3,
      completedIndexes: "0-2",
      terminating: 0,
      ready: 0,
      uncountedTerminatedPods: {},
    });
    expect(job.status!.conditions!.map(({ type }) => type)).toEqual(["SuccessCriteriaMet", "Complete"]);
    // It counts the Job once the server has answered: a watch may show the end sooner.
    const isCounted = /^job_controller_jobs_finished_total\{completion_mode="Indexed",.*result="succeeded"\} 1$/m;
    await expect.poll(upstream.metrics, { timeout: 30_000 }).toMatch(isCounted);

    // The garbage collector takes the pods with the Job.
    await client.succeed("DELETE", "/apis/batch/v1/namespaces/indexed/jobs/three?propagationPolicy=Foreground");
    await client.waitFor<Job>("/apis/batch/v1/namespaces/indexed/jobs", (_, deleted) => deleted);
    expect((await client.succeed<{ items: unknown[] }>("GET", "/api/v1/namespaces/indexed/pods")).items).toEqual([]);

    expect([kwok.pid, upstream.pid].map(isRunning)).toEqual([true, true]);
    await upstream.stop();
    expect([kwok.pid, upstream.pid].map(isRunning)).toEqual([true, false]);
  });

  it("leaves no process and no folder behind when it is stopped", async () => {
    const { directory, running } = controlPlane.processes;
    expect(running.map(({ name }) => name)).toEqual(["etcd", "kube-apiserver", "kwok"]);
    await controlPlane.stop();
    expect(running.map(({ pid }) => isRunning(pid))).toEqual([false, false, false]);
    expect(existsSync(directory)).toBe(false);
    await controlPlane.stop();
  });
});

describe.skipIf(whyUnavailable() !== undefined)("a control plane", () => {
  it("that cannot start says why, with the end of its log, and leaves nothing behind", async () => {
    const folder = mkdtempSync(join(tmpdir(), "stint-test-"));
    vi.stubEnv("TMPDIR", folder);
    await expect(startControlPlane({ featureGates: { NoSuchFeature: true } })).rejects.toThrow(
      /^kube-apiserver ended \(status 1\) before it was ready\. The end of its log:\n[^]*unrecognized feature gate: NoSuchFeature/,
    );
    expect(readdirSync(folder)).toEqual([]);
    vi.unstubAllEnvs();
    rmdirSync(folder);
  });

  it("ends with the process that has started it, even when that is killed", async () => {
    const script = `
      import { startControlPlane } from ${JSON.stringify(join(import.meta.dirname, "control-plane.ts"))};
      const { processes } = await startControlPlane();
      console.log(JSON.stringify({ directory: processes.directory, pids: processes.running.map(({ pid }) => pid) }));
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { directory, pids } = JSON.parse(line.toString()) as { directory: string; pids: number[] };
    expect(pids.map(isRunning)).toEqual([true, true]);
    child.kill("SIGKILL");
    await expect.poll(() => existsSync(directory) || pids.some(isRunning), { timeout: 60_000 }).toBe(false);
  });
});
