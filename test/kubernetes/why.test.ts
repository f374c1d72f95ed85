/**
 * `stint why` on a real API server: of Jobs that upstream's controller runs, of those that none runs, and of those of
 * `stint controller`; with few rights, and without writing.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../host-node/cli/checked-main.ts";
import { RecordingConsole } from "../host-node/cli/recording-console.ts";
import type { ApiClient } from "./api-client.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { ADMIN, type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type PodNetwork, startPodNetwork } from "./pod-network.ts";
import { startStintController, type StintController } from "./stint-controller.ts";
import { startUpstreamController, type UpstreamController } from "./upstream-controller.ts";

interface Job {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly status?: {
    readonly failed?: number;
    readonly active?: number;
    readonly conditions?: readonly { readonly type: string }[];
  };
}
interface Pod {
  readonly metadata: { readonly name: string };
}
interface Told {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
/**
 * May read Jobs and nothing else; and may do what the role `view` is made of, by a controller that does not run here.
 */
const CLERK = "clerk";
const VIEWER = "viewer";
/** May list pods and Events too, and read no log. */
const LISTER = "lister";
const WAIT = { timeout: 60_000 };
const WAITS_FOR_ITS_POD =
  /^job own {2}Running\n {2}waiting for pods: 1 active, 0 of them ready, 0 succeeded of 1; 1 Pending /;

function job(name: string, spec: object = {}): object {
  return {
    metadata: { name },
    spec: {
      template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/nothing" }] } },
      ...spec,
    },
  };
}

let controlPlane: ControlPlane;
let client: ApiClient;
let upstream: UpstreamController;
let directory: string;
let podNetwork: PodNetwork;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "stint-why-"));
  podNetwork = await startPodNetwork(join(directory, "pods.sock"));
  controlPlane = await startControlPlane({
    podNetworkSocket: podNetwork.socket,
    users: [{ name: CLERK }, { name: VIEWER }, { name: LISTER }, { name: "stranger" }],
  });
  client = controlPlane.client();
  upstream = await startUpstreamController(controlPlane);
  await client.succeed("POST", `${RBAC}/clusterroles`, {
    metadata: { name: "read-jobs" },
    rules: [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["get"] }],
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
  podNetwork?.close();
  rmSync(directory, { recursive: true });
});

async function whyAs(user: string, ...args: readonly string[]): Promise<Told> {
  const console = new RecordingConsole(directory);
  const exit = await main(["why", "--kubeconfig", controlPlane.kubeconfig(user), ...args], "0.0.0", console);
  expect(console.out + console.err).not.toContain(controlPlane.token(user));
  return { exit, out: console.out, err: console.err };
}
const why = (...args: readonly string[]): Promise<Told> => whyAs(ADMIN, ...args);
/** Its first pod. */
const podOf = (name: string): Promise<Pod> =>
  client.waitFor<Pod>(`${PODS}?labelSelector=job-name%3D${name}`, () => true);
const untilJob = (name: string, holds: (job: Job) => boolean): Promise<Job> =>
  client.waitFor<Job>(`${JOBS}?fieldSelector=metadata.name%3D${name}`, holds);

/** As a kubelet writes it. */
async function fail(pod: string, aheadMs = 0): Promise<void> {
  const terminated = {
    exitCode: 3,
    reason: "Error",
    message: "no disk",
    finishedAt: new Date(Date.now() + aheadMs).toISOString().replace(/\.\d+/, ""),
  };
  const status = {
    phase: "Failed",
    containerStatuses: [
      { name: "main", image: "none", imageID: "", ready: false, restartCount: 0, state: { terminated } },
    ],
  };
  await client.succeed("PATCH", `${PODS}/${pod}/status`, { status });
}

describe.skipIf(whyUnavailable() !== undefined)("stint why", () => {
  it("explains a Job that waits in back-off, until when, and how its pod failed", async () => {
    await client.succeed("POST", JOBS, job("retry"));
    // The clock of its node is ahead: upstream's controller waits for longer than any machine is busy.
    await fail((await podOf("retry")).metadata.name, 40_000);
    await untilJob("retry", (job) => job.status?.failed === 1);
    const { exit, out } = await why("retry");
    expect(exit).toBe(0);
    expect(out).toMatch(
      /^job retry {2}Waiting\n {2}waiting \d+ s before the next pod is created: 1 failure in a row, back-off 10 s since \S+\n {2}succeeded 0\/1 {3}failed 1 \(backoffLimit 6\) {3}active 0 /,
    );
    expect(out).toMatch(
      /\n {2}next: (now|in \d+ s), at (\d{4}-\d\d-\d\d )?\S+ UTC\n {2}last failure: pod retry-\w{5}: container main exited \(exit code 3, Error\): no disk\n/,
    );
    expect(out).toMatch(
      /\n {2}from its objects: no controller that explains it was found\n {2}run by the built-in controller; kube-controller-manager wrote its status \d+ s ago\n/,
    );
  });

  it("explains a Job whose pods are pending, as nothing schedules them", async () => {
    await client.succeed("POST", JOBS, job("pending", { parallelism: 3, completions: 5 }));
    await untilJob("pending", (job) => job.status?.active === 3);
    const [, pod] = /THE OLDEST[^]* (pending-\w{5}) /.exec((await why("pending")).out)!;
    const lastTimestamp = new Date().toISOString().replace(/\.\d+/, "");
    const involvedObject = { apiVersion: "v1", kind: "Pod", namespace: "default", name: pod };
    for (const [name, type] of [
      ["normal", "Normal"],
      ["warning", "Warning"],
    ] as const)
      await client.succeed("POST", "/api/v1/namespaces/default/events", {
        metadata: { name },
        involvedObject,
        type,
        reason: "FailedScheduling",
        message: `a ${name} one`,
        lastTimestamp,
        count: 2,
      });
    const { out } = await why("pending");
    expect(out).toMatch(new RegExp(`\\n {2}\\d+ s ago, 2 times {2}pod/${pod} FailedScheduling: a warning one\\n$`));
    expect(out).not.toContain("could not be read");
    expect(out).toMatch(
      /^job pending {2}Running\n {2}waiting for pods: 3 active, 0 of them ready, 0 succeeded of 5; 3 Pending \(pending-\w{5} since \S+\)\n/,
    );
    expect(out).toMatch(
      /\n {2}PODS {2}STATE OR REASON {2}THE OLDEST +SINCE \(UTC\)\n {5}3 {2}Pending {10}pending-\w{5} /,
    );
  });

  it("explains a Job that is suspended, with since when", async () => {
    await client.succeed("POST", JOBS, job("paused", { suspend: true }));
    await untilJob("paused", (job) => job.status?.conditions?.some(({ type }) => type === "Suspended") ?? false);
    expect((await why("paused")).out).toMatch(
      /^job paused {2}Suspended\n {2}the Job is suspended since \S+: no pod is created until spec\.suspend is false\n/,
    );
  });

  it("explains a Job that has failed", async () => {
    await client.succeed("POST", JOBS, job("lost", { backoffLimit: 0 }));
    await fail((await podOf("lost")).metadata.name);
    await untilJob("lost", (job) => job.status?.conditions?.some(({ type }) => type === "Failed") ?? false);
    const { out } = await why("lost");
    expect(out).toMatch(
      /^job lost {2}Failed\n {2}the Job failed at (\d{4}-\d\d-\d\d )?\S+: Job has reached the specified backoff limit \(BackoffLimitExceeded\)\n/,
    );
    expect(out).toMatch(/\n {2}was run by the built-in controller; /);
    await expect
      .poll(async () => (await why("lost")).out, WAIT)
      .toContain("job/lost BackoffLimitExceeded: Job has reached the specified backoff limit");
  });

  it("explains a Job whose pods a quota refuses, in the words of the API server", async () => {
    await client.succeed("POST", "/api/v1/namespaces", { metadata: { name: "full" } });
    const path = "/api/v1/namespaces/full/resourcequotas";
    const quota = await client.succeed("POST", path, { metadata: { name: "none" }, spec: { hard: { pods: "0" } } });
    // What the quota controller would write.
    await client.succeed("PUT", `${path}/none/status`, {
      ...quota,
      status: { hard: { pods: "0" }, used: { pods: "0" } },
    });
    await client.succeed("POST", "/apis/batch/v1/namespaces/full/jobs", job("big"));
    await expect.poll(async () => (await why("big", "-n", "full")).out, WAIT).toContain("exceeded quota");
    const { out } = await why("big", "-n", "full");
    expect(out).toMatch(
      /^job full\/big {2}Waiting\n {2}its controller is to act: creating 1 pod: 0 of 1 wanted active, 0 succeeded\n {2}the API server refuses new pods: pods "big-\w{5}" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0\n/,
    );
    expect(out).toMatch(
      /\n {2}\d+ s ago(, \d+ times)? +job\/big FailedCreate: Error creating: pods "big-\w{5}" is forbidden: [^\n]+\n$/,
    );
  });

  it("explains a Job of another controller, about which nothing is known here, and writes nothing to it", async () => {
    const before = await client.succeed<Job>("POST", JOBS, job("foreign", { managedBy: "example.com/x" }));
    const { exit, out } = await why("foreign");
    expect(exit).toBe(0);
    expect(out).toMatch(/\n {2}its controller is to act: creating 1 pod: 0 of 1 wanted active, 0 succeeded\n/);
    expect(out).toMatch(
      /\n {2}spec\.managedBy says example\.com\/x: whether that controller runs is not known here; its status is empty, \d+ s after it was created\n {2}more: stint explain Creating\n$/,
    );
    expect((await client.succeed<Job>("GET", `${JOBS}/foreign`)).metadata.resourceVersion).toBe(
      before.metadata.resourceVersion,
    );
    expect(
      (await client.succeed<{ items: unknown[] }>("GET", `${PODS}?labelSelector=job-name%3Dforeign`)).items,
    ).toEqual([]);
  });

  it("says that there is no such Job, and which it may be", async () => {
    expect(await why("retri")).toEqual({
      exit: 2,
      out: "",
      err: `stint: there is no Job retri in namespace default of ${controlPlane.url}.\nDid you mean this?\n  stint why retry\n`,
    });
    expect((await why("retry", "-n", "nowhere")).err).toContain("stint: there is no Job retry in namespace nowhere");
  });
});

describe.skipIf(whyUnavailable() !== undefined)("the rights that stint why needs", () => {
  it("include none to read logs, which it says", async () => {
    await expect.poll(async () => (await whyAs(VIEWER, "lost")).exit, WAIT).toBe(0);
    expect((await whyAs(VIEWER, "lost")).out).not.toContain("could not be read");
    await client.succeed("POST", `${RBAC}/clusterroles`, {
      metadata: { name: "list-pods" },
      rules: [{ apiGroups: [""], resources: ["pods", "events"], verbs: ["list"] }],
    });
    const apiGroup = "rbac.authorization.k8s.io";
    await client.succeed("POST", `${RBAC}/clusterrolebindings`, {
      metadata: { name: "lister" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "list-pods" },
      subjects: [{ apiGroup, kind: "User", name: LISTER }],
    });
    await client.succeed("POST", `${RBAC}/clusterrolebindings`, {
      metadata: { name: "lister-of-jobs" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "read-jobs" },
      subjects: [{ apiGroup, kind: "User", name: LISTER }],
    });
    await expect.poll(async () => (await whyAs(LISTER, "lost")).out, WAIT).toContain("last failure");
    expect((await whyAs(LISTER, "lost")).out).toMatch(
      new RegExp(
        `\\n {2}last failure: pod lost-\\w{5}: container main exited .*\\n[^]*\\n {2}the log of pod lost-\\w{5} could not be read \\(403: .*User "${LISTER}" cannot get resource "pods/log" .*\\)\\n`,
      ),
    );
  });

  it("are those of the role view, or fewer", async () => {
    await expect.poll(async () => (await whyAs(VIEWER, "pending")).exit, WAIT).toBe(0);
    const viewed = (await whyAs(VIEWER, "pending")).out;
    expect(viewed).toMatch(/^job pending {2}Running\n {2}waiting for pods: 3 active, /);
    expect(viewed).toContain(
      "\n  from its objects: no controller that explains it was found (the Leases in namespace stint-system may not be read with these credentials)\n",
    );
    await expect.poll(async () => (await whyAs(CLERK, "pending")).exit, WAIT).toBe(0);
    const { out } = await whyAs(CLERK, "pending");
    expect(out).toMatch(
      /^job pending {2}Running\n {2}its status counts 3 active pods, 0 of them ready; only the pods themselves say what they wait for\n/,
    );
    expect(out).toContain(
      `\n  its pods could not be read (403: pods is forbidden: User "${CLERK}" cannot list resource "pods" in API group "" in the namespace "default")\n`,
    );
    expect(out).toContain(
      `\n  Events could not be read (403: events is forbidden: User "${CLERK}" cannot list resource "events" in API group "" in the namespace "default")\n`,
    );
    const refused = await whyAs("stranger", "pending");
    expect(refused).toMatchObject({ exit: 2, out: "" });
    expect(refused.err).toMatch(
      /^stint: the Job pending in namespace default may not be read with these credentials \(403: jobs\.batch "pending" is forbidden: User "stranger" cannot get resource "jobs"/,
    );
  });
});

describe.skipIf(whyUnavailable() !== undefined)("stint why with stint controller", () => {
  let controller: StintController;
  beforeAll(async () => {
    await client.succeed("POST", "/api/v1/namespaces", { metadata: { name: "stint-system" } });
    controller = await startStintController(controlPlane, { flags: ["--lease-namespace=stint-system"] });
    await client.succeed("POST", JOBS, job("own", { managedBy: "stint.dev/job-controller" }));
    await untilJob("own", (job) => job.status?.active === 1);
  });
  afterAll(() => controller?.stop());

  it("shows what that controller says", async () => {
    const asked = ["own", "--controller", controller.url];
    // The server knows of the pod before the controller's own watch shows it.
    await expect.poll(async () => (await why(...asked)).out, WAIT).toMatch(WAITS_FOR_ITS_POD);
    const { exit, out } = await why(...asked);
    expect(exit).toBe(0);
    expect(out).toMatch(WAITS_FOR_ITS_POD);
    expect(out).toContain(`\n  as the controller at ${controller.url} sees it\n`);
    expect(out).toMatch(/\n {2}TIME \(UTC\) {2}DECISION\n.* creating 1 pod: /);
  });

  it("reads the objects where the controller's pod cannot be reached, or the Job is not its own", async () => {
    const { out } = await why("own");
    expect(out).toMatch(/^job own {2}Running\n {2}waiting for pods: 1 active, /);
    // It runs beside the cluster: there is no pod of its name.
    expect(out).toMatch(
      /\n {2}from its objects: no controller that explains it was found \(\S+ could not be asked \(404: .+\)\)\n {2}spec\.managedBy says stint\.dev\/job-controller: whether that controller runs is not known here; stint wrote its status \d+ s ago\n/,
    );
    expect((await why("pending", "--controller", controller.url)).out).toContain(
      `no controller that explains it was found (${controller.url} leaves it to another controller; `,
    );
  });

  it("asks the leader's pod, through the API server", async () => {
    const { items } = await client.succeed<{ items: { spec: { holderIdentity: string } }[] }>(
      "GET",
      "/apis/coordination.k8s.io/v1/namespaces/stint-system/leases",
    );
    const leader = items[0]!.spec.holderIdentity.replace(/_.*/, "");
    const pods = "/api/v1/namespaces/stint-system/pods";
    await client.succeed("POST", pods, {
      metadata: { name: leader },
      spec: { containers: [{ name: "controller", image: "example.com/stint" }] },
    });
    // As a kubelet writes it.
    await client.succeed("PATCH", `${pods}/${leader}/status`, {
      status: { phase: "Running", podIP: "10.1.2.3", podIPs: [{ ip: "10.1.2.3" }] },
    });
    podNetwork.route("10.1.2.3:8080", Number(new URL(controller.url).port));
    const { exit, out } = await why("own");
    expect(exit).toBe(0);
    expect(out).toMatch(WAITS_FOR_ITS_POD);
    expect(out).toContain(`\n  as the controller in pod ${leader} sees it\n`);
    expect(out).toMatch(/\n {2}TIME \(UTC\) {2}DECISION\n.* creating 1 pod: /);
    expect((await why("pending")).out).toContain(
      `no controller that explains it was found (${leader} leaves it to another controller)`,
    );
  });
});

describe.skipIf(whyUnavailable() !== undefined)("stint why without a controller", () => {
  it("says that no controller runs a Job when upstream's has gone", async () => {
    await upstream.stop();
    await client.succeed("POST", JOBS, job("alone"));
    expect((await why("alone")).out).toMatch(/^job alone {2}Waiting\n {2}its controller is to act: creating 1 pod: /);
    await expect
      .poll(async () => (await why("alone")).out, WAIT)
      .toMatch(
        /\n {2}no controller runs it: its status is empty, \d+ s after it was created, and the built-in controller is to run it; does kube-controller-manager run\?\n/,
      );
  });
});
