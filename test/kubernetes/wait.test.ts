/**
 * `stint wait` on a real API server, of Jobs that upstream's controller runs: their end, their retries, their deletion;
 * with the rights of the role `view` alone, and with fewer.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../host-node/cli/checked-main.ts";
import { RecordingConsole } from "../host-node/cli/recording-console.ts";
import type { ApiClient } from "./api-client.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { startUpstreamController } from "./upstream-controller.ts";

interface Pod {
  readonly metadata: { readonly name: string };
}

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const VIEWER = "viewer";
/** May read Jobs, and no pods. */
const CLERK = "clerk";

function job(name: string, spec: object = {}): object {
  return {
    metadata: { name },
    spec: {
      template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/nothing" }] } },
      ...spec,
    },
  };
}

describe.skipIf(whyUnavailable() !== undefined)("stint wait", () => {
  let controlPlane: ControlPlane;
  let client: ApiClient;
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "stint-wait-"));
    controlPlane = await startControlPlane({ users: [{ name: VIEWER }, { name: CLERK }, { name: "stranger" }] });
    client = controlPlane.client();
    await startUpstreamController(controlPlane);
    await client.succeed("POST", `${RBAC}/clusterroles`, {
      metadata: { name: "read-jobs" },
      rules: [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["list", "watch"] }],
    });
    for (const [user, role] of [
      [CLERK, "read-jobs"],
      [VIEWER, "system:aggregate-to-view"],
    ] as const) {
      const apiGroup = "rbac.authorization.k8s.io";
      await client.succeed("POST", `${RBAC}/clusterrolebindings`, {
        metadata: { name: user },
        roleRef: { apiGroup, kind: "ClusterRole", name: role },
        subjects: [{ apiGroup, kind: "User", name: user }],
      });
    }
  });
  afterAll(async () => {
    await controlPlane?.stop();
    rmSync(directory, { recursive: true });
  });

  /** Begins to wait. `exit` resolves when the wait is over. */
  function begin(user: string, ...args: readonly string[]): { console: RecordingConsole; exit: Promise<number> } {
    const console = new RecordingConsole(directory);
    const exit = main(["wait", "--kubeconfig", controlPlane.kubeconfig(user), ...args], "0.0.0", console);
    return { console, exit };
  }

  /** Ends the first pod of a Job that has not ended, as a kubelet would. */
  async function end(name: string, exitCode: number): Promise<void> {
    const selector = `labelSelector=job-name%3D${name}&fieldSelector=status.phase%3DPending`;
    const { metadata } = await client.waitFor<Pod>(`${PODS}?${selector}`, () => true);
    const now = new Date().toISOString().replace(/\.\d+/, "");
    const terminated = { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt: now, finishedAt: now };
    await client.succeed("PATCH", `${PODS}/${metadata.name}/status`, {
      status: {
        phase: exitCode === 0 ? "Succeeded" : "Failed",
        containerStatuses: [
          { name: "main", ready: false, restartCount: 0, image: "i", imageID: "i", state: { terminated } },
        ],
      },
    });
  }

  it("sees a retry, and then the end", async () => {
    await client.succeed("POST", JOBS, job("retry"));
    const { console, exit } = begin(VIEWER, "retry");
    await console.outHas("retry  is running: 1 active");
    await end("retry", 3);
    await console.outHas("retry  is retrying: 0 active, 0 of 1 succeeded, 1 failed; the next pod is created in");
    await end("retry", 0);
    expect(await exit).toBe(0);
    expect(console.out).toMatch(/retry {2}has succeeded \d+ s ago: Reached expected number of succeeded pods/);
    expect(console.err).toBe("");
  });

  it("ends with 1 for a Job that has failed", async () => {
    await client.succeed("POST", JOBS, job("lost", { backoffLimit: 0 }));
    const { console, exit } = begin(VIEWER, "lost", "--for", "succeeded");
    await end("lost", 3);
    expect(await exit).toBe(1);
    expect(console.out).toContain("Job has reached the specified backoff limit (BackoffLimitExceeded)");
  });

  it("ends with 1 for a Job that is deleted meanwhile", async () => {
    await client.succeed("POST", JOBS, job("doomed"));
    const { console, exit } = begin(VIEWER, "doomed");
    await console.outHas("doomed  is running");
    await client.succeed("DELETE", `${JOBS}/doomed`, { propagationPolicy: "Background" });
    expect(await exit).toBe(1);
    expect(console.out).toContain("doomed  was deleted before its end was seen");
  });

  it("knows a Job whose time to live is over at once", async () => {
    await client.succeed("POST", JOBS, job("brief", { ttlSecondsAfterFinished: 0 }));
    const { console, exit } = begin(VIEWER, "brief");
    await console.outHas("brief  is running");
    await end("brief", 0);
    expect(await exit).toBe(0);
  });

  it("continues without permission to read pods, and says so", async () => {
    await client.succeed("POST", JOBS, job("dark"));
    const { console, exit } = begin(CLERK, "dark");
    await console.outHas("dark  is running: 1 active");
    await end("dark", 0);
    expect(await exit).toBe(0);
    expect(console.err).toMatch(/^stint: its pods may not be read, so that what they wait for is not known: [^\n]*\n$/);
  });

  it("ends with 2 without any right", async () => {
    const { console, exit } = begin("stranger", "dark");
    expect(await exit).toBe(2);
    expect(console.err).toMatch(/^stint: Jobs of namespace default may not be read with these credentials \(403: /);
    expect(console.err).toContain(
      "Ask for list and watch on jobs and pods in that namespace: the role `view` has them.",
    );
  });
});
