/**
 * `stint doctor` on a real API server: each thing that it finds is planted there, and the command that it names fixes
 * it. Its role in docs/doctor.md has the rights that it uses and no others.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Finding } from "../../host-node/cli/doctor/finding.ts";
import { main } from "../host-node/cli/checked-main.ts";
import { RecordingConsole } from "../host-node/cli/recording-console.ts";
import type { ApiClient } from "./api-client.ts";
import { findKubectl, whyUnavailable } from "./binaries/binaries.ts";
import { ADMIN, type ControlPlane, startControlPlane } from "./control-plane.ts";
import { BUNDLE } from "../host-node/serving.ts";
import { startUpstreamController } from "./upstream-controller.ts";

interface Job {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status?: { readonly succeeded?: number; readonly active?: number; readonly conditions?: readonly object[] };
}
interface Pod {
  readonly metadata: { readonly name: string; readonly finalizers?: readonly string[] };
}

const NAMESPACE = "team";
const JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const LABEL = "batch.kubernetes.io/controller-uid";
const WAIT = { timeout: 100_000, interval: 500 };
const DOCTOR = "doctor";
const NOBODY = "nobody";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";

const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/nothing" }] } };
const document = readFileSync(resolve(import.meta.dirname, "../../docs/doctor.md"), "utf8");

const missing = whyUnavailable() ?? (findKubectl() === undefined ? "there is no kubectl in $PATH" : undefined);
if (missing !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${missing}`);

let controlPlane: ControlPlane;
let client: ApiClient;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stint-doctor-"));
  controlPlane = await startControlPlane({ users: [{ name: DOCTOR }, { name: NOBODY }], audit: "requests" });
  client = controlPlane.client();
  await client.succeed("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
});
afterAll(async () => {
  await controlPlane?.stop();
  rmSync(folder, { recursive: true });
});

async function doctor(user: string, ...args: readonly string[]) {
  const console = new RecordingConsole(folder);
  const kubeconfig = controlPlane.kubeconfig(user);
  const exit = await main(
    ["doctor", "--kubeconfig", kubeconfig, "--older-than", "1ms", "--output", "json", ...args],
    "0.0.0",
    console,
  );
  expect(console.out + console.err).not.toContain(controlPlane.token(user));
  const told = exit === 2 ? { findings: [], skipped: [] } : JSON.parse(console.out);
  return { exit, err: console.err, ...told } as {
    exit: number;
    err: string;
    findings: Finding[];
    skipped: { what: string }[];
  };
}
const findingsOf = async (name: string, ...args: readonly string[]): Promise<Finding[]> =>
  (await doctor(ADMIN, ...args)).findings.filter((finding) => finding.name === name);

async function found(id: string, name: string, ...args: readonly string[]): Promise<Finding> {
  const find = async (): Promise<Finding | undefined> =>
    (await findingsOf(name, ...args)).find((finding) => finding.id === id);
  await expect.poll(find, WAIT).toMatchObject({ id });
  return (await find())!;
}

/** Runs the command of a finding to its end. */
function fix({ fix }: Finding): void {
  const env = { ...process.env, KUBECACHEDIR: controlPlane.processes.path("kubectl-cache") };
  const run = spawnSync("bash", ["--norc", "-euo", "pipefail", "-c", fix], { encoding: "utf8", env });
  expect({ fix, status: run.status, stderr: run.stderr }).toEqual({ fix, status: 0, stderr: expect.anything() });
}

/** Runs the command of a finding, which does not exit, until something holds. */
async function fixUntil({ fix }: Finding, holds: () => Promise<void>): Promise<void> {
  const [, ...words] = fix.split(" ");
  const flags = ["--leader-elect=false", "--listen=off"];
  const child = spawn(process.execPath, [BUNDLE, ...words, ...flags], { stdio: "ignore" });
  try {
    await holds();
  } finally {
    await new Promise((resolve) => child.once("exit", resolve) && child.kill());
  }
}

const patch = (path: string, change: object): Promise<unknown> => client.succeed("PATCH", path, change);
const job = (name: string, spec: object = {}): Promise<Job> =>
  client.succeed("POST", JOBS, { metadata: { name }, spec: { template, ...spec } });
const now = (): string => new Date().toISOString().replace(/\.\d+/, "");
const running = (active = 1): object => ({ startTime: "2026-01-01T00:00:00Z", active, ready: 0 });
const statusOf = async (name: string): Promise<NonNullable<Job["status"]>> =>
  (await client.succeed<Job>("GET", `${JOBS}/${name}`)).status ?? {};
const isThere = async (path: string): Promise<boolean> => (await client.request("GET", path)).status === 200;
const finalizersOf = async (pod: string): Promise<readonly string[]> =>
  (await client.succeed<Pod>("GET", `${PODS}/${pod}`)).metadata.finalizers ?? [];

/** A Job whose controller has looked at it, with one pod. */
async function withPod(name: string, spec: object = {}, metadata: object = {}): Promise<string> {
  const { metadata: { uid } } = await job(name, spec); // oxfmt-ignore
  await patch(`${JOBS}/${name}/status`, { status: running() });
  const pod = `${name}-1`;
  await client.succeed("POST", PODS, {
    metadata: {
      name: pod,
      labels: { [LABEL]: uid, "job-name": name, "controller-uid": uid, "batch.kubernetes.io/job-name": name },
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name, uid, controller: true }],
      finalizers: ["batch.kubernetes.io/job-tracking"],
      ...metadata,
    },
    ...template,
  });
  return pod;
}

describe.skipIf(missing !== undefined)("stint doctor", () => {
  it("has nothing to say of an empty cluster", async () => {
    expect(await doctor(ADMIN)).toMatchObject({ exit: 0, findings: [], skipped: [] });
    // A minute passes before doctor says that no controller manages it, and the other tests meanwhile.
    await job("new", { managedBy: "example.com/mistyped" });
  });
});

describe.skipIf(missing !== undefined)("the command that stint doctor names for a pod", () => {
  it("ends FinalizerLeft", async () => {
    await client.succeed("POST", PODS, {
      metadata: { name: "stray", finalizers: ["example.com/x", "stint.dev/job-tracking"] },
      ...template,
    });
    fix(await found("FinalizerLeft", "stray"));
    expect(await finalizersOf("stray")).toEqual(["example.com/x"]);
    expect(await findingsOf("stray")).toEqual([]);
  });

  it("ends LabelLost", async () => {
    const pod = await withPod("lost", {}, { labels: {} });
    fix(await found("LabelLost", pod));
    expect(await findingsOf(pod)).toEqual([]);
  });

  it("ends ForeignFinalizer", async () => {
    const pod = await withPod("foreign", {}, { finalizers: ["stint.dev/job-tracking"] });
    fix(await found("ForeignFinalizer", pod));
    expect(await finalizersOf(pod)).toEqual([]);
    expect(await findingsOf(pod)).toEqual([]);
  });

  it("ends PodNotEnding", async () => {
    const pod = await withPod("slow", {}, { finalizers: [] });
    // Only of a pod that is bound the kubelet confirms the deletion.
    await client.succeed("POST", `${PODS}/${pod}/binding`, {
      metadata: { name: pod },
      target: { kind: "Node", name: "lost" },
    });
    await client.succeed("DELETE", `${PODS}/${pod}?gracePeriodSeconds=1`);
    fix(await found("PodNotEnding", pod));
    expect(await isThere(`${PODS}/${pod}`)).toBe(false);
  });

  it("ends KeptByOthers", async () => {
    const pod = await withPod("kept", {}, { finalizers: ["example.com/keep"] });
    await client.succeed("DELETE", `${PODS}/${pod}?gracePeriodSeconds=0`);
    fix(await found("KeptByOthers", pod));
    expect(await isThere(`${PODS}/${pod}`)).toBe(false);
  });
});

describe.skipIf(missing !== undefined)("the command that stint doctor names for a Job or a webhook", () => {
  it("ends WaitsForever", async () => {
    const pod = await withPod("endless");
    const waiting = { reason: "ImagePullBackOff", message: "no such image" };
    const container = { name: "main", image: "none", imageID: "", ready: false, restartCount: 0, state: { waiting } };
    await patch(`${PODS}/${pod}/status`, { status: { phase: "Pending", containerStatuses: [container] } });
    fix(await found("WaitsForever", "endless"));
    expect(await findingsOf("endless")).toEqual([]);
    expect(await client.succeed("GET", `${JOBS}/endless`)).toMatchObject({
      spec: { activeDeadlineSeconds: expect.any(Number) },
    });
  });

  it("ends ParallelismZero and SuspendedLong", async () => {
    await job("none", { parallelism: 0, completions: 1 });
    await patch(`${JOBS}/none/status`, { status: running(0) });
    fix(await found("ParallelismZero", "none"));
    await job("paused", { suspend: true });
    const condition = { type: "Suspended", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" };
    await patch(`${JOBS}/paused/status`, { status: { conditions: [condition] } });
    fix(await found("SuspendedLong", "paused"));
    expect(await findingsOf("paused")).toEqual([]);
    expect((await findingsOf("none")).map(({ id }) => id)).not.toContain("ParallelismZero");
  });

  it("ends WebhookUnreachable and PatchDenied", async () => {
    const pod = await withPod("guarded");
    await patch(`${PODS}/${pod}/status`, { status: { phase: "Succeeded" } });
    await client.succeed("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
      metadata: { name: "guard" },
      webhooks: [
        {
          name: "guard.example.com",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          timeoutSeconds: 1,
          clientConfig: { service: { namespace: NAMESPACE, name: "guard" } },
          rules: [{ operations: ["UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
        },
      ],
    });
    const denied = await found("PatchDenied", pod, "--try-patches");
    expect(denied.sentence).toMatch(/ is refused: .*failed calling webhook "guard.example.com"/);
    fix(denied);
    fix(await found("WebhookUnreachable", "guard"));
    // The API server learns of its webhooks a moment later.
    await expect.poll(async () => (await findingsOf(pod, "--try-patches")).map(({ id }) => id), WAIT).toEqual([]);
    expect(await findingsOf("guard")).toEqual([]);
    expect(await finalizersOf(pod)).toEqual(["batch.kubernetes.io/job-tracking"]);
  });

  it("ends FinishedKept", async () => {
    const at = now();
    const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({ type, status: "True" }));
    for (let i = 0; i < 100; i++) {
      await job(`done-${i}`);
      const status = { startTime: at, completionTime: at, succeeded: 1, conditions };
      await patch(`${JOBS}/done-${i}/status`, { status });
    }
    fix(await found("FinishedKept", NAMESPACE));
    expect(await findingsOf(NAMESPACE)).toEqual([]);
  });

  it("ends StatusRefused, which a newer server has inherited from an older one", async () => {
    const older = await startControlPlane({ emulatedVersion: "1.34", featureGates: { JobManagedBy: false } });
    try {
      const old = older.client();
      const jobs = "/apis/batch/v1/namespaces/default/jobs";
      const at = now();
      const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({ type, status: "True" }));
      await old.succeed("POST", jobs, { metadata: { name: "old" }, spec: { template } });
      await old.succeed("PATCH", `${jobs}/old/status`, {
        status: { startTime: at, completionTime: at, succeeded: 1, active: 1, conditions },
      });
      const console = new RecordingConsole(folder);
      const look = ["doctor", "--kubeconfig", older.kubeconfig(), "--output", "json"];
      expect(await main(look, "0.0.0", console)).toBe(1);
      const [finding] = JSON.parse(console.out).findings as Finding[];
      expect(finding).toMatchObject({ id: "StatusRefused", name: "old" });
      fix(finding!);
      expect(await main(look, "0.0.0", new RecordingConsole(folder))).toBe(0);
    } finally {
      await older.stop();
    }
  });

  it("ends PodsRefused", async () => {
    const path = `/api/v1/namespaces/${NAMESPACE}/resourcequotas`;
    const quota = await client.succeed("POST", path, { metadata: { name: "full" }, spec: { hard: { pods: "0" } } });
    // What the quota controller would write.
    await client.succeed("PUT", `${path}/full/status`, {
      ...quota,
      status: { hard: { pods: "0" }, used: { pods: "0" } },
    });
    await job("big", { parallelism: 3, completions: 3 });
    await patch(`${JOBS}/big/status`, { status: running(0) });
    const upstream = await startUpstreamController(controlPlane);
    await expect.poll(async () => (await findingsOf("big"))[0]?.sentence, WAIT).toContain("exceeded quota: full");
    fix(await found("PodsRefused", "big"));
    const { spec } = await client.succeed<{ readonly spec: object }>("GET", `${path}/full`);
    expect(spec).toEqual({ hard: { pods: "3" } });
    await client.succeed("DELETE", `${path}/full`);
    await expect.poll(() => statusOf("big"), WAIT).toMatchObject({ active: 3 });
    await upstream.stop();
  });

  it("ends NotCounted", async () => {
    const pod = await withPod("ended");
    await patch(`${PODS}/${pod}/status`, { status: { phase: "Succeeded" } });
    const finding = await found("NotCounted", "ended");
    await fixUntil(finding, () => expect.poll(() => statusOf("ended"), WAIT).toMatchObject({ succeeded: 1 }));
    expect(await findingsOf("ended")).toEqual([]);
  });

  it("ends NobodyManages", async () => {
    const finding = await found("NobodyManages", "new");
    await fixUntil(finding, () => expect.poll(() => statusOf("new"), WAIT).toMatchObject({ active: 1 }));
    expect((await findingsOf("new")).map(({ id }) => id)).not.toContain("NobodyManages");
  });
});

describe.skipIf(missing !== undefined)("the rights of stint doctor", () => {
  const role = parse(/```yaml\n([^]*?)```/.exec(document)![1]!);

  beforeAll(async () => {
    await client.succeed("POST", `${RBAC}/clusterroles`, role);
    await client.succeed("POST", `${RBAC}/clusterrolebindings`, {
      metadata: { name: DOCTOR },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: DOCTOR }],
    });
  });

  it("that it uses are those of its role, all of them and no others", async () => {
    const services = `/api/v1/namespaces/${NAMESPACE}/services`;
    await client.succeed("POST", services, { metadata: { name: "guard" }, spec: { ports: [{ port: 443 }] } });
    const guard = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/guard";
    const change = [{ op: "add", path: "/webhooks/0/failurePolicy", value: "Fail" }];
    await client.succeed("PATCH", guard, change, "application/json-patch+json");
    await job("refused");
    // CronJobs are only listed where a Job of one is stuck.
    const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "nightly", uid: "nightly-uid", controller: true };
    await patch(`${JOBS}/refused`, { metadata: { ownerReferences: [owner] } });
    await patch(`${JOBS}/refused/status`, { status: running(0) });
    await expect.poll(async () => (await doctor(DOCTOR)).skipped, WAIT).toEqual([]);
    await found("PodsRefused", "refused");
    expect((await doctor(DOCTOR)).skipped).toEqual([]);

    const used = controlPlane
      .audited()
      .filter(({ user, objectRef }) => user.username === DOCTOR && objectRef !== undefined)
      .filter(({ responseStatus }) => responseStatus.code === 200)
      .map(({ verb, objectRef }) => `${verb} ${objectRef!.resource} ${objectRef!.apiGroup ?? ""}`);
    const granted = (role.rules as { apiGroups: string[]; resources: string[]; verbs: string[] }[]).flatMap(
      ({ apiGroups, resources, verbs }) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource} ${apiGroups[0]}`)),
    );
    expect([...new Set(used)].sort()).toEqual(granted.sort());
  });

  it("that are missing are said, and without Jobs there is nothing to say", async () => {
    expect(await doctor(NOBODY)).toMatchObject({ exit: 2, err: expect.stringContaining("Jobs may not be listed") });
    await client.succeed("POST", `${RBAC}/namespaces/${NAMESPACE}/rolebindings`, {
      metadata: { name: NOBODY },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:aggregate-to-view" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: NOBODY }],
    });
    await expect.poll(async () => (await doctor(NOBODY, "-n", NAMESPACE)).exit, WAIT).not.toBe(2);
    const { skipped, exit } = await doctor(NOBODY, "-n", NAMESPACE);
    expect(skipped.map(({ what }) => what)).toEqual([
      "Leases",
      "validatingwebhookconfigurations",
      "mutatingwebhookconfigurations",
    ]);
    expect(exit).toBe(1);
  });
});
