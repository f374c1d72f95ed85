/**
 * docs/adoption.md, followed on a real API server: from upstream's controller to a shadow, to Stint for one namespace,
 * to Stint for all Jobs, and back to upstream's, with 200 Jobs in every state. Each ends as it should. No pod is
 * counted twice and none is lost: by what the Jobs say, and by what the API server saw.
 *
 * Nothing runs containers or Deployments here: the test does what a kubelet would do, and starts and ends the processes
 * of what was deployed, with its arguments and its rights.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkHistory } from "../../history/check.ts";
import type { ApiClient } from "../api-client.ts";
import { findKubectl, whyUnavailable } from "../binaries/binaries.ts";
import { isOver } from "../conditions.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { type HistoryRecorder, recordHistory } from "../history-recorder.ts";
import { startStintController, type StintController } from "../stint-controller.ts";
import { JOB_CONTROLLERS, startUpstreamController, type UpstreamController } from "../upstream-controller.ts";
import { Guide, switchedOff } from "./guide.ts";
import { Kubelet, type Pod } from "./kubelet.ts";
import { type State, STATES } from "./states.ts";

interface Job {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly managedBy?: string };
  readonly status?: {
    readonly startTime?: string;
    readonly active?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}
interface Workload {
  readonly metadata: { readonly generation: number };
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } };
  };
}

const TEAM = "team-a";
const SYSTEM = "stint-system";
const NAME = "stint-job-controller";
const STINT = "stint.dev/job-controller";
/** Below the number of finished Jobs in one namespace that `stint doctor` tells. */
const NAMESPACES = ["batch-1", "batch-2"];
const JOBS_OF_A_STATE = 10;
/** While Stint runs the Jobs of a namespace, there is no moment without a controller. */
const OF_TEAM = STATES.filter(({ meddling }) => meddling === undefined);
const stateOf = (job: string): State | undefined => STATES.find(({ name }) => job.replace(/-\d+$/, "") === name);
const PATIENCE = { timeout: 300_000, interval: 500 };
const FIRST = "upstream-1";
const SECOND = "upstream-2";
const STINT_USER = `system:serviceaccount:${SYSTEM}:${NAME}`;
const ALL = "/apis/batch/v1/jobs";

const missing = whyUnavailable() ?? (findKubectl() === undefined ? "there is no kubectl in $PATH" : undefined);
if (missing !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${missing}`);

let controlPlane: ControlPlane;
let client: ApiClient;
let guide: Guide;
let recorder: HistoryRecorder;
let kubelet: Kubelet;
let upstream: UpstreamController;
let inTeam: StintController;
let forAll: StintController;

beforeAll(async () => {
  const groups = ["system:masters"];
  const users = [FIRST, SECOND, "garbage-collector"].map((name) => ({ name, groups }));
  controlPlane = await startControlPlane({ audit: "objects", users });
  client = controlPlane.client();
  guide = new Guide(controlPlane.processes.path("guide"), controlPlane.kubeconfig());
  recorder = await recordHistory(controlPlane);
  kubelet = new Kubelet(controlPlane, Object.fromEntries(STATES.map(({ name, script }) => [name, script])));
  for (const name of [...NAMESPACES, TEAM]) await client.succeed("POST", "/api/v1/namespaces", { metadata: { name } });
  // The controllers of kube-controller-manager that stay on are a separate process here.
  const others = [...JOB_CONTROLLERS, "namespace-controller"].filter((name) => !switchedOff().includes(name));
  await startUpstreamController(controlPlane, { controllers: others, user: "garbage-collector", clientQps: -1 });
  upstream = await startUpstream(FIRST);
});
afterAll(() => controlPlane?.stop());

const startUpstream = (user: string): Promise<UpstreamController> =>
  startUpstreamController(controlPlane, { controllers: switchedOff(), user, clientQps: -1 });

const jobs = async (): Promise<readonly Job[]> => (await client.succeed<{ items: Job[] }>("GET", ALL)).items;
const pods = async (): Promise<readonly Pod[]> => (await client.succeed<{ items: Pod[] }>("GET", "/api/v1/pods")).items;
const pathOf = (namespace: string, name = ""): string => `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`;

async function createJobs(states: readonly State[], namespace: string, count: number): Promise<void> {
  const containers = [{ name: "main", image: "example.com/nothing" }];
  for (const { name, spec } of states)
    for (let i = 0; i < count; i++)
      await client.succeed("POST", pathOf(namespace).slice(0, -1), {
        metadata: { name: `${name}-${i}` },
        spec: {
          ...spec,
          template: { metadata: { labels: { script: name } }, spec: { restartPolicy: "Never", containers } },
        },
      });
}

/** What is done to Jobs while they have no controller; and then the pods continue. */
async function changeOver(chapter: 2 | 3): Promise<void> {
  for (const { metadata } of await jobs()) {
    const meddling = stateOf(metadata.name)?.meddling?.[chapter];
    if (meddling === undefined) continue;
    const path = pathOf(metadata.namespace, metadata.name);
    if (typeof meddling === "object") await client.succeed("PATCH", path, meddling);
    else await client.request("DELETE", `${path}?propagationPolicy=${meddling}`);
  }
  kubelet.turnTo(chapter);
  const uncounted = ({ metadata, status }: Pod): boolean =>
    metadata.finalizers !== undefined && (status?.phase === "Succeeded" || status?.phase === "Failed");
  await expect.poll(async () => (await pods()).filter(uncounted).length, PATIENCE).toBeGreaterThan(JOBS_OF_A_STATE);
}

/** Each Job that has not ended has what its controller does first. */
async function untilTakenUp(): Promise<void> {
  const isTakenUp = (job: Job): boolean =>
    isOver(job) || job.status?.startTime !== undefined || (job.status?.conditions ?? []).length > 0;
  await expect.poll(async () => (await jobs()).filter((job) => !isTakenUp(job)).length, PATIENCE).toBe(0);
}

/** Starts what was deployed, as its pod would be, and says so in its status. */
async function deploy(kind: "deployments" | "statefulsets", namespace: string): Promise<StintController> {
  const path = `/apis/apps/v1/namespaces/${namespace}/${kind}/${NAME}`;
  const { metadata, spec } = await client.succeed<Workload>("GET", path);
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/${NAME}/token`;
  const { status } = await client.succeed<{ status: { token: string } }>("POST", account, { spec: {} });
  const args = spec.template.spec.containers[0]!.args.slice(1).filter((arg) => !arg.startsWith("--listen="));
  const controller = await startStintController(controlPlane, {
    kubeconfig: controlPlane.kubeconfigOf(`${NAME}-of-${namespace}`, status.token, namespace),
    flags: args.map((arg) => arg.replace("$(NAMESPACE)", namespace)),
  });
  const { replicas } = spec;
  const counts = { replicas, readyReplicas: replicas, updatedReplicas: replicas, availableReplicas: replicas };
  const revisions = kind === "statefulsets" ? { currentRevision: "1", updateRevision: "1" } : {};
  const told = { observedGeneration: metadata.generation, ...counts, ...revisions };
  await client.succeed("PATCH", `${path}/status`, { status: told });
  await expect.poll(async () => (await fetch(`${controller.url}/readyz`)).ok, PATIENCE).toBe(true);
  return controller;
}

describe.skipIf(missing !== undefined)("the adoption guide", { timeout: 600_000 }, () => {
  it("1: looks, while upstream's controller runs the Jobs", async () => {
    await createJobs(STATES, NAMESPACES[0]!, JOBS_OF_A_STATE / NAMESPACES.length);
    await untilTakenUp();
    expect(await guide.follow(1, "Do")).toMatch(/^nothing is wrong: /);
  });

  it("2: has a shadow that looks on, and would do the same", async () => {
    const [, , ...flags] = guide.take(2, "Do").trim().split(" ");
    const listen = flags.pop()!;
    const shadow = await startStintController(controlPlane, { flags });
    await createJobs(STATES, NAMESPACES[1]!, JOBS_OF_A_STATE / NAMESPACES.length);
    await untilTakenUp();
    const compared = async (): Promise<number> => {
      const text = await (await fetch(`${shadow.url}/metrics`)).text();
      return Number(/^stint_shadow_comparisons_total (\d+)/m.exec(text)?.[1]);
    };
    // A status and a pod of each.
    const writes = (STATES.length * 2 * JOBS_OF_A_STATE) / NAMESPACES.length;
    await expect.poll(compared, PATIENCE).toBeGreaterThan(writes);
    // The shadow's log says of which Job, and how; the guide's check counts alone.
    expect(
      shadow
        .log()
        .split("\n")
        .filter((line) => /"kind":"\w+"/.test(line) && !/"known":/.test(line)),
    ).toEqual([]);
    const address = listen.replace("--listen=", "http://");
    await guide.run(guide.take(2, "Check").replaceAll(address, shadow.url));
    await shadow.stop();
  });

  it("3: gives the Jobs of one namespace to Stint", async () => {
    await guide.follow(3, "Do");
    inTeam = await deploy("statefulsets", TEAM);
    await guide.follow(3, "Check");
    await guide.follow(3, "Do", 1);
    const isManaged = async (): Promise<string | undefined> =>
      (
        await client.succeed<Job>("POST", `${pathOf(TEAM).slice(0, -1)}?dryRun=All`, {
          metadata: { name: "tried" },
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } } },
        })
      ).spec.managedBy;
    await expect.poll(isManaged, PATIENCE).toBe(STINT);
    expect(await guide.follow(3, "Check", 1)).toContain(`\n${STINT}\n`);
    await createJobs(OF_TEAM, TEAM, 1);
    await untilTakenUp();
  });

  it("4: gives all Jobs to Stint, while they are in every state", async () => {
    await upstream.stop();
    await guide.follow(4, "Check");
    await changeOver(2);
    await guide.follow(4, "Do");
    forAll = await deploy("deployments", SYSTEM);
    await guide.follow(4, "Check", 1);
    await untilTakenUp();
  });

  it("5: gives them back to upstream's controller", async () => {
    await guide.follow(5, "Do");
    await forAll.stop();
    expect(await guide.follow(5, "Check")).toBe("");
    await changeOver(3);
    upstream = await startUpstream(SECOND);
    await guide.follow(5, "Check", 1);
    await guide.follow(5, "Check", 2);
  });

  it("3, rollback: lets Stint's own Jobs end, and removes it", async () => {
    await guide.follow(3, "Rollback");
    await expect.poll(() => guide.follow(3, "Rollback", 1), PATIENCE).toBe("");
    await inTeam.stop();
    await guide.follow(3, "Rollback", 2);
    expect(guide.left).toEqual([]);
  });

  it("has lost nothing: every Job has ended as it should", async () => {
    const open = async (): Promise<string[]> =>
      (await jobs())
        .filter((job) => !isOver(job))
        .map(({ metadata, status }) => `${metadata.namespace}/${metadata.name}: ${JSON.stringify(status)}`);
    await expect.poll(open, PATIENCE).toEqual([]);
    const toGo = async (): Promise<string[]> =>
      (await jobs()).map(({ metadata }) => metadata.name).filter((name) => stateOf(name)?.end === undefined);
    await expect.poll(toGo, PATIENCE).toEqual([]);

    const found = await jobs();
    const lasting = (states: readonly State[]): number => states.filter(({ end }) => end !== undefined).length;
    expect(found).toHaveLength(lasting(STATES) * JOBS_OF_A_STATE + lasting(OF_TEAM));
    for (const { metadata, status } of found) {
      const { reason, ...counters } = stateOf(metadata.name)!.end!;
      const last = status!.conditions!.findLast(({ type }) => type === "Complete" || type === "Failed");
      const { succeeded = 0, failed = 0 } = status!;
      expect({ job: metadata.name, reason: last!.reason, succeeded, failed }).toMatchObject({ reason, ...counters });
    }
  });

  it("has left no pod behind, and the API server saw nothing that a Job controller must not do", async () => {
    const kept = async (): Promise<string[]> =>
      (await pods()).filter(({ metadata }) => metadata.finalizers !== undefined).map(({ metadata }) => metadata.name);
    await expect.poll(kept, PATIENCE).toEqual([]);
    expect(await guide.run("stint doctor --older-than 1ms")).toMatch(/^nothing is wrong: /);
    await kubelet.stop();
    await upstream.stop();
    const history = await recorder.finish([
      { user: FIRST, program: "upstream" },
      { user: STINT_USER, program: "stint" },
      { user: SECOND, program: "upstream" },
    ]);
    const { findings, counts } = checkHistory(history);
    expect(findings).toEqual([]);
    expect(counts.jobs).toBeGreaterThanOrEqual(200);
  });
});
